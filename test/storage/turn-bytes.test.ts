import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Harness, openHarness } from '../support/harness.ts';

const VISITORS = 10;
const QUESTIONS = 12;
const BYTES_MAX = 4_096;

const ARTICLE = {
  slug: 'packing-list',
  locale: 'en',
  title: 'Translate the packing list',
  answer:
    'To translate the packing list, open the account menu and choose "Translate" beside the packing list. Only the ' +
    'partner and the administrator may translate the packing list as soon as the payment arrives. In the second ' +
    'edition, the button stands in the settings page under training course. The change is visible to everybody ' +
    'within a minute. People often invite the audit trail at the same time, during the yearly review.\n\n' +
    'Nothing is lost, and the earlier packing list stays in the history.',
};

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ articles: [ARTICLE] });
});
afterAll(() => harness.close());

/** The bytes of all pages in use, without the write-ahead log. */
function readBytes(): number {
  const database = new SqliteDatabase(join(harness.config.dataDir, 'guidepost.db'));
  database.pragma('wal_checkpoint(PASSIVE)');
  const bytes = database.prepare('SELECT sum(pgsize) FROM dbstat').pluck().get() as number;
  database.close();
  return bytes;
}

it('a turn with a quoted answer takes at most 4 KB of the database, events and indexes included', async () => {
  const before = readBytes();
  for (let number = 0; number < VISITORS; number += 1) {
    const { jwt } = await harness.boot();
    for (let turn = 0; turn < QUESTIONS; turn += 1)
      await harness.ask(jwt, {
        message: 'How do I translate the packing list?',
        conversation_id: `talk-${number}`,
      });
  }
  expect((readBytes() - before) / (VISITORS * QUESTIONS)).toBeLessThan(BYTES_MAX);
});
