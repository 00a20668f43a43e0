import { decodeRowPosition, encodeRowPosition } from '../cursor.ts';
import type { ConversationSummary } from '../storage/conversations.ts';

type Place = Pick<ConversationSummary, 'id' | 'startedAt'>;

/** Names the conversation that the next page follows by its time and id, so that it holds when that one is gone. */
export const cursorFor = ({ startedAt, id }: Place) => encodeRowPosition({ atMillis: startedAt, id });

export function placeOf(cursor: string): Place {
  const { atMillis, id } = decodeRowPosition(cursor, /^[0-9A-Za-z_.:-]{1,128}$/);
  return { startedAt: atMillis, id };
}
