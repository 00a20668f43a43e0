import { type CitedPiece, CitedText } from './cited-text.ts';
import type { Engine, EngineEvent, EnginePassage, EngineQuestion, EngineUsage } from './engine.ts';
import { nextSteps, nothingFound } from './extractive.ts';
import { promptFor } from './llm-prompt.ts';
import { proposalOf, toolsFor } from './llm-tools.ts';
import { type Model, type ModelCall, ModelFailure, type ModelMessage, type ModelPart } from './model.ts';
import { refusedPhrase } from './phrases.ts';
import { tokensOf } from './token-count.ts';
import { WithoutThinking } from './without-thinking.ts';

/**
 * Answers with a language model, from the passages. What the model writes is read, never believed: sources are verified, proposals come
 * from a closed vocabulary, and where no passage fits well nothing leaves before a verified source.
 */

export type LlmOptions = {
  readonly inputTokensMax: number;
  readonly outputTokensMax: number;
  /** Whether the model reads images. */
  readonly images: boolean;
  /** Told how long the model took to begin. */
  readonly onFirstText?: (millis: number) => void;
  readonly onUsage?: (usage: EngineUsage) => void;
};

/** Of what a turn may cost, what the question with its passages may take. */
const INPUT_PART = 0.75;
/** No honest answer is longer, whatever a server sends. */
const ANSWER_CHARS_MAX = 60_000;

export function createLlmEngine(model: Model, options: LlmOptions): Engine {
  return {
    name: 'llm',
    costsTokens: true,
    looks: options.images,
    answer: (question, signal) =>
      signal.aborted || (question.passages.length === 0 && !question.generalAnswers)
        ? withoutModel(question, signal)
        : new WrittenTurn(question, options, model).run(signal),
  };
}

class WrittenTurn {
  readonly #question: EngineQuestion;
  readonly #options: LlmOptions;
  readonly #model: Model;
  readonly #tokensMax: number;
  readonly #passages: readonly EnginePassage[];
  readonly #promptTokens: number;
  readonly #text: CitedText;
  readonly #total = { inputTokens: 0, outputTokens: 0 };
  /** Until the model has written a word: after that it is not asked again, and these are the most of what an open answer holds. */
  #messages: readonly ModelMessage[] | undefined;
  #calls: ModelCall[] | undefined;
  #cited: EnginePassage[] | undefined;
  /** Events that wait for a verified source; undefined once they need not. */
  #waiting: EngineEvent[] | undefined;
  #isNone = false;
  #hasText = false;
  /** Of the round at hand; a second one only follows proposals without a word. */
  #round: Round = newRound(true);

