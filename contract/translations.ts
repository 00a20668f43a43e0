import { z } from 'zod';
import { aliases, answer, title } from './article-record.ts';
import { articleId, locale, revisionNumber, translationId, workspaceId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { changing, reading } from './route-presets.ts';
import {
  reviewDecision,
  reviewNote,
  translation,
  translationDetail,
  translationPage,
} from './translation-record.ts';

/** The reviewed way of a translation to visitors (interface document, sections 3 and 4.6). */

const baseRevision = revisionNumber.describe(
  'The revision that you have seen; when it is no longer the newest, nothing is done.',
);

const content = {
  title,
  answer,
  searchAliases: aliases
    .optional()
    .describe('Words of this language to be found by, besides title and answer; none when absent.'),
};

export const newTranslation = z
  .strictObject({
    locale: locale.describe(
      "The language of the translation: a BCP 47 tag without extensions, other than the article's own. It is kept in canonical form.",
    ),
    ...content,
    baseRevision: revisionNumber
      .optional()
      .describe(
        'The revision of the article that was translated; when it is no longer current, nothing is done.',
      ),
  })
  .meta({ id: 'NewTranslation', description: 'A translation to create as a draft.' });

export const translationEdit = z.strictObject({ baseRevision, ...content }).meta({
  id: 'TranslationEdit',
  description: 'The whole text of a translation; it replaces what was there.',
});

export const translationBase = z
  .strictObject({ baseRevision })
  .meta({ id: 'TranslationBase', description: 'The revision of a translation that a step is meant for.' });

export const translationReview = z
  .strictObject({
    baseRevision,
    decision: reviewDecision,
    reviewNote: reviewNote
      .optional()
      .describe('What the reviewer has to say to the author; needed to request changes.'),
  })
  .meta({ id: 'TranslationVerdict', description: 'What a reviewer decides about a translation.' });

const articleParams = z.strictObject({ tenantId: workspaceId, articleId });
const pathParams = z.strictObject({ tenantId: workspaceId, articleId, translationId });

const base = '/api/tenants/:tenantId/knowledge/articles/:articleId/translations';
const known = ['article/not_found', 'translation/not_found'] as const;
const step = [...known, 'translation/conflict', 'translation/not_allowed'] as const;

export const translations = router({
  listTranslations: route({
    method: 'GET',
    path: base,
    summary: 'List the translations of an article',
    description: 'All of them by locale; there are never more than fit on one page.',
    pathParams: articleParams,
    answers: { 200: translationPage },
    errors: ['article/not_found'],
    meta: { ...reading, tag: 'Translations', operationId: 'listTranslations' },
  }),
  createTranslation: route({
    method: 'POST',
    path: base,
    summary: 'Create a translation',
    description:
      'Creates a draft for what the article says at present. An article has at most 32 translations, archived ones included, and one in each ' +
      'locale; tags that mean the same locale are the same.',
    pathParams: articleParams,
    body: newTranslation,
    answers: { 201: translation },
    errors: [
      'article/not_found',
      'translation/conflict',
      'translation/locale_taken',
      'translation/source_locale',
      'translation/too_many_locales',
    ],
    meta: {
      ...changing,
      tag: 'Translations',
      operationId: 'createTranslation',
      bodyBytesMax: LIMITS.articleBodyBytesMax,
    },
  }),
  readTranslation: route({
    method: 'GET',
    path: `${base}/:translationId`,
    summary: 'Read a translation with its history',
    description: 'The working copy, its review, what is live, and the newest 100 revisions.',
    pathParams,
    answers: { 200: translationDetail },
    errors: known,
    meta: { ...reading, tag: 'Translations', operationId: 'readTranslation' },
  }),
  editTranslation: route({
    method: 'PUT',
    path: `${base}/:translationId`,
    summary: 'Edit a translation',
    description:
      'Replaces the text and holds it against what the article says at present. The translation is a draft afterwards, and its review is void; ' +
      'what is live stays live. An edit that changes nothing makes no revision.',
    pathParams,
    body: translationEdit,
    answers: { 200: translation },
    errors: step,
    meta: {
      ...changing,
      tag: 'Translations',
      operationId: 'editTranslation',
      bodyBytesMax: LIMITS.articleBodyBytesMax,
    },
  }),
  submitTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/submit-review`,
    summary: 'Submit a draft for review',
    description: 'Refused while the draft is stale: edit it against what the article says now first.',
    pathParams,
    body: translationBase,
    answers: { 200: translation },
    errors: [...step, 'translation/stale'],
    meta: { ...changing, tag: 'Translations', operationId: 'submitTranslation' },
  }),
  reviewTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/review`,
    summary: 'Approve a translation or request changes',
    description:
      'Decides about exactly the revision that was submitted. Whoever wrote the text may review it too; the review says so then.',
    pathParams,
    body: translationReview,
    answers: { 200: translation },
    errors: step,
    meta: { ...changing, tag: 'Translations', operationId: 'reviewTranslation' },
  }),
  publishTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/publish`,
    summary: 'Publish an approved translation',
    description:
      'Makes the approved revision live. Without an approval, or when the article changed since, nothing is published. Visitors get it while the ' +
      'article itself is published.',
    pathParams,
    body: translationBase,
    answers: { 200: translation },
    errors: [...step, 'translation/stale'],
    meta: { ...changing, tag: 'Translations', operationId: 'publishTranslation' },
  }),
  archiveTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/archive`,
    summary: 'Archive a translation',
    description: 'Visitors no longer get it, whatever was live.',
    pathParams,
    body: translationBase,
    answers: { 200: translation },
    errors: step,
    meta: { ...changing, tag: 'Translations', operationId: 'archiveTranslation' },
  }),
  restoreTranslation: route({
    method: 'POST',
    path: `${base}/:translationId/restore`,
    summary: 'Restore an archived translation as a draft',
    description:
      'Nothing of it is live afterwards: it is reviewed and published anew before visitors get it. Refused when the article itself is written in this ' +
      'locale by now.',
    pathParams,
    body: translationBase,
    answers: { 200: translation },
    errors: [...step, 'translation/source_locale'],
    meta: { ...changing, tag: 'Translations', operationId: 'restoreTranslation' },
  }),
});
