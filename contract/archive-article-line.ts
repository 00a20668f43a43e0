import { z } from 'zod';
import { keptLocale, keptMoment, line } from './archive-fields.ts';
import {
  aliases,
  answer,
  articleEvent,
  articleStatus,
  searchSummary,
  slug,
  title,
  translationStatus,
} from './article-record.ts';
import { actor, articleId, revisionNumber, translationId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { reviewDecision, reviewNote, translationEvent } from './translation-record.ts';

/** The lines about articles: an article, its revisions, its translations, each followed by its revisions. */

const contentHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .max(64)
  .describe('SHA-256 of title, answer and aliases, in hex.')
  .meta({ example: '0'.repeat(64) });
const sourceHash = contentHash.describe('The content hash of the article that the text was made for.');
const sourceRevision = revisionNumber.describe('The revision of the article that the text was made for.');

const content = {
  title,
  answer,
  aliases,
  url: z
    .string()
    .max(LIMITS.urlCharsMax)
    .optional()
    .describe('The address that visitors can read this at; absent where there is none.')
    .meta({ example: 'https://www.example.com/help/returns' }),
  contentHash,
  searchSummary,
  authorId: actor.describe('Who made the revision.'),
};

const changes = {
  createdAt: keptMoment.describe('When this was created, in UTC.'),
  createdBy: actor,
  updatedAt: keptMoment.describe('When it was changed last.'),
  updatedBy: actor,
};

const revision = revisionNumber.describe('The newest revision; all of them follow, from the first.');
const publishedAt = keptMoment.describe('When the revision went live.');

const articleLive = z
  .strictObject({ revision: revisionNumber, publishedAt, publishedBy: actor })
  .meta({ id: 'ArchivedArticleLive', description: 'The revision of an article that visitors are served.' });

export const archivedArticle = z
  .strictObject({
    type: line('article'),
    id: articleId,
    slug,
    locale: keptLocale.describe('The language that the article itself is written in.'),
    status: articleStatus,
    revision,
    live: articleLive.optional().describe('What visitors are served; absent where nothing is.'),
    ...changes,
  })
  .meta({ id: 'ArchivedArticle', description: 'An article; its revisions and its translations follow.' });

export const archivedArticleRevision = z
  .strictObject({
    type: line('article_revision'),
    articleId,
    revision: revisionNumber,
    event: articleEvent,
    locale: keptLocale.describe('The language of the article at that time.'),
    ...content,
    createdAt: keptMoment.describe('When the revision was made.'),
  })
  .meta({ id: 'ArchivedArticleRevision', description: 'A revision of the article above it, oldest first.' });

const translationLive = z
  .strictObject({ revision: revisionNumber, sourceRevision, sourceHash, publishedAt, publishedBy: actor })
  .meta({
    id: 'ArchivedTranslationLive',
    description: 'The revision of a translation that visitors are served while its article is published.',
  });

const review = z
  .strictObject({
    decision: reviewDecision,
    revision: revisionNumber.describe('What the reviewer saw.'),
    authorId: actor.describe('Who made the revision that was reviewed.'),
    reviewerId: actor.describe('The id of the member who reviewed it.'),
    reviewNote: reviewNote.optional(),
    reviewedAt: keptMoment.describe('When it was reviewed.'),
  })
  .meta({ id: 'ArchivedReview', description: 'The review of the working copy of a translation.' });

export const archivedTranslation = z
  .strictObject({
    type: line('translation'),
    id: translationId,
    articleId,
    locale: keptLocale,
    status: translationStatus,
    revision,
    sourceRevision,
    sourceHash,
    live: translationLive.optional().describe('What is live; absent where nothing is.'),
    review: review.optional().describe('The review of the working copy; absent while there is none.'),
    ...changes,
  })
  .meta({
    id: 'ArchivedTranslation',
    description: 'A translation of the article above it; its revisions follow.',
  });

export const archivedTranslationRevision = z
  .strictObject({
    type: line('translation_revision'),
    translationId,
    revision: revisionNumber,
    event: translationEvent,
    status: translationStatus.describe('The status that the translation had from then on.'),
    sourceRevision,
    sourceHash,
    ...content,
    reviewerId: actor.optional().describe('Who reviewed the text, where a review made this revision.'),
    reviewNote: reviewNote.optional(),
    createdAt: keptMoment.describe('When the revision was made.'),
  })
  .meta({
    id: 'ArchivedTranslationRevision',
    description: 'A revision of the translation above it, oldest first.',
  });
