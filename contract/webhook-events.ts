import { z } from 'zod';
import { slug, title } from './article-fields.ts';
import { ratingDetails, rating as ratingValue } from './chat.ts';
import {
  articleId,
  conversationId,
  email,
  locale,
  messageId,
  moment,
  namedObject,
  pageUrl,
  revisionNumber,
  sourceId,
  text,
  translationId,
  typeId,
  visitorId,
  workspaceId,
} from './fields.ts';
import { CHAT_LIMITS } from './limits/chat.ts';
import { HANDOVER_LIMITS } from './limits/handovers.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { WEBHOOK_LIMITS } from './limits/webhooks.ts';
import { count } from './source-fields.ts';
import { runFailure, runId } from './source-runs.ts';

/** What webhooks send: the body of a request for each type of event. */

export const webhookId = typeId('whk', 'A webhook');

const visitorFields = {
  visitor_id: visitorId.optional().describe('Absent unless the visitor may be named.'),
  conversation_id: conversationId.optional(),
  message_id: messageId.optional(),
};

const question = text(CHAT_LIMITS.messageCharsMax)
  .optional()
  .describe('What was asked, without personal data and secrets. Absent unless the visitor agreed to storage.')
  .meta({ example: 'How do I return an order?' });

const articleUrl = text(REQUEST_LIMITS.urlCharsMax)
  .nullable()
  .describe('Address of the text on the site, or of its page in the help centre; `null` if it has none.')
  .meta({ example: 'https://shop.example.com/help/returns' });

const articleFields = { article_id: articleId, slug, locale, revision: revisionNumber };
const translationFields = { translation_id: translationId, ...articleFields };

/** A person's question to the team. Handovers are sent as they are stored. */
const handover = {
  id: typeId('ho', 'A question to a person'),
  state: text(32).meta({ example: 'open' }),
  message: text(CHAT_LIMITS.messageCharsMax).meta({ example: 'My parcel is lost. Can you help me?' }),
  name: text(200).nullable().meta({ example: 'Ada Lovelace' }),
  email: email.nullable(),
  page_url: pageUrl.nullable(),
  locale,
  created_at: moment,
  conversation_id: conversationId.nullable(),
  transcript: z
    .string()
    .max(WEBHOOK_LIMITS.payloadBytesMax)
    .nullable()
    .describe('The conversation as text; `null` unless the visitor agreed to send it.')
    .meta({ example: 'Visitor: Where is my parcel?\nGuide: I could not find an answer.' }),
  summary: text(HANDOVER_LIMITS.summaryCharsMax)
    .nullable()
    .describe('Summary of `transcript` by a language model, which may be wrong; `null` without one.')
    .meta({ example: 'The visitor asks where a parcel is. The guide found no answer.' }),
};

