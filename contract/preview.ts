import { z } from 'zod';
import { searchHit, slug, title } from './article-record.ts';
import { aiDisclosure } from './boot.ts';
import { fallbackReason, finishReason } from './chat-event.ts';
import { directiveCopy, regionDirective } from './consent-policy-preview.ts';
import { articleId, locale, regionCode, revisionNumber, translationId, workspaceId } from './fields.ts';
import { tenantCitation } from './insight.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { reading } from './route-presets.ts';

/** The guide as a visitor would meet it, for those who look after it. Nothing of it is stored or counted. */

const part = z.number().min(0).max(1).meta({ example: 0.8 });
const tokens = z.int32().min(0).max(2_000_000_000).meta({ example: 640 });

export const previewQuestion = z
  .strictObject({
    message: z
      .string()
      .min(1)
      .max(LIMITS.messageCharsMax)
      .regex(/\S/)
      .describe('What the visitor asks; not empty.')
      .meta({ example: 'How do I return an order?' }),
    locale: locale
      .optional()
      .describe('The language that the visitor prefers, a BCP 47 tag; none when it is absent.'),
    region: regionCode
      .optional()
      .describe('Where the visitor is: ISO 3166-2 or a country; unknown when it is absent.'),
    gpc: z
      .boolean()
      .optional()
      .describe('Whether the browser of the visitor sends a Global Privacy Control signal.'),
  })
  .meta({ id: 'PreviewQuestion', description: 'A question, and who would ask it.' });

const passage = z
  .strictObject({
    ...searchHit.shape,
    revision: revisionNumber.describe('The published revision that is shown.'),
    confidence: part.describe('How likely it answers the question, from 0 to 1.'),
    stale: z.boolean().describe('True when the article changed after this translation was made.'),
    cited: z.boolean().describe('True when the answer cites it.'),
  })
  .meta({ id: 'PreviewPassage', description: 'What was considered for the answer, and how well it fits.' });

const found = z
  .strictObject({
    found: z
      .boolean()
      .describe('Whether the guide may answer from articles: the confidence reaches the threshold.'),
    confidence: part.describe('How likely the first passage answers the question, from 0 to 1.'),
    threshold: part.describe(
      'The confidence from which on the guide answers instead of saying that it knows nothing.',
    ),
    passages: z
      .array(passage)
      .max(20)
      .describe('What was considered, best first; the first five reach the engine.'),
  })
  .meta({ id: 'PreviewFindings', description: 'What was found for the question, and whether it is enough.' });

const unpublishedReason = z.enum(['never_published', 'unpublished', 'newer_draft', 'not_live']).meta({
  id: 'UnpublishedReason',
  description:
    'Why visitors do not get a text: its article was never published or was taken down, what is live is older, or the translation ' +
    'is not live.',
});

const unpublished = z
  .strictObject({
    articleId,
    slug,
    translationId: translationId
      .optional()
      .describe('The translation that is meant; absent for the article itself.'),
    locale,
    title,
    reason: unpublishedReason,
  })
  .meta({
    id: 'UnpublishedMatch',
    description: 'A text that meets the question and that visitors do not get.',
  });

const suggestion = z
  .strictObject({
    title: z
      .string()
      .max(LIMITS.titleCharsMax)
      .describe('What the visitor would see.')
      .meta({ example: 'Returning an order' }),
    message: z
      .string()
      .max(LIMITS.messageCharsMax)
      .describe('What the visitor would ask with it.')
      .meta({ example: 'Returning an order' }),
  })
  .meta({ id: 'PreviewSuggestion', description: 'A next step that the visitor would be offered.' });

const notice = z
  .strictObject({
    code: z
      .string()
      .max(64)
      .regex(/^[a-z_]+$/)
      .describe('What the notice is about, such as llm_unavailable.')
      .meta({ example: 'llm_unavailable' }),
    text: z
      .string()
      .max(500)
      .describe('The notice as a sentence in English.')
      .meta({ example: 'The language model did not answer; this answer is quoted from the articles.' }),
  })
  .meta({ id: 'PreviewNotice', description: 'Something that the visitor would be told beside the answer.' });

const usage = z
  .strictObject({
    inputTokens: tokens.describe('Tokens that were read; they count for the month of the workspace.'),
    outputTokens: tokens.describe('Tokens that were written; they count for the month of the workspace.'),
  })
  .meta({ id: 'PreviewUsage', description: 'What the answer cost, where answers cost tokens.' });

const consentOfVisitor = z
  .strictObject({
    policyVersion: z
      .string()
      .max(64)
      .describe('Names the policy that the directive follows.')
      .meta({ example: '2026-11-20.1+0123456789ab' }),
    directive: regionDirective.describe('How consent works for this visitor.'),
    disclosure: aiDisclosure.describe('What the visitor is told before the first message.'),
    copy: directiveCopy.describe('The consent prompt, where the visitor is asked.'),
  })
  .meta({
    id: 'PreviewConsent',
    description: 'What this visitor would be told and asked before anything else.',
  });

export const previewReply = z
  .strictObject({
    engine: z
      .string()
      .max(64)
      .describe('What was asked to answer: `extractive` quotes articles, `llm` writes with a language model.')
      .meta({ example: 'extractive' }),
    requestedLocale: locale.describe('The language that the visitor wants, as the guide understood it.'),
    contentLocale: locale
      .optional()
      .describe('The language of the text that the answer stands on; absent where nothing is cited.'),
    fallbackReason: fallbackReason
      .optional()
      .describe('Why that text is in another language than requested; absent when it is not.'),
    answer: z
      .string()
      .max(200_000)
      .describe('What the visitor would read.')
      .meta({ example: 'You can return any order within 30 days.' }),
    finishReason,
    confidence: part.describe('How sure the guide is of its answer, from 0 to 1.'),
    citations: z.array(tenantCitation).max(100).describe('The sources of the answer, in their order.'),
    suggestions: z.array(suggestion).max(10).describe('The next steps that the visitor would be offered.'),
    notices: z.array(notice).max(10).describe('What else the visitor would be told.'),
    usage,
    findings: found.describe('What was found, and whether it was enough to answer from.'),
    unpublished: z
      .array(unpublished)
      .max(5)
      .describe(
        'Texts whose titles or other words meet the question and that visitors do not get, the best first.',
      ),
    consent: consentOfVisitor.describe('What this visitor would be told and asked.'),
  })
  .meta({ id: 'Preview', description: 'What a visitor would be answered, and why.' });

export type PreviewQuestion = z.infer<typeof previewQuestion>;
export type PreviewReply = z.infer<typeof previewReply>;

export const preview = router({
  previewAnswer: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/preview',
    summary: 'Ask the guide as a visitor would',
    description:
      'Answers as a visitor of this language and region would be answered from what is published, and tells what the answer stands ' +
      'on. There is no conversation of it, no event and no figure; where a language model answers, its tokens count. Takes a ' +
      'minute at most; hanging up ends it.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    body: previewQuestion,
    answers: { 200: previewReply },
    errors: ['chat/answer_broke_off'],
    meta: {
      ...reading,
      tag: 'Insight',
      operationId: 'previewAnswer',
      limits: ['tenant/member-previews'],
      promisesNoWrite: true,
    },
  }),
});
