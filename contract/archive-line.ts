import { z } from 'zod';
import {
  aliases,
  answer,
  articleEvent,
  articleStatus,
  dismissedAlias,
  searchSummary,
  slug,
  title,
  translationStatus,
} from './articles.ts';
import { conversation as conversationRecord, rating, turnState } from './chat.ts';
import { chatEvent, finishReason } from './chat-event.ts';
import { exportedConversation, exportedTranscript } from './export.ts';
import { eventColumns, eventId, eventType, exportedEvent } from './export-events.ts';
import {
  actor,
  articleId,
  conversationId,
  email,
  locale,
  memberId,
  memberRole,
  messageId,
  moment,
  revisionNumber,
  translationId,
  typeId,
  unixMillis,
  visitorId,
} from './fields.ts';
import { type Contact, contact, pathRule } from './guide.ts';
import { LIMITS } from './limits.ts';
import { parsePathPattern } from './path-rules.ts';
import { reviewDecision, reviewNote, translationEvent } from './translations.ts';
import { auditRow, tenant } from './workspace.ts';

/**
 * The lines of a workspace's archive: what is stored, so that an import loses nothing. An import stores what these schemas accept, so they
 * accept only what the service could have stored itself. `server/transfer/codec.ts` derives rows from them.
 */

/** Goes up when an older version of the service could not read what a newer one writes. */
export const ARCHIVE_FORMAT = 1;

const line = <const T extends string>(type: T) => z.literal(type).describe('Type of the line.');

const word = (what: string, example: string) => z.string().min(1).max(128).describe(what).meta({ example });

/** A TypeID with this prefix. */
const typeIdField = (prefix: string, what: string) =>
  z
    .string()
    .regex(typeId(prefix))
    .max(prefix.length + 27)
    .describe(`${what}: a TypeID with the prefix ${prefix}.`)
    .meta({ example: `${prefix}_01kakv2fxse7wtg6x5r0h8rjbm` });

/** A time that is valid both as milliseconds and as seconds since 1970. */
const storedTime = moment.refine(
  (text) => unixMillis.safeParse(Date.parse(text)).success,
  'expected a moment of the years 1970 to 2286',
);

const canonicalLocale = locale.refine(
  (tag) => succeeds(() => Intl.getCanonicalLocales(tag)),
  'expected a language tag such as de or pt-BR',
);

const isTimeZone = (name: string) =>
  /^[A-Za-z]/.test(name) && succeeds(() => new Intl.DateTimeFormat('en', { timeZone: name }));

/** At least one field, and the URL as the settings store it. */
const isStoredContact = ({ email, url, phone }: Contact) =>
  [email, url, phone].some((way) => way !== undefined) &&
  (url === undefined || (URL.canParse(url) && new URL(url).href === url));

function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/** Deeper than the service ever writes, and shallow enough for a recursive reader. */
const JSON_DEPTH_MAX = 32;

/** Parses JSON in exactly the form that the service writes; undefined for any other text. */
function parseCanonicalJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isShallow(JSON_DEPTH_MAX, value) && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function isShallow(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isShallow(levels - 1, part));
}

const isCanonicalObject = (text: string) => {
  const value = parseCanonicalJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
};

/** Rejects other spellings, because parsers disagree on duplicate members and on huge numbers. */
const canonicalObject = (charsMax: number, what: string, example: string) =>
  z
    .string()
    .max(charsMax)
    .refine(isCanonicalObject, {
      error: 'expected a JSON object as text, as the service writes it',
      abort: true,
    })
    .describe(what)
    .meta({ example });

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

const pseudonym = typeIdField('sub', 'The name that the evidence has for a visitor');
const policyVersion = word('The version of a consent policy.', '2026-11-20.1+0123456789ab');

