import { z } from 'zod';
import { conversationNote, noteId, noteText } from './conversation-notes.ts';
import {
  actor,
  conversationId,
  cursor,
  email,
  locale,
  memberId,
  messageId,
  moment,
  namedObject,
  okReply,
  pageQuery,
  pageUrl,
  text,
  typeId,
  unixSeconds,
  visibleText,
  visitorId,
  workspaceId,
} from './fields.ts';
import { CHAT_LIMITS } from './limits/chat.ts';
import { HANDOVER_LIMITS } from './limits/handovers.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { KIB } from './limits/units.ts';
import { readRoute, route, router } from './route.ts';

/** Handovers: questions of visitors to a person, and what the team replies. */

export const handoverId = typeId('ho', 'A handover');
export const replyId = typeId('hor', 'A reply to a handover');

export const handoverState = z.enum(['open', 'answered', 'closed']).meta({
  id: 'HandoverState',
  description: 'State of a handover. A reply makes it `answered`.',
});

const handoverOwner = z.enum(['me', 'nobody', 'everybody']).meta({
  id: 'HandoverOwner',
  description: 'Handovers to return: assigned to the caller, to nobody, or all.',
});

export const handoverMessage = visibleText(CHAT_LIMITS.messageCharsMax).meta({
  description: 'What the visitor wrote to the team.',
  example: 'My parcel is lost. Can you help me?',
});
export const handoverName = text(HANDOVER_LIMITS.nameCharsMax).meta({
  description: 'Name of the visitor, in one line.',
  example: 'Ada Lovelace',
});
export const handoverSummaryText = text(HANDOVER_LIMITS.summaryCharsMax).meta({
  description: 'Summary of `transcript` by a language model, which may be wrong.',
  example: 'The visitor asks where a parcel is. The guide found no answer.',
});
export const replyText = visibleText(HANDOVER_LIMITS.replyCharsMax).meta({
  description: 'Text of the reply, without formatting.',
  example: 'Your parcel arrives tomorrow.',
});

const transcriptTurn = namedObject('HandoverTurn', 'A question and the answer of the guide.', {
  question: z
    .string()
    .max(CHAT_LIMITS.messageCharsMax)
    .meta({ example: 'How do I connect to a wireless network?' }),
  answer: z
    .string()
    .max(HANDOVER_LIMITS.answerCharsMax)
    .describe(`The answer, cut to ${HANDOVER_LIMITS.answerCharsMax} characters.`)
    .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
});
export const transcript = z.array(transcriptTurn).min(1).max(HANDOVER_LIMITS.turnsMax);

const newHandover = namedObject('NewHandover', 'A question to a person.', {
  message: handoverMessage,
  name: handoverName.optional().describe('Name of the visitor, in one line. That of the user token counts.'),
  email: email
    .optional()
    .describe('Where the answer goes. Required unless the user token has an address, which then counts.'),
  url: pageUrl.describe(
    'Page of the visitor. Its origin must match the visitor token. The query is not stored.',
  ),
  locale: locale.describe('Language of the visitor.'),
  conversation_id: conversationId
    .optional()
    .describe('The conversation that replies are shown in. Must belong to this visitor.'),
  transcript: z
    .array(messageId)
    .min(1)
    .max(HANDOVER_LIMITS.turnsMax)
    .optional()
    .describe(
      'Answers of the conversation that are sent with their questions, because the visitor agreed to it. If absent, nothing of the conversation is sent.',
    ),
  shown_seconds: z
    .number()
    .min(0)
    .max(1_000_000)
    .describe(
      `How long the form was shown. Programs are recognized by less than ${HANDOVER_LIMITS.formSecondsMin} seconds.`,
    )
    .meta({ example: 20 }),
  website: z
    .string()
    .max(1024)
    .optional()
    .describe('A field that people do not see. Programs are recognized by what they enter here.')
    .meta({ example: '' }),
});

