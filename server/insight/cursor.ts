import type { RefusalBody } from '../../contract/refusals.ts';
import { refuse } from '../refuse.ts';
import type { ConversationSummary } from '../storage/conversations.ts';

type Problem = NonNullable<RefusalBody['issues']>[number];
type Place = Pick<ConversationSummary, 'id' | 'startedAt'>;

/** Names the conversation that the next page follows by its time and id, so that it holds when that one is gone. */
export const cursorFor = ({ startedAt, id }: Place) =>
  Buffer.from(`${startedAt} ${id}`).toString('base64url');

export function placeOf(cursor: string): Place {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, startedAt, id] = /^(\d{1,15}) ([0-9A-Za-z_.:-]{1,128})$/.exec(text) ?? [];
  if (startedAt === undefined || id === undefined) {
    return refuseQuery('cursor', 'invalid_cursor', 'No page ended here.');
  }
  return { startedAt: Number(startedAt), id };
}

export function refuseQuery(field: string, code: string, message: string): never {
  const problem: Problem = { path: `query.${field}`, code, message };
  return refuse('request/invalid', undefined, { issues: [problem] });
}