export const workspace = z
  .strictObject({
    type: line('workspace'),
    format: z
      .int32()
      .min(1)
      .max(ARCHIVE_FORMAT)
      .describe('Version of the archive format. An installation rejects versions newer than it knows.')
      .meta({ example: ARCHIVE_FORMAT }),
    ...tenant.shape,
    sourceLocale: canonicalLocale.describe(
      'The language that articles are written in, in canonical BCP 47 form.',
    ),
    voice: tenant.shape.voice.refine(({ timeZone }) => isTimeZone(timeZone), {
      path: ['timeZone'],
      error: 'expected an IANA time zone such as Europe/Berlin',
    }),
    // Leaves room for later changes.
    version: tenant.shape.version.max(1_000_000_000),
    createdAt: storedTime.describe('When the workspace was created.'),
    updatedAt: storedTime.describe('When the settings were changed last.'),
    guide: tenant.shape.guide.optional(),
    branding: tenant.shape.branding.optional(),
    retention: tenant.shape.retention.optional(),
    contact: contact
      .refine(isStoredContact, 'expected an email address, a canonical URL or a number')
      .optional(),
    consentStrictnessByRegion: tenant.shape.consentStrictnessByRegion.optional(),
    pathRules: z
      .array(
        pathRule.refine(({ pattern }) => parsePathPattern(pattern) !== undefined, {
          path: ['pattern'],
          error: 'expected a path pattern such as /shop/*',
        }),
      )
      .max(LIMITS.pathRulesMax)
      .optional()
      .describe('Where on the site the guide appears, in order.'),
  })
  .meta({ id: 'ArchivedWorkspace', description: 'The first line: the workspace and its settings.' });

export const member = z
  .strictObject({
    type: line('member'),
    id: memberId,
    email: email
      .refine(isLowerCase, 'expected an address in lower case')
      .describe('Email address that the member signs in with, in lower case. Passwords are not exported.'),
    role: memberRole.describe('Role of the member.'),
    createdAt: storedTime.describe('When the member joined.'),
  })
  .meta({ id: 'ArchivedMember', description: 'A member of the workspace, oldest first.' });

export const consentPolicy = z
  .strictObject({
    type: line('consent_policy'),
    version: policyVersion,
    document: jsonText('The policy in canonical JSON: rule table, settings, purposes.', '{"purposes":[]}'),
    createdAt: storedTime.describe('When the policy was published first.'),
  })
  .meta({
    id: 'ArchivedPolicy',
    description: 'A consent policy that directives and the consent log refer to.',
  });

export const consentSubject = z
  .strictObject({ type: line('consent_subject'), visitorId, subjectId: pseudonym })
  .meta({ id: 'ArchivedSubject', description: 'The visitor behind a pseudonym in the consent log.' });

export const consentRecord = z
  .strictObject({
    type: line('consent_record'),
    position: z
      .int()
      .min(1)
      .max(9_007_199_254_740_991)
      .describe('Position in the chain, from 1 and without gaps.'),
    id: typeIdField('con', 'The record'),
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
    description: 'An entry of the consent log, in the order of its hash chain.',
  });

export const consentDecision = z
  .strictObject({
    type: line('consent_decision'),
    visitorId,
    decision: word('What the visitor decided last.', 'accepted'),
    mode: word('The consent mode that the decision answered.', 'opt_in'),
    policyVersion,
    regionCode: word('The region that the visitor was in.', 'DE-BE'),
    decidedAt: storedTime.describe('When the visitor decided.'),
    gpc: z.boolean().optional().describe('Whether a Global Privacy Control signal came with it.'),
    claimedRegion: word('Where the client said to be.', 'DE').optional(),
  })
  .meta({ id: 'ArchivedDecision', description: 'The current consent decision of a visitor.' });

const contentHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .max(64)
  .describe('SHA-256 of title, answer and aliases, in hex.')
  .meta({ example: '0'.repeat(64) });
const sourceHash = contentHash.describe('Content hash of the article that was translated.');
const sourceRevision = revisionNumber.describe('Revision of the article that was translated.');

const content = {
  title,
  answer,
  aliases,
  url: z
    .string()
    .max(LIMITS.urlCharsMax)
    .optional()
    .describe('Public URL. Absent if there is none.')
    .meta({ example: 'https://shop.example.com/help/returns' }),
  contentHash,
  searchSummary,
  authorId: actor.describe('Id of the author.'),
};

