import { getPhrases } from '../base/guide-languages.ts';
import { type CitedPiece, CitedText } from './cited-text.ts';
import { rememberContextSize } from './context-size.ts';
import type {
  EmbedTexts,
  Engine,
  EngineEvent,
  EnginePassage,
  EngineQuestion,
  EngineUsage,
} from './engine.ts';
import { answerWithoutModel, suggestNext } from './extractive.ts';
import { sharesWords } from './grounding.ts';
import { buildPrompt, isWorthAsking, mayAskBack, toPromptMessages } from './llm-prompt.ts';
import {
  type Model,
  type ModelCall,
  ModelFailure,
  type ModelMessage,
  type ModelPart,
  type ModelTool,
} from './model.ts';
import { buildTools, toAction } from './model-tools.ts';
import { createRewriter } from './rewrite-question.ts';
import { createSummarizer } from './summarize.ts';
import { createHabits, type Habits, ThinkingFilter } from './thinking.ts';
import { countScripts, type ScriptCounts, TokenRates } from './token-rates.ts';

/**
 * Answers with a language model from the passages. The output is not trusted: citations are verified, actions come from a
 * closed set, and nothing is emitted before the first verified citation. An answer without one is replaced by quotes.
 */

export type LlmOptions = {
  inputTokensMax: number;
  outputTokensMax: number;
  /** Whether the model accepts images. */
  images: boolean;
  /** Reports the time to the first text. */
  onFirstText?: (millis: number) => void;
  onUsage?: (usage: EngineUsage) => void;
  /** Called when nothing in the sources supports an answer. */
  onUngrounded?: () => void;
  now: () => number;
  /** Rewrites follow-ups instead of the model that answers. */
  rewriteModel?: Model;
  /** Finds the part of the page that a visitor wants when nothing was found. */
  embedTexts?: EmbedTexts | undefined;
};

/** The prompt's share of the turn's token limit. */
const INPUT_PART = 0.75;
/** From here on, quotes are right more often than a model that says that nothing answers. */
const CONFIDENCE_SURE = 0.6;
/** Bounds the answer of a faulty server. */
const ANSWER_CHARS_MAX = 60_000;

/** What a model that thinks may write besides the answer. */
const THINKING_TOKENS = 4_096;
/** Of all scripts; Greek writes a semicolon. */
const QUESTION_MARK = /[?？؟;՞፧]/;
const RAW_CHARS_MAX = ANSWER_CHARS_MAX + THINKING_TOKENS * 10;

/** The part of the context that is used: learned estimates of prompts were up to 8 per cent too low. */
const CONTEXT_PART = 0.92;
/** The part of a small context that the answer may use, with thinking and without. */
const THINKING_PART = 1 / 2;
const ANSWER_PART = 1 / 4;
/** The part of the prompt that tools may use; where they need more, the model gets none. */
const TOOLS_PART = 1 / 4;
const ANSWER_TOKENS_MIN = 128;
/** Rough tokens of a screenshot, for servers that do not report usage. */
const IMAGE_TOKENS = 1000;

/** What was learned of a model from earlier answers. */
type Experience = { habits: Habits; rates: TokenRates };

export function createLlmEngine(model: Model, options: LlmOptions): Engine {
  const experience = { habits: createHabits(), rates: new TokenRates() };
  const context = rememberContextSize(async (signal) => model.readContextSize?.(signal), options.now);
  return {
    name: 'llm',
    costsTokens: true,
    acceptsImages: options.images,
    async *answer(question, signal) {
      if (signal.aborted) return;
      if (!isWorthAsking(question)) {
        yield* answerWithoutModel(question, options.embedTexts);
        return;
      }
      try {
        yield* new LlmTurn(question, options, model, experience, await context.get()).run(signal);
      } catch (error) {
        if (isContextExceeded(error)) context.forget();
        throw error;
      }
    },
    rewrite: createRewriter(options.rewriteModel ?? model, options),
    summarize: createSummarizer(model, options),
  };
}

const isContextExceeded = (error: unknown) =>
  error instanceof ModelFailure && error.kind === 'context_exceeded';

