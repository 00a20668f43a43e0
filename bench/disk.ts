/** Measures what turns take on disk, by table and index, and how many turns a second the service stores. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { benchQuestions } from './articles.ts';
import { openLoad } from './open-load.ts';
import { ARTICLES, bootVisitors, fillFolder, ORIGIN } from './prepare.ts';
import { startTarget } from './target.ts';

const BUNDLE = fileURLToPath(new URL('../dist/guidepost.js', import.meta.url));
const TURNS = 3_000;
const VISITORS = 150;
const CONNECTIONS = 4;

type Pages = Readonly<Record<string, { bytes: number; unused: number }>>;

/** The bytes of each table and index, and those that are unused in its pages. */
function readPages(file: string): Pages {
  const database = new SqliteDatabase(file);
  try {
    database.pragma('wal_checkpoint(TRUNCATE)');
    const rows = database
      .prepare('SELECT name, sum(pgsize) AS bytes, sum(unused) AS unused FROM dbstat GROUP BY name')
      .all() as { name: string; bytes: number; unused: number }[];
    return Object.fromEntries(rows.map(({ name, ...sizes }) => [name, sizes]));
  } finally {
    database.close();
  }
}

async function measure(data: string): Promise<void> {
  const appIds = await fillFolder(data, 3);
  const file = join(data, 'guidepost.db');
  const env = { PORT: '0', DATA_DIR: data, GUIDEPOST_DEMO: 'off', EMBEDDINGS: 'off', NODE_ENV: 'production' };
  const load = openLoad();
  const service = await startTarget(
    'Guidepost',
    [BUNDLE, 'serve'],
    { ...env, LOOP_DELAY_MILLIS_MAX: '60000', TRUSTED_PROXIES: 'loopback' },
    '/healthz',
  );
  try {
    const { visitors } = await bootVisitors(service.port, appIds, VISITORS);
    load.setPlan({ origin: ORIGIN, appId: appIds[0]!, visitors, questions: benchQuestions(200, ARTICLES) });
    const before = readPages(file);
    const { requests, seconds } = await load.run({
      kind: 'chat',
      port: service.port,
      connections: CONNECTIONS,
      seconds: 600,
      first: 0,
      requestsMax: TURNS,
    });
    const logBytes = statSync(`${file}-wal`).size;
    await service.stop();
    const after = readPages(file);
    const grown = Object.entries(after)
      .map(([name, { bytes, unused }]) => ({
        name,
        bytes: (bytes - (before[name]?.bytes ?? 0)) / requests,
        unused: (unused - (before[name]?.unused ?? 0)) / requests,
      }))
      .filter(({ bytes }) => bytes > 0)
      .sort((one, other) => other.bytes - one.bytes);
    const sum = grown.reduce((total, { bytes }) => total + bytes, 0);
    process.stdout.write(`${sum.toFixed(0)} bytes a turn, log ${(logBytes / requests).toFixed(0)}, `);
    process.stdout.write(`${(requests / seconds).toFixed(0)} turns a second\n`);
    for (const { name, bytes, unused } of grown)
      process.stdout.write(`  ${name} ${bytes.toFixed(0)}, ${unused.toFixed(0)} of them unused\n`);
  } finally {
    load.stop();
    await service.stop();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'guidepost-disk-'));
try {
  await measure(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
