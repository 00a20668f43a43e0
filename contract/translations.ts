import { z } from 'zod';
import {
  aliases,
  answer,
  publishAt,
  scheduledPublication,
  searchSummary,
  title,
  translationStatus,
} from './article-fields.ts';
import {
  actor,
  articleId,
  buildPage,
  locale,
  moment,
  namedObject,
  okReply,
  pattern,
  revisionNumber,
  translationId,
  workspaceId,
} from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { editRoute, readRoute, route, router } from './route.ts';

export const reviewDecision = z.enum(['approve', 'request_changes']).meta({
  id: 'ReviewDecision',
  description: "The reviewer's decision.",
});

export const reviewNote = z
  .string()
  .max(ARTICLE_LIMITS.reviewNoteCharsMax)
  .meta({ example: 'Please use the formal form of address.' });

export const translationEvent = z
  .enum([
    'created',
    'edited',
    'submitted',
    'approved',
    'changes_requested',
    'published',
    'archived',
    'restored',
    'imported',
  ])
  .meta({ id: 'TranslationStep', description: 'Step that created a revision of a translation.' });

const sourceRevision = revisionNumber.describe('Revision of the article that was translated.');
const searchAliases = aliases;

const review = namedObject('TranslationReview', 'Review of a working copy. Editing the text voids it.', {
  decision: reviewDecision,
  revision: revisionNumber,
  reviewerId: actor,
  reviewNote: reviewNote.optional(),
  reviewedAt: moment,
  selfReview: z.boolean(),
});

const live = namedObject(
  'TranslationLive',
  'The live revision of a translation. Visitors see it while the article is published.',
  {
    revision: revisionNumber,
    sourceRevision,
    stale: z.boolean().describe('Whether the article has changed since this was translated.'),
    publishedAt: moment,
    publishedBy: actor,
  },
);

const record = {
  id: translationId,
  articleId,
  locale,
  status: translationStatus,
  stale: z.boolean().describe('Whether the article has changed since the working copy was translated.'),
  revision: revisionNumber.describe('Revision of the working copy, the latest. Send it as `baseRevision`.'),
  sourceRevision: sourceRevision.describe(
    'Revision of the article that the working copy was translated from.',
  ),
  currentSourceRevision: revisionNumber.describe(
    'Revision of the article to translate from: the published one, or the working copy if none is ' +
      'published.',
  ),
  title,
  answer,
  searchAliases,
  searchSummary,
  live: live.optional().describe('Absent while nothing is live.'),
  review: review.optional().describe('Absent if there is none.'),
  scheduled: scheduledPublication
    .optional()
    .describe('Absent if none is scheduled. Editing the text cancels it, as it voids the review.'),
  createdBy: actor,
  createdAt: moment,
  updatedBy: actor,
  updatedAt: moment,
};

export const translation = namedObject(
  'Translation',
  'A translation of an article: its working copy, review and live revision.',
  record,
);

const translationContent = namedObject('TranslationContent', 'Content of a translation.', {
  title,
  answer,
  searchAliases,
});

const revision = namedObject('TranslationRevision', 'A revision of a translation.', {
  revision: revisionNumber,
  event: translationEvent,
  status: translationStatus,
  sourceRevision,
  content: translationContent,
  contentHash: pattern(/^[0-9a-f]{64}$/, 64)
    .describe('SHA-256 of the content, in hex. Equal if and only if the content is equal.')
    .meta({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }),
  authorId: actor.describe('Id of the member who created this revision, or `operator` for an import.'),
  reviewerId: actor.optional().describe('Id of the reviewer, if a review created this revision.'),
  reviewNote: reviewNote.optional(),
  createdAt: moment,
});

export const translationDetail = namedObject(
  'TranslationDetail',
  'A translation with its latest revisions.',
  {
    ...record,
    revisions: z
      .array(revision)
      .max(ARTICLE_LIMITS.revisionsShown)
      .describe('Latest revisions, newest first, at most 100.'),
    revisionCount: z.int32().min(1).meta({ example: 3 }),
  },
);

const translationPage = buildPage('TranslationPage', translation);

export type TranslationRecord = z.infer<typeof translation>;
export type TranslationRevisionRecord = z.infer<typeof revision>;
export type TranslationDetail = z.infer<typeof translationDetail>;

const baseRevision = revisionNumber.describe(
  'The revision you last read. The request fails with a conflict if it is no longer the latest.',
);

const content = {
  title: title.meta({ example: 'Eine Bestellung zurücksenden' }),
  answer: answer.meta({ example: 'Sie können jede Bestellung innerhalb von 30 Tagen zurücksenden.' }),
  searchAliases: aliases.optional().describe('Search keywords in this language. Defaults to none.'),
};

const newTranslation = namedObject('NewTranslation', 'A translation to create as a draft.', {
  locale: locale.describe(
    "Language of the translation: a BCP 47 tag of registered subtags, without extensions, that differs from the article's " +
      'language. Stored in canonical form.',
  ),
  ...content,
  baseRevision: revisionNumber
    .optional()
    .describe('Revision of the article that was translated. The request fails if it is no longer current.'),
});

const translationEdit = namedObject(
  'TranslationEdit',
  'The complete text of a translation. It replaces the existing text.',
  {
    baseRevision,
    sourceRevision: revisionNumber
      .optional()
      .describe(
        'Revision of the article that was translated: `currentSourceRevision` as last read. The request fails if it is ' +
          'no longer current. Without it, the text counts as made for the current one.',
      ),
    ...content,
  },
);

const translationBase = namedObject('TranslationBase', 'The revision that the action applies to.', {
  baseRevision,
});

const translationSchedule = namedObject(
  'TranslationSchedule',
  'When to publish the approved revision of a translation.',
  { baseRevision, publishAt },
);