class LlmTurn {
  readonly #question: EngineQuestion;
  readonly #options: LlmOptions;
  readonly #model: Model;
  readonly #habits: Habits;
  readonly #rates: TokenRates;
  readonly #contextTokens: number;
  readonly #tokensMax: number;
  readonly #total = { inputTokens: 0, outputTokens: 0 };
  #passages: readonly EnginePassage[] = [];
  #offersTools = false;
  /** Of the messages and the tools. */
  #promptScripts: ScriptCounts = [];
  #imageTokens = 0;
  #promptTokens = 0;
  /**
   * Dropped after the first text: no retry follows then, and they are the largest part of an open
   * answer.
   */
  #messages: readonly ModelMessage[] | undefined;
  #createText!: () => CitedText;
  #text!: CitedText;
  #calls: ModelCall[] | undefined;
  #cited: EnginePassage[] | undefined;
  /** Events held until the answer is grounded; undefined from then on. */
  #heldEvents: EngineEvent[] | undefined = [];
  /** Whether the model said that it asks the visitor back. */
  #asksBack = false;
  #hasNoAnswer = false;
  /** Whether the model said that a person has to help, by a rule of the owner. */
  #handsOver = false;
  #citesPage = false;
  #hasText = false;
  #isShortened = false;
  #isLoop = false;
  #triesAgain = false;
  /**
   * The current round. A second one follows when the model called tools without writing text, when it spent its tokens
   * on thinking, or when the prompt was too long.
   */
  #round: Round;

  constructor(
    question: EngineQuestion,
    options: LlmOptions,
    model: Model,
    { habits, rates }: Experience,
    contextTokens = Number.POSITIVE_INFINITY,
  ) {
    this.#question = question;
    this.#options = options;
    this.#model = model;
    this.#habits = habits;
    this.#rates = rates;
    this.#contextTokens = contextTokens * CONTEXT_PART;
    this.#tokensMax = question.allowance?.tokensMax ?? Number.POSITIVE_INFINITY;
    this.#round = this.#newRound(true);
    this.#prepare(question, 1);
  }

  /** @param share the part of the token limit that the prompt may use */
  #prepare(question: EngineQuestion, share: number): void {
    const room = this.#contextTokens - this.#answerTokensMax();
    const tokensMax = Math.min(this.#options.inputTokensMax, this.#tokensMax * INPUT_PART, room) * share;
    const { digest, selectedText, targets } = question.page;
    const tools = buildTools(targets, question.passages);
    const toolTokens = tools.length === 0 ? 0 : this.#rates.estimate(JSON.stringify(tools));
    this.#offersTools = toolTokens <= tokensMax * TOOLS_PART;
    const { passages, messages, isEcho } = buildPrompt(
      question,
      this.#offersTools ? tokensMax - toolTokens : tokensMax,
      (text) => this.#rates.estimate(text),
      this.#model,
    );
    const sources = [
      ...passages.map((passage) => ({ text: passage.text, passage })),
      { text: `${digest}\n${selectedText}` },
    ];
    this.#passages = passages;
    this.#setMessages(messages);
    this.#createText = () => new CitedText(sources, isEcho, (passage) => this.#mayCopy(passage));
    this.#text = this.#createText();
  }

  #setMessages(messages: readonly ModelMessage[]): void {
    const texts = messages.flatMap((message) => {
      if (!('text' in message)) return [JSON.stringify(message.calls)];
      const documents = (message.role === 'user' && message.documents) || [];
      return [message.text, ...documents.map(({ text }) => text)];
    });
    const tools = this.#buildTools();
    this.#promptScripts = countScripts(tools.length === 0 ? texts : [...texts, JSON.stringify(tools)]);
    const hasImage = messages.some((message) => message.role === 'user' && message.image);
    this.#imageTokens = hasImage ? IMAGE_TOKENS : 0;
    this.#promptTokens = this.#rates.toTokens(this.#promptScripts) + this.#imageTokens;
    if (this.#promptTokens + ANSWER_TOKENS_MIN > this.#contextTokens)
      throw new ModelFailure('context_exceeded', 'the prompt leaves no room for an answer');
    this.#messages = messages;
  }

  /**
   * Small models copy whatever stands before them: where the search is sure of an article, an answer begins with it, and where
   * it found nothing, with a mark. What was found for a later message may come from a wrong reading of it.
   */
  #mayCopy({ articleId }: EnginePassage): boolean {
    const { passages, recentTurns, found } = this.#question;
    if (recentTurns.length > 0 || this.#cited !== undefined) return true;
    const [best] = passages;
    const isSure = best !== undefined && best.confidence >= CONFIDENCE_SURE;
    return found && (!isSure || articleId === best.articleId);
  }

