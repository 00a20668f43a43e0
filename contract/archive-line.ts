import { z } from 'zod';
import {
  archivedArticle,
  archivedArticleRevision,
  archivedTranslation,
  archivedTranslationRevision,
} from './archive-article-line.ts';
import { rating, turnState } from './chat.ts';
import { finishReason } from './chat-event.ts';
import {
  actor,
  conversationId,
  email,
  locale,
  memberId,
  memberRole,
  messageId,
  moment,
  visitorId,
} from './fields.ts';
import { LIMITS } from './limits.ts';
import { tenant } from './workspace.ts';

/** The lines of a workspace's archive. The form of what is stored, so that an import loses nothing. */

/** Goes up when an older version of the service could not read what a newer one writes. */
export const ARCHIVE_FORMAT = 1;

const line = <const T extends string>(type: T) => z.literal(type).describe('What the line is about.');

const word = (what: string, example: string) => z.string().min(1).max(128).describe(what).meta({ example });

const jsonText = (what: string, example: string) =>
  z.string().min(2).max(1_000_000).describe(what).meta({ example });

const hash = (what: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .max(64)
    .describe(what)
    .meta({ example: '0'.repeat(64) });

const pseudonym = word(
  'The name that the evidence has for a visitor: a TypeID with the prefix sub.',
  'sub_01kakv2fxse7wtg6x5r0h8rjbm',
);
const policyVersion = word('The version of a consent policy.', '2026-11-20.1+0123456789ab');

const archivedWorkspace = z
  .strictObject({
    type: line('workspace'),
    format: z
      .int32()
      .min(1)
      .max(ARCHIVE_FORMAT)
      .describe('The version of this format; a newer one than an installation knows is refused.')
      .meta({ example: ARCHIVE_FORMAT }),
    ...tenant.shape,
    guide: tenant.shape.guide.optional(),
    branding: tenant.shape.branding.optional(),
    consentStrictnessByRegion: tenant.shape.consentStrictnessByRegion.optional(),
  })
  .meta({ id: 'ArchivedWorkspace', description: 'The first line: the workspace and its settings.' });

const archivedMember = z
  .strictObject({
    type: line('member'),
    id: memberId,
    email: email.describe(
      'The address that the member signs in with, in lower case. The password stays behind.',
    ),
    role: memberRole.describe('What the member may do.'),
    createdAt: moment.describe('When the member joined.'),
  })
  .meta({ id: 'ArchivedMember', description: 'Somebody who belongs to the workspace, oldest first.' });

const archivedPolicy = z
  .strictObject({
    type: line('consent_policy'),
    version: policyVersion,
    document: jsonText('The policy in canonical JSON: rule table, settings, purposes.', '{"purposes":[]}'),
    createdAt: moment.describe('When the policy was published first.'),
  })
  .meta({ id: 'ArchivedPolicy', description: 'A consent policy that directives and evidence refer to.' });

const archivedSubject = z
  .strictObject({ type: line('consent_subject'), visitorId, subjectId: pseudonym })
  .meta({ id: 'ArchivedSubject', description: 'Who is meant by a name in the consent evidence.' });

const archivedConsent = z
  .strictObject({
    type: line('consent_record'),
    position: z
      .int()
      .min(1)
      .max(9_007_199_254_740_991)
      .describe('The place in the chain, from 1 and without gaps.'),
    id: word('The record: a TypeID with the prefix con.', 'con_01kakv2fxse7wtg6x5r0h8rjbm'),
    subjectId: pseudonym,
    content: jsonText(
      'The evidence in canonical JSON, the very text that the hash covers.',
      '{"decision":"denied"}',
    ),
    previousHash: hash('The hash of the record before this one; zeros for the first.'),
    hash: hash('SHA-256 over the previous hash and the content, in hex.'),
  })
  .meta({
    id: 'ArchivedConsent',
    description: 'A link of the chain of consent evidence, in the order of the chain.',
  });

const archivedDecision = z
  .strictObject({
    type: line('consent_decision'),
    visitorId,
    decision: word('What the visitor decided last.', 'accepted'),
    mode: word('The consent mode that the decision answered.', 'opt_in'),
    policyVersion,
    regionCode: word('The region that the visitor was in.', 'DE-BE'),
    decidedAt: moment.describe('When the visitor decided.'),
  })
  .meta({ id: 'ArchivedDecision', description: 'What counts now for a visitor.' });

const archivedConversation = z
  .strictObject({
    type: line('conversation'),
    id: conversationId,
    visitorId,
    startedAt: moment.describe('When the first question was asked.'),
    nextTurnIdx: z
      .int32()
      .min(0)
      .max(2_147_483_647)
      .describe('The index that the next turn is expected to have.'),
    turnCount: z.int32().min(0).max(2_147_483_647).describe('How many turns the conversation has had.'),
    ended: z.boolean().describe('Whether it takes no more turns.'),
  })
  .meta({
    id: 'ArchivedConversation',
    description:
      'A conversation; its turns follow. One that has to be deleted by a certain time is left out.',
  });

const archivedTurn = z
  .strictObject({
    type: line('turn'),
    messageId,
    conversationId,
    turnIdx: z.int32().min(0).max(2_147_483_647).describe('The index that the visitor sent with it.'),
    state: turnState.describe('How far the answer got.'),
    finishReason: finishReason.optional().describe('Why the answer ended; absent where it did not.'),
    requestedLocale: locale.describe('The language that the visitor asked for.'),
    idempotencyKey: z
      .string()
      .min(1)
      .max(LIMITS.idempotencyKeyCharsMax)
      .optional()
      .describe('The Idempotency-Key that the question came with.')
      .meta({ example: '0c6d1f0e-turn-0' }),
    payloadHash: word('Tells whether a repeated request is the same one.', '9f86d081884c7d65').optional(),
    askedAt: moment.describe('When the question was asked.'),
    finishedAt: moment.optional().describe('When the answer ended; absent while it runs.'),
    question: z
      .string()
      .max(1_000_000)
      .describe('What the visitor asked.')
      .meta({ example: 'Where is my order?' }),
    answer: z.string().max(1_000_000).describe('What the guide answered.').meta({ example: 'On its way.' }),
    frames: z
      .array(
        z
          .string()
          .max(1_000_000)
          .describe('An event of the stream as JSON text.')
          .meta({ example: '{"type":"message_start","seq":0}' }),
      )
      .max(1_000_000)
      .describe('The events that were streamed, in order.'),
  })
  .meta({
    id: 'ArchivedTurn',
    description: 'A question and its answer; follows its conversation, oldest first.',
  });

const archivedFeedback = z
  .strictObject({
    type: line('feedback'),
    id: word('The rating: a TypeID with the prefix fb.', 'fb_01kakv2fxse7wtg6x5r0h8rjbm'),
    messageId,
    rating: rating.describe('Whether the answer helped.'),
    comment: z
      .string()
      .max(LIMITS.feedbackCharsMax)
      .optional()
      .describe('What the visitor added to it.')
      .meta({ example: 'Just what I needed.' }),
    at: moment.describe('When the answer was rated.'),
  })
  .meta({ id: 'ArchivedFeedback', description: 'The rating of an answer; follows its turn.' });

const archivedEvent = z
  .strictObject({
    type: line('event'),
    id: word('The event: a TypeID with the prefix evt.', 'evt_01kakv2fxse7wtg6x5r0h8rjbm'),
    at: moment.describe('When this happened, in UTC.'),
    kind: word('What happened, as a stable word.', 'turn'),
    visitorId: visitorId.optional().describe('Whom it is about; absent where it tells about nobody.'),
    conversationId: conversationId.optional().describe('The conversation that it happened in.'),
    data: jsonText('A flat JSON object; which fields it has depends on the kind.', '{"locale":"en"}'),
  })
  .meta({ id: 'ArchivedEvent', description: 'An event that analytics count, oldest first.' });

const archivedAudit = z
  .strictObject({
    type: line('audit'),
    id: word('The row of the audit: a TypeID with the prefix aud.', 'aud_01kakv2fxse7wtg6x5r0h8rjbm'),
    at: moment.describe('When this was done, in UTC.'),
    actor,
    action: word('What was done, as a stable word.', 'article.published'),
    subject: z
      .string()
      .max(256)
      .describe('The id of what it was done to.')
      .meta({ example: 'art_01kakv2fxse7wtg6x5r0h8rjbm' }),
    details: jsonText('What changed, as a JSON object.', '{"toRevision":2}'),
  })
  .meta({ id: 'ArchivedAudit', description: 'Who did what, oldest first.' });

const archiveEnd = z
  .strictObject({
    type: line('end'),
    lines: z
      .int()
      .min(1)
      .max(9_007_199_254_740_991)
      .describe('How many lines came before this one.')
      .meta({ example: 1 }),
  })
  .meta({ id: 'ArchiveEnd', description: 'The last line. An archive without it is not whole.' });

export const archiveLine = z
  .discriminatedUnion('type', [
    archivedWorkspace,
    archivedMember,
    archivedPolicy,
    archivedSubject,
    archivedConsent,
    archivedDecision,
    archivedArticle,
    archivedArticleRevision,
    archivedTranslation,
    archivedTranslationRevision,
    archivedConversation,
    archivedTurn,
    archivedFeedback,
    archivedEvent,
    archivedAudit,
    archiveEnd,
  ])
  .meta({ id: 'ArchiveLine', description: 'A line of the archive of a workspace.' });

export type ArchiveLine = z.infer<typeof archiveLine>;
export type ArchiveLineOf<T extends ArchiveLine['type']> = Extract<ArchiveLine, { type: T }>;
