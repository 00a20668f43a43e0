import type { InboxGroupBody, InboxQuestionBody, inbox } from '../../contract/inbox.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import { EVERYTHING } from '../base/audience.ts';
import { toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { isAnswered } from '../chat/analytics-events.ts';
import { normalizeQuestion } from '../chat/normalize-question.ts';
import { type PreviewDeps, previewQuestion } from '../chat/preview.ts';
import { toRatingDetails } from '../chat/turn-fields.ts';
import { decodeRowPosition, encodeRowPosition } from '../http/cursor.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, Handlers, MemberCaller } from '../http/handler.ts';
import type { AuditEntry } from '../storage/audit.ts';
import {
  INBOX_KIND,
  type Inbox,
  type InboxChange,
  type InboxFilter,
  type InboxGroup,
  type InboxKind,
  type InboxOrder,
  type InboxPosition,
  type InboxQuestion,
  type InboxSummary,
} from '../storage/inbox.ts';

const KINDS = Object.keys(INBOX_KIND) as InboxKind[];

export function inboxHandlers(deps: PreviewDeps): Handlers<typeof inbox> {
  const { store, clock } = deps;
  return {
    async listInbox({ query, caller }) {
      const { inbox } = store.in(caller.workspace.id);
      const { limit, order, cursor } = query;
      const after = cursor === undefined ? undefined : parseCursor(cursor, order);
      const [found, { open, mine, ...kinds }] = await Promise.all([
        inbox.list(limit + 1, toFilter(query, caller), order, after),
        inbox.counts(caller.memberId),
      ]);
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        status: 200,
        body: {
          data: shown.map((group) => toBody(group, group.examples)),
          counts: { open, mine, ...toKindCounts(kinds) },
          ...(last && found.length > limit ? { nextCursor: toCursor(last, order) } : {}),
        },
      };
    },

    async listAnonymousQuestions({ caller }) {
      const { id, settings } = caller.workspace;
      const rows = await store.in(id).inbox.anonymousQuestions(WORKSPACE_LIMITS.anonymousQuestionsMax);
      return {
        status: 200,
        body: {
          kept: settings.retention?.anonymousQuestions ?? false,
          data: rows.map(({ askedAt, ...row }) => ({ ...row, lastAskedAt: toIsoString(askedAt) })),
        },
      };
    },

    async readInboxGroup({ params, caller }) {
      return { status: 200, body: await readGroup(store.in(caller.workspace.id).inbox, params.groupId) };
    },

    async changeInboxGroup({ params, body: change, caller }) {
      const { inbox } = store.in(caller.workspace.id);
      const by = { id: newId('aud'), atMillis: clock.now(), actor: caller.memberId };
      const outcome = await inbox.change(params.groupId, change, by.atMillis, (before) =>
        toAuditEntry(by, before, change),
      );
      if (outcome === 'gone') throwApiError('inbox/not_found');
      if (outcome === 'no_member') throwApiError('member/not_found');
      if (outcome === 'no_article') throwApiError('article/not_found');
      return { status: 200, body: await readGroup(inbox, params.groupId) };
    },

    async askAgain({ params, caller, ctx }) {
      const { inbox } = store.in(caller.workspace.id);
      const { groupId } = params;
      if (!(await inbox.find(groupId))) throwApiError('inbox/not_found');
      const questions = selectDifferent(await inbox.questions(groupId, WORKSPACE_LIMITS.inboxQuestionsMax));
      const results = await askAll(questions, caller, deps, ctx.signal);
      const answered = results.filter(({ after }) => after.answered).length;
      await inbox.recordAskedAgain(groupId, { atMillis: clock.now(), asked: results.length, answered });
      return { status: 200, body: { group: await readGroup(inbox, groupId), results } };
    },
  };
}

/** Records only the fields that change, and no visitors' questions. */
function toAuditEntry(
  by: Pick<AuditEntry, 'id' | 'atMillis' | 'actor'>,
  group: InboxGroup,
  change: InboxChange,
): AuditEntry | undefined {
  const fields = (['state', 'assigneeId', 'articleId'] as const).filter(
    (field) => change[field] !== undefined && change[field] !== (group[field] ?? null),
  );
  const [first] = fields;
  if (first === undefined) return undefined;
  const pick = (from: InboxGroup | InboxChange) =>
    Object.fromEntries(fields.map((field) => [field, from[field] ?? null]));
  const details = { before: pick(group), after: pick(change) };
  return { ...by, action: `inbox.${getEvent(first, change)}`, subject: group.id, details };
}

function getEvent(field: keyof InboxChange, { state, assigneeId, articleId }: InboxChange): string {
  if (field === 'state') return state === 'open' ? 'reopened' : (state ?? '');
  if (field === 'assigneeId') return assigneeId === null ? 'unassigned' : 'assigned';
  return articleId === null ? 'unlinked' : 'linked';
}

type Query = HandlerInput<typeof inbox.listInbox>['query'];