const visitorReply = namedObject('VisitorReply', 'A reply of the team.', {
  reply_id: replyId,
  text: replyText,
  at: unixSeconds,
});

const visitorHandover = namedObject('VisitorHandover', 'A question of this visitor to a person.', {
  handover_id: handoverId,
  state: handoverState,
  message: handoverMessage,
  conversation_id: conversationId.optional(),
  at: unixSeconds.describe('When it was sent, in Unix seconds.'),
  replies: z.array(visitorReply).max(HANDOVER_LIMITS.repliesMax).describe('Replies, oldest first.'),
});

const visitorHandovers = namedObject('VisitorHandovers', "The visitor's questions to a person.", {
  data: z.array(visitorHandover).max(HANDOVER_LIMITS.visitorHandoversMax).describe('Newest first.'),
});

const handoverFields = {
  id: handoverId,
  state: handoverState,
  message: handoverMessage,
  name: handoverName.optional(),
  email: email.describe('Address of the visitor.'),
  pageUrl: pageUrl.describe('Page on which the visitor asked, without its query.'),
  locale: locale.describe('Language of the visitor.'),
  visitorId,
  assigneeId: memberId.optional().describe('The member it is assigned to. Absent if it is unassigned.'),
  createdAt: moment,
};

const handoverSummary = namedObject(
  'HandoverSummary',
  'A question of a visitor to a person.',
  handoverFields,
);

const reply = namedObject('HandoverReply', 'A reply of the team.', {
  id: replyId,
  text: replyText,
  createdAt: moment,
  createdBy: actor.describe('Who replied.'),
});

const handover = namedObject('Handover', 'A question of a visitor to a person, with everything about it.', {
  ...handoverFields,
  conversationId: conversationId
    .optional()
    .describe('The conversation, if the workspace may read it: the visitor agreed to storage.'),
  transcript: transcript.optional().describe('What the visitor sent of the conversation, oldest first.'),
  summary: handoverSummaryText.optional(),
  replies: z.array(reply).max(HANDOVER_LIMITS.repliesMax).describe('Replies, oldest first.'),
  notes: z
    .array(conversationNote)
    .max(CHAT_LIMITS.notesMax)
    .describe('Notes of the team, oldest first. Visitors never see them.'),
});

const count = z.int32().min(0).max(2_000_000_000).meta({ example: 3 });

const handoverPage = namedObject('HandoverPage', 'A page of handovers.', {
  data: z.array(handoverSummary).max(REQUEST_LIMITS.pageRowsMax).describe('Newest first.'),
  counts: namedObject('HandoverCounts', 'Number of open handovers, regardless of the filters.', {
    open: count,
    mine: count.describe('Open handovers that are assigned to the caller.'),
  }),
  nextCursor: cursor.optional().describe('Cursor for the next page. Absent on the last page.'),
});

const base = '/api/tenants/:tenantId/handovers';
const tenantParam = { tenantId: workspaceId };
const pathParams = z.strictObject({ ...tenantParam, handoverId });
const writeMeta = { ...readRoute, limits: ['tenant/member-mutations'] } as const;

