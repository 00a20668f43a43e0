import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { EventRow } from '../../server/storage/event-queries.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { writeEvents } from './event-writer.ts';
import { temporaryStore } from './temporary-store.ts';

const PROGRAM = fileURLToPath(new URL('./event-writer.ts', import.meta.url));
const ROWS = 3000;

it('a paging reader gets every event exactly once while three connections write', async () => {
  const { store, file, workspaceId } = await temporaryStore();
  const secondStore = openSqlite({ file });
  const child = spawn(process.execPath, [PROGRAM, file, workspaceId, `${ROWS}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let writing = true;
  const written = Promise.all([
    text(child.stdout).then((ids) => JSON.parse(ids) as string[]),
    writeEvents(store, workspaceId, ROWS),
    writeEvents(secondStore, workspaceId, ROWS),
  ]).finally(() => {
    writing = false;
  });

  const { events } = store.in(workspaceId);
  const met: EventRow[] = [];
  let pages = 0;
  for (let isLast = false; !isLast; ) {
    isLast = !writing;
    for (let page = await events.list(20, met.at(-1)); page.length > 0; pages += 1) {
      met.push(...page);
      page = await events.list(20, met.at(-1));
    }
    await new Promise(setImmediate);
  }
  const ids = (await written).flat();
  await secondStore.close();
  expect(met.map(({ id }) => id).sort()).toEqual(ids.sort());
  expect(pages, 'the reader read while they wrote').toBeGreaterThan(ROWS / 20);
});
