import { appendFileSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import type { BootReply } from '../../contract/boot.ts';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { openService, type Service } from '../../server/app.ts';
import type { Clock } from '../../server/base/clock.ts';
import { newId } from '../../server/base/ids.ts';
import type { Overrides } from '../../server/dependencies.ts';
import type { Engine } from '../../server/engine/engine.ts';
import { type Config, readConfig } from '../../server/settings/config.ts';
import type { Speech } from '../../server/speech/speech.ts';
import type { WorkspaceSettings } from '../../server/storage/workspace-settings.ts';
import type { Workspace } from '../../server/storage/workspaces.ts';
import { openKeyRing } from '../../server/tokens/key-ring.ts';
import { createVisitorIds } from '../../server/tokens/visitor-token.ts';
import { recordTraffic } from '../contract-validation/exchange.ts';
import { dropCluster, endWindowsEarlier, onCluster, toCluster } from './cluster/harness-cluster.ts';
import { placeMigrated } from './database-file.ts';
import { importSeeds, SETTINGS, type Seed, seeds } from './seeds.ts';
import { tempDir } from './temp-dir.ts';

/**
 * Opens a real server on a free port, with a real database and a clock that tests move. The database is a file; in the
 * `cluster-http` project, it is PostgreSQL beside Redis.
 */

let offsetMillis = 0;
let stoppedAt: number | undefined;
const realNow = Date.now.bind(Date);
// Libraries call Date.now too. The clock only goes forward, for all files of a process.
Date.now = () => stoppedAt ?? realNow() + offsetMillis;

type TestClock = Clock & {
  advance(millis: number): void;
  /** Until `resume`, only `advance` moves the clock, so windows do not end while a busy machine sends requests. */
  stop(): void;
  resume(): void;
};

export const clock: TestClock = {
  now: () => Date.now(),
  advance(millis) {
    if (stoppedAt === undefined) offsetMillis += millis;
    else stoppedAt += millis;
    endWindowsEarlier(millis);
  },
  stop() {
    stoppedAt = Date.now();
  },
  resume() {
    offsetMillis = Date.now() - realNow();
    stoppedAt = undefined;
  },
};

export const ORIGIN = 'https://shop.example.com';
export const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

type LogLine = {
  operation?: string;
  error?: string;
  [field: string]: unknown;
};

export type HarnessOptions = {
  /** Environment variables of the service. */
  env?: Readonly<Record<string, string>>;
  settings?: Partial<WorkspaceSettings>;
  articles?: readonly Seed[];
  engine?: Engine;
  speech?: Speech;
  timeouts?: Overrides['timeouts'];
  /** The address of Notion's API. */
  notionUrl?: string;
  /** The folder of an earlier harness, to open a second server on it. */
  dataDir?: string;
};

export type Harness = {
  baseUrl: string;
  config: Config;
  service: Service;
  dataDir: string;
  /** Environment of another program on the same database. */
  env: Readonly<Record<string, string>>;
  origin: string;
  workspace: Workspace;
  appId: string;
  clock: typeof clock;
  logged: readonly LogLine[];
  /** Fetches as a page of the workspace's site. */
  fetch(path: string, init?: RequestInit & { json?: unknown }): Promise<Response>;
  boot(
    body?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<BootReply & { jwt: string }>;
  /** Sends a chat message and returns all events of the answer. */
  ask(jwt: string, body?: Record<string, unknown>, headers?: Record<string, string>): Promise<ChatEvent[]>;
  addWorkspace(settings?: Partial<WorkspaceSettings>): Promise<Workspace>;
  /** Turns the kill switch on or off, and lets the server see it. */
  pause(on?: boolean): Promise<void>;
  /** Returns the visitor's pseudonym in the data of the workspace. */
  pseudonym(visitor: { visitor_id: string }): string;
  /** Closes the server and opens another on the same folder. */
  restart(): Promise<Harness>;
  /** Opens a server on a copy of the folder, which simulates a crash at this moment. */
  afterCrash(): Promise<Harness>;
  close(): Promise<void>;
};

/** Only tests of a locked database wait this long. A busy machine must not make tests shed load. */
const DEFAULTS = {
  PORT: '0',
  GUIDEPOST_DEMO: 'off',
  // Tests of meaning turn it on: embedding every text would make all others slower.
  EMBEDDINGS: 'off',
  DATABASE_WAIT_MILLIS: '1500',
  LOOP_DELAY_MILLIS_MAX: '60000',
};

export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  const dataDir = options.dataDir ?? tempDir();
  const env = onCluster ? await toCluster(dataDir) : {};
  const config = readConfig({ ...DEFAULTS, ...env, DATA_DIR: dataDir, ...options.env });
  if (options.dataDir === undefined && !config.database.postgres) await placeMigrated(config.database.file);
  const logged: LogLine[] = [];
  const service = await openService(config, {
    clock,
    log: pino({ level: 'info' }, logInto(logged)),
    resolveName: failToResolve,
    resolveTexts,
    ...(options.engine ? { engine: options.engine } : {}),
    ...(options.speech ? { speech: options.speech } : {}),
    services: { intervalMillis: 0, ...(options.notionUrl ? { notionUrl: options.notionUrl } : {}) },
    ...(options.timeouts ? { timeouts: options.timeouts } : {}),
  });
  recordTraffic(service.server);
  // Only clients close idle connections: a request on a connection that the server closes meanwhile would fail.
  service.server.keepAliveTimeout = 0;
  const port = await service.listen();
  const baseUrl = `http://127.0.0.1:${port}`;
  const known = (await service.store.workspaces.list())[0];
  const workspace = known ?? (await createWorkspace(service, options.settings));
  if (!known) await importSeeds(service.store, workspace.id, options.articles ?? seeds);

  return {
    baseUrl,
    config,
    service,
    dataDir,
    env,
    origin: ORIGIN,
    workspace,
    appId: workspace.appId,
    clock,
    logged,
    ...createRequests(baseUrl, workspace.appId),
    addWorkspace: (settings) => createWorkspace(service, settings),
    async pause(on = true) {
      await service.store.featureFlags.set('kill_switch', on, clock.now());
      clock.advance(1_000);
    },
    pseudonym: (visitor) => pseudonymIn(dataDir, workspace.id, visitor.visitor_id),
    async restart() {
      await service.close();
      return openHarness({ ...options, dataDir });
    },
    async afterCrash() {
      const copy = tempDir();
      cpSync(dataDir, copy, { recursive: true });
      return openHarness({ ...options, dataDir: copy });
    },
    async close() {
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
      await dropCluster(dataDir);
    },
  };
}

/** Rejects DNS look-ups at once: without a name server, each would take seconds. */
const failToResolve = (name: string) =>
  Promise.reject(Object.assign(new Error(`${name} has no address in tests`), { code: 'ENOTFOUND' }));

/** TXT records by name, for all harnesses of a process. */
export const txtRecords = new Map<string, string>();

/** Returns records as name servers do: in parts, and beside others. */
async function resolveTexts(name: string) {
  const record = txtRecords.get(name);
  return record === undefined
    ? failToResolve(name)
    : [['v=spf1 -all'], [record.slice(0, 9), record.slice(9)]];
}

/** Returns functions that send requests as pages of the workspace's site do. */
function createRequests(baseUrl: string, appId: string): Pick<Harness, 'fetch' | 'boot' | 'ask'> {
  const send: Harness['fetch'] = (path, { json, headers, ...init } = {}) =>
    fetch(`${baseUrl}${path}`, {
      method: json === undefined ? 'GET' : 'POST',
      ...init,
      headers: {
        origin: ORIGIN,
        'user-agent': USER_AGENT,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(headers as Record<string, string>),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  return {
    fetch: send,
    async boot(body = {}, headers = {}) {
      const response = await send('/boot', {
        json: { app_id: appId, origin: ORIGIN, path: '/', ...body },
        headers,
      });
      if (response.status !== 200)
        throw new Error(`boot answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as BootReply & { jwt: string };
    },
    async ask(jwt, body = {}, headers = {}) {
      const response = await send('/chat', {
        json: question(body),
        headers: { authorization: `Bearer ${jwt}`, ...headers },
      });
      if (response.status !== 200)
        throw new Error(`chat answered ${response.status}: ${await response.text()}`);
      return eventsOf(await response.text());
    },
  };
}

/** Returns the visitor's pseudonym in the data of a workspace. */
export function pseudonymIn(dataDir: string, workspaceId: string, browserId: string): string {
  const ids = createVisitorIds(openKeyRing(dataDir, [], clock.now()).visitorIdKey);
  const known = ids.recognize(workspaceId, browserId);
  if (!known) throw new Error(`${browserId} is no visitor of ${workspaceId}`);
  return known.visitorId;
}

/** Returns a complete body for POST /chat, with the given fields replaced. */
export function question(body: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    message: 'How do I reset my password?',
    dom_digest: 'main > h1 Account',
    conversation_id: 'conv-of-a-test',
    turn_idx: 0,
    url: `${ORIGIN}/account?step=1`,
    ...body,
  };
}

export function eventsOf(stream: string): ChatEvent[] {
  return stream
    .split('\n\n')
    .map((block) => block.split('\n').find((line) => line.startsWith('data: ')))
    .filter((line) => line !== undefined)
    .map((line) => JSON.parse(line.slice('data: '.length)) as ChatEvent);
}

export const textOf = (events: readonly ChatEvent[]) =>
  events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');

async function createWorkspace(
  service: Service,
  settings: Partial<WorkspaceSettings> = {},
): Promise<Workspace> {
  const id = newId('ws');
  const appId = `gp_${id.slice(-12)}`;
  await service.store.workspaces.create({
    id,
    appId,
    name: 'A shop',
    settings: {
      ...SETTINGS,
      allowedOrigins: [ORIGIN, 'https://*.shop.example.com'],
      suggestions: ['How do I reset my password?'],
      ...settings,
    },
    createdAt: clock.now(),
  });
  return (await service.store.workspaces.find(id))!;
}

/** Collects log lines, and records each error for error-coverage.ts. */
function logInto(lines: LogLine[]): Writable {
  const folder = process.env.ERRORS_SEEN_DIR;
  const file = folder ? join(folder, `${process.pid}.txt`) : undefined;
  const written = new Set<string>();
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const text of chunk.toString().split('\n')) {
        if (text === '') continue;
        const line = JSON.parse(text) as LogLine;
        lines.push(line);
        const seen = `${line.operation} ${line.error}`;
        if (!file || !line.error || written.has(seen)) continue;
        written.add(seen);
        appendFileSync(file, `${seen}\n`);
      }
      done();
    },
  });
}
