/**
 * Measures export, import and deletion of a large workspace: rows per second, memory, event-loop
 * delay.
 */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { systemClock } from '../server/base/clock.ts';
import { newId } from '../server/base/ids.ts';
import { openSqlite } from '../server/storage/sqlite/open.ts';
import type { Store } from '../server/storage/store.ts';
import { SETTINGS_DEFAULTS } from '../server/storage/workspace-settings.ts';
import type { Workspace } from '../server/storage/workspaces.ts';
import { purgeRemoved } from '../server/transfer/archive.ts';
import { exportLines } from '../server/transfer/export.ts';
import { importArchive } from '../server/transfer/import.ts';

const help = `Measures export, import and deletion of a workspace. The table goes to stdout.

  node --expose-gc bench/archive.ts [--rows 20000]
`;

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '20000' }, help: { type: 'boolean' } },
});
if (values.help) {
  process.stdout.write(help);
  process.exit();
}

const ROWS = Number(values.rows);
/** Seven of ten rows are events; the others are a conversation, its turn and an audit row. */
const EVENTS_PER_TURN = 7;
const CONCURRENT_TURNS = 64;

const folder = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
const file = join(folder, 'archive.ndjson');
try {
  const source = openSqlite({ file: join(folder, 'here.db') });
  const workspace = await createFilledWorkspace(source);
  await measure('export', () => exportTo(source, workspace));
  process.stdout.write(`archive: ${(statSync(file).size / 1e6).toFixed(1)} MB\n`);
  const target = openSqlite({ file: join(folder, 'there.db') });
  await measure('import', async () => {
    const { counts } = await importArchive(file, { store: target, clock: systemClock });
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  });
  await target.close();
  await measure('delete', async () => {
    await source.workspaces.remove(workspace.id, systemClock.now());
    await purgeRemoved({ store: source, clock: systemClock });
    return ROWS;
  });
  await source.close();
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(label: string, run: () => Promise<number>): Promise<void> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  const rows = await run();
  const seconds = (performance.now() - started) / 1000;
  delay.disable();
  clearInterval(watch);
  const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
  process.stdout.write(
    `${label}: ${rows} rows, ${Math.round(rows / seconds)} rows/s, RSS ${mib(before)} + ${mib(peak - before)}, ` +
      `event loop held ${(delay.percentile(99) / 1e6).toFixed(1)} ms (99 %), ${(delay.max / 1e6).toFixed(1)} ms at most\n`,
  );
}

async function exportTo(store: Store, workspace: Workspace): Promise<number> {
  const out = createWriteStream(file);
  let rows = 0;
  for await (const line of exportLines(workspace, store)) {
    rows += 1;
    if (!out.write(`${line}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  return rows;
}

async function createFilledWorkspace(store: Store): Promise<Workspace> {
  const id = newId('ws');
  await store.workspaces.create({
    id,
    appId: 'gp_bench',
    name: 'Bench',
    settings: { ...SETTINGS_DEFAULTS, allowedOrigins: ['https://bench.example.com'] },
    createdAt: systemClock.now(),
  });
  const turns = Math.ceil(ROWS / (EVENTS_PER_TURN + 3));
  for (let from = 0; from < turns; from += CONCURRENT_TURNS) {
    await Promise.all(
      Array.from({ length: Math.min(CONCURRENT_TURNS, turns - from) }, () => addTurn(store, id)),
    );
  }
  return (await store.workspaces.find(id))!;
}

/** Stores a conversation, its turn with its events, and an audit row. */
async function addTurn(store: Store, workspaceId: string): Promise<void> {
  const { conversations, audit } = store.in(workspaceId);
  const atMillis = systemClock.now();
  const [messageId, conversationId, visitorId] = [newId('msg'), newId('conv'), newId('vis')];
  const events = Array.from({ length: EVENTS_PER_TURN }, () => ({
    id: newId('evt'),
    atMillis,
    type: 'turn' as const,
    conversationId,
    data: {
      ...{
        message_id: messageId,
        path: '/pricing',
        turn_idx: 0,
        first: true,
        finish_reason: 'stop',
        answered: true,
      },
      ...{ answer_confidence: 0.8, requested_locale: 'en', content_locale: 'en', citations: 2, actions: 0 },
      ...{ millis: 900, first_text_millis: 300 },
    },
  }));
  const turn = {
    messageId,
    conversationId,
    visitorId,
    turnIdx: 0,
    requestedLocale: 'en',
    askedAt: atMillis,
  };
  await conversations.openTurn({ ...turn, question: 'How do I add a delivery note?' }, []);
  const frames = Array.from({ length: 30 }, (_, seq) =>
    JSON.stringify({ type: 'text_delta', seq, delta: 'a few words of an answer ', offset: seq * 25 }),
  );
  await conversations.closeTurn(
    {
      attempt: 1,
      ...{
        messageId,
        frames,
        requestedLocale: 'en',
        state: 'complete',
        finishReason: 'stop',
        nextTurnIdx: 1,
      },
      answer: 'a few words of an answer '.repeat(30),
      finishedAt: atMillis + 900,
    },
    events,
  );
  const row = {
    id: newId('aud'),
    atMillis,
    actor: 'operator',
    action: 'bench',
    subject: messageId,
    details: {},
  };
  await audit.append(row);
}
