import { z } from 'zod';
import { rating, turnState } from './chat.ts';
import { fallbackReason, finishReason } from './chat-event.ts';
import { articleId, conversationId, locale, messageId, moment, translationId, visitorId } from './fields.ts';
import { LIMITS } from './limits.ts';

/** Conversations and what was said in them, as an export gives them. */

const turnCount = z.int32().min(0).max(1_000_000).meta({ example: 3 });

const conversationFields = {
  id: conversationId,
  at: moment.describe(
    'When it began, or when its visitor allowed it to be kept if that was later; rows are ordered and filtered by it.',
  ),
  visitor_id: visitorId,
  started_at: moment.describe('When its first question was asked.'),
  last_at: moment.describe('When its newest question was asked.'),
  turns: turnCount.describe('How many questions were asked in it.'),
  locale: locale.describe('The language that its first question was asked in.'),
  first_message: z
    .string()
    .max(LIMITS.messageCharsMax)
    .describe('What the visitor asked first.')
    .meta({ example: 'How do I connect to a wireless network?' }),
  answered: z.boolean().describe('True when every question got an answer: reason stop or length.'),
  rating: rating.optional().describe('The newest rating of one of its answers; absent while there is none.'),
};

export const exportedConversation = z.strictObject(conversationFields).meta({
  id: 'ExportedConversation',
  description: 'A conversation that may be kept, as it was when the row was read.',
});

const exportedSource = z
  .strictObject({
    article_id: articleId,
    translation_id: translationId
      .optional()
      .describe('The translation that was cited; absent for the source article.'),
    revision: z.int32().min(1).max(1_000_000).describe('The published revision that the quote stands in.'),
    title: z
      .string()
      .max(LIMITS.titleCharsMax)
      .describe('The title of the cited text, in its own language.')
      .meta({ example: 'Connect to a wireless network' }),
    url: z
      .string()
      .max(LIMITS.urlCharsMax)
      .optional()
      .describe('Where the article can be read, when its owner gave an address.'),
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
    stale: z.boolean().describe('True when the article had changed after this translation was made.'),
  })
  .meta({ id: 'ExportedSource', description: 'A source of an answer, with the words that were cited.' });

const transcriptFields = {
  message_id: messageId.describe('The answer: a TypeID with the prefix msg. It names the row.'),
  at: moment.describe(
    'When the answer ended, or when its visitor allowed it to be kept if that was later; rows are ordered and filtered by it.',
  ),
  conversation_id: conversationId,
  visitor_id: visitorId,
  turn_idx: z
    .int32()
    .min(0)
    .max(LIMITS.turnIdxMax)
    .describe('The index of the turn in its conversation, as the visitor sent it.'),
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
    .describe('What the guide answered; what there was of it when it broke off.')
    .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
  state: turnState.describe('How the answer ended: complete, interrupted or failed.'),
  finish_reason: finishReason.optional().describe('Why a complete answer ended; absent when it failed.'),
};

const ratingFields = {
  rating: rating
    .optional()
    .describe('How the visitor rated the answer by the time the row was read; absent when not at all.'),
  comment: z
    .string()
    .max(LIMITS.feedbackCharsMax)
    .optional()
    .describe('What the visitor added to the rating.')
    .meta({ example: 'That was quick.' }),
};

export const exportedTranscript = z
  .strictObject({
    ...transcriptFields,
    citations: z.array(exportedSource).max(100).describe('The sources of the answer, in their order.'),
    ...ratingFields,
  })
  .meta({ id: 'ExportedTranscript', description: 'A question and its finished answer: one turn, one row.' });

export const conversationColumns = z.strictObject(conversationFields).meta({
  id: 'ConversationColumns',
  description: 'A line of the CSV of conversations; what is absent is an empty cell.',
});

export const transcriptColumns = z
  .strictObject({
    ...transcriptFields,
    citations: z
      .string()
      .max(5_000_000)
      .describe('The sources of the answer in their order, as the JSON text of an array.')
      .meta({ example: '[]' }),
    ...ratingFields,
  })
  .meta({
    id: 'TranscriptColumns',
    description: 'A line of the CSV of transcripts; what is absent is an empty cell.',
  });

export type ExportedConversation = z.infer<typeof exportedConversation>;
export type ExportedTranscript = z.infer<typeof exportedTranscript>;
