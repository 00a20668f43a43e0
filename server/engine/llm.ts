import { getPhrases } from '../base/guide-languages.ts';
import { type CitedPiece, CitedText } from './cited-text.ts';
import type {
  EmbedTexts,
  Engine,
  EngineEvent,
  EnginePassage,
  EngineQuestion,
  EngineTarget,
  EngineUsage,
} from './engine.ts';
import { answerNothingFound, suggestNext } from './extractive.ts';
import { buildPrompt, estimateTokens, isWorthAsking } from './llm-prompt.ts';
import {
  type Model,
  type ModelCall,
  ModelFailure,
  type ModelMessage,
  type ModelPart,
  type ModelTool,
  ThinkTagFilter,
} from './model.ts';
import { rewriteQuestion } from './rewrite-question.ts';

/**
 * Answers with a language model from the passages. The output is not trusted: citations are
 * verified, actions come from a closed set, and for weak matches nothing is emitted before the
 * first verified citation.
 */

export type LlmOptions = {
  inputTokensMax: number;
  outputTokensMax: number;
  /** Whether the model accepts images. */
  images: boolean;
  /** Reports the time to the first text. */
  onFirstText?: (millis: number) => void;
  onUsage?: (usage: EngineUsage) => void;
  /** Finds the part of the page that a visitor wants when nothing was found. */
  embedTexts?: EmbedTexts | undefined;
};

/** The prompt's share of the turn's token limit. */
const INPUT_PART = 0.75;
/** Bounds the answer of a faulty server. */
const ANSWER_CHARS_MAX = 60_000;

export function createLlmEngine(model: Model, options: LlmOptions): Engine {
  return {
    name: 'llm',
    costsTokens: true,
    acceptsImages: options.images,
    answer: (question, signal) =>
      signal.aborted || !isWorthAsking(question)
        ? answerWithoutModel(question, signal, options.embedTexts)
        : new LlmTurn(question, options, model).run(signal),
    rewrite: (request, signal) => rewriteQuestion(model, request, signal, options.onUsage),
  };
}

class LlmTurn {
  readonly #question: EngineQuestion;
  readonly #options: LlmOptions;
  readonly #model: Model;
  readonly #tokensMax: number;
  readonly #passages: readonly EnginePassage[];
  readonly #promptTokens: number;
  readonly #text: CitedText;
  readonly #total = { inputTokens: 0, outputTokens: 0 };
  /**
   * Dropped after the first text: no retry follows then, and they are the largest part of an open
   * answer.
   */
  #messages: readonly ModelMessage[] | undefined;
  #calls: ModelCall[] | undefined;
  #cited: EnginePassage[] | undefined;
  /** Events held until a citation is verified; undefined once that is no longer needed. */
  #heldEvents: EngineEvent[] | undefined;
  #hasNoAnswer = false;
  #citesPage = false;
  #hasText = false;
  /**
   * The current round. A second one follows only when the model called tools without writing text.
   */
  #round: Round = newRound(true);