  constructor(question: EngineQuestion, options: LlmOptions, model: Model) {
    this.#question = question;
    this.#options = options;
    this.#model = model;
    this.#tokensMax = question.allowance?.tokensMax ?? Number.POSITIVE_INFINITY;
    const prompt = promptFor(question, Math.min(options.inputTokensMax, this.#tokensMax * INPUT_PART));
    this.#passages = prompt.passages;
    this.#promptTokens = prompt.tokens;
    this.#messages = prompt.messages;
    this.#text = new CitedText(prompt.passages);
    this.#waiting = question.generalAnswers || question.found ? undefined : [];
  }

  async *run(signal: AbortSignal): AsyncGenerator<EngineEvent> {
    try {
      do {
        try {
          for await (const part of this.#ask(signal)) {
            for (const event of this.#take(part)) yield event;
            if (this.#isEnough()) break;
          }
        } finally {
          this.#count();
        }
      } while (this.#goesOn(signal));
      if (!signal.aborted) yield* this.#close();
    } finally {
      this.#question.allowance?.spend(this.#total);
      this.#options.onUsage?.({ ...this.#total });
    }
  }

  #ask(signal: AbortSignal): AsyncGenerator<ModelPart, void, undefined> {
    const { isFirst } = this.#round;
    const { inputTokens, outputTokens } = this.#total;
    const left = Math.floor(this.#tokensMax - this.#promptTokens - inputTokens - outputTokens);
    const request = {
      messages: this.#messages ?? [],
      tools: isFirst ? toolsFor(this.#question.page.targets, this.#passages) : [],
      outputTokensMax: Math.max(16, Math.min(this.#options.outputTokensMax, left)),
    };
    return this.#model.stream(request, signal);
  }

  #take(part: ModelPart): readonly EngineEvent[] {
    const round = this.#round;
    round.inputTokens ||= this.#promptTokens + (round.isFirst ? 0 : 100);
    if (part.type === 'call') {
      if (round.isFirst) this.#calls = [...(this.#calls ?? []), part.call];
    } else if (part.type === 'end') round.end = part;
    else {
      if (round.chars === 0 && round.isFirst)
        this.#options.onFirstText?.(performance.now() - round.startedAt);
      round.chars += part.text.length;
      round.outputTokens += tokensOf(part.text);
      const shown = round.think.feed(part.text);
      if (shown !== '') return [...this.#pass(this.#text.feed(shown))];
    }
    return NOTHING;
  }

  #isEnough(): boolean {
    return (this.#isNone && !this.#hasText) || this.#round.chars > ANSWER_CHARS_MAX;
  }

  #count(): void {
    const { end, inputTokens, outputTokens, chars } = this.#round;
    // A server that says nothing of usage has still used it.
    this.#total.inputTokens += end?.usage?.inputTokens ?? inputTokens;
    this.#total.outputTokens += end?.usage?.outputTokens ?? outputTokens;
    if (chars > ANSWER_CHARS_MAX) this.#round.end = { type: 'end', reason: 'length' };
  }

  #goesOn(signal: AbortSignal): boolean {
    const isDone = !this.#round.isFirst || this.#hasText || this.#isNone || signal.aborted;
    if (isDone || !this.#calls) return false;
    this.#messages = [...(this.#messages ?? []), ...asProposed(this.#calls)];
    this.#round = newRound(false);
    return true;
  }

  *#pass(pieces: readonly CitedPiece[]): Generator<EngineEvent> {
    for (const piece of pieces) {
      if (piece.type === 'none') {
        this.#isNone = true;
        continue;
      }
      // White space alone is not the beginning of an answer.
      if (piece.type === 'text' && piece.delta.trim() !== '') this.#begin();
      if (piece.type === 'citation') this.#cited = [...(this.#cited ?? []), piece.passage];
      if (this.#waiting && piece.type !== 'citation') this.#waiting.push(piece);
      else if (this.#waiting) {
        yield* this.#waiting;
        this.#waiting = undefined;
        yield piece;
      } else yield piece;
    }
  }

  #begin(): void {
    this.#hasText = true;
    this.#messages = undefined;
  }

  *#close(): Generator<EngineEvent> {
    const question = this.#question;
    const { page } = question;
    yield* this.#pass(this.#text.end());
    const reason = this.#round.end?.reason;
    if (reason === 'refusal') {
      yield* refused(question, this.#hasText, this.#waiting ?? [], this.#total);
      return;
    }
    // Nothing that can be shown to stand in a passage has left.
    if ((this.#isNone && !this.#hasText) || (this.#waiting && this.#hasText)) {
      yield* nothingFound(question, this.#total);
      return;
    }
    if (!this.#hasText) throw new ModelFailure('broken', 'an answer without text');
    for (const call of this.#calls ?? []) {
      const proposal = proposalOf(call, page.targets, this.#passages);
      if (proposal) yield proposal;
    }
    yield* nextSteps(question, this.#cited?.[0]?.articleId);
    yield {
      type: 'end',
      finishReason: this.#isNone ? 'no_knowledge' : reason === 'length' ? 'length' : 'stop',
      confidence: confidenceOf(this.#cited ?? [], question),
      usage: { ...this.#total },
    };
  }
}

/** Nothing is published that the model could answer from. */
async function* withoutModel(question: EngineQuestion, signal: AbortSignal): AsyncGenerator<EngineEvent> {
  if (!signal.aborted) yield* nothingFound(question);
}

const NOTHING: readonly EngineEvent[] = [];

type Round = {
  readonly isFirst: boolean;
  readonly startedAt: number;
  readonly think: WithoutThinking;
  end: Extract<ModelPart, { type: 'end' }> | undefined;
  chars: number;
  inputTokens: number;
  outputTokens: number;
};

function newRound(isFirst: boolean): Round {
  return {
    isFirst,
    startedAt: performance.now(),
    think: new WithoutThinking(),
    end: undefined,
    chars: 0,
    inputTokens: 0,
    outputTokens: 0,
  };
}

function* refused(
  question: EngineQuestion,
  hasText: boolean,
  waiting: readonly EngineEvent[],
  usage: EngineUsage,
): Generator<EngineEvent> {
  yield* waiting;
  if (!hasText) yield { type: 'text', delta: refusedPhrase(question.requestedLocale) };
  yield { type: 'end', finishReason: 'refusal', confidence: 0, usage: { ...usage } };
}

/** What a proposal without an answer is told, so that the answer follows. */
function asProposed(calls: readonly ModelCall[]): ModelMessage[] {
  return [
    { role: 'called', calls },
    ...calls.map(({ id }) => ({
      role: 'result' as const,
      callId: id,
      text: 'Shown to the visitor as a proposal. Now answer the question.',
    })),
  ];
}

const UNCITED_CONFIDENCE_MAX = 0.3;

/** How well the sources fit; an answer that shows none cannot be told from an invented one. */
function confidenceOf(cited: readonly EnginePassage[], { passages }: EngineQuestion): number {
  if (cited.length > 0) return Math.max(...cited.map(({ confidence }) => confidence));
  return Math.min(UNCITED_CONFIDENCE_MAX, passages[0]?.confidence ?? 0);
}
