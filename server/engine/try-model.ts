import type { LlmSettings } from '../settings/model.ts';
import type { OnRefusedField } from './chat-completions.ts';
import {
  type Engine,
  type EngineEvent,
  type EngineQuestion,
  type ModelCheck,
  REWRITE_MILLIS_MAX,
  type TriedModel,
} from './engine.ts';
import { createLlmEngine } from './llm.ts';
import { type Model, ModelFailure, type ModelPart, type ModelRequest } from './model.ts';
import { hasThinking } from './thinking.ts';
import { TokenRates } from './token-rates.ts';

/**
 * Tries a model with turns like those of visitors, by the code that answers them: a question with an answer, a follow-up and a
 * question without an answer.
 */

type TryOptions = {
  open: (name: string, onRefusedField: OnRefusedField) => Model;
  now: () => number;
  signal: AbortSignal;
};

/** Stops at the first check that fails because the server does not answer. */
export async function tryModel(
  settings: Pick<LlmSettings, 'model' | 'rewriteModel' | 'inputTokensMax' | 'outputTokensMax'>,
  { open, now, signal }: TryOptions,
): Promise<TriedModel> {
  const refused = new Map<string, ModelFailure>();
  const noteRefused: OnRefusedField = (field, failure) => refused.set(field, failure);
  const recorder = new Recorder(open(settings.model, noteRefused));
  const rewriter =
    settings.rewriteModel === undefined ? undefined : new Recorder(open(settings.rewriteModel, noteRefused));
  const usage = { inputTokens: 0, outputTokens: 0 };
  const engine = createLlmEngine(recorder.model, {
    ...settings,
    images: false,
    now,
    rewriteModel: rewriter?.model,
    onUsage({ inputTokens, outputTokens }) {
      usage.inputTokens += inputTokens;
      usage.outputTokens += outputTokens;
    },
    onUngrounded: () => {
      recorder.isUngrounded = true;
    },
  });
  const checks: ModelCheck[] = [];
  try {
    const answered = await answer(engine, ANSWERABLE, signal);
    checks.push(checkAnswer(answered, recorder));
    if (checks[0]!.status === 'failed') return { checks, usage };
    checks.push(
      checkCitation(answered.events, recorder),
      checkTools(refused.get('tools')),
      checkThinking(recorder, answered.events),
      checkFirstText(recorder),
      ...checkSpeed(recorder),
    );
    checks.push(await checkRewrite(engine, signal));
    recorder.reset();
    checks.push(checkNoAnswer(await answer(engine, UNANSWERABLE, signal), recorder));
    checks.push(...checkContext(await recorder.model.readContextSize?.(signal), settings.inputTokensMax));
    return { checks, usage };
  } finally {
    recorder.model.close();
    rewriter?.model.close();
  }
}

const TITLE = 'Opening the brass gate';
const SENTENCE = 'Turn the green wheel twice to the left and wait until the bell rings.';
const TEXT = `${SENTENCE} The gate stays open for ninety seconds and closes by itself. Nobody needs a key for it.`;
const ASKED = 'How do I open the brass gate?';

const passage = {
  articleId: 'art_of_a_test',
  revision: 1,
  title: TITLE,
  text: TEXT,
  url: 'https://garden.example/gate',
  contentLocale: 'en',
  confidence: 0.9,
  quotes: [{ text: SENTENCE, start: 0, end: SENTENCE.length }],
};

const ANSWERABLE: EngineQuestion = {
  text: ASKED,
  requestedLocale: 'en',
  replyLocale: 'en',
  found: true,
  likely: true,
  passages: [passage],
  nearest: [],
  page: {
    title: 'The garden',
    url: 'https://garden.example/',
    digest: 'main > h1 The garden',
    selectedText: '',
    targets: [{ gpId: 'wheel', name: 'Green wheel', role: 'button', confidence: 0.9, inViewport: true }],
  },
  recentTurns: [],
};

const UNANSWERABLE: EngineQuestion = {
  ...ANSWERABLE,
  text: 'In which year was the stone tower painted?',
  found: false,
  likely: false,
  passages: [{ ...passage, confidence: 0.1 }],
};

type Answered = { events: readonly EngineEvent[]; failure?: unknown };

async function answer(engine: Engine, question: EngineQuestion, signal: AbortSignal): Promise<Answered> {
  const events: EngineEvent[] = [];
  try {
    for await (const event of engine.answer(question, signal)) events.push(event);
    return signal.aborted ? { events, failure: new ModelFailure('total_timeout', 'the test') } : { events };
  } catch (failure) {
    return { events, failure };
  }
}

const getText = (events: readonly EngineEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.delta : '')).join('');

/** Notes what a model sends. */
class Recorder {
  readonly model: Model;
  text = '';
  hasThought = false;
  isUngrounded = false;
  firstTextMillis: number | undefined;
  #lastTextMillis = 0;
  #outputTokens: number | undefined;

