import { z } from 'zod';
import {
  actor,
  conversationId,
  moment,
  namedObject,
  okReply,
  typeId,
  visibleText,
  workspaceId,
} from './fields.ts';
import { CHAT_LIMITS } from './limits/chat.ts';
import { readRoute, route, router } from './route.ts';

/** Notes of the team on a conversation. Visitors never see them; they go with the conversation. */

export const noteId = typeId('note', 'A note');

export const noteText = visibleText(CHAT_LIMITS.noteCharsMax).meta({
  description: 'Text of the note.',
  example: 'Called back; the parcel was at the neighbour’s.',
});

export const conversationNote = namedObject('ConversationNote', 'A note of the team on a conversation.', {
  id: noteId,
  text: noteText,
  createdAt: moment,
  createdBy: actor.describe('The member who wrote the note.'),
});

const path = '/api/tenants/:tenantId/conversations/:conversationId/notes';
const param = { tenantId: workspaceId, conversationId };
const meta = { ...readRoute, limits: ['tenant/member-mutations'] } as const;

export const conversationNotes = router('Analytics', {
  addConversationNote: route({
    method: 'POST',
    path,
    summary: 'Add a note to a conversation',
    description:
      'Adds a note that the team reads below the conversation. It is deleted with the conversation, also when the ' +
      'visitor is erased.',
    pathParams: z.strictObject(param),
    body: namedObject('NewConversationNote', 'A note to add.', { text: noteText }),
    responses: { 201: conversationNote },
    errors: ['conversation/not_found', 'conversation/too_many_notes'],
    meta,
  }),

  deleteConversationNote: route({
    method: 'DELETE',
    path: `${path}/:noteId`,
    summary: 'Delete a note',
    description: 'Deletes a note. Members may delete their own notes; owners and admins all.',
    pathParams: z.strictObject({ ...param, noteId }),
    responses: { 200: okReply },
    errors: ['conversation/note_not_found', 'tenant/role_required'],
    meta,
  }),
});
