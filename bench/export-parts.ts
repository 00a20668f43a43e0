/** What the measurement of the export is made of: a database full of events, the service under watch, and readers that count. */
import { type ChildProcess, spawn } from 'node:child_process';
import { get } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { newId } from '../server/ids.ts';
import { openSqlite } from '../server/storage/sqlite/open.ts';
import { hashSecret, makeApiKey } from '../server/tokens/api-key.ts';
import { onCores } from './target.ts';

const ROWS_A_COMMIT = 50_000;
const START = Date.UTC(2026, 0, 1);

/** Puts that many events into the only workspace of the folder, and makes a key for it. */
export async function fillEvents(
  folder: string,
  rows: number,
): Promise<{ key: string; workspaceId: string }> {
  const file = join(folder, 'guidepost.db');
  const store = openSqlite({ file });
  const [workspace] = await store.workspaces.list();
  const workspaceId = workspace!.id;
  const { text, publicId, secret, lastFour } = makeApiKey();
  const id = newId('key');
  const made = {
    workspaceId,
    name: 'Bench',
    scopes: ['events:read'] as const,
    createdBy: 'operator',
    createdAt: START,
  };
  const audit = { id: newId('aud'), atMillis: START, actor: 'operator', subject: id, details: {} };
  await store
    .in(workspaceId)
    .apiKeys.create(
      { ...made, id, publicId, secretHash: hashSecret(secret), lastFour },
      { ...audit, action: 'api_key.created' },
    );
  await store.close();

  const db = new SqliteDatabase(file);
  db.pragma('synchronous = OFF');
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)');
  const commit = db.transaction((from: number) => {
    for (let row = from; row < Math.min(rows, from + ROWS_A_COMMIT); row += 1) {
      const { type, data } = KINDS[row % KINDS.length]!;
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
  for (let from = 0; from < rows; from += ROWS_A_COMMIT) commit(from);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return { key: text, workspaceId };
}

const KINDS: readonly { readonly type: string; readonly data: () => Record<string, unknown> }[] = [
  {
    type: 'boot',
    data: () => ({ path: '/pricing', region_code: 'US-TX', mode: 'opt_out', locale: 'en', returning: true }),
  },
  {
    type: 'turn',
    data: () => ({
      message_id: newId('msg'),
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

export type Watched = {
  readonly residentBytes: number;
  readonly peakBytes: number;
  readonly loopP99Millis: number;
  readonly loopMaxMillis: number;
};

export type WatchedService = {
  readonly port: number;
  /** What was seen since it was asked last. */
  report(): Promise<Watched>;
  stop(): Promise<void>;
};

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export async function startWatched(dataDir: string, fromSources: boolean): Promise<WatchedService> {
  const [command, ...words] = onCores('servers', [
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
    TRUSTED_PROXIES: 'loopback',
    NODE_ENV: 'production',
  };
  const child = spawn(command!, words, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const port = await portOf(child);
  return {
    port,
    report: () =>
      new Promise((resolve) => {
        child.once('message', (seen) => resolve(seen as Watched));
        child.send('report');
      }),
    stop: () =>
      new Promise((resolve) => {
        child.on('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr!.on('data', (text: Buffer) => {
      said += text;
      const found = /(?:listens|is listening) on http:\/\/[^\s]*:(\d+)/.exec(said);
      if (found) resolve(Number(found[1]));
    });
    child.on('exit', () => reject(new Error(`the service did not start:\n${said}`)));
  });
}

export type Read = { readonly rows: number; readonly bytes: number; readonly seconds: number };

export function readStream(port: number, key: string): Promise<Read> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const options = {
      port,
      host: '127.0.0.1',
      path: '/api/export/events.ndjson',
      headers: { 'x-api-key': key },
    };
    get(options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the stream answered ${response.statusCode}`));
      countLines(response, startedAt).then(resolve, reject);
    }).on('error', reject);
  });
}

/** The same rows as the same JSON, printed by the command line of SQLite. */
const PRINTED = `SELECT json_object('id', id, 'at', strftime('%Y-%m-%dT%H:%M:%fZ', at_millis / 1000.0, 'unixepoch'), 'type', type,
  'visitor_id', visitor_id, 'conversation_id', conversation_id, 'data', json(data))
  FROM events WHERE workspace_id = 'WORKSPACE' AND at_millis < BEFORE ORDER BY at_millis, id`;

/** Events of boots that come in meanwhile are not among them. */
export const printedBefore = (rows: number): number => START + rows * 20;

export async function readPrinted(dataDir: string, workspaceId: string, beforeMillis: number): Promise<Read> {
  const query = PRINTED.replace('WORKSPACE', workspaceId).replace('BEFORE', `${beforeMillis}`);
  const [command, ...words] = onCores('servers', [
    'sqlite3',
    '-readonly',
    join(dataDir, 'guidepost.db'),
    query,
  ]);
  const startedAt = performance.now();
  const child = spawn(command!, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  return countLines(child.stdout, startedAt);
}

/** Where there is no sqlite3: rows as an iterator gives them, in this process. */
export function readIterated(dataDir: string, workspaceId: string, beforeMillis: number): Read {
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
