import { z } from 'zod';
import {
  aliases,
  answer,
  articleEvent,
  articleStatus,
  collectionName,
  dismissedAlias,
  searchSummary,
  slug,
  TAG,
  tag,
  tags,
  title,
  translationStatus,
} from './articles.ts';
import { conversation as conversationRecord, feedbackReasons, rating, turnState } from './chat.ts';
import { chatEvent, finishReason } from './chat-event.ts';
import { exportedConversation, exportedTranscript } from './export.ts';
import { eventColumns, eventId, eventType, exportedEvent } from './export-events.ts';
import {
  actor,
  articleId,
  articleSource,
  canonicalObject,
  collectionId,
  conversationId,
  email,
  locale,
  memberId,
  memberRole,
  messageId,
  moment,
  parseCanonicalJson,
  place,
  revisionNumber,
  sourceId,
  translationId,
  typeId,
  unixMillis,
  visitorId,
} from './fields.ts';
import { type Contact, contact, pathRule } from './guide.ts';
import { imageId, imageMediaType, imageName, imageSide } from './images.ts';
import { LIMITS } from './limits.ts';
import { parsePathPattern } from './path-rules.ts';
import {
  filesSettings,
  itemOutcome,
  refusalReason,
  runFailure,
  runId,
  runState,
  sourceMode,
  sourceName,
  sourceSchedule,
  sourceType,
  websiteSettings,
} from './sources.ts';
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
    decision: word('Last decision of the visitor.', 'accepted'),
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

export const image = z
  .strictObject({
    type: line('image'),
    id: imageId,
    name: imageName,
    mediaType: imageMediaType,
    width: imageSide.describe('Width in pixels.'),
    height: imageSide.describe('Height in pixels.'),
    createdAt: storedTime.describe('When it was uploaded.'),
    createdBy: actor,
    content: z
      .base64()
      .min(1)
      .max(Math.ceil(LIMITS.imageBytesMax / 3) * 4)
      .describe('The file, in Base64.')
      .meta({ example: 'R0lGODlhAQABAAAAACw=' }),
  })
  .meta({ id: 'ArchivedImage', description: 'An image that articles show.' });

const isStoredTag = (text: string) =>
  TAG.test(text) && text === text.normalize('NFC').toLowerCase() && !/\s$|\s\s/.test(text);

export const collection = z
  .strictObject({
    type: line('collection'),
    id: collectionId,
    name: collectionName,
    createdAt: storedTime.describe('When the collection was created.'),
    createdBy: actor,
  })
  .meta({ id: 'ArchivedCollection', description: 'A collection of articles, before the articles.' });

export const source = z
  .strictObject({
    type: line('source'),
    id: sourceId,
    name: sourceName,
    kind: sourceType,
    website: websiteSettings.optional().describe('Absent for files.'),
    files: filesSettings.optional().describe('Absent for websites, and if it is not set.'),
    mode: sourceMode,
    schedule: sourceSchedule,
    paused: z.boolean().describe('Whether scheduled runs are paused.'),
    token: word('The content of the file that proves an origin.', 'q83vASNFZ4mrze8BI0Vniav'),
    nextRunAt: storedTime
      .optional()
      .describe('When the schedule starts the next run. Absent if it does not.'),
    createdAt: storedTime.describe('When the source was created.'),
    createdBy: actor,
  })
  .meta({ id: 'ArchivedSource', description: 'Where articles come from, before the articles.' });

const readUrl = z
  .string()
  .max(LIMITS.placeBytesMax)
  .optional()
  .describe('Address that the text was read from. Absent for files.')
  .meta({ example: 'https://shop.example.com/help/returns' });
const validator = (what: string, example: string) =>
  z.string().max(1000).optional().describe(what).meta({ example });
const readingFields = {
  locale: canonicalLocale.describe('Language of the text.'),
  translationOf: place.optional().describe('Place of the text that it translates. Absent for articles.'),
  url: content.url,
  upload: z
    .string()
    .max(LIMITS.sourceFileNameCharsMax)
    .describe('Name of the uploaded file. Empty for websites.')
    .meta({ example: 'manual.zip' }),
  readUrl,
  etag: validator('ETag of the page.', '"33a64df5"'),
  lastModified: validator('Last-Modified of the page.', 'Sat, 21 Nov 2026 09:30:00 GMT'),
};

const waitingText = z
  .strictObject({
    place,
    kind: z.literal('document').describe('Always `document`.'),
    ...readingFields,
    title,
    contentHash,
    slug: slug.optional(),
    text: z
      .strictObject({
        title,
        answer,
        aliases,
        url: content.url,
        slug: slug.optional(),
        collection: collectionName.optional(),
        tags: tags.optional(),
      })
      .meta({ id: 'ArchivedSourceText', description: 'The text itself.' }),
  })
  .meta({ id: 'ArchivedConflict', description: 'A text that waits for a choice.' });