const translationReview = namedObject('TranslationVerdict', 'A review of a translation.', {
  baseRevision,
  decision: reviewDecision,
  reviewNote: reviewNote.optional().describe('Note to the author. Required when requesting changes.'),
});

const articleParams = z.strictObject({ tenantId: workspaceId, articleId });
const pathParams = z.strictObject({ tenantId: workspaceId, articleId, translationId });

const base = '/api/tenants/:tenantId/knowledge/articles/:articleId/translations';
const notFoundErrors = ['article/not_found', 'translation/not_found'] as const;
const stepErrors = [...notFoundErrors, 'translation/conflict', 'translation/not_allowed'] as const;

export const translations = router('Translations', {
  listTranslations: route({
    method: 'GET',
    path: base,
    summary: 'List translations',
    description: 'Returns all translations of an article, by locale, on one page.',
    pathParams: articleParams,
    responses: { 200: translationPage },
    errors: ['article/not_found'],
    meta: readRoute,
  }),
  createTranslation: route({
    method: 'POST',
    path: base,
    summary: 'Create a translation',
    description:
      "Creates a draft for the article's current content. An article can have up to 32 translations, " +
      'including archived ones, and one per locale; one that was never published can be deleted. Tags that mean the same locale are equal.',
    pathParams: articleParams,
    body: newTranslation,
    responses: { 201: translation },
    errors: [
      'article/not_found',
      'translation/conflict',
      'translation/locale_taken',
      'translation/source_locale',
      'translation/too_many_locales',
      'tenant/storage_full',
    ],
    meta: { ...editRoute, bodyBytesMax: ARTICLE_LIMITS.articleBodyBytesMax },
  }),
  readTranslation: route({
    method: 'GET',
    path: `${base}/:translationId`,
    summary: 'Retrieve a translation',
    description: 'Returns the working copy, its review, the live revision and the newest 100 revisions.',
    pathParams,
    responses: { 200: translationDetail },
    errors: notFoundErrors,
    meta: readRoute,
  }),
  editTranslation: route({
    method: 'PUT',
    path: `${base}/:translationId`,
    summary: 'Update a translation',
    description:
      "Replaces the text, based on the article's current content. The translation becomes a draft and " +
      'its review is void; the live revision stays live. An update without changes creates no ' +
      'revision. Send `sourceRevision`, so that a text is never taken for a translation of a newer ' +
      'article than its author has read.',
    pathParams,
    body: translationEdit,
    responses: { 200: translation },
    errors: [...stepErrors, 'translation/source_changed', 'tenant/storage_full'],
    meta: { ...editRoute, bodyBytesMax: ARTICLE_LIMITS.articleBodyBytesMax },
  }),
  deleteTranslation: route({
    method: 'DELETE',
    path: `${base}/:translationId`,
    summary: 'Delete a translation',
    description:
      'Permanently deletes a translation that was never published, with its revisions, so that its locale is free ' +
      'again. One that was published can be archived.',
    pathParams,
    query: z.strictObject({
      baseRevision: pattern(/^[1-9]\d{0,9}$/, 10)
        .describe(
          'The revision you last read. The request fails with a conflict if it is no longer the latest.',
        )
        .meta({ example: '1' }),
    }),
    responses: { 200: okReply },
    errors: [...notFoundErrors, 'translation/conflict', 'translation/was_published'],
    meta: editRoute,
  }),
  submitTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/submit-review`,
    summary: 'Submit a translation for review',
    description: 'Stale drafts cannot be submitted. Update the draft first.',
    pathParams,
    body: translationBase,
    responses: { 200: translation },
    errors: [...stepErrors, 'translation/stale'],
    meta: editRoute,
  }),
  reviewTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/review`,
    summary: 'Review a translation',
    description:
      'Approves the submitted revision, unless it is stale, or requests changes. Authors can review their own text; the ' +
      'review records it. Automation sessions cannot, unless they were created that way.',
    pathParams,
    body: translationReview,
    responses: { 200: translation },
    errors: [...stepErrors, 'translation/stale', 'translation/own_text'],
    meta: { ...editRoute, areas: ['review'] },
  }),
  publishTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/publish`,
    summary: 'Publish a translation',
    description:
      'Makes the approved revision live. Fails if it is not approved or the article has changed since. ' +
      'Visitors see it while the article is published.',
    pathParams,
    body: translationBase,
    responses: { 200: translation },
    errors: [...stepErrors, 'translation/stale'],
    meta: editRoute,
  }),
  scheduleTranslation: route({
    method: 'PUT',
    path: `${base}/:translationId/schedule`,
    summary: 'Schedule the publication of a translation',
    description:
      'Publishes the approved revision at that time, as if the caller did. Replaces an earlier time. Fails if ' +
      'the translation could not be published now; if it cannot be at that time, the audit says why.',
    pathParams,
    body: translationSchedule,
    responses: { 200: translation },
    errors: [...stepErrors, 'translation/stale'],
    meta: editRoute,
  }),
  archiveTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/archive`,
    summary: 'Archive a translation',
    description: 'Visitors no longer see the translation. Archiving it again changes nothing.',
    pathParams,
    body: translationBase,
    responses: { 200: translation },
    errors: [...notFoundErrors, 'translation/conflict'],
    meta: editRoute,
  }),
  restoreTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/restore`,
    summary: 'Restore a translation',
    description:
      'Turns an archived translation into a draft. It must be reviewed and published again before ' +
      'visitors see it. Fails if the article itself is now written in this locale.',
    pathParams,
    body: translationBase,
    responses: { 200: translation },
    errors: [...stepErrors, 'translation/source_locale'],
    meta: editRoute,
  }),
});
