/** Predicts the intent of a message from its vector, with the regression that `make fit` wrote for the model. */
import type { Intent } from './recognize-intent.ts';
import file from './regressions.json' with { type: 'json' };
import { computeShares, type EncodedRegression, QUESTION_MAX } from './softmax.ts';

/** `question` if it is more likely a question than not; undefined if neither is likely enough. */
export type Prediction = Intent | 'question' | undefined;

const QUESTION_MIN = 0.5;

const REGRESSIONS: Readonly<Record<string, EncodedRegression>> = file;

/** Whether vectors of this model tell intents apart. */
export const knowsIntents = (model: string | undefined): boolean => Object.hasOwn(REGRESSIONS, model ?? '');

/** @param isFamiliar whether all words of the message occur in examples of small talk */
export function predictIntent(model: string, vector: readonly number[], isFamiliar: boolean): Prediction {
  const regression = REGRESSIONS[model];
  if (!regression) return undefined;
  const shares = computeShares(regression, vector);
  const { labels } = regression;
  const question = shares[labels.indexOf('question')]!;
  if (question >= QUESTION_MIN) return 'question';
  if (question >= (isFamiliar ? QUESTION_MAX.familiar : QUESTION_MAX.other)) return undefined;
  const likeliest = labels.reduce((best, label, at) => {
    const isBetter = label !== 'question' && shares[at]! > (shares[labels.indexOf(best)] ?? 0);
    return isBetter ? label : best;
  }, '');
  return likeliest as Intent;
}
