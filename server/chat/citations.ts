import { type ChatEvent, type CitedSource, citedSource } from '../../contract/chat-event.ts';
import { inCamelCase } from '../../contract/fields.ts';
import type { EnginePassage, EngineQuestion } from '../engine/engine.ts';
import type { Result } from '../knowledge/search/retrieve.ts';
import type { Turn } from '../storage/conversation-queries.ts';
import type { Contact } from '../storage/workspace-settings.ts';

export type Citation = Extract<ChatEvent, { type: 'citation' }>;
type PageCitation = Extract<ChatEvent, { type: 'page_citation' }>;

/** Only the needed fields: an open answer keeps them in memory until its last citation is verified. */
export type RetrievedPassage = EnginePassage & Pick<Result, 'fallbackReason' | 'stale'>;

/** The texts that an answer may cite and link to. */
export type AnswerSources = Pick<EngineQuestion, 'nearest'> & {
  passages: readonly RetrievedPassage[];
  /** The page's text, for engines that read it; otherwise empty. */
  pageText: string;
  /** Contact of the company, from its settings. */
  contact?: Contact | undefined;
  /** Where the guide may be shown; answers may link there. */
  origins?: readonly string[] | undefined;
};

export function toPassage(result: Result): RetrievedPassage {
  return {
    articleId: result.articleId,
    revision: result.revision,
    title: result.title,
    text: result.answer,
    contentLocale: result.contentLocale,
    confidence: result.confidence,
    quotes: result.sentences,
    stale: result.stale,
    translationId: result.translationId,
    url: result.url,
    fallbackReason: result.fallbackReason,
  };
}

const SOURCE_FIELDS = Object.keys(citedSource) as (keyof CitedSource)[];

/** Returns what a citation cites, as exports have it. */
export function toSource(citation: Citation): CitedSource {
  const fields = SOURCE_FIELDS.filter((name) => citation[name] !== undefined);
  return Object.fromEntries(fields.map((name) => [name, citation[name]])) as CitedSource;
}

/** Returns what a citation cites, as the dashboard's API has it. */
export const toCitationRecord = (citation: Citation) => inCamelCase(toSource(citation));

/** The limit of every response that lists citations. */
const CITATIONS_MAX = 100;

/** Reads the citations of articles. */
export const readCitations = (turn: Pick<Turn, 'frames'>): Citation[] => readEvents(turn, 'citation');

export const readPageCitations = (turn: Pick<Turn, 'frames'>): PageCitation[] =>
  readEvents(turn, 'page_citation');

/** Whether a person was offered below the answer. */
export const offersPerson = (turn: Pick<Turn, 'frames'>): boolean =>
  readEvents(turn, 'message_end').at(-1)?.offers_person ?? false;

/**
 * Whether an answer was written for its question, rather than a fixed reply, choices or a refusal, which a language model would
 * take for examples. Fixed replies are sure of themselves without citing anything.
 */
export function isWritten(turn: Pick<Turn, 'frames'>): boolean {
  const end = readEvents(turn, 'message_end').at(-1);
  const isCited = readCitations(turn).length + readPageCitations(turn).length > 0;
  return isCited || (end?.finish_reason === 'stop' && end.answer_confidence < 1);
}

/** Reads the events of one type in the last attempt: a retry retracts everything before it. */
function readEvents<Type extends ChatEvent['type']>({ frames }: Pick<Turn, 'frames'>, type: Type) {
  const retryAt = frames.findLastIndex((frame) => frame.includes('"reason":"retry"') && isRetry(frame));
  return frames
    .slice(retryAt + 1)
    .filter((frame) => frame.includes(`"${type}"`))
    .map((frame) => JSON.parse(frame) as ChatEvent)
    .filter((event): event is Extract<ChatEvent, { type: Type }> => event.type === type)
    .slice(0, CITATIONS_MAX);
}

function isRetry(frame: string): boolean {
  const event = JSON.parse(frame) as ChatEvent;
  return event.type === 'text_replace' && event.reason === 'retry';
}
