import type { analytics } from '../../contract/analytics.ts';
import type { ConsentDecision } from '../../contract/consent.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { BUCKETS, CAPS, type LimitName } from '../../contract/limits/rate-limits.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { truncate } from '../base/text.ts';
import { toRatingDetails } from '../chat/turn-fields.ts';
import { decodeRowPosition, encodeRowPosition } from '../http/cursor.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, Handlers, ResponseOf } from '../http/handler.ts';
import type { RatedTurn } from '../storage/conversation-queries.ts';
import type { Conversations } from '../storage/conversations.ts';
import type { Store } from '../storage/store.ts';
import { getMeaning } from '../visitors/consent/purposes.ts';
import { toNoteBody } from './conversation-notes.ts';
import { listConversations, scanPage, toConversationBody, toSpan, toTurnBody } from './conversations.ts';
import { createFairScheduler, readAnalytics } from './read-analytics.ts';
import type { SignatureDeps } from './signatures.ts';
import { readTopics } from './topics.ts';

type Deps = { store: Store; clock: Clock; signatures: SignatureDeps };

export function analyticsHandlers({ store, clock, signatures }: Deps): Handlers<typeof analytics> {
  const waitForSlot = createFairScheduler();
  const toReadingDeps = ({
    caller,
    ctx,
  }: Pick<HandlerInput<typeof analytics.readAnalytics>, 'caller' | 'ctx'>) => ({
    ...{ workspace: store.in(caller.workspace.id), waitForSlot, nowMillis: clock.now(), signal: ctx.signal },
  });
  return {
    async listTenantConversations({ query, caller }) {
      const { conversations } = store.in(caller.workspace.id);
      return { status: 200, body: await listConversations(query, conversations, waitForSlot) };
    },

    async readTenantConversation({ params, caller }) {
      const { conversations, conversationNotes } = store.in(caller.workspace.id);
      const conversation = await conversations.findKept(params.conversationId);
      if (!conversation) return throwApiError('conversation/not_found');
      const turns = await conversations.turns(conversation.id, CHAT_LIMITS.turnsPerConversationMax);
      const ratings = new Map(
        (await conversations.ratings(conversation.id)).map((rated) => [rated.messageId, rated]),
      );
      return {
        status: 200,
        body: {
          conversation: toConversationBody(conversation),
          turns: turns.map((turn) => toTurnBody(turn, ratings.get(turn.messageId))),
          notes: (await conversationNotes.list(conversation.id)).map(toNoteBody),
        },
      };
    },

    async listFeedback({ query, caller }) {
      const { conversations } = store.in(caller.workspace.id);
      return { status: 200, body: await listFeedback(query, conversations, waitForSlot) };
    },

    async readAnalytics(input) {
      return { status: 200, body: await readAnalytics(input.query, toReadingDeps(input)) };
    },

    async readTopics(input) {
      const { id } = input.caller.workspace;
      return { status: 200, body: await readTopics(id, input.query, toReadingDeps(input), signatures) };
    },
  };
}

type Filter = HandlerInput<typeof analytics.listFeedback>['query'];
type Page = ResponseOf<typeof analytics.listFeedback>['body'];
type Position = Pick<RatedTurn, 'messageId' | 'atMillis'>;

const STEP_ROWS = 50;
const EXAMINED_ROWS_MAX = 2_000;

async function listFeedback(
  filter: Filter,
  conversations: Pick<Conversations, 'listRated'>,
  waitForSlot: () => Promise<void>,
): Promise<Page> {
  const span = toSpan(filter);
  const start = filter.cursor === undefined ? undefined : parseCursor(filter.cursor);
  const { rows, after } = await scanPage<RatedTurn, Position>(filter.limit, start, {
    stepRows: STEP_ROWS,
    examinedMax: EXAMINED_ROWS_MAX,
    list: (limit, after) => conversations.listRated(limit, after, span),
    createMatcher: async () => (rated) => matches(rated, filter),
    waitForSlot,
  });
  return { data: rows.map(toBody), ...(after ? { nextCursor: toCursor(after) } : {}) };
}

function matches({ rating, comment }: RatedTurn, filter: Filter): boolean {
  if (filter.rating !== undefined && rating !== filter.rating) return false;
  return filter.commented === undefined || (comment !== undefined) === (filter.commented === 'true');
}

function toBody(rated: RatedTurn): Page['data'][number] {
  const { messageId, conversationId, rating, atMillis, question, answer, requestedLocale } = rated;
  return {
    messageId,
    conversationId,
    rating,
    ...toRatingDetails(rated),
    at: toIsoString(atMillis),
    question,
    answer: truncate(answer, ARTICLE_LIMITS.searchSummaryCharsMax),
    locale: requestedLocale,
  };
}

const toCursor = ({ atMillis, messageId }: Position) => encodeRowPosition({ atMillis, id: messageId });

function parseCursor(cursor: string): Position {
  const { atMillis, id } = decodeRowPosition(cursor, /^msg_[0-9a-z]{26}$/);
  return { atMillis, messageId: id };
}

type RecorderDeps = { store: Pick<Store, 'in'>; clock: Clock; log: Log };

type RateLimitedCaller = { workspaceId?: string; visitorId?: string };

const ALL_LIMITS = { ...BUCKETS, ...CAPS };
const MINUTE_MILLIS = 60_000;
/** Bounds the disk space that an attacker with many visitor ids can fill. */
const ROWS_PER_MINUTE_MAX = 1000;

/** Records one event per bucket, visitor and minute, without the visitor's id. Does not block the caller. */
export function createRateLimitRecorder({
  store,
  clock,
  log,
}: RecorderDeps): (bucket: LimitName, caller: RateLimitedCaller) => void {
  let minute = 0;
  const written = new Set<string>();

  function claimRow(key: string): boolean {
    const now = Math.floor(clock.now() / MINUTE_MILLIS);
    if (now !== minute) written.clear();
    minute = now;
    if (written.has(key) || written.size >= ROWS_PER_MINUTE_MAX) return false;
    written.add(key);
    return true;
  }

  async function write(bucket: LimitName, workspaceId: string, visitorId: string): Promise<void> {
    const { consents, events } = store.in(workspaceId);
    const current = await consents.getCurrentDecision(visitorId);
    // Visitors who refused consent are not counted, not even anonymously.
    if (current && getMeaning(current.decision as ConsentDecision) === 'refusal') return;
    await events.append([
      { id: newId('evt'), atMillis: clock.now(), type: 'rate_limited', data: { bucket } },
    ]);
  }

  return (bucket, { workspaceId, visitorId }) => {
    const { per } = ALL_LIMITS[bucket];
    if (per !== 'visitor' && per !== 'network' && per !== 'workspace') return;
    if (workspaceId === undefined || visitorId === undefined) return;
    if (!claimRow(`${bucket} ${workspaceId} ${visitorId}`)) return;
    write(bucket, workspaceId, visitorId).catch((error) => {
      log.warn({ err: error, bucket }, 'failed to record a rate limit event');
    });
  };
}
