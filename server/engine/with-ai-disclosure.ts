import { findBotQuestion } from '../phrases/bot-question.ts';
import type { Engine, EngineEvent, EngineQuestion } from './engine.ts';

/** Answers the question whether the guide is a person before the engine answers the rest. */
export function withAiDisclosure(engine: Engine): Engine {
  return {
    name: engine.name,
    ...(engine.costsTokens === undefined ? {} : { costsTokens: engine.costsTokens }),
    ...(engine.acceptsImages === undefined ? {} : { acceptsImages: engine.acceptsImages }),
    ...(engine.rewrite ? { rewrite: engine.rewrite } : {}),
    answer(question, signal) {
      const botQuestion = findBotQuestion(question.text);
      return botQuestion
        ? discloseThenAnswer(engine, question, botQuestion, signal)
        : engine.answer(question, signal);
    },
  };
}

async function* discloseThenAnswer(
  engine: Engine,
  question: EngineQuestion,
  botQuestion: NonNullable<ReturnType<typeof findBotQuestion>>,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent> {
  if (signal.aborted) return;
  yield { type: 'text', delta: botQuestion.answer };
  if (!hasSecondQuestion(botQuestion.rest)) {
    yield { type: 'end', finishReason: 'stop', confidence: 1, usage: { inputTokens: 0, outputTokens: 0 } };
    return;
  }
  yield { type: 'text', delta: GAP };
  // The engine receives only the rest of the question.
  for await (const event of engine.answer({ ...question, text: botQuestion.rest }, signal))
    yield shiftCitation(event, botQuestion.answer.length + GAP.length);
}

const GAP = '\n\n';
const OTHER_WORDS_MIN = 6;
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Whether the rest is long enough to be another question, unlike a greeting or "or a robot?". */
function hasSecondQuestion(rest: string): boolean {
  let count = 0;
  for (const { isWordLike } of words.segment(rest)) if (isWordLike) count += 1;
  return count >= OTHER_WORDS_MIN;
}

/** Shifts citation offsets by the text before the answer. */
function shiftCitation(event: EngineEvent, by: number): EngineEvent {
  return event.type === 'citation' ? { ...event, start: event.start + by, end: event.end + by } : event;
}
