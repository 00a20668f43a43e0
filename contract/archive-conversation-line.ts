import { z } from 'zod';
import { idOf, keptLocale, keptMoment, line, word, writtenValue } from './archive-fields.ts';
import { conversation, rating, turnState } from './chat.ts';
import { chatEvent, finishReason } from './chat-event.ts';
import { exportedConversation, exportedTranscript } from './export-conversations.ts';
import { conversationId, messageId, visitorId } from './fields.ts';
import { LIMITS } from './limits.ts';

/** The lines about what was said: a conversation, its turns, each followed by its rating. */

export const archivedConversation = z
  .strictObject({
    type: line('conversation'),
    id: conversationId,
    visitorId,
    startedAt: keptMoment.describe('When the first question was asked.'),
    nextTurnIdx: conversation.shape.next_turn_idx.describe(
      'The index that the next turn is expected to have.',
    ),
    turnCount: exportedConversation.shape.turns.describe('How many turns the conversation has had.'),
    ended: z.boolean().describe('Whether it takes no more turns.'),
  })
  .meta({
    id: 'ArchivedConversation',
    description:
      'A conversation; its turns follow, at least one. One that has to be deleted by a certain time is left out.',
  });

const frame = z
  .string()
  .max(1_000_000)
  .refine(
    (text) => chatEvent.safeParse(writtenValue(text)).success,
    'expected an event of the stream of an answer as JSON text',
  )
  .describe('An event of the stream as JSON text.')
  .meta({ example: '{"type":"message_start","seq":0}' });

export const archivedTurn = z
  .strictObject({
    type: line('turn'),
    messageId,
    conversationId,
    turnIdx: exportedTranscript.shape.turn_idx.describe('The index that the visitor sent with it.'),
    state: turnState.describe('How far the answer got.'),
    finishReason: finishReason.optional().describe('Why the answer ended; absent where it did not.'),
    requestedLocale: keptLocale.describe('The language that the visitor asked for.'),
    idempotencyKey: z
      .string()
      .min(1)
      .max(LIMITS.idempotencyKeyCharsMax)
      .optional()
      .describe('The Idempotency-Key that the question came with.')
      .meta({ example: '0c6d1f0e-turn-0' }),
    payloadHash: word('Tells whether a repeated request is the same one.', '9f86d081884c7d65').optional(),
    askedAt: keptMoment.describe('When the question was asked.'),
    finishedAt: keptMoment.optional().describe('When the answer ended; absent while it runs.'),
    question: exportedTranscript.shape.message.describe('What the visitor asked.'),
    answer: exportedTranscript.shape.answer.describe('What the guide answered.'),
    frames: z.array(frame).max(1_000_000).describe('The events that were streamed, in order.'),
  })
  .meta({
    id: 'ArchivedTurn',
    description: 'A question and its answer; follows its conversation, oldest first.',
  });

export const archivedFeedback = z
  .strictObject({
    type: line('feedback'),
    id: idOf('fb', 'The rating'),
    messageId,
    rating: rating.describe('Whether the answer helped.'),
    comment: z
      .string()
      .max(LIMITS.feedbackCharsMax)
      .optional()
      .describe('What the visitor added to it.')
      .meta({ example: 'Just what I needed.' }),
    at: keptMoment.describe('When the answer was rated.'),
  })
  .meta({ id: 'ArchivedFeedback', description: 'The rating of an answer; follows its turn.' });
