import { z } from 'zod';
import { answerTestId, answerTestQuestion } from './answer-tests.ts';
import { canonicalLocale, lineType, storedTime } from './archive-fields.ts';
import {
  aliases,
  answer,
  articleEvent,
  articleStatus,
  audience,
  collectionName,
  dismissedAlias,
  searchSummary,
  slug,
  TAG,
  tag,
  title,
  translationStatus,
} from './article-fields.ts';
import {
  actor,
  articleId,
  articleSource,
  collectionId,
  namedObject,
  revisionNumber,
  translationId,
  webAddress,
} from './fields.ts';
import { imageId, imageMediaType, imageName, imageSide } from './images.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { IMAGE_LIMITS } from './limits/images.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { reviewDecision, reviewNote, translationEvent } from './translations.ts';

/** The lines of an archive about articles, their images and their collections. */

export const contentHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .max(64)
  .meta({ description: 'SHA-256 of title, answer and aliases, in hex.', example: '0'.repeat(64) });
const sourceHash = contentHash.describe('Content hash of the article that was translated.');
const sourceRevision = revisionNumber.describe('Revision of the article that was translated.');

export const url = webAddress(REQUEST_LIMITS.urlCharsMax)
  .optional()
  .meta({ description: 'Public URL.', example: 'https://shop.example.com/help/returns' });

const content = {
  title,
  answer,
  aliases,
  url,
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

export const image = namedObject('ArchivedImage', 'An image that articles show.', {
  type: lineType('image'),
  id: imageId,
  name: imageName,
  mediaType: imageMediaType,
  width: imageSide,
  height: imageSide,
  createdAt: storedTime,
  createdBy: actor,
  content: z
    .base64()
    .min(1)
    .max(Math.ceil(IMAGE_LIMITS.imageBytesMax / 3) * 4)
    .meta({ description: 'The file, in Base64.', example: 'R0lGODlhAQABAAAAACw=' }),
});

const isStoredTag = (text: string) =>
  TAG.test(text) && text === text.normalize('NFC').toLowerCase() && !/\s$|\s\s/.test(text);

const addressSlug = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*$/u)
  .max(ARTICLE_LIMITS.addressSlugCharsMax)
  .meta({ example: 'returning-an-order' });

export const collection = namedObject(
  'ArchivedCollection',
  'A collection of articles, before the articles.',
  {
    type: lineType('collection'),
    id: collectionId,
    name: collectionName,
    slug: addressSlug.describe('Its name in addresses of the help centre.'),
    earlierSlugs: z
      .array(addressSlug)
      .min(1)
      .max(ARTICLE_LIMITS.earlierSlugsMax)
      .optional()
      .describe('Slugs that lead to it as well. Absent if there are none.'),
    createdAt: storedTime.describe('When the collection was created.'),
    createdBy: actor,
  },
);

const scheduled = namedObject('ArchivedSchedule', 'A publication at a later time.', {
  at: storedTime.describe('When the working copy is published.'),
  by: actor,
});

const verify = namedObject('ArchivedVerification', 'When an article is to be verified again.', {
  after: storedTime,
  checkedAt: storedTime,
  checkedBy: actor,
});

const articleLive = namedObject('ArchivedArticleLive', 'The live revision of an article.', {
  revision: revisionNumber,
  publishedAt,
  publishedBy: actor,
});

export const article = namedObject(
  'ArchivedArticle',
  'An article, followed by its revisions and translations.',
  {
    type: lineType('article'),
    id: articleId,
    slug,
    locale: canonicalLocale.describe('Language of the article itself.'),
    status: articleStatus,
    revision,
    live: articleLive.optional().describe('Absent while nothing is live.'),
    dismissedAliases: z
      .array(dismissedAlias)
      .max(ARTICLE_LIMITS.dismissedAliasesMax)
      .optional()
      .describe('Aliases that are not to be suggested again. Absent if there are none.'),
    collectionId: collectionId.optional(),
    tags: z
      .array(tag.refine(isStoredTag, 'expected a tag in lower case'))
      .min(1)
      .max(ARTICLE_LIMITS.tagsPerArticleMax)
      .refine(
        (sortedTags) => sortedTags.every((each, at) => at === 0 || sortedTags[at - 1]! < each),
        'expected sorted tags',
      )
      .optional()
      .describe('Tags of the article, in alphabetical order. Absent if there are none.'),
    audience: audience.min(1).optional().describe('Who sees the article. Absent for everyone.'),
    source: articleSource.optional().describe('Absent if it was written here.'),
    scheduled: scheduled.optional().describe('Absent if none is scheduled.'),
    verify: verify.optional().describe('Absent if the article is not to be verified again.'),
    ...changes,
  },
);

export const articleRevision = namedObject(
  'ArchivedArticleRevision',
  'A revision of the preceding article, oldest first.',
  {
    type: lineType('article_revision'),
    articleId,
    revision: revisionNumber,
    event: articleEvent,
    locale: canonicalLocale.describe('Language of the article at that time.'),
    ...content,
    createdAt: storedTime.describe('When the revision was made.'),
  },
);

export const articleAddress = namedObject(
  'ArchivedArticleAddress',
  'A name under which the preceding article is or was published in the help centre.',
  {
    type: lineType('article_address'),
    articleId,
    locale: canonicalLocale,
    slug: addressSlug,
    isCurrent: z.boolean().describe('Whether it is the name in this language; the others lead to it.'),
  },
);

const translationLive = namedObject(
  'ArchivedTranslationLive',
  'The live revision of a translation. Visitors see it while the article is published.',
  { revision: revisionNumber, sourceRevision, sourceHash, publishedAt, publishedBy: actor },
);

const review = namedObject('ArchivedReview', 'The review of the working copy of a translation.', {
  decision: reviewDecision,
  revision: revisionNumber,
  authorId: actor.describe('Author of the reviewed revision.'),
  reviewerId: actor,
  reviewNote: reviewNote.optional(),
  reviewedAt: storedTime,
});

export const translation = namedObject(
  'ArchivedTranslation',
  'A translation of the preceding article, followed by its revisions.',
  {
    type: lineType('translation'),
    id: translationId,
    articleId,
    locale: canonicalLocale,
    status: translationStatus,
    revision,
    sourceRevision,
    sourceHash,
    live: translationLive.optional().describe('Absent while nothing is live.'),
    review: review.optional().describe('Absent if there is none.'),
    scheduled: scheduled.optional().describe('Absent if none is scheduled.'),
    ...changes,
  },
);

export const translationRevision = namedObject(
  'ArchivedTranslationRevision',
  'A revision of the preceding translation, oldest first.',
  {
    type: lineType('translation_revision'),
    translationId,
    revision: revisionNumber,
    event: translationEvent,
    status: translationStatus,
    sourceRevision,
    sourceHash,
    ...content,
    reviewerId: actor.optional().describe('Id of the reviewer, if a review created this revision.'),
    reviewNote: reviewNote.optional(),
    createdAt: storedTime.describe('When the revision was made.'),
  },
);

export const answerTest = namedObject('ArchivedAnswerTest', 'A question with the article that is expected.', {
  type: lineType('answer_test'),
  id: answerTestId,
  question: answerTestQuestion,
  locale: canonicalLocale.describe('The language of the visitor.'),
  articleId: articleId.optional().describe('The expected article. Absent if no answer is expected.'),
  createdAt: storedTime.describe('When the test was created.'),
  createdBy: actor,
});
