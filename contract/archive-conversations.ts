import { z } from 'zod';
import { canonicalLocale, lineType, shortText, storedTime } from './archive-fields.ts';
import {
  conversationFields,
  conversation as conversationRecord,
  rating,
  ratingDetails,
  turnFields,
} from './chat.ts';
import { chatEvent } from './chat-event.ts';
import { noteId, noteText } from './conversation-notes.ts';
import { eventColumns, eventId, eventType, exportedEvent } from './export-events.ts';
import {
  actor,
  articleId,
  canonicalObject,
  conversationId,
  email,
  memberId,
  messageId,
  namedObject,
  pageUrl,
  parseCanonicalJson,
  text,
  typeId,
  visitorId,
} from './fields.ts';
import {
  handoverId,
  handoverMessage,
  handoverName,
  handoverState,
  handoverSummaryText,
  replyId,
  replyText,
  transcript,
} from './handovers.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';

/** The lines of an archive about conversations, the inbox and events. */

export const conversation = namedObject(
  'ArchivedConversation',
  'A conversation, followed by its turns, at least one. Conversations due for deletion are left ' + 'out.',
  {
    type: lineType('conversation'),
    id: conversationId,
    visitorId,
    startedAt: storedTime,
    nextTurnIdx: conversationRecord.shape.next_turn_idx.describe('Index of the next expected turn.'),
    turnCount: conversationFields.turns.describe('Number of turns.'),
    ended: z.boolean().describe('Whether the conversation accepts no more turns.'),
  },
);

const frame = z
  .string()
  .max(1_000_000)
  .refine(
    (text) => chatEvent.safeParse(parseCanonicalJson(text)).success,
    'expected an event of the stream of an answer as JSON text',
  )
  .meta({ description: 'An event of the stream as JSON text.', example: '{"type":"message_start","seq":0}' });

export const turn = namedObject(
  'ArchivedTurn',
  'A question and its answer, after its conversation, oldest first.',
  {
    type: lineType('turn'),
    messageId,
    conversationId,
    turnIdx: turnFields.turn_idx,
    state: turnFields.state,
    finishReason: turnFields.finish_reason,
    requestedLocale: canonicalLocale.describe('The language that the visitor asked for.'),
    idempotencyKey: text(REQUEST_LIMITS.idempotencyKeyCharsMax)
      .optional()
      .meta({ description: 'The Idempotency-Key of the request.', example: '0c6d1f0e-turn-0' }),
    payloadHash: shortText(
      'Tells whether a repeated request is the same one.',
      '9f86d081884c7d65',
    ).optional(),
    askedAt: storedTime,
    finishedAt: storedTime.optional().describe('When the answer ended. Absent while it is running.'),
    question: turnFields.message.describe('Question of the visitor.'),
    answer: turnFields.answer,
    frames: z.array(frame).max(1_000_000).describe('The events that were streamed, in order.'),
  },
);

export const feedback = namedObject('ArchivedFeedback', 'The rating of the preceding turn.', {
  type: lineType('feedback'),
  id: typeId('fb', 'The rating'),
  messageId,
  rating,
  ...ratingDetails,
  at: storedTime.describe('When the answer was rated.'),
});

export const note = namedObject(
  'ArchivedConversationNote',
  'A note on the conversation above, after its turns.',
  {
    type: lineType('conversation_note'),
    id: noteId,
    conversationId,
    text: noteText,
    createdAt: storedTime,
    createdBy: actor,
  },
);

const questions = z.int32().min(0).max(2_000_000_000).meta({ example: 4 });
const groupId = typeId('ibx', 'A group of similar questions');

export const inboxGroup = namedObject('ArchivedInboxGroup', 'A group of similar questions of the inbox.', {
  type: lineType('inbox_group'),
  id: groupId,
  state: z
    .enum(['open', 'resolved', 'dismissed'])
    .meta({ id: 'ArchivedInboxState', description: 'State of a group of questions.' }),
  lastAskedAt: storedTime.describe('When its latest question was asked.'),
  assigneeId: memberId.optional().describe('The member it is assigned to.'),
  articleId: articleId.optional().describe('The article that answers.'),
  nearestArticleId: articleId.optional().describe('The article that was closest to an answer.'),
  resolvedAt: storedTime.optional().describe('When it was resolved last.'),
  askedAgainAt: storedTime.optional().describe('When its questions were last asked again.'),
  askedAgain: questions.optional().describe('How many were asked again.'),
  answeredAgain: questions.optional(),
});

export const inboxQuestion = namedObject(
  'ArchivedInboxQuestion',
  'A question of the inbox: a turn above, and its group.',
  {
    type: lineType('inbox_question'),
    messageId,
    groupId,
    kinds: z
      .int32()
      .min(1)
      .max(7)
      .describe('Why it is in the inbox, as a sum: 1 unanswered, 2 rated down, 4 low confidence.')
      .meta({ example: 1 }),
    askedAt: storedTime,
    confidence: z
      .int32()
      .min(0)
      .max(1000)
      .optional()
      .meta({ description: 'Confidence of its answer, in thousandths.', example: 420 }),
  },
);

export const handover = namedObject(
  'ArchivedHandover',
  'A question of a visitor to a person, oldest first.',
  {
    type: lineType('handover'),
    id: handoverId,
    visitorId,
    state: handoverState,
    message: handoverMessage,
    name: handoverName.optional(),
    email: email.describe('Address of the visitor.'),
    pageUrl,
    locale: canonicalLocale.describe('Language of the visitor.'),
    conversationId: conversationId.optional().describe('The conversation in which the visitor asked.'),
    transcript: transcript.optional().describe('What the visitor sent of the conversation.'),
    summary: handoverSummaryText.optional(),
    assigneeId: memberId.optional().describe('The member it is assigned to.'),
    createdAt: storedTime,
  },
);

const handoverPart = { handoverId, createdAt: storedTime, createdBy: actor };

export const handoverReply = namedObject('ArchivedHandoverReply', 'A reply to a handover above.', {
  type: lineType('handover_reply'),
  id: replyId,
  text: replyText,
  ...handoverPart,
});

export const handoverNote = namedObject('ArchivedHandoverNote', 'A note on a handover above.', {
  type: lineType('handover_note'),
  id: noteId,
  text: noteText,
  ...handoverPart,
});

export const event = z
  .strictObject({
    type: lineType('event'),
    id: eventId,
    at: storedTime.describe('When the event happened, in UTC.'),
    kind: eventType,
    visitorId: visitorId.optional().describe('The visitor. Absent where the event names none.'),
    conversationId: conversationId.optional().describe('The conversation of the event.'),
    data: canonicalObject(
      eventColumns.shape.data.maxLength!,
      'A flat JSON object; which fields it has depends on the kind.',
      '{"locale":"en"}',
    ),
  })
  // Exports and analytics read events in this form.
  .superRefine(({ type: _, kind: type, visitorId, conversationId, data, ...rest }, context) => {
    const about = { visitor_id: visitorId, conversation_id: conversationId };
    const shown = exportedEvent.safeParse({ ...rest, type, ...about, data: JSON.parse(data) });
    for (const issue of shown.error?.issues ?? []) context.addIssue({ ...issue });
  })
  .meta({ id: 'ArchivedEvent', description: 'An event that analytics count, oldest first.' });
