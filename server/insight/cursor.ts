import { readCursor, writeCursor } from '../cursor.ts';
import type { ConversationSummary } from '../storage/conversations.ts';

type Place = Pick<ConversationSummary, 'id' | 'startedAt'>;

/** Names the conversation that the next page follows by its time and id, so that it holds when that one is gone. */
export const cursorFor = ({ startedAt, id }: Place) => writeCursor(`${startedAt} ${id}`);

export function placeOf(cursor: string): Place {
  const [, startedAt, id] = readCursor(cursor, /^(\d{1,15}) ([0-9A-Za-z_.:-]{1,128})$/);
  return { startedAt: Number(startedAt), id: id! };
}
