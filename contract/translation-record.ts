import { z } from 'zod';
import { aliases, answer, searchSummary, title, translationStatus } from './article-record.ts';
import { actor, articleId, locale, moment, pageOf, revisionNumber, translationId } from './fields.ts';
import { LIMITS } from './limits.ts';

/** Translations as the dashboard reads and writes them (interface document, section 2.7). */

export const reviewDecision = z.enum(['approve', 'request_changes']).meta({
  id: 'ReviewDecision',
  description: 'What a reviewer says of the text: it may be published, or it has to change first.',
});

export const reviewNote = z
  .string()
  .max(LIMITS.reviewNoteCharsMax)
  .describe('What the reviewer has to say to the author.')
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
  .meta({ id: 'TranslationStep', description: 'What made a revision of a translation.' });

const sourceRevision = revisionNumber.describe('The revision of the article that the text was made for.');
const searchAliases = aliases.describe('Words of this language to be found by, besides title and answer.');

const review = z
  .strictObject({
    decision: reviewDecision,
    revision: revisionNumber.describe('The revision that the reviewer saw.'),
    reviewerId: actor.describe('The id of the member who reviewed it.'),
    reviewNote: reviewNote.optional(),
    reviewedAt: moment.describe('When it was reviewed.'),
    selfReview: z.boolean().describe('True when the reviewer had written the text as well.'),
  })
  .meta({
    id: 'TranslationReview',
    description: 'The review of a working copy; editing the text makes it void.',
  });

const live = z
  .strictObject({
    revision: revisionNumber.describe('The approved revision that is live.'),
    sourceRevision,
    stale: z.boolean().describe('True when the article says something else now than what this was made for.'),
    publishedAt: moment.describe('When this revision was published.'),
    publishedBy: actor,
  })
  .meta({
    id: 'TranslationLive',
    description: 'What of a translation visitors are served while the article itself is published.',
  });

const record = {
  id: translationId,
  articleId,
  locale,
  status: translationStatus,
  stale: z
    .boolean()
    .describe('True when the article says something else now than what the working copy was made for.'),
  revision: revisionNumber.describe('The newest revision: the working copy. Send it as `baseRevision`.'),
  sourceRevision: sourceRevision.describe('The revision of the article that the working copy was made for.'),
  currentSourceRevision: revisionNumber.describe(
    'The revision of the article to translate from: what is published, or its working copy while nothing is.',
  ),
  title,
  answer,
  searchAliases,
  searchSummary,
  live: live.optional().describe('What visitors are served; absent while nothing is live.'),
  review: review.optional().describe('The review of the working copy; absent while there is none.'),
  createdBy: actor,
  createdAt: moment.describe('When the translation was created or first imported.'),
  updatedBy: actor,
  updatedAt: moment.describe('When the newest revision was made.'),
};

export const translation = z.strictObject(record).meta({
  id: 'Translation',
  description: 'A translation of an article: its working copy, its review, and what of it is live.',
});

const content = z
  .strictObject({ title, answer, searchAliases })
  .meta({ id: 'TranslationContent', description: 'What a translation says.' });

const revision = z
  .strictObject({
    revision: revisionNumber,
    event: translationEvent,
    status: translationStatus.describe('The status that the translation had from then on.'),
    sourceRevision,
    content,
    contentHash: z
      .string()
      .max(64)
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256 of the content, in hex: equal exactly when two revisions say the same.')
      .meta({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }),
    authorId: actor.describe('The member who made this revision, or `operator` for an import.'),
    reviewerId: actor
      .optional()
      .describe('The member who reviewed the text, where a review made this revision.'),
    reviewNote: reviewNote.optional(),
    createdAt: moment.describe('When this revision was made; it never changes afterwards.'),
  })
  .meta({ id: 'TranslationRevision', description: 'A translation as it was from one step on.' });

export const translationDetail = z
  .strictObject({
    ...record,
    revisions: z
      .array(revision)
      .max(LIMITS.revisionsShown)
      .describe('The newest revisions, newest first, at most 100.'),
    revisionCount: z.int32().min(1).describe('How many revisions there are altogether.').meta({ example: 3 }),
  })
  .meta({ id: 'TranslationDetail', description: 'A translation with its newest revisions.' });

export const translationPage = pageOf(
  'TranslationPage',
  translation,
  'the translations of an article, by locale',
);

export type TranslationRecord = z.infer<typeof translation>;
export type TranslationRevisionRecord = z.infer<typeof revision>;
export type TranslationDetail = z.infer<typeof translationDetail>;
