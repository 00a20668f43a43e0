import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { isAnswered, isUnanswered } from '../chat/analytics-events.ts';
import { type BackgroundJob, createBackgroundJob } from '../knowledge/background-job.ts';
import type { FinishedTurn, Positioned, RatedTurn, Turn } from '../storage/conversation-queries.ts';
import { INBOX_KIND, type Inbox, type InboxProgress, type NewInboxQuestion } from '../storage/inbox.ts';
import type { EventPosition } from '../storage/keyset.ts';
import type { Store, WorkspaceStore } from '../storage/store.ts';
import { findGroup, type Representative } from './grouping.ts';
import { decodeSignature, encodeSignature, makeSignature, type SignatureDeps } from './signatures.ts';

type CollectorDeps = SignatureDeps & {
  store: Pick<Store, 'in' | 'inboxes'>;
  clock: Clock;
  log: Log;
};

const EVERY_MILLIS = 60_000;
const WORKSPACES_PER_PAGE = 50;
/** Reading a page blocks the event loop for a millisecond or two. */
const TURNS_PER_PAGE = 20;
const RATINGS_PER_PAGE = 50;
/** Ratings of this last period are read again: other nodes may store ratings slightly late. */
const RATED_OVERLAP_MILLIS = 60_000;
/** Questions are compared with the questions of this many groups, the most recently asked ones. */
const GROUPS_COMPARED_MAX = 500;
/** How many questions represent a group. */
const REPRESENTATIVES_MAX = 3;

/**
 * Puts questions that were not answered well into groups of similar ones: one workspace at a time, a few turns in each
 * step, with other requests in between.
 */
export function createInboxCollector(deps: CollectorDeps): BackgroundJob {
  const { store, log } = deps;
  return createBackgroundJob(deps.clock, EVERY_MILLIS, async (signal) => {
    for (let after = ''; ; ) {
      const workspaceIds = await store.inboxes.listOutdated(WORKSPACES_PER_PAGE, after);
      for (const workspaceId of workspaceIds) {
        if (signal.aborted) return;
        await collect(workspaceId, deps, signal).catch((error) =>
          log.warn({ err: error, workspaceId }, 'could not collect questions for the inbox'),
        );
      }
      if (workspaceIds.length < WORKSPACES_PER_PAGE) return;
      after = workspaceIds.at(-1)!;
    }
  });
}

async function collect(workspaceId: string, deps: CollectorDeps, signal: AbortSignal): Promise<void> {
  const workspace = deps.store.in(workspaceId);
  const grouper = createGrouper(workspaceId, workspace.inbox, deps);
  const startedAt = deps.clock.now();
  const progress = await collectTurns(workspace, grouper, signal);
  if (signal.aborted) return;
  // On the first run, the turns already include their ratings.
  const ratedSince = progress.ratedAt < 0 ? startedAt : progress.ratedAt;
  await collectRatings(workspace, grouper, ratedSince - RATED_OVERLAP_MILLIS, {
    ...progress,
    ratedAt: startedAt,
  });
}

type InboxCandidate = Pick<NewInboxQuestion, 'messageId' | 'askedAt' | 'kinds' | 'confidence'> &
  Pick<Turn, 'question' | 'requestedLocale'>;

async function collectTurns(
  { conversations, inbox }: Pick<WorkspaceStore, 'conversations' | 'inbox'>,
  grouper: Grouper,
  signal: AbortSignal,
): Promise<InboxProgress> {
  let progress = await inbox.progress();
  while (!signal.aborted) {
    const after = { atMillis: progress.turnAt, id: progress.messageId };
    const { found, continueAfter } = await conversations.queryTurns(TURNS_PER_PAGE, {}, after);
    const last = found.at(-1);
    const reached: EventPosition = continueAfter ?? (last ? toPosition(last) : after);
    progress = { ...progress, turnAt: reached.positionMillis ?? reached.atMillis, messageId: reached.id };
    const questions = await grouper.group(found.flatMap((turn) => toCandidate(turn) ?? []));
    if (questions.length > 0 || reached !== after) await inbox.add(questions, progress);
    if (!continueAfter) break;
    await yieldToEventLoop();
  }
  return progress;
}

const toPosition = ({ messageId, atMillis, positionMillis }: Positioned<FinishedTurn>): EventPosition => ({
  id: messageId,
  atMillis,
  positionMillis,
});

