import { CHAT_TAGS, getPhrases, markLanguage } from '../base/guide-languages.ts';
import {
  type Engine,
  type EngineAllowance,
  type EngineEvent,
  type EnginePassage,
  type EngineQuestion,
  REWRITE_MILLIS_MAX,
} from '../engine/engine.ts';
import type { EmbedMessages } from '../knowledge/embeddings/similarity.ts';
import type { SearchContext } from '../knowledge/search/readings.ts';
import type { Retrieval } from '../knowledge/search/retrieve.ts';
import type { Contact } from '../storage/workspace-settings.ts';
import { type AnswerSources, type RetrievedPassage, toPassage } from './citations.ts';
import { type ConversationTurn, summarizeConversation } from './follow-up.ts';
import { detectLanguage } from './intent/detect-language.ts';
import { type RecognizedIntent, recognizeIntent } from './intent/recognize-intent.ts';
import { buildReply, formatContact } from './intent/replies.ts';
import { proposeSplits, splitAtQuestionMarks } from './intent/split-questions.ts';

/**
 * Turns a message into the events of its answer, for visitors' turns and for previews in the dashboard: splits the
 * message into questions, searches for each, and lets the engine answer them one after the other.
 */

/** An earlier turn of the conversation. */
export type PastTurn = EngineQuestion['recentTurns'][number] & ConversationTurn;

const RECENT_TURNS = 3;
/** Language models read more of the conversation, up to their token limit. */
const RECENT_TURNS_FOR_MODEL = 10;

/** How many earlier turns an engine gets. */
export const getRecentTurnsMax = ({ costsTokens }: Engine) =>
  costsTokens ? RECENT_TURNS_FOR_MODEL : RECENT_TURNS;

export type Message = Pick<
  EngineQuestion,
  'requestedLocale' | 'page' | 'rules' | 'generalAnswers' | 'onPrompt'
> & {
  /** Sanitized. */
  text: string;
  /** The language in which the workspace writes its articles. */
  sourceLocale: string;
  workspaceName: string;
  contact?: Contact | undefined;
  takesHandovers?: boolean;
  origins?: readonly string[];
  /** Oldest first. */
  recentTurns: readonly PastTurn[];
};

export type AnswerDeps = {
  engine: Engine;
  search: (question: string, context: SearchContext | undefined) => Promise<Retrieval>;
  /** Titles of the workspace's articles, for replies to small talk. */
  listTopics: () => Promise<EngineQuestion['nearest']>;
  /** Tells small talk from questions; without it, by known messages alone. */
  embedMessages?: EmbedMessages | undefined;
  /** The token budget of this answer; undefined for engines without token costs. */
  allowance: EngineAllowance | undefined;
};

export type PreparedAnswer = {
  /** The texts that the answer may cite and link to. */
  sources: AnswerSources;
  /** The search results for each question of the message. */
  retrievals: readonly Retrieval[];
  /** Emits exactly one `end`, last, unless the signal aborts. */
  answer(signal: AbortSignal): AsyncGenerator<EngineEvent>;
};

const PASSAGES_FOR_ENGINE = 5;

export async function prepareAnswer(
  message: Message,
  deps: AnswerDeps,
  signal: AbortSignal,
): Promise<PreparedAnswer> {
  const intent = await recognizeIntent(message.text, message.requestedLocale, deps.embedMessages);
  const isReply = intent?.rest === '' && (intent.isSure || !(await isAnswered(message, deps)));
  const isAboutPage = intent?.intent === 'page' && deps.engine.costsTokens === true;
  // A model describes the page, if it is sent more than its title.
  if (isReply && !(isAboutPage && message.page.digest.trim() !== ''))
    return prepareReply(message, intent, deps);
  const fixedReply = isReply ? (await writeReply(message, intent, deps)).text : undefined;
  const isIntroduced = intent?.intent === 'identity';
  const replyLocale =
    (isIntroduced ? intent.language : undefined) ??
    detectLanguage(message.text, CHAT_TAGS, message.requestedLocale) ??
    message.requestedLocale;
  const introduction = isIntroduced ? getPhrases(intent.language).identity : '';
  const text = (!isAboutPage && intent?.rest) || message.text;
  const question = { ...message, text, replyLocale, fixedReply };
  return prepareQuestions(question, introduction, deps, signal);
}

async function isAnswered({ text }: Message, { search }: AnswerDeps): Promise<boolean> {
  return (await search(text, undefined)).found;
}

