import { z } from 'zod';
import { title } from './article-fields.ts';
import {
  articleId,
  buildPage,
  locale,
  namedObject,
  pageQuery,
  revisionNumber,
  text,
  translationId,
  workspaceId,
  yesOrNo,
} from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { readRoute, route, router } from './route.ts';

const hitField = z.enum(['title', 'answer']).meta({
  id: 'TextHitField',
  description: 'The part of a text that contains the words.',
});

const words = (description: string, example: string) =>
  z.string().max(ARTICLE_LIMITS.findTextCharsMax).describe(description).meta({ example });

const textHit = namedObject('TextHit', 'A place where a text contains the words.', {
  field: hitField,
  at: z
    .int32()
    .min(0)
    .max(ARTICLE_LIMITS.answerCharsMax)
    .describe('Where the words begin, in UTF-16 code units.')
    .meta({ example: 8 }),
  before: words('The text before the words, on the same line.', 'You can '),
  match: words('The words as the text has them.', 'return'),
  after: words('The text after the words, on the same line.', ' any order.'),
});

const textMatch = namedObject('TextMatch', 'An article or a translation that contains the words.', {
  articleId,
  translationId: translationId.optional().describe('Absent for the article itself.'),
  locale,
  title,
  revision: revisionNumber.describe('Revision of the working copy that was searched.'),
  live: z.boolean().describe('Whether a revision is live and the working copy does not differ from it.'),
  hits: z.array(textHit).max(ARTICLE_LIMITS.findHitsMax).describe('The first places, in order.'),
});

export type TextMatch = z.infer<typeof textMatch>;

const caseFilter = yesOrNo('MatchCase', 'Whether capital and small letters differ.');

export const findText = router('Articles', {
  findText: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/knowledge/text-matches',
    summary: 'Find words in texts',
    description:
      'Returns the working copies whose title or text contains these words, letter by letter, newest first. A page can be ' +
      'empty even when more follow.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    query: z.strictObject({
      ...pageQuery,
      words: text(ARTICLE_LIMITS.findTextCharsMax).meta({
        description: 'The words to find.',
        example: 'return',
      }),
      matchCase: caseFilter
        .optional()
        .describe('Whether capital and small letters differ. Defaults to `false`.'),
      locale: locale
        .optional()
        .describe('Searches the translations in this locale instead of the articles themselves.'),
    }),
    responses: { 200: buildPage('TextMatchPage', textMatch) },
    meta: readRoute,
  }),
});
