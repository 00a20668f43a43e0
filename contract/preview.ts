import { z } from 'zod';
import { tenantCitation } from './analytics.ts';
import { audience, slug, title } from './article-fields.ts';
import { searchHit } from './articles.ts';
import { aiDisclosure } from './boot.ts';
import { chatEvent, finishReason, optionalFallbackReason } from './chat-event.ts';
import { directiveCopy, regionDirective } from './consent-policy-preview.ts';
import {
  articleId,
  locale,
  namedObject,
  pattern,
  regionCode,
  revisionNumber,
  text,
  translationId,
  visibleText,
  workspaceId,
} from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { CHAT_LIMITS } from './limits/chat.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { readRoute, route, router } from './route.ts';
import { guidanceRule } from './workspace.ts';

const probability = z.number().min(0).max(1).meta({ example: 0.8 });
const tokens = z.int32().min(0).max(2_000_000_000).meta({ example: 640 });

const previewTurn = namedObject('PreviewTurn', 'An earlier question of the conversation, with its answer.', {
  question: text(CHAT_LIMITS.messageCharsMax).meta({ example: 'How long does shipping take?' }),
  answer: z
    .string()
    .max(CHAT_LIMITS.previewTurnAnswerCharsMax)
    .meta({ example: 'Orders arrive within three days.' }),
  articleIds: z.array(articleId).max(100),
});

const previewQuestion = namedObject('PreviewQuestion', 'A question and the visitor to simulate.', {
  message: visibleText(CHAT_LIMITS.messageCharsMax).meta({
    description: "The visitor's question. Not empty.",
    example: 'How do I return an order?',
  }),
  locale: locale.optional().describe("The visitor's preferred language, a BCP 47 tag. Defaults to none."),
  region: regionCode
    .optional()
    .describe("The visitor's region: ISO 3166-2 or a country. Defaults to unknown."),
  gpc: z
    .boolean()
    .optional()
    .describe("Whether the visitor's browser sends a Global Privacy Control signal."),
  audience: audience
    .optional()
    .describe('What applies to the visitor, such as `signed_in`. Empty or absent: not signed in.'),
  conversation: z
    .array(previewTurn)
    .max(CHAT_LIMITS.previewTurnsMax)
    .optional()
    .describe('Earlier turns that the question may refer to, oldest first.'),
  includeDisabledRules: z
    .boolean()
    .optional()
    .describe('Whether to try the rules that are switched off, too. Defaults to false.'),
});

const passage = namedObject('PreviewPassage', 'A passage considered for the answer, and its relevance.', {
  ...searchHit.shape,
  revision: revisionNumber,
  confidence: probability,
  stale: z.boolean().describe('Whether the article has changed since it was translated.'),
  cited: z.boolean(),
});

const searchFindings = namedObject('PreviewFindings', 'Search results for the question.', {
  found: z.boolean().describe('Whether the confidence reaches the threshold for answering from articles.'),
  confidence: probability.describe('Probability that the first passage answers the question, from 0 to 1.'),
  threshold: probability.describe(
    'Minimum confidence for an answer. Below it, the guide says that it does not know.',
  ),
  passages: z
    .array(passage)
    .max(20)
    .describe('Passages considered, best first. The engine receives the first five.'),
});

const unpublishedReason = z.enum(['never_published', 'unpublished', 'newer_draft', 'not_live']).meta({
  id: 'UnpublishedReason',
  description:
    'Why visitors do not see the text: the article was never published or is unpublished, the live ' +
    'revision is older, or the translation is not live.',
});

const unpublished = namedObject(
  'UnpublishedMatch',
  'A text that matches the question but is not visible to visitors.',
  {
    articleId,
    slug,
    translationId: translationId.optional().describe('The translation. Absent for the article itself.'),
    locale,
    title,
    reason: unpublishedReason,
  },
);

const suggestion = namedObject('PreviewSuggestion', 'A suggested next step.', {
  title: z.string().max(ARTICLE_LIMITS.titleCharsMax).meta({ example: 'Returning an order' }),
  message: z.string().max(CHAT_LIMITS.messageCharsMax).meta({ example: 'Returning an order' }),
});