/** Returns undefined for a turn that was answered well. */
function toCandidate(turn: FinishedTurn): InboxCandidate | undefined {
  const { messageId, question, requestedLocale, askedAt, finishReason, rating } = turn;
  const end = isAnswered(finishReason) ? readEnd(turn) : undefined;
  const kinds =
    (isUnanswered(finishReason) ? INBOX_KIND.unanswered : 0) +
    (rating === 'down' ? INBOX_KIND.rated_down : 0) +
    (end && end.citation_count > 0 && end.answer_confidence < WORKSPACE_LIMITS.inboxLowConfidence
      ? INBOX_KIND.low_confidence
      : 0);
  if (kinds === 0) return undefined;
  return {
    ...{ messageId, question, requestedLocale, askedAt, kinds },
    ...(end && { confidence: Math.round(end.answer_confidence * 1000) }),
  };
}

/** Returns the event that ended the answer; undefined if the answer did not end normally. */
function readEnd({ frames }: FinishedTurn): Extract<ChatEvent, { type: 'message_end' }> | undefined {
  const last = frames.at(-1);
  const event = last === undefined ? undefined : (JSON.parse(last) as ChatEvent);
  return event?.type === 'message_end' ? event : undefined;
}

async function collectRatings(
  { conversations, inbox }: Pick<WorkspaceStore, 'conversations' | 'inbox'>,
  grouper: Grouper,
  fromMillis: number,
  progress: InboxProgress,
): Promise<void> {
  const span = { fromMillis, beforeMillis: Number.MAX_SAFE_INTEGER };
  for (let before: RatedTurn | undefined; ; await yieldToEventLoop()) {
    const rated = await conversations.listRated(RATINGS_PER_PAGE, before, span);
    const helpful = rated.filter(({ rating }) => rating === 'up').map(({ messageId }) => messageId);
    await inbox.removeKind(helpful, 'rated_down');
    const down = rated.filter(({ rating }) => rating === 'down');
    const questions = await grouper.group(
      down.map(({ messageId, question, requestedLocale, askedAt }) => ({
        ...{ messageId, question, requestedLocale, askedAt, kinds: INBOX_KIND.rated_down },
      })),
    );
    await inbox.add(questions, progress);
    if (rated.length < RATINGS_PER_PAGE) return;
    before = rated.at(-1);
  }
}

type Grouper = {
  /** Finds or creates a group for each question that is not in the inbox yet. */
  group(questions: readonly InboxCandidate[]): Promise<NewInboxQuestion[]>;
};

function createGrouper(workspaceId: string, inbox: Inbox, deps: SignatureDeps): Grouper {
  let loading: Promise<Representative[]> | undefined;

  async function groupOne(candidate: InboxCandidate, isKnown: boolean): Promise<NewInboxQuestion> {
    const { messageId, askedAt, kinds, confidence, question, requestedLocale: locale } = candidate;
    const fields = { messageId, askedAt, kinds, confidence };
    // The question is in the inbox already, so only its kinds are added.
    if (isKnown) return { ...fields, groupId: '' };
    loading ??= loadRepresentatives(workspaceId, inbox, deps);
    const representatives = await loading;
    const { signature, nearestArticleId } = await makeSignature(workspaceId, { question, locale }, deps);
    const groupId = findGroup(signature, representatives) ?? newId('ibx');
    const isRepresentative =
      representatives.filter((known) => known.groupId === groupId).length < REPRESENTATIVES_MAX;
    if (isRepresentative) representatives.push({ groupId, signature });
    await yieldToEventLoop();
    return {
      ...fields,
      groupId,
      ...(isRepresentative && { signature: encodeSignature(signature) }),
      ...(nearestArticleId !== undefined && { nearestArticleId }),
    };
  }

  return {
    async group(questions) {
      if (questions.length === 0) return [];
      const knownIds = new Set(
        (await inbox.listKnown(questions.map(({ messageId }) => messageId))).map(
          ({ messageId }) => messageId,
        ),
      );
      const grouped: NewInboxQuestion[] = [];
      for (const question of questions)
        grouped.push(await groupOne(question, knownIds.has(question.messageId)));
      return grouped;
    },
  };
}

/** Loads the representatives. Computes signatures that are missing (after an import) or from another version. */
async function loadRepresentatives(
  workspaceId: string,
  inbox: Inbox,
  deps: SignatureDeps,
): Promise<Representative[]> {
  const loaded: Representative[] = [];
  for (const {
    groupId,
    messageId,
    question,
    requestedLocale: locale,
    ...stored
  } of await inbox.representatives(GROUPS_COMPARED_MAX)) {
    let signature = decodeSignature(stored.signature);
    if (!signature) {
      ({ signature } = await makeSignature(workspaceId, { question, locale }, deps));
      await inbox.storeSignature(messageId, encodeSignature(signature));
      await yieldToEventLoop();
    }
    loaded.push({ groupId, signature });
  }
  return loaded;
}
