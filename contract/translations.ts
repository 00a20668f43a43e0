import { z } from 'zod';
import { aliases, answer, title } from './article-record.ts';
import { articleId, locale, revisionNumber, translationId, workspaceId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { editRoute, readRoute } from './route-presets.ts';
import {
  reviewDecision,
  reviewNote,
  translation,
  translationDetail,
  translationPage,
} from './translation-record.ts';

const baseRevision = revisionNumber.describe(
  'The revision you last read. The request fails with a conflict if it is no longer the latest.',
);

const content = {
  title,
  answer,
  searchAliases: aliases.optional().describe('Search keywords in this language. Defaults to none.'),
};

export const newTranslation = z
  .strictObject({
    locale: locale.describe(
      "Language of the translation: a BCP 47 tag without extensions that differs from the article's " +
        'language. Stored in canonical form.',
    ),
    ...content,
    baseRevision: revisionNumber
      .optional()
      .describe('Revision of the article that was translated. The request fails if it is no longer current.'),
  })
  .meta({ id: 'NewTranslation', description: 'A translation to create as a draft.' });

export const translationEdit = z.strictObject({ baseRevision, ...content }).meta({
  id: 'TranslationEdit',
  description: 'The complete text of a translation. It replaces the existing text.',
});

export const translationBase = z
  .strictObject({ baseRevision })
  .meta({ id: 'TranslationBase', description: 'The revision that the action applies to.' });

export const translationReview = z
  .strictObject({
    baseRevision,
    decision: reviewDecision,
    reviewNote: reviewNote.optional().describe('Note to the author. Required when requesting changes.'),
  })
  .meta({ id: 'TranslationVerdict', description: 'A review of a translation.' });

const articleParams = z.strictObject({ tenantId: workspaceId, articleId });
const pathParams = z.strictObject({ tenantId: workspaceId, articleId, translationId });

const base = '/api/tenants/:tenantId/knowledge/articles/:articleId/translations';
const known = ['article/not_found', 'translation/not_found'] as const;
const step = [...known, 'translation/conflict', 'translation/not_allowed'] as const;

export const translations = router({
  listTranslations: route({
    method: 'GET',
    path: base,
    summary: 'List translations',
    description: 'Returns all translations of an article, by locale, on one page.',
    pathParams: articleParams,
    responses: { 200: translationPage },
    errors: ['article/not_found'],
    meta: { ...readRoute, tag: 'Translations', operationId: 'listTranslations' },
  }),
  createTranslation: route({
    method: 'POST',
    path: base,
    summary: 'Create a translation',
    description:
      "Creates a draft for the article's current content. An article can have up to 32 translations, " +
      'including archived ones, and one per locale. Tags that mean the same locale are equal.',
    pathParams: articleParams,
    body: newTranslation,
    responses: { 201: translation },
    errors: [
      'article/not_found',
      'translation/conflict',
      'translation/locale_taken',
      'translation/source_locale',
      'translation/too_many_locales',
    ],
    meta: {
      ...editRoute,
      tag: 'Translations',
      operationId: 'createTranslation',
      bodyBytesMax: LIMITS.articleBodyBytesMax,
    },
  }),
  readTranslation: route({
    method: 'GET',
    path: `${base}/:translationId`,
    summary: 'Retrieve a translation',
    description: 'Returns the working copy, its review, the live revision and the newest 100 revisions.',
    pathParams,
    responses: { 200: translationDetail },
    errors: known,
    meta: { ...readRoute, tag: 'Translations', operationId: 'readTranslation' },
  }),
  editTranslation: route({
    method: 'PUT',
    path: `${base}/:translationId`,
    summary: 'Update a translation',
    description:
      "Replaces the text, based on the article's current content. The translation becomes a draft and " +
      'its review is void; the live revision stays live. An update without changes creates no ' +
      'revision.',
    pathParams,
    body: translationEdit,
    responses: { 200: translation },
    errors: step,
    meta: {
      ...editRoute,
      tag: 'Translations',
      operationId: 'editTranslation',
      bodyBytesMax: LIMITS.articleBodyBytesMax,
    },
  }),
  submitTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/submit-review`,
    summary: 'Submit a translation for review',
    description: 'Stale drafts cannot be submitted. Update the draft first.',
    pathParams,
    body: translationBase,
    responses: { 200: translation },
    errors: [...step, 'translation/stale'],
    meta: { ...editRoute, tag: 'Translations', operationId: 'submitTranslation' },
  }),
  reviewTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/review`,
    summary: 'Review a translation',
    description:
      'Approves the submitted revision or requests changes. Authors can review their own text; the ' +
      'review records it.',
    pathParams,
    body: translationReview,
    responses: { 200: translation },
    errors: step,
    meta: { ...editRoute, tag: 'Translations', operationId: 'reviewTranslation' },
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
    errors: [...step, 'translation/stale'],
    meta: { ...editRoute, tag: 'Translations', operationId: 'publishTranslation' },
  }),
  archiveTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/archive`,
    summary: 'Archive a translation',
    description: 'Visitors no longer see the translation.',
    pathParams,
    body: translationBase,
    responses: { 200: translation },
    errors: step,
    meta: { ...editRoute, tag: 'Translations', operationId: 'archiveTranslation' },
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
    errors: [...step, 'translation/source_locale'],
    meta: { ...editRoute, tag: 'Translations', operationId: 'restoreTranslation' },
  }),
});