function toFilter({ state, kind, for: owner }: Query, { memberId }: MemberCaller): InboxFilter {
  const stored = state === 'assigned' ? 'open' : state;
  return {
    states: stored === undefined ? ['open'] : [stored],
    kind,
    assigneeId: owner === 'me' ? memberId : owner === 'nobody' ? null : undefined,
    isAssigned: state === 'assigned' || (state === 'open' ? false : undefined),
  };
}

async function readGroup(inbox: Inbox, groupId: string): Promise<InboxGroupBody> {
  const group = await inbox.find(groupId);
  if (!group) return throwApiError('inbox/not_found');
  return toBody(group, await inbox.questions(groupId, WORKSPACE_LIMITS.inboxQuestionsMax));
}

function toBody(group: InboxSummary, questions: readonly InboxQuestion[]): InboxGroupBody {
  const { id, state, asked, lastAskedAt, assigneeId, articleId, nearestArticleId, resolvedAt } = group;
  const { askedAgainAt, askedAgain, answeredAgain } = group;
  return {
    id,
    state: state === 'open' && assigneeId !== undefined ? 'assigned' : state,
    asked,
    counts: toKindCounts(group.kinds),
    lastAskedAt: toIsoString(lastAskedAt),
    ...{ assigneeId, articleId, nearestArticleId },
    ...(resolvedAt !== undefined && {
      resolution: { at: toIsoString(resolvedAt), before: asked - group.askedSince, after: group.askedSince },
    }),
    ...(askedAgainAt !== undefined && {
      askedAgain: { at: toIsoString(askedAgainAt), asked: askedAgain ?? 0, answered: answeredAgain ?? 0 },
    }),
    questions: questions.map(toQuestionBody),
  };
}

const toKindCounts = ({ unanswered, rated_down, low_confidence }: Readonly<Record<InboxKind, number>>) => ({
  unanswered,
  ratedDown: rated_down,
  lowConfidence: low_confidence,
});

function toQuestionBody(inboxQuestion: InboxQuestion): InboxQuestionBody {
  const { messageId, conversationId, question, requestedLocale, askedAt, confidence } = inboxQuestion;
  return {
    messageId,
    conversationId,
    question,
    locale: requestedLocale,
    askedAt: toIsoString(askedAt),
    kinds: KINDS.filter((kind) => (inboxQuestion.kinds & INBOX_KIND[kind]) !== 0),
    ...(confidence !== undefined && { confidence: confidence / 1000 }),
    ...(inboxQuestion.rating === 'down' && toRatingDetails(inboxQuestion)),
  };
}

const toCursor = ({ id, asked, lastAskedAt }: InboxPosition, order: InboxOrder) =>
  encodeRowPosition({ atMillis: order === 'asked' ? asked : lastAskedAt, id });

function parseCursor(cursor: string, order: InboxOrder): InboxPosition {
  const { atMillis, id } = decodeRowPosition(cursor, /^ibx_[0-9a-z]{26}$/);
  const unused = 0;
  return order === 'asked'
    ? { id, asked: atMillis, lastAskedAt: unused }
    : { id, asked: unused, lastAskedAt: atMillis };
}

/** Selects each question once per language, newest first. */
function selectDifferent(questions: readonly InboxQuestion[]): InboxQuestion[] {
  const byText = new Map<string, InboxQuestion>();
  for (const question of questions) {
    const key = `${question.requestedLocale} ${normalizeQuestion(question.question).key}`;
    if (!byText.has(key)) byText.set(key, question);
  }
  return [...byText.values()].slice(0, WORKSPACE_LIMITS.inboxAskAgainMax);
}

type AskAgainResult = Extract<
  Awaited<ReturnType<Handlers<typeof inbox>['askAgain']>>,
  { status: 200 }
>['body']['results'][number];

/** Asks one question after the other, so that visitors' questions are not delayed. */
async function askAll(
  questions: readonly InboxQuestion[],
  caller: MemberCaller,
  deps: PreviewDeps,
  disconnected: AbortSignal,
): Promise<AskAgainResult[]> {
  const signal = AbortSignal.any([disconnected, AbortSignal.timeout(CHAT_LIMITS.previewSeconds * 1000)]);
  const results: AskAgainResult[] = [];
  for (const { messageId, question, requestedLocale: locale, kinds, confidence } of questions) {
    const after = await previewQuestion(
      { message: question, locale, reader: EVERYTHING },
      caller,
      deps,
      signal,
    );
    const [citation] = after.citations;
    results.push({
      ...{ messageId, question, locale },
      before: {
        answered: (kinds & INBOX_KIND.unanswered) === 0,
        ...(confidence !== undefined && { confidence: confidence / 1000 }),
      },
      after: {
        answered: isAnswered(after.finishReason),
        confidence: after.confidence,
        ...(citation && { articleId: citation.articleId }),
      },
    });
  }
  return results;
}
