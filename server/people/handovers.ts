import type { handovers } from '../../contract/handovers.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { decodeRowPosition, encodeRowPosition } from '../http/cursor.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, Handlers, MemberCaller } from '../http/handler.ts';
import { toNoteBody } from '../insights/conversation-notes.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type {
  Handover,
  HandoverChange,
  HandoverFilter,
  HandoverReply,
  HandoverSummary,
} from '../storage/handovers.ts';
import type { Store, WorkspaceStore } from '../storage/store.ts';
import type { NoticeDeps } from './handover-notices.ts';
import { sendHandoverHandlers, type VisitorHandlers } from './send-handover.ts';
import { storeReply } from './store-reply.ts';
import type { SummaryDeps } from './summarize-transcript.ts';

type Deps = NoticeDeps & SummaryDeps & { store: Store; clock: Clock };
type MemberHandlers = Omit<Handlers<typeof handovers>, keyof VisitorHandlers>;

export const handoverHandlers = (deps: Deps): Handlers<typeof handovers> => ({
  ...sendHandoverHandlers(deps),
  ...createListHandlers(deps),
  ...createNoteHandlers(deps),
});

type NoteHandlers = Pick<MemberHandlers, 'addHandoverNote' | 'deleteHandoverNote'>;

function createListHandlers(deps: Deps): Omit<MemberHandlers, keyof NoteHandlers> {
  const { store, clock } = deps;
  return {
    async listHandovers({ query, caller }) {
      const { limit, cursor } = query;
      const rows = store.in(caller.workspace.id).handovers;
      const after = cursor === undefined ? undefined : parseCursor(cursor);
      const [found, counts] = await Promise.all([
        rows.list(limit + 1, toFilter(query, caller), after),
        rows.counts(caller.memberId),
      ]);
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        status: 200,
        body: {
          data: shown.map(toSummaryBody),
          counts,
          ...(last && found.length > limit && { nextCursor: toCursor(last) }),
        },
      };
    },

    async readHandover({ params, caller }) {
      return { status: 200, body: await readHandover(store.in(caller.workspace.id), params.handoverId) };
    },

    async changeHandover({ params: { handoverId }, body: change, caller }) {
      const workspaceStore = store.in(caller.workspace.id);
      const by = { id: newId('aud'), atMillis: clock.now(), actor: caller.memberId };
      const outcome = await workspaceStore.handovers.change(handoverId, change, (before) =>
        toAuditEntry(by, before, change),
      );
      if (outcome === 'gone') throwApiError('handover/not_found');
      if (outcome === 'no_member') throwApiError('member/not_found');
      return { status: 200, body: await readHandover(workspaceStore, handoverId) };
    },

    async replyToHandover({ params: { handoverId }, body: { text }, caller }) {
      const written = { id: newId('hor'), handoverId, text, createdBy: caller.memberId };
      const { outcome, reply } = await storeReply(caller.workspace, written, deps);
      if (outcome === 'gone') throwApiError('handover/not_found');
      if (outcome === 'too_many') throwApiError('handover/too_many_replies');
      return { status: 201, body: toReplyBody(reply) };
    },
  };
}

function createNoteHandlers({ store, clock }: Deps): NoteHandlers {
  return {
    async addHandoverNote({ params: { handoverId }, body: { text }, caller }) {
      const by = { createdAt: clock.now(), createdBy: caller.memberId };
      const note = { id: newId('note'), handoverId, text, ...by };
      const outcome = await store.in(caller.workspace.id).handovers.addNote(note, CHAT_LIMITS.notesMax);
      if (outcome === 'gone') throwApiError('handover/not_found');
      if (outcome === 'too_many') throwApiError('handover/too_many_notes');
      return { status: 201, body: toNoteBody(note) };
    },

    async deleteHandoverNote({ params: { handoverId, noteId }, caller }) {
      const author = caller.role === 'member' ? caller.memberId : undefined;
      const outcome = await store.in(caller.workspace.id).handovers.removeNote(handoverId, noteId, author);
      if (outcome === 'gone') throwApiError('handover/note_not_found');
      if (outcome === 'not_author') throwApiError('tenant/role_required');
      return { status: 200, body: { ok: true } };
    },
  };
}

type Query = HandlerInput<typeof handovers.listHandovers>['query'];

const toFilter = ({ state, for: owner }: Query, { memberId }: MemberCaller): HandoverFilter => ({
  state,
  assigneeId: owner === 'me' ? memberId : owner === 'nobody' ? null : undefined,
});

async function readHandover({ handovers, conversations }: WorkspaceStore, id: string) {
  const found = await handovers.find(id);
  if (!found) return throwApiError('handover/not_found');
  const { conversationId, transcript, summary, replies, notes } = found;
  const isKept = conversationId !== undefined && (await conversations.findKept(conversationId));
  return {
    ...toSummaryBody(found),
    ...(isKept && { conversationId }),
    ...(transcript !== undefined && { transcript: JSON.parse(transcript), summary }),
    replies: replies.map(toReplyBody),
    notes: notes.map(toNoteBody),
  };
}

const toSummaryBody = (handover: HandoverSummary) => ({
  id: handover.id,
  state: handover.state,
  message: handover.message,
  name: handover.name,
  email: handover.email,
  pageUrl: handover.pageUrl,
  locale: handover.locale,
  visitorId: handover.visitorId,
  assigneeId: handover.assigneeId,
  createdAt: toIsoString(handover.createdAt),
});

const toReplyBody = ({ id, text, createdAt, createdBy }: HandoverReply) => ({
  ...{ id, text, createdBy },
  createdAt: toIsoString(createdAt),
});

/** Records only the fields that change, and nothing that the visitor wrote. */
function toAuditEntry(
  by: Pick<AuditEntry, 'id' | 'atMillis' | 'actor'>,
  handover: Handover,
  change: HandoverChange,
): AuditEntry | undefined {
  const fields = (['state', 'assigneeId'] as const).filter(
    (field) => change[field] !== undefined && change[field] !== (handover[field] ?? null),
  );
  if (fields.length === 0) return undefined;
  const pick = (from: Handover | HandoverChange) =>
    Object.fromEntries(fields.map((field) => [field, from[field] ?? null]));
  const details = { before: pick(handover), after: pick(change) };
  return { ...by, action: 'handover.changed', subject: handover.id, details };
}

const toCursor = ({ id, createdAt }: HandoverSummary) => encodeRowPosition({ atMillis: createdAt, id });

function parseCursor(cursor: string): Pick<Handover, 'id' | 'createdAt'> {
  const { atMillis, id } = decodeRowPosition(cursor, /^ho_[0-9a-z]{26}$/);
  return { id, createdAt: atMillis };
}
