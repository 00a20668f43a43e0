import { z } from 'zod';
import {
  archivedArticle,
  archivedArticleRevision,
  archivedTranslation,
  archivedTranslationRevision,
} from './archive-article-line.ts';
import { archivedConversation, archivedFeedback, archivedTurn } from './archive-conversation-line.ts';
import { idOf, isTimeZone, keptLocale, keptMoment, line, word, writtenObject } from './archive-fields.ts';
import { auditRow } from './audit.ts';
import { eventColumns, eventId, eventType, exportedEvent } from './export-events.ts';
import { actor, conversationId, email, memberId, memberRole, visitorId } from './fields.ts';
import { tenant } from './workspace.ts';

/** The lines of a workspace's archive. The form of what is stored, so that an import loses nothing. */

/** Goes up when an older version of the service could not read what a newer one writes. */
export const ARCHIVE_FORMAT = 1;

const jsonText = (what: string, example: string) =>
  z.string().min(2).max(1_000_000).describe(what).meta({ example });

const isLowerCase = (text: string) => text === text.toLowerCase();

const hash = (what: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .max(64)
    .describe(what)
    .meta({ example: '0'.repeat(64) });

const pseudonym = idOf('sub', 'The name that the evidence has for a visitor');
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
    sourceLocale: keptLocale.describe('The language that articles are written in, in canonical BCP 47 form.'),
    voice: tenant.shape.voice.refine(({ timeZone }) => isTimeZone(timeZone), {
      path: ['timeZone'],
      error: 'expected an IANA time zone such as Europe/Berlin',
    }),
    // With room for the changes to come.
    version: tenant.shape.version.max(1_000_000_000),
    createdAt: keptMoment.describe('When the workspace was created.'),
    updatedAt: keptMoment.describe('When the settings were changed last.'),
    guide: tenant.shape.guide.optional(),
    branding: tenant.shape.branding.optional(),
    consentStrictnessByRegion: tenant.shape.consentStrictnessByRegion.optional(),
  })
  .meta({ id: 'ArchivedWorkspace', description: 'The first line: the workspace and its settings.' });

const archivedMember = z
  .strictObject({
    type: line('member'),
    id: memberId,
    email: email
      .refine(isLowerCase, 'expected an address in lower case')
      .describe('The address that the member signs in with, in lower case. The password stays behind.'),
    role: memberRole.describe('What the member may do.'),
    createdAt: keptMoment.describe('When the member joined.'),
  })
  .meta({ id: 'ArchivedMember', description: 'Somebody who belongs to the workspace, oldest first.' });

const archivedPolicy = z
  .strictObject({
    type: line('consent_policy'),
    version: policyVersion,
    document: jsonText('The policy in canonical JSON: rule table, settings, purposes.', '{"purposes":[]}'),
    createdAt: keptMoment.describe('When the policy was published first.'),
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
    id: idOf('con', 'The record'),
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
    decidedAt: keptMoment.describe('When the visitor decided.'),
    gpc: z.boolean().optional().describe('Whether a privacy signal came with it.'),
    claimedRegion: word('Where the client said to be.', 'DE').optional(),
  })
  .meta({ id: 'ArchivedDecision', description: 'What counts now for a visitor.' });

const archivedEvent = z
  .strictObject({
    type: line('event'),
    id: eventId,
    at: keptMoment.describe('When this happened, in UTC.'),
    kind: eventType.describe('What happened, as a stable word.'),
    visitorId: visitorId.optional().describe('Whom it is about; absent where it tells about nobody.'),
    conversationId: conversationId.optional().describe('The conversation that it happened in.'),
    data: writtenObject(
      eventColumns.shape.data.maxLength!,
      'A flat JSON object; which fields it has depends on the kind.',
      '{"locale":"en"}',
    ),
  })
  // Exports and figures read it in this form.
  .superRefine(({ type: _, kind: type, visitorId, conversationId, data, ...rest }, context) => {
    const about = { visitor_id: visitorId, conversation_id: conversationId };
    const shown = exportedEvent.safeParse({ ...rest, type, ...about, data: JSON.parse(data) });
    for (const issue of shown.error?.issues ?? []) context.addIssue({ ...issue });
  })
  .meta({ id: 'ArchivedEvent', description: 'An event that analytics count, oldest first.' });

const archivedAudit = z
  .strictObject({
    type: line('audit'),
    id: idOf('aud', 'The row of the audit'),
    at: keptMoment.describe('When this was done, in UTC.'),
    actor,
    action: auditRow.shape.action.min(1).describe('What was done, as a stable word.'),
    subject: auditRow.shape.subject,
    details: writtenObject(
      auditRow.shape.details.maxLength!,
      'What changed, as a JSON object.',
      '{"toRevision":2}',
    ),
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