  constructor(question: EngineQuestion, options: LlmOptions, model: Model) {
    this.#question = question;
    this.#options = options;
    this.#model = model;
    this.#tokensMax = question.allowance?.tokensMax ?? Number.POSITIVE_INFINITY;
    const prompt = buildPrompt(question, Math.min(options.inputTokensMax, this.#tokensMax * INPUT_PART));
    this.#passages = prompt.passages;
    this.#promptTokens = prompt.tokens;
    this.#messages = prompt.messages;
    this.#text = new CitedText(prompt.passages, prompt.page);
    this.#heldEvents = question.generalAnswers || question.found ? undefined : [];
  }

  async *run(signal: AbortSignal): AsyncGenerator<EngineEvent> {
    try {
      do {
        try {
          for await (const part of this.#streamRound(signal)) {
            for (const event of this.#process(part)) yield event;
            if (this.#isEnough()) break;
          }
        } finally {
          this.#addUsage();
        }
      } while (this.#beginSecondRound(signal));
      if (!signal.aborted) yield* this.#close();
    } finally {
      this.#question.allowance?.spend(this.#total);
      this.#options.onUsage?.({ ...this.#total });
    }
  }

  #streamRound(signal: AbortSignal): AsyncGenerator<ModelPart, void, undefined> {
    const { isFirst } = this.#round;
    const { inputTokens, outputTokens } = this.#total;
    const tokensLeft = Math.floor(this.#tokensMax - this.#promptTokens - inputTokens - outputTokens);
    const request = {
      messages: this.#messages ?? [],
      tools: isFirst ? buildTools(this.#question.page.targets, this.#passages) : [],
      outputTokensMax: Math.max(16, Math.min(this.#options.outputTokensMax, tokensLeft)),
    };
    return this.#model.stream(request, signal);
  }

  #process(part: ModelPart): readonly EngineEvent[] {
    const round = this.#round;
    round.inputTokens ||= this.#promptTokens + (round.isFirst ? 0 : 100);
    if (part.type === 'call') {
      if (round.isFirst) this.#calls = [...(this.#calls ?? []), part.call];
    } else if (part.type === 'end') round.end = part;
    else {
      if (round.chars === 0 && round.isFirst)
        this.#options.onFirstText?.(performance.now() - round.startedAt);
      round.chars += part.text.length;
      round.outputTokens += estimateTokens(part.text);
      const shown = round.thinkFilter.feed(part.text);
      if (shown !== '') return [...this.#emitPieces(this.#text.feed(shown))];
    }
    return NOTHING;
  }

  #isEnough(): boolean {
    return (this.#hasNoAnswer && !this.#hasText) || this.#round.chars > ANSWER_CHARS_MAX;
  }

  #addUsage(): void {
    const { end, inputTokens, outputTokens, chars } = this.#round;
    // Estimate the usage that the server does not report.
    this.#total.inputTokens += end?.usage?.inputTokens ?? inputTokens;
    this.#total.outputTokens += end?.usage?.outputTokens ?? outputTokens;
    if (chars > ANSWER_CHARS_MAX) this.#round.end = { type: 'end', reason: 'length' };
  }

  #beginSecondRound(signal: AbortSignal): boolean {
    const isDone = !this.#round.isFirst || this.#hasText || this.#hasNoAnswer || signal.aborted;
    if (isDone || !this.#calls) return false;
    this.#messages = [...(this.#messages ?? []), ...toToolMessages(this.#calls)];
    this.#round = newRound(false);
    return true;
  }

  *#emitPieces(pieces: readonly CitedPiece[]): Generator<EngineEvent> {
    for (const piece of pieces) {
      if (piece.type === 'none') {
        this.#hasNoAnswer = true;
        continue;
      }
      // White space alone does not start the answer.
      if (piece.type === 'text' && piece.delta.trim() !== '') this.#begin();
      if (piece.type === 'citation') this.#cited = [...(this.#cited ?? []), piece.passage];
      if (piece.type === 'page_citation') this.#citesPage = true;
      if (this.#heldEvents && piece.type === 'text') {
        this.#heldEvents.push(piece);
        continue;
      }
      // A verified citation or a question back releases the text.
      yield* this.#heldEvents ?? [];
      this.#heldEvents = undefined;
      if (piece.type !== 'ask') yield piece;
    }
  }

  #begin(): void {
    this.#hasText = true;
    this.#messages = undefined;
  }

  async *#close(): AsyncGenerator<EngineEvent> {
    const question = this.#question;
    const { page } = question;
    yield* this.#emitPieces(this.#text.end());
    const reason = this.#round.end?.reason;
    if (reason === 'refusal') {
      yield* emitRefusal(question, this.#hasText, this.#heldEvents ?? [], this.#total);
      return;
    }
    // No verified citation was found.
    if ((this.#hasNoAnswer && !this.#hasText) || (this.#heldEvents && this.#hasText)) {
      yield* answerNothingFound(question, this.#options.embedTexts, this.#total);
      return;
    }
    if (!this.#hasText) throw new ModelFailure('broken', 'an answer without text');
    for (const call of this.#calls ?? []) {
      const action = toAction(call, page.targets, this.#passages);
      if (action) yield action;
    }
    yield* suggestNext(question, this.#cited?.[0]?.articleId);
    yield {
      type: 'end',
      finishReason: this.#hasNoAnswer ? 'no_knowledge' : reason === 'length' ? 'length' : 'stop',
      confidence: computeConfidence(this.#cited ?? [], this.#citesPage, question),
      usage: { ...this.#total },
    };
  }
}

/** Answers without asking the model, which would have nothing to answer from. */
async function* answerWithoutModel(
  question: EngineQuestion,
  signal: AbortSignal,
  embedTexts: EmbedTexts | undefined,
): AsyncGenerator<EngineEvent> {
  if (!signal.aborted) yield* answerNothingFound(question, embedTexts);
}

const NOTHING: readonly EngineEvent[] = [];

type Round = {
  isFirst: boolean;
  startedAt: number;
  thinkFilter: ThinkTagFilter;
  end: Extract<ModelPart, { type: 'end' }> | undefined;
  chars: number;
  inputTokens: number;
  outputTokens: number;
};

function newRound(isFirst: boolean): Round {
  return {
    isFirst,
    startedAt: performance.now(),
    thinkFilter: new ThinkTagFilter(),
    end: undefined,
    chars: 0,
    inputTokens: 0,
    outputTokens: 0,
  };
}

function* emitRefusal(
  question: EngineQuestion,
  hasText: boolean,
  waiting: readonly EngineEvent[],
  usage: EngineUsage,
): Generator<EngineEvent> {
  yield* waiting;
  if (!hasText) yield { type: 'text', delta: getPhrases(question.replyLocale).refused };
  yield { type: 'end', finishReason: 'refusal', confidence: 0, usage: { ...usage } };
}

/** Returns tool results that ask for the answer, after tool calls without text. */
function toToolMessages(calls: readonly ModelCall[]): ModelMessage[] {
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
/** Lower than for articles: pages are not reviewed. */
const PAGE_CONFIDENCE = 0.5;

/**
 * Returns the best confidence of the cited passages; a low one without citations, because such an answer may be
 * invented.
 */
function computeConfidence(
  cited: readonly EnginePassage[],
  citesPage: boolean,
  { passages }: EngineQuestion,
): number {
  if (cited.length > 0) return Math.max(...cited.map(({ confidence }) => confidence));
  return citesPage ? PAGE_CONFIDENCE : Math.min(UNCITED_CONFIDENCE_MAX, passages[0]?.confidence ?? 0);
}

/**
 * Offers the actions to the model as tools; a call is a proposal and never executed. Targets and URLs are numbered
 * per turn, so the model cannot name any others.
 */

type Kind = 'highlight' | 'scroll_to' | 'focus';

const TOOL_DESCRIPTIONS: Readonly<Record<Kind, string>> = {
  highlight: 'Propose to point out a part of the page that is in view.',
  scroll_to: 'Propose to scroll to a part of the page that is not in view.',
  focus: 'Propose to put the cursor into a field of the page.',
};

const reason = {
  type: 'string',
  maxLength: 300,
  description: 'Why, in one short sentence to the visitor, in the language of the answer.',
};

function buildTools(
  targets: readonly EngineTarget[],
  passages: readonly EnginePassage[],
): readonly ModelTool[] {
  if (targets.length === 0) return [];
  const target = { type: 'string', enum: targets.map((_, at) => `t${at + 1}`) };
  const pageTools = (Object.keys(TOOL_DESCRIPTIONS) as Kind[]).map((name) => ({
    name,
    description: TOOL_DESCRIPTIONS[name],
    input: objectSchema({ target, reason }),
  }));
  const linkedPassages = passages.flatMap(({ url }, at) => (url ? [at + 1] : []));
  if (linkedPassages.length === 0) return pageTools;
  return [
    ...pageTools,
    {
      name: 'navigate',
      description: 'Propose to open the page of a passage.',
      input: objectSchema({ passage: { type: 'integer', enum: linkedPassages }, reason }),
    },
  ];
}

function objectSchema(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Converts a tool call; undefined for unknown tools or targets. */
export function toAction(
  { name, input }: ModelCall,
  targets: readonly EngineTarget[],
  passages: readonly EnginePassage[],
): Extract<EngineEvent, { type: 'action' }> | undefined {
  const args = parseInput(input);
  if (!args) return undefined;
  const reasonText = typeof args.reason === 'string' ? args.reason : '';
  if (name === 'navigate') {
    const passage = passages[Number(args.passage) - 1];
    if (!passage?.url || targets.length === 0) return undefined;
    return {
      type: 'action',
      kind: 'navigate',
      url: passage.url,
      label: passage.title,
      reason: reasonText || passage.title,
    };
  }
  if (!Object.hasOwn(TOOL_DESCRIPTIONS, name)) return undefined;
  const number = /^t(\d{1,3})$/.exec(String(args.target))?.[1];
  const target = targets[Number(number) - 1];
  if (!target) return undefined;
  return {
    type: 'action',
    kind: name as Kind,
    gpId: target.gpId,
    label: target.name,
    reason: reasonText || target.name,
  };
}

function parseInput(input: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