const EVENTS = {
  'question.unanswered': {
    summary: 'A question was not answered',
    description: 'The guide had no answer to a question of a visitor who may be counted.',
    data: namedObject('QuestionUnansweredData', 'A question without an answer.', {
      ...visitorFields,
      question,
      locale,
      page_path: z.string().max(REQUEST_LIMITS.urlCharsMax).meta({ example: '/pricing' }),
      nearest_article_id: articleId.nullable().describe('The closest article; `null` if none is close.'),
      asked_at: moment,
    }),
  },
  'answer.rated': {
    summary: 'An answer was rated',
    description:
      'A visitor rated an answer, or added to a rating. The newest event of a message counts. It has the comment only if the ' +
      'visitor agreed to storage.',
    data: namedObject('AnswerRatedData', 'A rating of an answer.', {
      ...visitorFields,
      rating: ratingValue,
      ...ratingDetails,
      rated_at: moment,
    }),
  },
  'article.published': {
    summary: 'An article was published',
    description: 'A text of an article went live: published, or replaced by a newer revision.',
    data: namedObject('ArticlePublishedData', 'A published article.', {
      ...articleFields,
      title,
      url: articleUrl,
    }),
  },
  'article.unpublished': {
    summary: 'An article was unpublished',
    description: 'Visitors no longer get an article or its translations: it was unpublished or deleted.',
    data: namedObject('ArticleUnpublishedData', 'An article that is no longer published.', {
      article_id: articleId,
      slug,
      locale,
      url: articleUrl,
    }),
  },
  'translation.stale': {
    summary: 'A translation became stale',
    description: 'The source text of a published translation changed.',
    data: namedObject('TranslationStaleData', 'A translation of an earlier text.', translationFields),
  },
  'translation.published': {
    summary: 'A translation was published',
    description: 'A text of a translation went live. Visitors get it while its article is published.',
    data: namedObject('TranslationPublishedData', 'A published translation.', {
      ...translationFields,
      title,
      url: articleUrl,
    }),
  },
  'source.run_finished': {
    summary: 'A run of a source ended',
    description: 'A run of a source was done, failed or cancelled.',
    data: namedObject('SourceRunFinishedData', 'A run of a source that ended.', {
      run_id: runId,
      source_id: sourceId,
      state: z.enum(['done', 'failed', 'cancelled']).meta({
        id: 'SourceRunEnd',
        description: 'How a run ended.',
      }),
      failure: runFailure.optional().describe('Absent unless the run failed.'),
      added: count,
      changed: count,
      unchanged: count,
      removed: count,
      refused: count,
      conflicts: count,
      finished_at: moment,
    }),
  },
  'consent.erased': {
    summary: 'A visitor was erased',
    description: 'A visitor had all data erased. Delete what you hold under this pseudonym.',
    data: namedObject('ConsentErasedData', 'An erased visitor.', {
      visitor_id: visitorId,
      erased_at: moment,
    }),
  },
  'handover.created': {
    summary: 'A visitor asked a person',
    description: 'A visitor asked for an answer by a person.',
    data: namedObject('HandoverCreatedData', 'A question to a person.', handover),
  },
  'handover.replied': {
    summary: 'A person replied',
    description: 'A person replied to a question of a visitor.',
    data: namedObject('HandoverRepliedData', 'A question to a person, with the newest reply.', {
      ...handover,
      reply: text(WEBHOOK_LIMITS.payloadBytesMax).meta({ example: 'Your parcel arrives tomorrow.' }),
      replied_at: moment,
    }),
  },
  'webhook.test': {
    summary: 'A test',
    description: 'A member sent a test. Every webhook gets its own.',
    data: namedObject('WebhookTestData', 'The webhook that is tested.', { webhook_id: webhookId }),
  },
} as const;

export type WebhookEventType = keyof typeof EVENTS;
export type WebhookData<Type extends WebhookEventType> = z.infer<(typeof EVENTS)[Type]['data']>;

export const WEBHOOK_EVENT_TYPES = Object.keys(EVENTS) as WebhookEventType[];

/** The types that a webhook can be set up for. */
export const CHOSEN_EVENT_TYPES = WEBHOOK_EVENT_TYPES.filter((type) => type !== 'webhook.test');

/** `question.unanswered` becomes `QuestionUnanswered`. */
const toName = (type: string) =>
  type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

function toEnvelope<Type extends WebhookEventType>(type: Type) {
  const { data, description } = EVENTS[type];
  return namedObject(`${toName(type)}Event`, description, {
    type: z.literal(type),
    timestamp: moment.describe('When it happened.'),
    tenant_id: workspaceId,
    data: data as (typeof EVENTS)[Type]['data'],
  });
}

/** The events as the document publishes them, in its order. */
export const webhookEvents = WEBHOOK_EVENT_TYPES.map((type) => ({
  type,
  name: toName(type),
  summary: EVENTS[type].summary,
  description: EVENTS[type].description,
  body: toEnvelope(type),
}));

export type WebhookEvent = {
  [Type in WebhookEventType]: {
    type: Type;
    timestamp: string;
    tenant_id: string;
    data: WebhookData<Type>;
  };
}[WebhookEventType];
