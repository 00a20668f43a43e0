/** Predicts the intent of a message from its vector, with the regression that `make fit` wrote for the model. */
import { identity, memoize } from '../../base/cache.ts';
import type { Vector } from '../../base/vector.ts';
import { type Intent, QUESTION_MAX } from './intents.ts';
import file from './regressions.json' with { type: 'json' };
import { openSoftmax, type Softmax } from './softmax.ts';

export type Prediction = {
  /** `question` if it is more likely a question than not; undefined if neither is likely enough. */
  intent: Intent | 'question' | undefined;
  /** Whether it holds even if an article answers the message. */
  isSure: boolean;
};

const QUESTION_MIN = 0.5;
const REGRESSIONS: Readonly<Record<string, Softmax>> = file;

const openRegression = memoize((model: string) => openSoftmax(REGRESSIONS[model]!), identity);

/** Whether vectors of this model tell intents apart. */
export const knowsIntents = (model: string | undefined): boolean => Object.hasOwn(REGRESSIONS, model ?? '');

export function predictIntent(model: string, vector: Vector): Prediction | undefined {
  if (!knowsIntents(model)) return undefined;
  const { labels } = REGRESSIONS[model]!;
  const shares = openRegression(model)(vector);
  const question = shares[labels.indexOf('question')]!;
  if (question >= QUESTION_MIN) return { intent: 'question', isSure: true };
  if (question >= QUESTION_MAX.unsure) return { intent: undefined, isSure: false };
  const likeliest = labels.reduce((best, label, at) => {
    const isBetter = label !== 'question' && shares[at]! > (shares[labels.indexOf(best)] ?? 0);
    return isBetter ? label : best;
  }, '');
  return { intent: likeliest as Intent, isSure: question < QUESTION_MAX.sure };
}
