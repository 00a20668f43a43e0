import { personQuestion } from './bot-question-detector.ts';
import type { Engine, EngineEvent, EngineQuestion } from './engine.ts';

/** Whoever asks whether they talk to a person is told the truth before any engine says a word. */
export function withAiDisclosure(engine: Engine): Engine {
  return {
    name: engine.name,
    ...(engine.costsTokens === undefined ? {} : { costsTokens: engine.costsTokens }),
    ...(engine.looks === undefined ? {} : { looks: engine.looks }),
    ...(engine.forgetful === undefined ? {} : { forgetful: engine.forgetful }),
    answer(question, signal) {
      const asked = personQuestion(question.text);
      return asked ? truth(engine, question, asked, signal) : engine.answer(question, signal);
    },
  };
}

async function* truth(
  engine: Engine,
  question: EngineQuestion,
  asked: NonNullable<ReturnType<typeof personQuestion>>,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent> {
  if (signal.aborted) return;
  yield { type: 'text', delta: asked.answer };
  if (!isAnotherQuestion(asked.rest)) {
    yield { type: 'end', finishReason: 'stop', confidence: 1, usage: { inputTokens: 0, outputTokens: 0 } };
    return;
  }
  yield { type: 'text', delta: GAP };
  // Nobody else is asked what was answered already.
  for await (const event of engine.answer({ ...question, text: asked.rest }, signal))
    yield moved(event, asked.answer.length + GAP.length);
}

const GAP = '\n\n';
const OTHER_WORDS_MIN = 6;
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Whether enough is left for another question; a greeting or "or a robot?" is not. */
function isAnotherQuestion(rest: string): boolean {
  let count = 0;
  for (const { isWordLike } of words.segment(rest)) if (isWordLike) count += 1;
  return count >= OTHER_WORDS_MIN;
}

/** What stands before the answer moves the places of its sources. */
function moved(event: EngineEvent, by: number): EngineEvent {
  return event.type === 'citation' ? { ...event, start: event.start + by, end: event.end + by } : event;
}
