/**
 * Writes turns and consents until it is killed, and prints each acknowledged one. Arguments: file,
 * workspace.
 */
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '../../server/base/ids.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { closeTurn, consent, event, openTurn } from '../support/stored-samples.ts';

// Lets the other writer and the test run.
const PAUSE_MILLIS = 3;
const [file = '', workspaceId = ''] = process.argv.slice(2);
const { conversations, consents } = openSqlite({ file }).in(workspaceId);
const acknowledge = (kind: string, id: string) => writeSync(1, `${kind} ${id}\n`);

async function ask(): Promise<void> {
  for (;;) {
    const turn = openTurn();
    const { conversationId, messageId } = turn;
    await conversations.openTurn(turn, []);
    acknowledge('opened', messageId);
    const counted = event({ type: 'turn', conversationId, data: { messageId } });
    await conversations.closeTurn(closeTurn(messageId, { answer: messageId.repeat(50) }), [counted]);
    acknowledge('closed', messageId);
    await wait(PAUSE_MILLIS);
  }
}

async function decide(): Promise<void> {
  for (;;) {
    const id = newId('con');
    await consents.append(consent({ id, events: [{ ...event(), data: { id } }] }));
    acknowledge('consent', id);
    await wait(PAUSE_MILLIS);
  }
}

await Promise.all([...Array.from({ length: 16 }, ask), ...Array.from({ length: 8 }, decide)]);