const changes = {
  createdAt: storedTime.describe('When this was created, in UTC.'),
  createdBy: actor,
  updatedAt: storedTime.describe('When it was changed last.'),
  updatedBy: actor,
};

const revision = revisionNumber.describe('The latest revision. All revisions follow, from the first.');
const publishedAt = storedTime.describe('When the revision went live.');

const articleLive = z
  .strictObject({ revision: revisionNumber, publishedAt, publishedBy: actor })
  .meta({ id: 'ArchivedArticleLive', description: 'The live revision of an article.' });

export const article = z
  .strictObject({
    type: line('article'),
    id: articleId,
    slug,
    locale: canonicalLocale.describe('Language of the article itself.'),
    status: articleStatus,
    revision,
    live: articleLive.optional().describe('The live revision. Absent while nothing is live.'),
    dismissedAliases: z
      .array(dismissedAlias)
      .max(LIMITS.dismissedAliasesMax)
      .optional()
      .describe('Aliases that are not to be suggested again. Absent if there are none.'),
    ...changes,
  })
  .meta({ id: 'ArchivedArticle', description: 'An article, followed by its revisions and translations.' });

export const articleRevision = z
  .strictObject({
    type: line('article_revision'),
    articleId,
    revision: revisionNumber,
    event: articleEvent,
    locale: canonicalLocale.describe('Language of the article at that time.'),
    ...content,
    createdAt: storedTime.describe('When the revision was made.'),
  })
  .meta({ id: 'ArchivedArticleRevision', description: 'A revision of the preceding article, oldest first.' });

const translationLive = z
  .strictObject({ revision: revisionNumber, sourceRevision, sourceHash, publishedAt, publishedBy: actor })
  .meta({
    id: 'ArchivedTranslationLive',
    description: 'The live revision of a translation. Visitors see it while the article is published.',
  });

const review = z
  .strictObject({
    decision: reviewDecision,
    revision: revisionNumber.describe('The reviewed revision.'),
    authorId: actor.describe('Author of the reviewed revision.'),
    reviewerId: actor.describe('Id of the reviewer.'),
    reviewNote: reviewNote.optional(),
    reviewedAt: storedTime.describe('When it was reviewed.'),
  })
  .meta({ id: 'ArchivedReview', description: 'The review of the working copy of a translation.' });

export const translation = z
  .strictObject({
    type: line('translation'),
    id: translationId,
    articleId,
    locale: canonicalLocale,
    status: translationStatus,
    revision,
    sourceRevision,
    sourceHash,
    live: translationLive.optional().describe('The live revision. Absent while nothing is live.'),
    review: review.optional().describe('Review of the working copy. Absent if there is none.'),
    ...changes,
  })
  .meta({
    id: 'ArchivedTranslation',
    description: 'A translation of the preceding article, followed by its revisions.',
  });

export const translationRevision = z
  .strictObject({
    type: line('translation_revision'),
    translationId,
    revision: revisionNumber,
    event: translationEvent,
    status: translationStatus.describe('Status of the translation from this revision on.'),
    sourceRevision,
    sourceHash,
    ...content,
    reviewerId: actor.optional().describe('Id of the reviewer, if a review created this revision.'),
    reviewNote: reviewNote.optional(),
    createdAt: storedTime.describe('When the revision was made.'),
  })
  .meta({
    id: 'ArchivedTranslationRevision',
    description: 'A revision of the preceding translation, oldest first.',
  });

export const conversation = z
  .strictObject({
    type: line('conversation'),
    id: conversationId,
    visitorId,
    startedAt: storedTime.describe('When the first question was asked.'),
    nextTurnIdx: conversationRecord.shape.next_turn_idx.describe('Index of the next expected turn.'),
    turnCount: exportedConversation.shape.turns.describe('Number of turns.'),
    ended: z.boolean().describe('Whether the conversation accepts no more turns.'),
  })
  .meta({
    id: 'ArchivedConversation',
    description:
      'A conversation, followed by its turns, at least one. Conversations due for deletion are left ' +
      'out.',
  });