/** Prepares a fixed reply to small talk; neither the owner's rules nor a model can change it. */
async function prepareReply(
  message: Message,
  intent: RecognizedIntent,
  deps: AnswerDeps,
): Promise<PreparedAnswer> {
  const { contact, origins } = message;
  const { text, topics, items } = await writeReply(message, intent, deps);
  return {
    sources: { passages: [], nearest: topics, pageText: '', contact, origins },
    retrievals: [],
    async *answer() {
      yield { type: 'text', delta: text };
      if (items.length > 0) yield { type: 'suggestions', items };
      yield {
        ...{ type: 'end', finishReason: 'stop', confidence: 1 },
        usage: { inputTokens: 0, outputTokens: 0 },
        ...(OFFERING.has(intent.intent) && { offersPerson: true }),
      };
    },
  };
}

/** After these messages, a person may help. */
const OFFERING: ReadonlySet<RecognizedIntent['intent']> = new Set(['person', 'complaint', 'abuse']);

/** Writes a fixed reply, with topics of the workspace. */
async function writeReply(
  { contact, takesHandovers, page, workspaceName }: Message,
  { intent, language }: RecognizedIntent,
  { listTopics }: AnswerDeps,
) {
  const topics = await listTopics();
  const items = topics.map(({ title, locale }) => ({
    title: markLanguage(title, locale, language),
    message: title,
  }));
  const { text } = buildReply(intent, language, {
    topics: items.map(({ title }) => title),
    workspaceName,
    contact,
    takesHandovers,
    page: page.title === '' ? undefined : page,
  });
  return { text, topics, items };
}

type Question = Message & Pick<EngineQuestion, 'replyLocale' | 'fixedReply'>;

/** Two questions in one message are answered one after the other; a model answers them together. */
async function prepareQuestions(
  message: Question,
  introduction: string,
  deps: AnswerDeps,
  signal: AbortSignal,
): Promise<PreparedAnswer> {
  const { engine, allowance } = deps;
  const asked = await searchQuestions(message, deps, signal);
  const searches = asked.map(({ retrieval }) => retrieval);
  const toQuestion = (text: string, retrievals: readonly Retrieval[]) => {
    const bestRetrieval = retrievals.find((retrieval) => retrieval.found) ?? retrievals[0];
    // Articles of little relevance would draw a model away from the page that it is asked about.
    const isAboutPage = message.fixedReply !== undefined && !bestRetrieval?.found;
    const passages = isAboutPage ? [] : interleavePassages(retrievals);
    return toEngineQuestion({ ...message, text }, passages, bestRetrieval, allowance);
  };
  const questions = engine.costsTokens
    ? [toQuestion(message.text, searches)]
    : asked.map(({ text, retrieval }) => toQuestion(text, [retrieval]));
  return {
    sources: {
      passages: questions.flatMap(({ passages }) => passages),
      nearest: questions.flatMap(({ nearest }) => nearest),
      pageText: engine.costsTokens ? `${message.page.digest}\n${message.page.selectedText}` : '',
      contact: message.contact,
      origins: message.origins,
    },
    retrievals: searches,
    answer: (answerSignal) => answerAll(engine, introduction, questions, answerSignal),
  };
}

type SearchedQuestion = { text: string; retrieval: Retrieval };

/** Searches for the question of a message, or for both if it has two, and for what a model makes of it; the best first. */
async function searchQuestions(
  message: Question,
  deps: AnswerDeps,
  signal: AbortSignal,
): Promise<SearchedQuestion[]> {
  const rewritten = await rewriteInConversation(message, deps, signal);
  const searched = await searchAsWritten(message, deps);
  if (!rewritten) return searched;
  for (const text of rewritten) searched.push({ text, retrieval: await deps.search(text, undefined) });
  return searched.sort((a, b) => b.retrieval.confidence - a.retrieval.confidence);
}

async function searchAsWritten(message: Question, deps: AnswerDeps): Promise<SearchedQuestion[]> {
  const search = async (text: string): Promise<SearchedQuestion> => ({
    text,
    retrieval: await searchInConversation({ ...message, text }, deps),
  });
  const marked = splitAtQuestionMarks(message.text);
  if (marked) return [await search(marked[0]), await search(marked[1])];
  const whole = await search(message.text);
  for (const [first, second] of proposeSplits(message.text)) {
    const both = [await search(first), await search(second)];
    if (areTwoQuestions(whole, both)) return both;
  }
  return [whole];
}

/** Whether two parts of a message ask for different articles, or a part has an answer while the whole has none. */
function areTwoQuestions(whole: SearchedQuestion, parts: readonly SearchedQuestion[]): boolean {
  const found = parts.filter(({ retrieval }) => retrieval.found);
  const articles = new Set(found.map(({ retrieval }) => retrieval.results[0]?.articleId));
  return articles.size === 2 || (articles.size === 1 && !whole.retrieval.found);
}

