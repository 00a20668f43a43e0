import { z } from 'zod';
import { rating, turnState } from './chat.ts';
import { fallbackReason, finishReason } from './chat-event.ts';
import { articleId, conversationId, locale, messageId, moment, translationId, visitorId } from './fields.ts';
import { LIMITS } from './limits.ts';

const turnCount = z.int32().min(0).max(1_000_000).meta({ example: 3 });

const conversationFields = {
  id: conversationId,
  at: moment.describe(
    'When the conversation began, or when its visitor agreed to storage if that was later. Rows are ' +
      'ordered and filtered by it.',
  ),
  visitor_id: visitorId,
  started_at: moment.describe('When the first question was asked.'),
  last_at: moment.describe('When the latest question was asked.'),
  turns: turnCount.describe('Number of questions.'),
  locale: locale.describe('Language of the first question.'),
  first_message: z
    .string()
    .max(LIMITS.messageCharsMax)
    .describe('The first question.')
    .meta({ example: 'How do I connect to a wireless network?' }),
  answered: z.boolean().describe('Whether every question was answered (finish reason `stop` or `length`).'),
  rating: rating.optional().describe('The latest rating. Absent if there is none.'),
};

export const exportedConversation = z.strictObject(conversationFields).meta({
  id: 'ExportedConversation',
  description: 'A conversation at the time of the export.',
});

const exportedSource = z
  .strictObject({
    article_id: articleId,
    translation_id: translationId
      .optional()
      .describe('The translation that was cited; absent for the source article.'),
    revision: z.int32().min(1).max(1_000_000).describe('The published revision that contains the quote.'),
    title: z
      .string()
      .max(LIMITS.titleCharsMax)
      .describe('The title of the cited text, in its own language.')
      .meta({ example: 'Connect to a wireless network' }),
    url: z.string().max(LIMITS.urlCharsMax).optional().describe('Public URL of the article, if it has one.'),
    quote: z
      .string()
      .max(20_000)
      .describe('The cited words, verbatim from that revision.')
      .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
    requested_locale: locale.describe('The language that the visitor asked for.'),
    content_locale: locale.describe('The language that the cited text is in.'),
    fallback_reason: fallbackReason
      .optional()
      .describe('Why content_locale differs; absent when it does not.'),
    stale: z.boolean().describe('Whether the article had changed since it was translated.'),
  })
  .meta({ id: 'ExportedSource', description: 'A source of an answer, with the words that were cited.' });

const transcriptFields = {
  message_id: messageId.describe('The answer: a TypeID with the prefix msg. Id of the row.'),
  at: moment.describe(
    'When the answer ended, or when its visitor agreed to storage if that was later. Rows are ' +
      'ordered and filtered by it.',
  ),
  conversation_id: conversationId,
  visitor_id: visitorId,
  turn_idx: z.int32().min(0).max(LIMITS.turnIdxMax).describe('Index of the turn in its conversation.'),
  asked_at: moment.describe('When the visitor asked.'),
  finished_at: moment.describe('When the answer ended.'),
  locale: locale.describe('The language that the visitor asked for.'),
  message: z
    .string()
    .max(LIMITS.messageCharsMax)
    .describe('What the visitor asked in this turn.')
    .meta({ example: 'How do I connect to a wireless network?' }),
  answer: z
    .string()
    .max(200_000)
    .describe('The answer, or the part of it that was written before an interruption.')
    .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
  state: turnState.describe('How the answer ended: complete, interrupted or failed.'),
  finish_reason: finishReason.optional().describe('Why a complete answer ended; absent when it failed.'),
};

const ratingFields = {
  rating: rating
    .optional()
    .describe("The visitor's rating at the time of the export. Absent if there is none."),
  comment: z
    .string()
    .max(LIMITS.feedbackCharsMax)
    .optional()
    .describe("The visitor's comment.")
    .meta({ example: 'That was quick.' }),
};

export const exportedTranscript = z
  .strictObject({
    ...transcriptFields,
    citations: z.array(exportedSource).max(100).describe('Sources of the answer, in order.'),
    ...ratingFields,
  })
  .meta({ id: 'ExportedTranscript', description: 'One turn: a question and its answer.' });

export const conversationColumns = z.strictObject(conversationFields).meta({
  id: 'ConversationColumns',
  description: 'A line of the conversations CSV. Absent values are empty cells.',
});

export const transcriptColumns = z
  .strictObject({
    ...transcriptFields,
    citations: z
      .string()
      .max(5_000_000)
      .describe('Sources of the answer in order, as a JSON array.')
      .meta({ example: '[]' }),
    ...ratingFields,
  })
  .meta({
    id: 'TranscriptColumns',
    description: 'A line of the transcripts CSV. Absent values are empty cells.',
  });

export type ExportedConversation = z.infer<typeof exportedConversation>;
export type ExportedTranscript = z.infer<typeof exportedTranscript>;
