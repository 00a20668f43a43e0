import { z } from 'zod';
import { aliases, answer, searchSummary, title, translationStatus } from './article-record.ts';
import { actor, articleId, locale, moment, pageOf, revisionNumber, translationId } from './fields.ts';
import { LIMITS } from './limits.ts';

export const reviewDecision = z.enum(['approve', 'request_changes']).meta({
  id: 'ReviewDecision',
  description: "The reviewer's decision.",
});

export const reviewNote = z
  .string()
  .max(LIMITS.reviewNoteCharsMax)
  .describe("The reviewer's note to the author.")
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
  .meta({ id: 'TranslationStep', description: 'What created a revision of a translation.' });

const sourceRevision = revisionNumber.describe('Revision of the article that was translated.');
const searchAliases = aliases.describe('Search keywords in this language.');

const review = z
  .strictObject({
    decision: reviewDecision,
    revision: revisionNumber.describe('The reviewed revision.'),
    reviewerId: actor.describe('Id of the reviewer.'),
    reviewNote: reviewNote.optional(),
    reviewedAt: moment.describe('When it was reviewed.'),
    selfReview: z.boolean().describe('Whether the reviewer also wrote the text.'),
  })
  .meta({
    id: 'TranslationReview',
    description: 'Review of a working copy. Editing the text voids it.',
  });

const live = z
  .strictObject({
    revision: revisionNumber.describe('The approved revision that is live.'),
    sourceRevision,
    stale: z.boolean().describe('Whether the article has changed since this was translated.'),
    publishedAt: moment.describe('When this revision was published.'),
    publishedBy: actor,
  })
  .meta({
    id: 'TranslationLive',
    description: 'The live revision of a translation. Visitors see it while the article is published.',
  });

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
  live: live.optional().describe('The live revision. Absent while nothing is live.'),
  review: review.optional().describe('Review of the working copy. Absent if there is none.'),
  createdBy: actor,
  createdAt: moment.describe('When the translation was created or first imported.'),
  updatedBy: actor,
  updatedAt: moment.describe('When the latest revision was created.'),
};

export const translation = z.strictObject(record).meta({
  id: 'Translation',
  description: 'A translation of an article: its working copy, review and live revision.',
});

const content = z
  .strictObject({ title, answer, searchAliases })
  .meta({ id: 'TranslationContent', description: 'Content of a translation.' });

const revision = z
  .strictObject({
    revision: revisionNumber,
    event: translationEvent,
    status: translationStatus.describe('Status of the translation from this revision on.'),
    sourceRevision,
    content,
    contentHash: z
      .string()
      .max(64)
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256 of the content, in hex. Equal if and only if the content is equal.')
      .meta({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }),
    authorId: actor.describe('Id of the member who created this revision, or `operator` for an import.'),
    reviewerId: actor.optional().describe('Id of the reviewer, if a review created this revision.'),
    reviewNote: reviewNote.optional(),
    createdAt: moment.describe('When this revision was created. Revisions never change.'),
  })
  .meta({ id: 'TranslationRevision', description: 'A revision of a translation.' });

export const translationDetail = z
  .strictObject({
    ...record,
    revisions: z
      .array(revision)
      .max(LIMITS.revisionsShown)
      .describe('Latest revisions, newest first, at most 100.'),
    revisionCount: z.int32().min(1).describe('Total number of revisions.').meta({ example: 3 }),
  })
  .meta({ id: 'TranslationDetail', description: 'A translation with its latest revisions.' });

export const translationPage = pageOf(
  'TranslationPage',
  translation,
  'the translations of an article, by locale',
);

export type TranslationRecord = z.infer<typeof translation>;
export type TranslationRevisionRecord = z.infer<typeof revision>;
export type TranslationDetail = z.infer<typeof translationDetail>;