/** Lets a model rewrite a message into questions that stand alone; undefined at the first turn or without a rewrite. */
async function rewriteInConversation(
  { text, recentTurns, sourceLocale }: Question,
  { engine, allowance }: AnswerDeps,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (recentTurns.length === 0) return undefined;
  const rewriteSignal = AbortSignal.any([signal, AbortSignal.timeout(REWRITE_MILLIS_MAX)]);
  return engine.rewrite?.(
    { text, recentTurns, sourceLocale, ...(allowance ? { allowance } : {}) },
    rewriteSignal,
  );
}

/** Searches for a message, which may continue the conversation. */
async function searchInConversation(
  { text, recentTurns, replyLocale }: Question,
  { search, embedMessages }: AnswerDeps,
): Promise<Retrieval> {
  const smallTalk = await findLatestSmallTalk(recentTurns, replyLocale, embedMessages);
  return search(
    text,
    summarizeConversation(recentTurns, (question) => smallTalk.has(question)),
  );
}

/** Returns the messages after the latest question. */
async function findLatestSmallTalk(
  turns: readonly PastTurn[],
  locale: string,
  embedMessages: AnswerDeps['embedMessages'],
): Promise<ReadonlySet<string>> {
  const smallTalk = new Set<string>();
  for (const { question, articleIds } of turns.toReversed()) {
    if (articleIds.length > 0) break;
    const recognized = await recognizeIntent(question, locale, embedMessages);
    if (recognized?.rest !== '') break;
    smallTalk.add(question);
  }
  return smallTalk;
}

/** Takes results from each search in turn, best first, each article once. */
function interleavePassages(retrievals: readonly Retrieval[]): RetrievedPassage[] {
  const passages = new Map<string, RetrievedPassage>();
  for (let rank = 0; rank < PASSAGES_FOR_ENGINE; rank += 1) {
    for (const { results } of retrievals) {
      const result = results[rank];
      if (result && !passages.has(result.articleId)) passages.set(result.articleId, toPassage(result));
    }
  }
  return [...passages.values()].slice(0, PASSAGES_FOR_ENGINE);
}

/** A question whose large parts can be dropped once its answer has begun. */
type OpenQuestion = Omit<EngineQuestion, 'page' | 'passages' | 'recentTurns'> & {
  passages: readonly (Omit<EnginePassage, 'quotes'> & { quotes: EnginePassage['quotes'] })[];
  page: { -readonly [K in keyof EngineQuestion['page']]: EngineQuestion['page'][K] };
  recentTurns: EngineQuestion['recentTurns'];
};

function toEngineQuestion(
  message: Question,
  passages: readonly RetrievedPassage[],
  retrieval: Retrieval | undefined,
  allowance: EngineAllowance | undefined,
): OpenQuestion & { passages: readonly RetrievedPassage[] } {
  const {
    text,
    requestedLocale,
    replyLocale,
    page,
    recentTurns,
    rules,
    generalAnswers,
    fixedReply,
    onPrompt,
  } = message;
  return {
    text,
    requestedLocale,
    replyLocale,
    found: retrieval?.found ?? false,
    likely: retrieval?.likely ?? false,
    passages,
    nearest: retrieval?.nearest ?? [],
    page: { ...page },
    recentTurns: recentTurns.map(({ question, answer }) => ({ question, answer })),
    ...(message.contact ? { contact: formatContact(message.contact, replyLocale) } : {}),
    takesHandovers: message.takesHandovers,
    rules,
    generalAnswers,
    fixedReply,
    ...(onPrompt ? { onPrompt } : {}),
    ...(allowance ? { allowance } : {}),
  };
}

/** A function of its own, so that open answers do not keep the message and its page in memory. */
async function* answerAll(
  engine: Engine,
  introduction: string,
  questions: readonly OpenQuestion[],
  signal: AbortSignal,
): AsyncGenerator<EngineEvent> {
  if (signal.aborted) return;
  const joined = createJoinedAnswer();
  if (introduction !== '') yield* joined.add({ type: 'text', delta: introduction });
  for (const question of questions) {
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
}

/** Drops what an engine no longer needs once it writes; thousands of open answers would hold thousands of pages. */
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
      else if (event.type === 'citation' || event.type === 'page_citation')
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

/** Joins two ends: the lowest confidence of the answers, and `no_knowledge` only if no question was answered. */
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
