/**
 * Compares the export of events with the sqlite3 command line, interleaved in one run, while boots
 * continue.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { newId } from '../server/base/ids.ts';
import { openSqlite } from '../server/storage/sqlite/open.ts';
import { hashSecret, makeApiKey } from '../server/tokens/api-key.ts';
import { openLoad } from './open-load.ts';
import { fillFolder, ORIGIN } from './prepare.ts';
import { median } from './report.ts';
import { onCores } from './target.ts';

const help = `Measures the export of events compared with the sqlite3 command line. The table goes to stdout, progress to stderr.

  node bench/export.ts [--rows 1000000] [--rounds 5] [--sources]

  --sources   runs the service from its sources; otherwise needs dist/guidepost.js (make build)
`;

const MIB = 1024 * 1024;
const BOOT_PAUSE_MILLIS = 5;
/** Each boot uses a new address, which keeps boots below the rate limit. */
const BOOTS_PER_ROUND = 20_000;

type Round = {
  stream: Read;
  printed: Read;
  perf: PerfReport;
  bootMillis: readonly number[];
};

type Measured = {
  rounds: readonly Round[];
  before: PerfReport;
  comparedTo: string;
};

async function main(rows: number, rounds: number, fromSources: boolean): Promise<Measured> {
  if (!fromSources && !existsSync(fileURLToPath(new URL('../dist/guidepost.js', import.meta.url)))) {
    throw new Error('dist/guidepost.js is missing. Run: make build');
  }
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
  const load = openLoad();
  const hasSqlite3 = spawnSync('sqlite3', ['--version']).status === 0;
  try {
    progress(`${rows} events`);
    const [appId] = await fillFolder(folder, 1);
    const { key, workspaceId } = await fillEvents(folder, rows);
    const service = await startObserved(folder, fromSources);
    load.setPlan({ origin: ORIGIN, appId: appId!, visitors: [], questions: [] });
    const runBoots = (seconds: number, round: number) =>
      load.run({
        ...{
          kind: 'boot' as const,
          port: service.port,
          connections: 1,
          pauseMillis: BOOT_PAUSE_MILLIS,
          seconds,
        },
        ...{ first: round * BOOTS_PER_ROUND, requestsMax: BOOTS_PER_ROUND },
      });
    const print = async () =>
      hasSqlite3
        ? readPrinted(folder, workspaceId, getEndMillis(rows))
        : readIterated(folder, workspaceId, getEndMillis(rows));

    progress('warming up');
    await runBoots(3, 0);
    const before = await service.report();
    const seconds = (await print()).seconds;
    const completedRounds: Round[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      progress(`round ${round} of ${rounds}`);
      const printed = await print();
      await service.report();
      // Boots continue for about as long as the stream is expected to take.
      const [stream, booted] = await Promise.all([
        readStream(service.port, key),
        runBoots(seconds * 0.8, round),
      ]);
      completedRounds.push({ stream, printed, perf: await service.report(), bootMillis: booted.wholeMillis });
    }
    await service.stop();
    return {
      rounds: completedRounds,
      before,
      comparedTo: hasSqlite3 ? 'the sqlite3 command line' : 'an iterator of better-sqlite3',
    };
  } finally {
    load.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function table({ rounds, before, comparedTo }: Measured): string {
  const perSecond = ({ rows, seconds }: Read) => rows / seconds;
  const stream = median(rounds.map((round) => perSecond(round.stream)));
  const printed = median(rounds.map((round) => perSecond(round.printed)));
  const ratio = median(rounds.map((round) => perSecond(round.stream) / perSecond(round.printed)));
  const extra = (Math.max(...rounds.map(({ perf }) => perf.peakBytes)) - before.residentBytes) / MIB;
  const loop = median(rounds.map(({ perf }) => perf.loopP99Millis));
  const longest = Math.max(...rounds.map(({ perf }) => perf.loopMaxMillis));
  const boot = median(
    rounds.map(({ bootMillis }) => bootMillis[Math.floor(bootMillis.length * 0.99)] ?? Number.NaN),
  );
  const [first] = rounds;
  const lines: [string, string, string, boolean][] = [
    [`rows per second, ratio to ${comparedTo}`, ratio.toFixed(2), 'at least 1.00', ratio >= 1],
    ['additional memory, MiB', extra.toFixed(1), 'less than 64', extra < 64],
    ['event-loop delay, p99, ms', loop.toFixed(1), 'less than 10', loop < 10],
    ['boot during the export, p99, ms', boot.toFixed(1), 'less than 10', boot < 10],
  ];
  const missing = comparedTo.includes('iterator')
    ? 'The sqlite3 command is missing; compared with better-sqlite3 instead.\n'
    : '';
  return [
    `Export of events over HTTP (${cpus().length} cores, Node ${process.versions.node}, medians of ${rounds.length} rounds)`,
    `${missing}stream ${Math.round(stream)} rows/s, ${(first!.stream.bytes / MIB).toFixed(0)} MiB; ${comparedTo} ${Math.round(printed)} rows/s; longest delay ${longest.toFixed(1)} ms`,
    '',
    ...lines.map(
      ([label, value, target, isMet]) =>
        `${label.padEnd(56)}${value.padStart(8)}   ${target}${isMet ? '' : '   MISSED'}`,
    ),
    '',
  ].join('\n');
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

const ROWS_PER_COMMIT = 50_000;
const START = Date.UTC(2026, 0, 1);

/** Adds events to the only workspace of the folder and creates an API key for it. */
async function fillEvents(folder: string, rows: number): Promise<{ key: string; workspaceId: string }> {
  const file = join(folder, 'guidepost.db');
  const store = openSqlite({ file });
  const [workspace] = await store.workspaces.list();
  const workspaceId = workspace!.id;
  const { text, publicId, secret, lastFour } = makeApiKey();
  const id = newId('key');
  const keyFields = {
    workspaceId,
    name: 'Bench',
    scopes: ['events:read'] as const,
    allowedNetworks: [],
    createdBy: 'operator',
    createdAt: START,
  };
  const audit = { id: newId('aud'), atMillis: START, actor: 'operator', subject: id, details: {} };
  await store
    .in(workspaceId)
    .apiKeys.create(
      { ...keyFields, id, publicId, secretHash: hashSecret(secret), lastFour },
      { ...audit, action: 'api_key.created' },
    );
  await store.close();

  const db = new SqliteDatabase(file);
  db.pragma('synchronous = OFF');
  const insert = db.prepare(
    `INSERT INTO events (workspace_id, at_millis, id, type, visitor_id, conversation_id, data)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const commit = db.transaction((from: number) => {
    for (let row = from; row < Math.min(rows, from + ROWS_PER_COMMIT); row += 1) {
      const { type, data } = EVENT_TYPES[row % EVENT_TYPES.length]!;
      insert.run(
        workspaceId,
        START + row * 20,
        newId('evt'),
        type,
        newId('vis'),
        newId('conv'),
        JSON.stringify(data()),
      );
    }
  });
  for (let from = 0; from < rows; from += ROWS_PER_COMMIT) commit(from);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return { key: text, workspaceId };
}

const EVENT_TYPES: readonly { type: string; data: () => Record<string, unknown> }[] = [
  {
    type: 'boot',
    data: () => ({ path: '/pricing', region_code: 'US-TX', mode: 'opt_out', locale: 'en', returning: true }),
  },
  {
    type: 'turn',
    data: () => ({
      message_id: newId('msg'),
      path: '/pricing',
      turn_idx: 2,
      first: false,
      finish_reason: 'stop',
      answered: true,
      answer_confidence: 0.83,
      requested_locale: 'de-AT',
      content_locale: 'de',
      citations: 1,
      actions: 1,
      millis: 41,
      first_text_millis: 12,
    }),
  },
  {
    type: 'citation',
    data: () => ({
      message_id: newId('msg'),
      article_id: newId('art'),
      revision: 3,
      requested_locale: 'de-AT',
      content_locale: 'de',
      fallback_reason: 'base_language',
      stale: false,
    }),
  },
  { type: 'feedback', data: () => ({ message_id: newId('msg'), rating: 'up' }) },
];

type PerfReport = {
  residentBytes: number;
  peakBytes: number;
  loopP99Millis: number;
  loopMaxMillis: number;
};

type ObservedService = {
  port: number;
  /** Measurements since the previous report. */
  report(): Promise<PerfReport>;
  stop(): Promise<void>;
};

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

async function startObserved(dataDir: string, fromSources: boolean): Promise<ObservedService> {
  const [command, ...args] = onCores('servers', [
    process.execPath,
    '--import',
    here('perf-observer.js'),
    here(fromSources ? '../server/cli/guidepost.ts' : '../dist/guidepost.js'),
    'serve',
  ]);
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    GUIDEPOST_DEMO: 'off',
    EMBEDDINGS: 'off',
    LOOP_DELAY_MILLIS_MAX: '60000',
    TRUSTED_PROXIES: 'loopback',
    NODE_ENV: 'production',
  };
  const child = spawn(command!, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const port = await waitForPort(child);
  return {
    port,
    report: () =>
      new Promise((resolve) => {
        child.once('message', (report) => resolve(report as PerfReport));
        child.send('report');
      }),
    stop: () =>
      new Promise((resolve) => {
        child.on('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function waitForPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr!.on('data', (text: Buffer) => {
      output += text;
      const found = /(?:listens|is listening) on http:\/\/[^\s]*:(\d+)/.exec(output);
      if (found) resolve(Number(found[1]));
    });
    child.on('exit', () => reject(new Error(`The service did not start:\n${output}`)));
  });
}

type Read = { rows: number; bytes: number; seconds: number };

function readStream(port: number, key: string): Promise<Read> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const options = {
      port,
      host: '127.0.0.1',
      path: '/api/export/events.ndjson',
      headers: { 'x-api-key': key },
    };
    get(options, (response) => {
      if (response.statusCode !== 200)
        reject(new Error(`The export responded with HTTP ${response.statusCode}`));
      countLines(response, startedAt).then(resolve, reject);
    }).on('error', reject);
  });
}

/** Selects the rows of the export, as the same JSON. */
const PRINTED = `SELECT json_object('id', id, 'at', strftime('%Y-%m-%dT%H:%M:%fZ', at_millis / 1000.0, 'unixepoch'), 'type', type,
  'visitor_id', visitor_id, 'conversation_id', conversation_id, 'data', json(data))
  FROM events WHERE workspace_id = 'WORKSPACE' AND at_millis < BEFORE ORDER BY at_millis, id`;

/** Excludes events of boots during the measurement. */
const getEndMillis = (rows: number): number => START + rows * 20;

async function readPrinted(dataDir: string, workspaceId: string, beforeMillis: number): Promise<Read> {
  const query = PRINTED.replace('WORKSPACE', workspaceId).replace('BEFORE', `${beforeMillis}`);
  const [command, ...args] = onCores('servers', [
    'sqlite3',
    '-readonly',
    join(dataDir, 'guidepost.db'),
    query,
  ]);
  const startedAt = performance.now();
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return countLines(child.stdout, startedAt);
}

/** Reads rows with better-sqlite3 in this process if the sqlite3 command is missing. */
function readIterated(dataDir: string, workspaceId: string, beforeMillis: number): Read {
  const query = PRINTED.replace('WORKSPACE', workspaceId).replace('BEFORE', `${beforeMillis}`);
  const db = new SqliteDatabase(join(dataDir, 'guidepost.db'), { readonly: true });
  const startedAt = performance.now();
  let [rows, bytes] = [0, 0];
  for (const line of db.prepare(query).pluck().iterate() as Iterable<string>) {
    rows += 1;
    bytes += Buffer.from(`${line}\n`).length;
  }
  db.close();
  return { rows, bytes, seconds: (performance.now() - startedAt) / 1000 };
}

async function countLines(stream: Readable, startedAt: number): Promise<Read> {
  let [rows, bytes] = [0, 0];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1;
  }
  return { rows, bytes, seconds: (performance.now() - startedAt) / 1000 };
}

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    sources: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) {
  process.stdout.write(help);
} else {
  try {
    process.stdout.write(table(await main(Number(options.rows), Number(options.rounds), options.sources)));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
