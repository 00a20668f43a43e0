import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import { openSqlite } from '../../../server/storage/sqlite/open.ts';
import type { Store } from '../../../server/storage/store.ts';
import {
  createExportClient,
  type Events,
  type PageOf,
  type Transcripts,
} from '../../support/export-client.ts';
import { closeTurn, openTurn } from '../../support/stored-samples.ts';
import { openTeam } from '../../support/team.ts';

const SECONDS = 3;
const TICK_MILLIS = 5;
/** Per tick of 5 ms: 2,000 events per second. */
const EVENTS_PER_TICK = 10;

/** Writes rows at a steady pace, each shortly after its timestamp, and returns their ids. */
async function writeAtPace(write: () => Promise<string>, aTick: number): Promise<string[]> {
  const written: Promise<string>[] = [];
  const startedAt = performance.now();
  for (let tick = 0; tick * TICK_MILLIS < SECONDS * 1000; tick += 1) {
    for (let row = 0; row < aTick; row += 1) written.push(write());
    await pause(Math.max(0, startedAt + (tick + 1) * TICK_MILLIS - performance.now()));
  }
  return Promise.all(written);
}

const eventOf = (store: Store, workspaceId: string) => async () => {
  const row = { id: newId('evt'), atMillis: Date.now(), type: 'feedback' as const, data: { rating: 'up' } };
  await pause(Math.random() * 8);
  await store.in(workspaceId).events.append([row]);
  return row.id;
};

const turnOf = (store: Store, workspaceId: string) => async () => {
  const { conversations } = store.in(workspaceId);
  const turn = openTurn({ askedAt: Date.now() });
  await conversations.openTurn(turn, []);
  const finishedAt = Date.now();
  await pause(Math.random() * 8);
  await conversations.closeTurn(closeTurn(turn.messageId, { frames: [], finishedAt }), []);
  return turn.messageId;
};

it('paging returns every row exactly once while two processes write 2,000 events per second', async () => {
  const team = await openTeam({ articles: [] });
  const { harness, workspace } = team;
  const client = await createExportClient(team);
  const secondStore = openSqlite({ file: harness.config.database.file });
  const { store } = harness.service;
  let writing = true;
  const written = Promise.all([
    writeAtPace(eventOf(store, workspace.id), EVENTS_PER_TICK - 4),
    writeAtPace(eventOf(secondStore, workspace.id), 4),
    writeAtPace(turnOf(store, workspace.id), 1),
    writeAtPace(turnOf(secondStore, workspace.id), 1),
  ]).finally(() => {
    writing = false;
  });

  async function follow<Row>(path: string): Promise<{ rows: Row[]; pages: number }> {
    const rows: Row[] = [];
    let pages = 0;
    for (let cursor = '', isLast = false; !isLast; pages += 1) {
      const wasWriting = writing;
      const { json } = await client.get<PageOf<Row>>(`${path}?limit=90${cursor}`);
      rows.push(...json.data);
      if (json.next_cursor) cursor = `&cursor=${json.next_cursor}`;
      isLast = !json.has_more && !wasWriting;
    }
    return { rows, pages };
  }

  const [events, transcripts] = await Promise.all([
    follow<Events['data'][number]>('/events'),
    follow<Transcripts['data'][number]>('/transcripts'),
  ]);
  const [own, other, ownTurns, otherTurns] = await written;
  await secondStore.close();
  expect(own!.length + other!.length).toBeGreaterThan(SECONDS * 1000);
  expect(events.rows.map(({ id }) => id).sort()).toEqual([...own!, ...other!].sort());
  expect(transcripts.rows.map((row) => row.message_id).sort()).toEqual([...ownTurns!, ...otherTurns!].sort());
  expect(events.pages, 'the reader read while they wrote').toBeGreaterThan(events.rows.length / 90);
  await team.close();
});