  #buildTools(): readonly ModelTool[] {
    return this.#offersTools ? buildTools(this.#question.page.targets, this.#passages) : [];
  }

  #answerTokensMax(): number {
    const { thinks } = this.#habits;
    const tokensMax = this.#options.outputTokensMax + (thinks ? THINKING_TOKENS : 0);
    return Math.min(tokensMax, Math.floor(this.#contextTokens * (thinks ? THINKING_PART : ANSWER_PART)));
  }

  async *run(signal: AbortSignal): AsyncGenerator<EngineEvent> {
    try {
      do yield* this.#readRound(signal);
      while (!signal.aborted && this.#beginNextRound());
      if (!signal.aborted) yield* this.#close();
    } finally {
      this.#question.allowance?.spend(this.#total);
      this.#options.onUsage?.({ ...this.#total });
    }
  }

  async *#readRound(signal: AbortSignal): AsyncGenerator<EngineEvent> {
    try {
      for await (const part of this.#streamRound(signal)) {
        yield* this.#process(part);
        if (this.#isEnough()) break;
      }
    } catch (error) {
      if (!this.#shorten(error)) throw error;
    } finally {
      this.#addUsage();
    }
    if (signal.aborted) return;
    yield* this.#add(this.#round.filter.end());
    yield* this.#emitPieces(this.#text.end());
    this.#habits.thinks ||= this.#round.thinks;
  }

  /** Prepares another attempt with half of the passages, once, if the prompt was longer than the model's context. */
  #shorten(error: unknown): boolean {
    if (!isContextExceeded(error) || this.#isShortened || this.#hasText) return false;
    this.#isShortened = true;
    this.#triesAgain = true;
    const passages = this.#question.passages.slice(0, Math.ceil(this.#question.passages.length / 2));
    this.#prepare({ ...this.#question, passages }, 0.5);
    return true;
  }

  #streamRound(signal: AbortSignal): AsyncGenerator<ModelPart, void, undefined> {
    const { isFirst } = this.#round;
    const { inputTokens, outputTokens } = this.#total;
    const tokensLeft = Math.min(this.#tokensMax - inputTokens - outputTokens, this.#contextTokens);
    const request = {
      messages: this.#messages ?? [],
      tools: this.#buildTools(),
      callsNothing: !isFirst,
      outputTokensMax: Math.max(
        16,
        Math.min(this.#answerTokensMax(), Math.floor(tokensLeft - this.#promptTokens)),
      ),
    };
    this.#question.onPrompt?.(toPromptMessages(request.messages));
    return this.#model.stream(request, signal);
  }

  *#process(part: ModelPart): Generator<EngineEvent> {
    const round = this.#round;
    round.inputTokens ||= this.#promptTokens;
    if (part.type === 'call') {
      if (round.isFirst) this.#calls = [...(this.#calls ?? []), part.call];
    } else if (part.type === 'end') round.end = part;
    else if (part.type === 'thought') round.thinks = true;
    else if (part.type === 'citation')
      yield* this.#emitPieces(this.#text.cite(part.document + 1, part.quote));
    else {
      if (round.rawChars === 0 && round.isFirst)
        this.#options.onFirstText?.(performance.now() - round.startedAt);
      round.rawChars += part.text.length;
      round.outputTokens += this.#rates.estimate(part.text);
      const { text, retracts } = round.filter.feed(part.text);
      if (retracts) this.#retract();
      yield* this.#add(text);
    }
  }

  *#add(text: string): Generator<EngineEvent> {
    this.#round.chars += text.length;
    if (text !== '') yield* this.#emitPieces(this.#text.feed(text));
  }

  /** Drops text that turned out to be thinking, unless the visitor has seen it. */
  #retract(): void {
    this.#round.thinks = true;
    if (!this.#heldEvents) return;
    this.#heldEvents = [];
    this.#text = this.#createText();
    this.#hasText = this.#hasNoAnswer = this.#handsOver = this.#asksBack = false;
  }

  #isEnough(): boolean {
    const { chars, rawChars } = this.#round;
    const isTooLong = chars > ANSWER_CHARS_MAX || rawChars > RAW_CHARS_MAX;
    const isDeclined = this.#hasNoAnswer || this.#handsOver;
    return (isDeclined && !this.#hasText) || this.#isLoop || isTooLong;
  }

  #addUsage(): void {
    const { end, inputTokens, outputTokens, chars } = this.#round;
    if (end?.usage && this.#imageTokens === 0) this.#rates.learn(this.#promptScripts, end.usage.inputTokens);
    // Estimate the usage that the server does not report.
    this.#total.inputTokens += end?.usage?.inputTokens ?? inputTokens;
    this.#total.outputTokens += end?.usage?.outputTokens ?? outputTokens;
    if (chars > ANSWER_CHARS_MAX || this.#isLoop) this.#round.end = { type: 'end', reason: 'length' };
  }

  #beginNextRound(): boolean {
    if (this.#hasText || this.#hasNoAnswer || this.#handsOver) return false;
    const { isFirst, isShort, end } = this.#round;
    const hasOnlyThought = end?.reason === 'length' && this.#habits.thinks && isShort;
    if (this.#triesAgain || hasOnlyThought) {
      this.#triesAgain = false;
      this.#round = this.#newRound(true);
      return true;
    }
    if (!isFirst || !this.#calls) return false;
    this.#setMessages([...(this.#messages ?? []), ...toToolMessages(this.#calls)]);
    this.#round = this.#newRound(false);
    return true;
  }

  #newRound(isFirst: boolean): Round {
    return {
      isFirst,
      isShort: !this.#habits.thinks,
      startedAt: performance.now(),
      filter: new ThinkingFilter(this.#habits),
      end: undefined,
      thinks: false,
      chars: 0,
      rawChars: 0,
      inputTokens: 0,
      outputTokens: 0,
    };
  }

  *#emitPieces(pieces: readonly CitedPiece[]): Generator<EngineEvent> {
    for (const piece of pieces) {
      if (this.#isLoop) return;
      if (piece.type === 'loop') this.#isLoop = true;
      else if (piece.type === 'none') this.#hasNoAnswer = true;
      else if (piece.type === 'ask') this.#asksBack = mayAskBack(this.#question);
      else if (piece.type === 'person')
        this.#handsOver = this.#question.rules?.some(({ kind }) => kind === 'hand_over') ?? false;
      else {
        if (piece.type === 'citation') this.#cited = [...(this.#cited ?? []), piece.passage];
        if (piece.type === 'page_citation') this.#citesPage = true;
        yield* this.#hold(piece);
      }
    }
  }

  /** Holds events until a citation, a question back, or the owner's leave to answer without sources. */
  *#hold(event: EngineEvent): Generator<EngineEvent> {
    const isText = event.type === 'text' && /[\p{L}\p{N}]/u.test(event.delta);
    this.#hasText ||= isText;
    const isQuestion = this.#asksBack && event.type === 'text' && QUESTION_MARK.test(event.delta);
    const isFree = isText && (isQuestion || this.#question.generalAnswers === true);
    if (!this.#heldEvents) yield event;
    else {
      this.#heldEvents.push(event);
      if (!isFree && event.type === 'text') return;
      this.#messages = undefined;
      yield* this.#heldEvents;
      this.#heldEvents = undefined;
    }
  }

  async *#close(): AsyncGenerator<EngineEvent> {
    const question = this.#question;
    const { embedTexts, onUngrounded } = this.#options;
    const reason = this.#round.end?.reason;
    if (reason === 'refusal') {
      yield* emitRefusal(question, this.#hasText, this.#heldEvents ?? [], this.#total);
      return;
    }
    if (this.#handsOver && !this.#hasText) {
      const fixedReply = offerPerson(question);
      for await (const event of answerWithoutModel({ ...question, fixedReply }, embedTexts, this.#total))
        yield event.type === 'end' ? { ...event, offersPerson: true } : event;
      return;
    }
    if (this.#hasNoAnswer && !this.#hasText) {
      const found = question.found && (question.passages[0]?.confidence ?? 0) >= CONFIDENCE_SURE;
      if (found) onUngrounded?.();
      yield* answerWithoutModel({ ...question, found }, embedTexts, this.#total);
      return;
    }
    if (this.#round.chars === 0) throw new ModelFailure('empty', 'an answer without text');
    const actions = (this.#calls ?? []).flatMap(
      (call) => toAction(call, question.page.targets, this.#passages) ?? [],
    );
    if (this.#heldEvents && !namesTarget(this.#heldEvents, actions)) {
      onUngrounded?.();
      yield* answerWithoutModel(question, embedTexts, this.#total);
      return;
    }
    yield* this.#heldEvents ?? [];
    yield* actions;
    yield* suggestNext(question, this.#cited?.[0]?.articleId);
    yield {
      type: 'end',
      finishReason: this.#hasNoAnswer ? 'no_knowledge' : reason === 'length' ? 'length' : 'stop',
      confidence: computeConfidence(this.#cited ?? [], this.#citesPage, question),
      usage: { ...this.#total },
    };
  }
}

function offerPerson({ replyLocale, contact, takesHandovers }: EngineQuestion): string {
  const { person, personUnavailable } = getPhrases(replyLocale);
  if (contact === undefined) return takesHandovers ? person : personUnavailable;
  return `${person}\n\n${contact}`;
}

type Action = NonNullable<ReturnType<typeof toAction>>;

/** Whether a text names a part of the page that it points at, as in "Press Save". */
function namesTarget(events: readonly EngineEvent[], actions: readonly Action[]): boolean {
  const text = events.map((event) => (event.type === 'text' ? event.delta : '')).join('');
  return actions.some(({ kind, label }) => kind !== 'navigate' && sharesWords(label, text));
}

type Round = {
  isFirst: boolean;
  /** Whether the answer got no tokens for thinking. */
  isShort: boolean;
  startedAt: number;
  filter: ThinkingFilter;
  end: Extract<ModelPart, { type: 'end' }> | undefined;
  thinks: boolean;
  chars: number;
  /** With thinking. */
  rawChars: number;
  inputTokens: number;
  outputTokens: number;
};

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
