import type {
  Engine,
  EngineAllowance,
  EngineEvent,
  EnginePassage,
  EngineQuestion,
} from '../engine/engine.ts';
import type { Retrieval, SearchContext } from '../knowledge/search/retrieve.ts';
import { type AnswerSources, toPassage } from './citations.ts';
import { type ConversationTurn, classifyLeaning, summarizeConversation } from './follow-up.ts';

/**
 * The one path from a message to the events of its answer, for visitors' turns and owners' previews: find the questions in the
 * message, search for each, let the engine answer them one after the other.
 */

/** An earlier turn of the conversation. */
export type PastTurn = EngineQuestion['recentTurns'][number] & ConversationTurn;

export type Message = Pick<EngineQuestion, 'requestedLocale' | 'page' | 'instructions' | 'generalAnswers'> & {
  /** Sanitized. */
  readonly text: string;
  /** Oldest first. */
  readonly recentTurns: readonly PastTurn[];
};

export type AnswerDeps = {
  readonly engine: Engine;
  readonly search: (question: string, context: SearchContext | undefined) => Promise<Retrieval>;
  /** Reserves the tokens that this answer may cost; undefined for engines that cost none. */
  readonly reserveTokens: (() => Promise<TokenAllowance>) | undefined;
};

/** The tokens that an answer may cost. They are reserved before it begins and corrected once its usage is known. */
export type TokenAllowance = EngineAllowance & {
  /** Replaces the reservation by what was spent. */
  settle(): Promise<void>;
};

export type PreparedAnswer = {
  /** What the answer may cite and link to. */
  readonly sources: AnswerSources;
  /** What was found for each question of the message. */
  readonly retrievals: readonly Retrieval[];
  /** Emits exactly one `end`, last, unless the signal aborts. */
  answer(signal: AbortSignal): AsyncGenerator<EngineEvent>;
};

const PASSAGES_FOR_ENGINE = 5;

export async function prepareAnswer(message: Message, deps: AnswerDeps): Promise<PreparedAnswer> {
  const { engine, reserveTokens } = deps;
  const retrieval = await searchInConversation(message, message.text, deps);
  const passages = retrieval.results.slice(0, PASSAGES_FOR_ENGINE).map(toPassage);
  const question = toEngineQuestion(message, message.text, retrieval, passages);
  return {
    sources: { passages, nearest: retrieval.nearest },
    retrievals: [retrieval],
    answer: (signal) => answerAll({ engine, reserveTokens, questions: [question] }, signal),
  };
}

/** A question that leans on the conversation is searched for together with what the conversation was about. */
async function searchInConversation(
  { recentTurns, requestedLocale }: Message,
  question: string,
  { search }: AnswerDeps,
): Promise<Retrieval> {
  const language = requestedLocale.split('-', 1)[0]!.toLowerCase();
  const context = summarizeConversation(recentTurns, () => language);
  if (!context) return search(question, undefined);
  const leaning = classifyLeaning(question, language);
  if (leaning === 'refers') return search(question, context);
  const alone = await search(question, undefined);
  if (leaning === 'independent' || alone.found) return alone;
  const inContext = await search(question, context);
  return inContext.found ? inContext : alone;
}

/** A question whose large parts can be dropped once its answer has begun. */
type OpenQuestion = Omit<EngineQuestion, 'page' | 'passages' | 'recentTurns' | 'allowance'> & {
  readonly passages: readonly (Omit<EnginePassage, 'quotes'> & { quotes: EnginePassage['quotes'] })[];
  readonly page: { -readonly [K in keyof EngineQuestion['page']]: EngineQuestion['page'][K] };
  recentTurns: EngineQuestion['recentTurns'];
  allowance?: EngineAllowance;
};

function toEngineQuestion(
  { requestedLocale, page, recentTurns, instructions, generalAnswers }: Message,
  text: string,
  { found, nearest }: Retrieval,
  passages: readonly EnginePassage[],
): OpenQuestion {
  return {
    text,
    requestedLocale,
    found,
    // The engine's own copies lose their large parts; the identities of the passages stay.
    passages,
    nearest,
    page: { ...page },
    recentTurns: recentTurns.map(({ question, answer }) => ({ question, answer })),
    ...(instructions === undefined ? {} : { instructions }),
    ...(generalAnswers === undefined ? {} : { generalAnswers }),
  };
}

type Answering = Pick<AnswerDeps, 'engine' | 'reserveTokens'> & {
  readonly questions: readonly OpenQuestion[];
};

/** A function of its own, so that open answers do not keep the message and its page in memory. */
async function* answerAll(
  { engine, reserveTokens, questions }: Answering,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent> {
  const allowance = await reserveTokens?.();
  const joined = createJoinedAnswer();
  try {
    for (const question of questions) {
      if (allowance) question.allowance = allowance;
      yield* joined.begin();
      let hasText = false;
      for await (const event of engine.answer(question, signal)) {
        if (event.type === 'text' && !hasText) {
          hasText = true;
          dropPromptInputs(question);
        }
        yield* joined.add(event);
      }
    }
    yield* joined.end();
  } finally {
    await allowance?.settle();
  }
}

/** An engine that has begun to write no longer needs these; thousands of open answers would hold thousands of pages. */
function dropPromptInputs(question: OpenQuestion): void {
  for (const passage of question.passages) passage.quotes = [];
  question.page.digest = '';
  question.page.selectedText = '';
  delete question.page.screenshot;
  question.recentTurns = [];
}

type End = Extract<EngineEvent, { type: 'end' }>;
type Suggestions = Extract<EngineEvent, { type: 'suggestions' }>;

const GAP = '\n\n';
const SUGGESTIONS_MAX = 3;

/** Joins the answers to several questions into one: a blank line between them, one list of suggestions, one end. */
function createJoinedAnswer() {
  let length = 0;
  let offset = 0;
  let suggestions: Suggestions['items'] = [];
  let end: End | undefined;
  return {
    *begin(): Generator<EngineEvent> {
      if (length > 0) yield { type: 'text', delta: GAP };
      if (length > 0) length += GAP.length;
      offset = length;
    },
    *add(event: EngineEvent): Generator<EngineEvent> {
      if (event.type === 'end') end = end ? joinEnds(end, event) : event;
      else if (event.type === 'suggestions') suggestions = [...suggestions, ...event.items];
      else if (event.type === 'citation')
        yield { ...event, start: event.start + offset, end: event.end + offset };
      else {
        if (event.type === 'text') length += event.delta.length;
        yield event;
      }
    },
    *end(): Generator<EngineEvent> {
      const items = suggestions.slice(0, SUGGESTIONS_MAX);
      if (items.length > 0) yield { type: 'suggestions', items };
      if (end) yield end;
    },
  };
}

/** As sure as the less certain answer; without an answer only if neither question has one. */
function joinEnds(first: End, second: End): End {
  const answered = [first, second].filter(({ finishReason }) => finishReason !== 'no_knowledge');
  const counted = answered.length > 0 ? answered : [first, second];
  return {
    type: 'end',
    finishReason: counted.at(-1)!.finishReason,
    confidence: Math.min(...counted.map(({ confidence }) => confidence)),
    usage: {
      inputTokens: first.usage.inputTokens + second.usage.inputTokens,
      outputTokens: first.usage.outputTokens + second.usage.outputTokens,
    },
  };
}