const frame = z
  .string()
  .max(1_000_000)
  .refine(
    (text) => chatEvent.safeParse(parseCanonicalJson(text)).success,
    'expected an event of the stream of an answer as JSON text',
  )
  .describe('An event of the stream as JSON text.')
  .meta({ example: '{"type":"message_start","seq":0}' });

export const turn = z
  .strictObject({
    type: line('turn'),
    messageId,
    conversationId,
    turnIdx: exportedTranscript.shape.turn_idx.describe('Index of the turn, as sent by the visitor.'),
    state: turnState.describe('State of the answer.'),
    finishReason: finishReason.optional().describe('Why the answer ended. Absent if it did not.'),
    requestedLocale: canonicalLocale.describe('The language that the visitor asked for.'),
    idempotencyKey: z
      .string()
      .min(1)
      .max(LIMITS.idempotencyKeyCharsMax)
      .optional()
      .describe('The Idempotency-Key of the request.')
      .meta({ example: '0c6d1f0e-turn-0' }),
    payloadHash: word('Tells whether a repeated request is the same one.', '9f86d081884c7d65').optional(),
    askedAt: storedTime.describe('When the question was asked.'),
    finishedAt: storedTime.optional().describe('When the answer ended. Absent while it is running.'),
    question: exportedTranscript.shape.message.describe('What the visitor asked.'),
    answer: exportedTranscript.shape.answer.describe('What the guide answered.'),
    frames: z.array(frame).max(1_000_000).describe('The events that were streamed, in order.'),
  })
  .meta({
    id: 'ArchivedTurn',
    description: 'A question and its answer, after its conversation, oldest first.',
  });

export const feedback = z
  .strictObject({
    type: line('feedback'),
    id: typeIdField('fb', 'The rating'),
    messageId,
    rating: rating.describe('Whether the answer was helpful.'),
    comment: z
      .string()
      .max(LIMITS.feedbackCharsMax)
      .optional()
      .describe("The visitor's comment.")
      .meta({ example: 'Just what I needed.' }),
    at: storedTime.describe('When the answer was rated.'),
  })
  .meta({ id: 'ArchivedFeedback', description: 'The rating of the preceding turn.' });

export const event = z
  .strictObject({
    type: line('event'),
    id: eventId,
    at: storedTime.describe('When the event happened, in UTC.'),
    kind: eventType.describe('Type of the event.'),
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

export const audit = z
  .strictObject({
    type: line('audit'),
    id: typeIdField('aud', 'The row of the audit'),
    at: storedTime.describe('When the action happened, in UTC.'),
    actor,
    action: auditRow.shape.action.min(1).describe('The audited action.'),
    subject: auditRow.shape.subject,
    details: canonicalObject(
      auditRow.shape.details.maxLength!,
      'What changed, as a JSON object.',
      '{"toRevision":2}',
    ),
    device: auditRow.shape.device,
    network: auditRow.shape.network,
    previousHash: hash('The hash of the row before this one; zeros for the first.'),
    hash: hash('SHA-256 over the previous hash and the row, in hex.'),
  })
  .meta({ id: 'ArchivedAudit', description: 'An entry of the audit log, in the order of its hash chain.' });

const end = z
  .strictObject({
    type: line('end'),
    lines: z
      .int()
      .min(1)
      .max(9_007_199_254_740_991)
      .describe('Number of lines before this one.')
      .meta({ example: 1 }),
  })
  .meta({ id: 'ArchiveEnd', description: 'The last line. An archive without it is incomplete.' });

export const archiveLine = z
  .discriminatedUnion('type', [
    workspace,
    member,
    consentPolicy,
    consentSubject,
    consentRecord,
    consentDecision,
    article,
    articleRevision,
    translation,
    translationRevision,
    conversation,
    turn,
    feedback,
    event,
    audit,
    end,
  ])
  .meta({ id: 'ArchiveLine', description: 'A line of the archive of a workspace.' });

export type ArchiveLine = z.infer<typeof archiveLine>;
export type ArchiveLineOf<T extends ArchiveLine['type']> = Extract<ArchiveLine, { type: T }>;
