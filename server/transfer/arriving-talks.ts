import type { ArchiveLineOf } from '../../contract/archive-line.ts';
import type { ImportRow } from '../storage/holdings.ts';
import { expected } from './archive-refused.ts';
import * as rowOf from './row-of.ts';
import { millisOf } from './row-of.ts';

/** Conversations as they arrive: which turn belongs to which, and which rating to which turn. */

type Reading = { readonly id: string; readonly visitorId: string; messageId?: string };

type TalkLine = ArchiveLineOf<'conversation'> | ArchiveLineOf<'turn'> | ArchiveLineOf<'feedback'>;

export type ArrivingTalks = {
  /** The row of a line. */
  take(line: TalkLine, number: number): ImportRow;
  /** Refuses what comes instead of the turns of the conversation before this line. */
  close(number: number): void;
};

export function arrivingTalks(): ArrivingTalks {
  let reading: Reading | undefined;

  function takeTurn(line: ArchiveLineOf<'turn'>, number: number): ImportRow {
    if (line.conversationId !== reading?.id) {
      throw expected('the id of the conversation above', number, 'conversationId');
    }
    reading.messageId = line.messageId;
    return { kind: 'turn', visitorId: reading.visitorId, row: rowOf.turn(line) };
  }

  function takeFeedback(line: ArchiveLineOf<'feedback'>, number: number): ImportRow {
    const { id, messageId, rating, comment, at } = line;
    if (messageId !== reading?.messageId) throw expected('the id of the turn above', number, 'messageId');
    const said = comment === undefined ? {} : { comment };
    const row = { id, rating, ...said, atMillis: millisOf(at) };
    return { kind: 'feedback', visitorId: reading.visitorId, messageId, row };
  }

  function close(number: number): void {
    if (reading && reading.messageId === undefined) throw expected(`a turn of ${reading.id}`, number);
    reading = undefined;
  }

  function takeConversation({ type: _, ...line }: ArchiveLineOf<'conversation'>, number: number): ImportRow {
    close(number);
    reading = { id: line.id, visitorId: line.visitorId };
    return { kind: 'conversation', row: { ...line, startedAt: millisOf(line.startedAt) } };
  }

  return {
    take(line, number) {
      switch (line.type) {
        case 'conversation':
          return takeConversation(line, number);
        case 'turn':
          return takeTurn(line, number);
        case 'feedback':
          return takeFeedback(line, number);
      }
    },
    close,
  };
}