export const sourceDocument = z
  .strictObject({
    type: line('source_document'),
    sourceId,
    place,
    ...readingFields,
    contentHash: z
      .string()
      .regex(/^([0-9a-f]{64})?$/)
      .max(64)
      .describe('SHA-256 of title, answer and aliases as applied, in hex. Empty if nothing was.')
      .meta({ example: '0'.repeat(64) }),
    removed: z.boolean().optional().describe('Whether the source has it no more.'),
    conflict: waitingText.optional().describe('A changed text that waits for a choice. Absent if none does.'),
    conflictAt: storedTime.optional().describe('When the conflict was found.'),
  })
  .meta({ id: 'ArchivedSourceDocument', description: 'Last delivery of a source, as it was applied.' });

const runCount = z.int32().min(0).max(2_000_000_000).meta({ example: 12 });
const runDetail = z
  .string()
  .max(LIMITS.refusalDetailCharsMax)
  .optional()
  .describe('More about the reason.')
  .meta({ example: '503' });

export const sourceRun = z
  .strictObject({
    type: line('source_run'),
    id: runId,
    sourceId,
    state: runState,
    preview: z.boolean().describe('Whether it stopped before anything changed.'),
    scheduled: z.boolean().describe('Whether the schedule started it.'),
    done: runCount.describe('Texts done in its last state.'),
    total: runCount.describe('Of how many.'),
    added: runCount.describe('New texts.'),
    changed: runCount.describe('Changed texts.'),
    unchanged: runCount.describe('Unchanged texts.'),
    removed: runCount.describe('Texts that are no longer in the source.'),
    refused: runCount.describe('Texts that were not taken.'),
    conflicts: runCount.describe('Texts that were changed in both places.'),
    failure: runFailure.optional().describe('Why it failed. Absent if it did not.'),
    detail: runDetail,
    createdAt: storedTime.describe('When it was started.'),
    createdBy: actor,
    startedAt: storedTime.optional().describe('When reading began.'),
    finishedAt: storedTime.describe('When it ended.'),
  })
  .meta({ id: 'ArchivedSourceRun', description: 'A finished run of a source.' });

export const sourceRunItem = z
  .strictObject({
    type: line('source_run_item'),
    runId,
    place,
    root: place.describe('Place of the article that a translation belongs to; else the place itself.'),
    outcome: itemOutcome,
    locale: locale.optional().describe('Language of the text.'),
    title: title.optional(),
    reason: refusalReason.optional().describe('With `refused`.'),
    detail: runDetail,
    articleId: articleId.optional().describe('The article, if there is one.'),
    translationId: translationId.optional().describe('The translation, if the text is one.'),
    applied: z.boolean().optional().describe('Whether the run did it.'),
  })
  .meta({ id: 'ArchivedSourceRunItem', description: 'A line in the log of a run.' });

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
    collectionId: collectionId.optional().describe('Collection of the article. Absent if it is in none.'),
    tags: z
      .array(tag.refine(isStoredTag, 'expected a tag in lower case'))
      .min(1)
      .max(LIMITS.tagsPerArticleMax)
      .refine((given) => given.every((each, at) => at === 0 || given[at - 1]! < each), 'expected sorted tags')
      .optional()
      .describe('Tags of the article, in alphabetical order. Absent if there are none.'),
    source: articleSource.optional().describe('Where the article comes from. Absent if it was written here.'),
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
    question: exportedTranscript.shape.message.describe('Question of the visitor.'),
    answer: exportedTranscript.shape.answer.describe('Answer of the guide.'),
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
    reasons: feedbackReasons.optional(),
    at: storedTime.describe('When the answer was rated.'),
  })
  .meta({ id: 'ArchivedFeedback', description: 'The rating of the preceding turn.' });

const questions = z.int32().min(0).max(2_000_000_000).meta({ example: 4 });
const groupId = typeIdField('ibx', 'A group of similar questions');

export const inboxGroup = z
  .strictObject({
    type: line('inbox_group'),
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
    answeredAgain: questions.optional().describe('Number of those that were answered.'),
  })
  .meta({ id: 'ArchivedInboxGroup', description: 'A group of similar questions of the inbox.' });

export const inboxQuestion = z
  .strictObject({
    type: line('inbox_question'),
    messageId,
    groupId,
    kinds: z
      .int32()
      .min(1)
      .max(7)
      .describe('Why it is in the inbox, as a sum: 1 unanswered, 2 rated down, 4 low confidence.')
      .meta({ example: 1 }),
    askedAt: storedTime.describe('When the question was asked.'),
    confidence: z
      .int32()
      .min(0)
      .max(1000)
      .optional()
      .describe('Confidence of its answer, in thousandths.')
      .meta({ example: 420 }),
  })
  .meta({
    id: 'ArchivedInboxQuestion',
    description: 'A question of the inbox: a turn above, and its group.',
  });

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
      'The changes, as a JSON object.',
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
    image,
    collection,
    source,
    sourceDocument,
    sourceRun,
    sourceRunItem,
    article,
    articleRevision,
    translation,
    translationRevision,
    conversation,
    turn,
    feedback,
    inboxGroup,
    inboxQuestion,
    event,
    audit,
    end,
  ])
  .meta({ id: 'ArchiveLine', description: 'A line of the archive of a workspace.' });

export type ArchiveLine = z.infer<typeof archiveLine>;
export type ArchiveLineOf<T extends ArchiveLine['type']> = Extract<ArchiveLine, { type: T }>;
