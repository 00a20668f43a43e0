import { type CitedPiece, createCitedText } from './cited-text.ts';
import type { Engine, EngineEvent, EnginePassage, EngineQuestion, EngineUsage } from './engine.ts';
import { nextSteps, nothingFound } from './extractive.ts';
import { promptFor } from './llm-prompt.ts';
import { proposalOf, toolsFor } from './llm-tools.ts';
import { type Model, type ModelCall, ModelFailure, type ModelMessage, type ModelPart } from './model.ts';
import { refusedPhrase } from './phrases.ts';
import { tokensOf } from './token-count.ts';
import { withoutThinking } from './without-thinking.ts';

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
    async *answer(question, signal) {
      if (signal.aborted) return;
      const mayGeneralise = question.generalAnswers ?? false;
      if (question.passages.length === 0 && !mayGeneralise) {
        yield* nothingFound(question);
        return;
      }
      const turn = createTurn(question, options);
      try {
        yield* turn.run(model, signal);
      } finally {
        const usage = turn.usage();
        question.allowance?.spend(usage);
        options.onUsage?.(usage);
      }
    },
  };
}

type End = Extract<ModelPart, { type: 'end' }>;

function createTurn(question: EngineQuestion, options: LlmOptions) {
  const { generalAnswers = false, allowance, page } = question;
  const tokensMax = allowance?.tokensMax ?? Number.POSITIVE_INFINITY;
  const prompt = promptFor(question, Math.min(options.inputTokensMax, tokensMax * INPUT_PART));
  const tools = toolsFor(page.targets, prompt.passages);
  const text = createCitedText(prompt.passages);
  const cited: EnginePassage[] = [];
  const total = { inputTokens: 0, outputTokens: 0 };
  /** Events that wait for a verified source; undefined once they need not. */
  let waiting: EngineEvent[] | undefined = generalAnswers || question.found ? undefined : [];
  let isNone = false;
  let hasText = false;

  function outputTokensMax(): number {
    const left = Math.floor(tokensMax - prompt.tokens - total.inputTokens - total.outputTokens);
    return Math.max(16, Math.min(options.outputTokensMax, left));
  }

  function* pass(pieces: readonly CitedPiece[]): Generator<EngineEvent> {
    for (const piece of pieces) {
      if (piece.type === 'none') {
        isNone = true;
        continue;
      }
      // White space alone is not the beginning of an answer.
      if (piece.type === 'text' && piece.delta.trim() !== '') hasText = true;
      if (piece.type === 'citation') cited.push(piece.passage);
      if (waiting && piece.type !== 'citation') waiting.push(piece);
      else if (waiting) {
        yield* waiting;
        waiting = undefined;
        yield piece;
      } else yield piece;
    }
  }

  /** One answer of the model; a second one only follows proposals without a word. */
  async function* round(
    model: Model,
    messages: readonly ModelMessage[],
    isFirst: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<EngineEvent, { end: End | undefined; calls: ModelCall[] }, undefined> {
    const startedAt = performance.now();
    const calls: ModelCall[] = [];
    const think = withoutThinking();
    let end: End | undefined;
    let chars = 0;
    const used = { inputTokens: 0, outputTokens: 0 };
    const request = { messages, tools: isFirst ? tools : [], outputTokensMax: outputTokensMax() };
    try {
      for await (const part of model.stream(request, signal)) {
        used.inputTokens ||= isFirst ? prompt.tokens : prompt.tokens + 100;
        if (part.type === 'text') {
          if (chars === 0 && isFirst) options.onFirstText?.(performance.now() - startedAt);
          chars += part.text.length;
          used.outputTokens += tokensOf(part.text);
          const shown = think(part.text);
          if (shown !== '') yield* pass(text.feed(shown));
          if ((isNone && !hasText) || chars > ANSWER_CHARS_MAX) break;
        } else if (part.type === 'call') calls.push(part.call);
        else end = part;
      }
    } finally {
      // A server that says nothing of usage has still used it.
      total.inputTokens += end?.usage?.inputTokens ?? used.inputTokens;
      total.outputTokens += end?.usage?.outputTokens ?? used.outputTokens;
    }
    if (chars > ANSWER_CHARS_MAX) end = { type: 'end', reason: 'length' };
    return { end, calls };
  }

  return {
    usage: (): EngineUsage => ({ ...total }),

    async *run(model: Model, signal: AbortSignal): AsyncGenerator<EngineEvent> {
      let { end, calls } = yield* round(model, prompt.messages, true, signal);
      const proposals = calls.flatMap((call) => proposalOf(call, page.targets, prompt.passages) ?? []);
      if (calls.length > 0 && !hasText && !isNone && !signal.aborted) {
        const told = [...prompt.messages, ...asProposed(calls)];
        ({ end } = yield* round(model, told, false, signal));
      }
      if (signal.aborted) return;
      yield* pass(text.end());
      if (end?.reason === 'refusal') {
        yield* refused(question, hasText, waiting ?? [], total);
        return;
      }
      // Nothing that can be shown to stand in a passage has left.
      if ((isNone && !hasText) || (waiting && hasText)) {
        yield* nothingFound(question, total);
        return;
      }
      if (!hasText) throw new ModelFailure('broken', 'an answer without text');
      yield* proposals;
      yield* nextSteps(question, cited[0]?.articleId);
      yield {
        type: 'end',
        finishReason: isNone ? 'no_knowledge' : end?.reason === 'length' ? 'length' : 'stop',
        confidence: confidenceOf(cited, question),
        usage: { ...total },
      };
    },
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
