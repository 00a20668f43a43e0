import { type ErrorEvent, type Guide, type GuideMessage, toMessage } from '@guidepost/client';
import type { Answer, GuideFailure, Message } from './state.ts';

/** Converts answers and conversations of the client into messages of the state. */

type Conversation = Awaited<ReturnType<Guide['conversation']>>;

export function toPatch({ error, ...message }: GuideMessage): Partial<Answer> {
  return error ? { ...message, failure: toStreamFailure(error) } : message;
}

export function toMessages({ turns, conversation_id }: Conversation): Message[] {
  return turns.flatMap((turn): Message[] => {
    const { error: _, ...answer } = toMessage(turn, conversation_id);
    const failure =
      answer.state === 'failed' ? { code: 'interrupted', message: '', retryable: true } : undefined;
    return [
      { role: 'visitor', key: `question-${turn.message_id}`, text: turn.message },
      { ...answer, role: 'guide', key: turn.message_id, outcomes: {}, rating: turn.rating, failure },
    ];
  });
}

function toStreamFailure(event: ErrorEvent): GuideFailure {
  const { code, message, retryable, retry_after_sec: retryAfterSeconds, request_id: requestId } = event;
  return { code, message, retryable, retryAfterSeconds, requestId };
}