export const handovers = router('Handovers', {
  createHandover: route({
    method: 'POST',
    path: '/handovers',
    summary: 'Ask a person',
    description:
      "Sends the visitor's question to the team. Of the conversation, only what `transcript` lists is sent. Requires " +
      'that the workspace takes handovers (`config.handover` of the boot reply).',
    headers: {
      'idempotency-key': text(REQUEST_LIMITS.idempotencyKeyCharsMax)
        .regex(/^[!-~]+$/)
        .optional()
        .describe('Repeating a key with the same body returns the handover that exists.')
        .meta({ example: '0c6d1f0e-handover' }),
    },
    body: newHandover,
    responses: { 201: visitorHandover },
    errors: [
      'chat/url_mismatch',
      'conversation/not_found',
      'message/not_found',
      'handover/off',
      'handover/automated',
      'request/idempotency_mismatch',
    ],
    meta: {
      credential: 'visitor',
      unauthorized: 'visitor/unauthorized',
      limits: ['handover/visitor-hour', 'handover/network-hour', 'handover/tenant-hour'],
      limitsWithoutCredential: ['visitor/ip-rate-limited'],
      killSwitch: 'guide/paused',
      // Every text at its maximum length, each character up to twelve bytes.
      bodyBytesMax: 128 * KIB,
    },
  }),

  listOwnHandovers: route({
    method: 'GET',
    path: '/handovers',
    summary: "List the visitor's questions to a person",
    description: `Returns the newest ${HANDOVER_LIMITS.visitorHandoversMax} questions of this visitor to a person, with the replies.`,
    responses: { 200: visitorHandovers },
    meta: {
      credential: 'visitor',
      unauthorized: 'visitor/unauthorized',
      limits: ['visitor/visitor-burst', 'visitor/network-burst'],
      limitsWithoutCredential: ['visitor/ip-rate-limited'],
    },
  }),

  listHandovers: route({
    method: 'GET',
    path: base,
    summary: 'List handovers',
    description: 'Returns the questions of visitors to a person, newest first. Without `state`: open ones.',
    pathParams: z.strictObject(tenantParam),
    query: z.strictObject({
      ...pageQuery,
      state: handoverState.default('open').describe('Only handovers in this state.'),
      for: handoverOwner.default('everybody').describe('Handovers to return, by assignee.'),
    }),
    responses: { 200: handoverPage },
    meta: readRoute,
  }),

  readHandover: route({
    method: 'GET',
    path: `${base}/:handoverId`,
    summary: 'Retrieve a handover',
    description: 'Returns a handover with its transcript, replies and notes.',
    pathParams,
    responses: { 200: handover },
    errors: ['handover/not_found'],
    meta: readRoute,
  }),

  changeHandover: route({
    method: 'PATCH',
    path: `${base}/:handoverId`,
    summary: 'Change a handover',
    description: 'Assigns a handover, or marks it as open, answered or closed.',
    pathParams,
    body: namedObject('HandoverChange', 'Changes to a handover. Absent fields stay as they are.', {
      state: handoverState.optional(),
      assigneeId: memberId
        .nullable()
        .optional()
        .describe('The member to assign it to, or `null` to unassign it.'),
    }),
    responses: { 200: handover },
    errors: ['handover/not_found', 'member/not_found'],
    meta: writeMeta,
  }),

  replyToHandover: route({
    method: 'POST',
    path: `${base}/:handoverId/replies`,
    summary: 'Reply to a handover',
    description:
      'Stores a reply, which the visitor finds in the conversation, and marks the handover as answered.',
    pathParams,
    body: namedObject('NewHandoverReply', 'A reply to a visitor.', { text: replyText }),
    responses: { 201: reply },
    errors: ['handover/not_found', 'handover/too_many_replies'],
    meta: { ...writeMeta, bodyBytesMax: 64 * KIB },
  }),

  addHandoverNote: route({
    method: 'POST',
    path: `${base}/:handoverId/notes`,
    summary: 'Add a note to a handover',
    description: 'Adds a note that only the team reads. It is deleted with the handover.',
    pathParams,
    body: namedObject('NewHandoverNote', 'A note to add.', { text: noteText }),
    responses: { 201: conversationNote },
    errors: ['handover/not_found', 'handover/too_many_notes'],
    meta: writeMeta,
  }),

  deleteHandoverNote: route({
    method: 'DELETE',
    path: `${base}/:handoverId/notes/:noteId`,
    summary: 'Delete a note on a handover',
    description: 'Deletes a note. Members may delete their own notes; owners and admins all.',
    pathParams: z.strictObject({ ...tenantParam, handoverId, noteId }),
    responses: { 200: okReply },
    errors: ['handover/note_not_found', 'tenant/role_required'],
    meta: writeMeta,
  }),
});