  constructor(model: Model) {
    this.model = { ...model, stream: (request, signal) => this.#record(model, request, signal) };
  }

  /** Undefined for an answer that came at once. */
  get tokensPerSecond(): number | undefined {
    const seconds = (this.#lastTextMillis - (this.firstTextMillis ?? 0)) / 1000;
    const tokens = this.#outputTokens || new TokenRates().estimate(this.text);
    return seconds > 0 ? tokens / seconds : undefined;
  }

  reset(): void {
    this.text = '';
    this.isUngrounded = false;
  }

  async *#record(model: Model, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void> {
    const startedAt = performance.now();
    for await (const part of model.stream(request, signal)) {
      if (part.type === 'text') {
        this.#lastTextMillis = performance.now() - startedAt;
        this.firstTextMillis ??= this.#lastTextMillis;
        this.text += part.text;
      } else if (part.type === 'thought') this.hasThought = true;
      else if (part.type === 'end') this.#outputTokens ??= part.usage?.outputTokens;
      yield part;
    }
  }
}

function checkAnswer({ events, failure }: Answered, recorder: Recorder): ModelCheck {
  const onlyThinks = recorder.hasThought || hasThinking(recorder.text);
  if (failure !== undefined) return describeFailure('answer', failure, onlyThinks);
  const end = events.find((event) => event.type === 'end');
  if (end?.finishReason === 'refusal')
    return { name: 'answer', status: 'failed', reason: 'refusal', setting: 'model' };
  return { name: 'answer', status: 'ok' };
}

function describeFailure(name: ModelCheck['name'], failure: unknown, onlyThinks: boolean): ModelCheck {
  if (!(failure instanceof ModelFailure)) throw failure;
  const { kind, error, networkCode } = failure;
  const reason = kind === 'empty' && onlyThinks ? 'only_thinks' : kind;
  return {
    ...{ name, status: 'failed', reason, setting: findSetting(failure) },
    ...(error && { error }),
    ...(networkCode && { networkCode }),
  };
}

const OF_THE_MODEL: readonly string[] = ['rejected', 'empty', 'context_exceeded'];

function findSetting({ kind, error }: ModelFailure): NonNullable<ModelCheck['setting']> {
  if (OF_THE_MODEL.includes(kind)) return 'model';
  if (kind !== 'refused' || !error) return 'address';
  // A server that is there names the model that it lacks.
  if (error.status === 404) return error.code || error.type ? 'model' : 'address';
  return 'key';
}

/** Without a citation of the model's own, visitors get quotes. */
function checkCitation(events: readonly EngineEvent[], { isUngrounded }: Recorder): ModelCheck {
  return !isUngrounded && events.some((event) => event.type === 'citation')
    ? { name: 'citation', status: 'ok' }
    : { name: 'citation', status: 'failed', reason: 'no_citation', setting: 'model' };
}

function checkTools(failure: ModelFailure | undefined): ModelCheck {
  if (!failure) return { name: 'tools', status: 'ok' };
  const { error } = failure;
  return { name: 'tools', status: 'warning', reason: 'rejected', setting: 'model', ...(error && { error }) };
}

/** Thinking within the text is hidden in the known forms, but delays the answer; other forms would be shown. */
function checkThinking({ text }: Recorder, events: readonly EngineEvent[]): ModelCheck {
  if (hasThinking(getText(events)))
    return { name: 'thinking', status: 'failed', reason: 'shown', setting: 'model' };
  return hasThinking(text)
    ? { name: 'thinking', status: 'warning', reason: 'in_text', setting: 'model' }
    : { name: 'thinking', status: 'ok' };
}

/** Visitors leave if they see nothing for longer. */
const FIRST_TEXT_MILLIS_MAX = 5_000;
/** About as fast as people read. */
const TOKENS_PER_SECOND_MIN = 8;

function checkFirstText({ firstTextMillis = 0 }: Recorder): ModelCheck {
  const millis = Math.round(firstTextMillis);
  return millis <= FIRST_TEXT_MILLIS_MAX
    ? { name: 'first_text', status: 'ok', millis }
    : { name: 'first_text', status: 'warning', reason: 'slow', setting: 'model', millis };
}

function checkSpeed({ tokensPerSecond: measured }: Recorder): ModelCheck[] {
  if (measured === undefined) return [];
  const tokensPerSecond = Math.max(1, Math.round(measured));
  return measured >= TOKENS_PER_SECOND_MIN
    ? [{ name: 'speed', status: 'ok', tokensPerSecond }]
    : [{ name: 'speed', status: 'warning', reason: 'slow', setting: 'model', tokensPerSecond }];
}

async function checkRewrite(engine: Engine, signal: AbortSignal): Promise<ModelCheck> {
  const startedAt = performance.now();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(REWRITE_MILLIS_MAX)]);
  const lines = await engine.rewrite?.(
    {
      text: 'And how long does it stay open?',
      recentTurns: [{ question: ASKED, answer: SENTENCE }],
      sourceLocale: 'en',
    },
    limit,
  );
  const millis = Math.round(performance.now() - startedAt);
  if (lines?.some((line) => /\bgate\b/i.test(line))) return { name: 'rewrite', status: 'ok', millis };
  const reason = limit.aborted ? 'slow' : 'unusable';
  return { name: 'rewrite', status: 'warning', reason, setting: 'rewriteModel', millis };
}

/** A smaller context than the limit of prompts has room for fewer passages. */
function checkContext(contextTokens: number | undefined, inputTokensMax: number): ModelCheck[] {
  if (contextTokens === undefined) return [];
  return contextTokens >= inputTokensMax
    ? [{ name: 'context', status: 'ok', contextTokens }]
    : [{ name: 'context', status: 'warning', reason: 'small', setting: 'model', contextTokens }];
}

function checkNoAnswer({ events, failure }: Answered, { isUngrounded }: Recorder): ModelCheck {
  if (failure !== undefined) return { ...describeFailure('no_answer', failure, false), status: 'warning' };
  const end = events.find((event) => event.type === 'end');
  if (end?.finishReason === 'no_knowledge' && !isUngrounded) return { name: 'no_answer', status: 'ok' };
  return {
    name: 'no_answer',
    status: 'warning',
    reason: isUngrounded ? 'held_back' : 'answered',
    setting: 'model',
  };
}