const notice = namedObject('PreviewNotice', 'A notice shown with the answer.', {
  code: pattern(/^[a-z_]+$/, 64).meta({
    description: 'Notice code, such as `llm_unavailable`.',
    example: 'llm_unavailable',
  }),
  text: z
    .string()
    .max(500)
    .meta({ example: 'The language model did not answer; this answer is quoted from the articles.' }),
});

const usage = namedObject('PreviewUsage', 'Tokens used for the answer.', {
  inputTokens: tokens.describe('Input tokens. They count towards the monthly cap.'),
  outputTokens: tokens.describe('Output tokens. They count towards the monthly cap.'),
});

const sentRule = namedObject('PreviewRule', 'A rule that the language model was sent.', {
  kind: guidanceRule.shape.kind,
  name: guidanceRule.shape.name,
});

const promptRole = z
  .enum(['system', 'user', 'assistant'])
  .meta({ id: 'PromptRole', description: 'Who speaks in a message of a prompt.' });

const promptMessage = namedObject('PromptMessage', 'A message that the language model was sent.', {
  role: promptRole,
  text: z.string().max(4_000_000).meta({ example: 'You are the guide of a website.' }),
});

const consentOfVisitor = namedObject('PreviewConsent', 'Disclosure and consent for this visitor.', {
  policyVersion: z.string().max(64).meta({ example: '2026-11-20.1+0123456789ab' }),
  directive: regionDirective,
  disclosure: aiDisclosure,
  copy: directiveCopy.describe('The consent prompt, if the visitor is asked.'),
});

const previewReply = namedObject('Preview', 'The answer a visitor would get, and how it came about.', {
  engine: z
    .string()
    .max(64)
    .describe('The engine: `extractive` quotes articles, `llm` uses a language model.')
    .meta({ example: 'extractive' }),
  requestedLocale: locale.describe("The visitor's language as resolved by the guide."),
  contentLocale: locale.optional().describe('Absent if nothing is cited.'),
  fallbackReason: optionalFallbackReason,
  answer: z.string().max(200_000).meta({ example: 'You can return any order within 30 days.' }),
  finishReason,
  confidence: probability.describe('Confidence in the answer, from 0 to 1.'),
  citations: z.array(tenantCitation).max(100),
  suggestions: z.array(suggestion).max(10),
  notices: z.array(notice).max(10),
  usage,
  rules: z
    .array(sentRule)
    .max(WORKSPACE_LIMITS.rulesMax)
    .describe('The rules that the language model was sent. Empty if it was not asked.'),
  prompt: z
    .array(promptMessage)
    .max(100)
    .describe('The last request to the language model. Empty if it was not asked.'),
  events: z
    .array(chatEvent)
    .max(10_000)
    .describe(
      'The events that `POST /chat` would stream for this answer, from `message_start` to `message_end`.',
    ),
  findings: searchFindings.describe('Search results for the question.'),
  unpublished: z.array(unpublished).max(5),
  consent: consentOfVisitor.describe('Disclosure and consent for this visitor.'),
});

export type PreviewQuestion = z.infer<typeof previewQuestion>;
export type PreviewReply = z.infer<typeof previewReply>;

export const preview = router('Analytics', {
  previewAnswer: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/preview',
    summary: 'Preview an answer',
    description:
      'Answers a question from published content as a visitor with this language and region would see ' +
      'it, with details on the search. Nothing is stored and no events are recorded, but tokens of a ' +
      'language model count. Takes up to a minute; disconnecting cancels it.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    body: previewQuestion,
    responses: { 200: previewReply },
    errors: ['chat/answer_broke_off'],
    meta: {
      ...readRoute,
      limits: ['tenant/member-previews'],
      killSwitch: 'guide/paused',
      bodyBytesMax: CHAT_LIMITS.previewBodyBytesMax,
      worksReadOnly: true,
    },
  }),
});
