import type { conversationNotes } from '../../contract/conversation-notes.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { ConversationNote } from '../storage/conversation-notes.ts';
import type { Store } from '../storage/store.ts';

type Deps = { store: Pick<Store, 'in'>; clock: Clock };

export function conversationNoteHandlers({ store, clock }: Deps): Handlers<typeof conversationNotes> {
  return {
    async addConversationNote({ params: { conversationId }, body: { text }, caller }) {
      const note = {
        ...{ id: newId('note'), conversationId, text },
        ...{ createdAt: clock.now(), createdBy: caller.memberId },
      };
      const notes = store.in(caller.workspace.id).conversationNotes;
      const outcome = await notes.add(note, CHAT_LIMITS.notesMax);
      if (outcome === 'gone') throwApiError('conversation/not_found');
      if (outcome === 'too_many') throwApiError('conversation/too_many_notes');
      return { status: 201, body: toNoteBody(note) };
    },

    async deleteConversationNote({ params: { conversationId, noteId }, caller }) {
      const author = caller.role === 'member' ? caller.memberId : undefined;
      const notes = store.in(caller.workspace.id).conversationNotes;
      const outcome = await notes.remove(conversationId, noteId, author);
      if (outcome === 'gone') throwApiError('conversation/note_not_found');
      if (outcome === 'not_author') throwApiError('tenant/role_required');
      return { status: 200, body: { ok: true } };
    },
  };
}

export const toNoteBody = ({ id, text, createdAt, createdBy }: Omit<ConversationNote, 'conversationId'>) => ({
  ...{ id, text, createdBy },
  createdAt: toIsoString(createdAt),
});
