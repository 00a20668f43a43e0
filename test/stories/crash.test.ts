import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import type { BootReply } from '../../contract/boot.ts';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { verifyChain } from '../../server/visitors/consent/consent-log.ts';
import { eventsOf, ORIGIN, pseudonymIn, question, USER_AGENT } from '../support/harness.ts';
import { seeds } from '../support/seeds.ts';

/**
 * A server and an import share a data folder; `kill -9` ends the server twice during two hundred turns.
 */

const TURNS = 200;
const root = new URL('../../', import.meta.url).pathname;
const dataDir = mkdtempSync(join(tmpdir(), 'guidepost-killed-'));
const env = {
  ...process.env,
  PORT: '0',
  DATA_DIR: dataDir,
  GUIDEPOST_DEMO: 'off',
  EMBEDDINGS: 'off',
  LOOP_DELAY_MILLIS_MAX: '60000',
  LOG_LEVEL: 'silent',
  // Each visitor has its own address, so that rate limits do not end the test early.
  TRUSTED_PROXIES: 'loopback',
};
const children = new Set<ChildProcess>();

function guidepost(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ['dist/guidepost.js', ...args], {
    cwd: root,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  children.add(child);
  return child;
}

function output(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    child.stdout!.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr!.on('data', (chunk) => {
      err += chunk;
    });
    child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`exit ${code}: ${err}`))));
  });
}

async function serve(): Promise<{ child: ChildProcess; baseUrl: string }> {
  const child = guidepost('serve');
  const baseUrl = await new Promise<string>((resolve, reject) => {
    let stderr = '';
    child.stderr!.on('data', (chunk) => {
      stderr += chunk;
      const address = /is listening on (\S+)/.exec(stderr)?.[1];
      if (address) resolve(address);
    });
    child.on('close', (code) => reject(new Error(`the server ended with ${code}: ${stderr}`)));
  });
  return { child, baseUrl };
}

async function hasEnded(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

let visitors = 0;
async function boot(baseUrl: string, appId: string): Promise<BootReply & { jwt: string }> {
  visitors += 1;
  const response = await fetch(`${baseUrl}/boot`, {
    method: 'POST',
    headers: {
      origin: ORIGIN,
      'user-agent': USER_AGENT,
      'content-type': 'application/json',
      'x-forwarded-for': `198.18.${visitors >> 8}.${visitors & 255}`,
    },
    body: JSON.stringify({ app_id: appId, origin: ORIGIN, path: '/' }),
  });
  return (await response.json()) as BootReply & { jwt: string };
}

const post = (baseUrl: string, path: string, jwt: string, json: unknown) =>
  fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { origin: ORIGIN, 'content-type': 'application/json', authorization: `Bearer ${jwt}` },
    body: JSON.stringify(json),
  });

describe('a server killed twice during two hundred turns', () => {
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('keeps everything it acknowledged and leaves nothing half-written or running', {
    timeout: 180_000,
  }, async () => {
    const createdWorkspace = guidepost(
      'workspace',
      'create',
      '--name',
      'A shop',
      '--domain',
      ORIGIN,
      '--owner-email',
      'o@shop.example.com',
      '--owner-password-stdin',
      '--json',
    );
    createdWorkspace.stdin!.end('a long and winding passphrase');
    const { app_id, tenant_id } = JSON.parse(await output(createdWorkspace)) as {
      app_id: string;
      tenant_id: string;
    };
    const file = join(dataDir, 'articles.jsonl');
    writeFileSync(file, seeds.map((seed) => JSON.stringify(seed)).join('\n'));
    await output(guidepost('knowledge', 'import', '--workspace', tenant_id, file));

    let server = await serve();
    const booted = await Promise.all(Array.from({ length: TURNS }, () => boot(server.baseUrl, app_id)));

    const more = Array.from({ length: 300 }, (_, index) => ({
      slug: `extra-${index}`,
      locale: 'en',
      title: `Extra topic ${index}`,
      answer: `This is what there is to say about extra topic ${index}. It is short.`,
    }));
    writeFileSync(join(dataDir, 'more.jsonl'), more.map((line) => JSON.stringify(line)).join('\n'));
    const importing = output(
      guidepost('knowledge', 'import', '--workspace', tenant_id, join(dataDir, 'more.jsonl'), '--json'),
    );

    const ended = new Map<string, { text: string }>();
    const recorded = new Set<string>();
    let finished = 0;
    const turn = async ({ jwt, visitor_id }: BootReply & { jwt: string }, index: number) => {
      const { baseUrl, child } = server;
      const url = `${ORIGIN}/`;
      const decided = await post(baseUrl, '/consent', jwt, {
        visitor_id,
        url,
        copy_version: '1',
        at: Date.now(),
        decision: 'accepted',
      });
      if (((await decided.json()) as { recorded: boolean }).recorded)
        recorded.add(pseudonymIn(dataDir, tenant_id, visitor_id));
      const answered = await post(baseUrl, '/chat', jwt, question({ conversation_id: `conv-${index}` }));
      const events: ChatEvent[] = eventsOf(await answered.text());
      const start = events[0];
      if (events.at(-1)?.type !== 'message_end' || start?.type !== 'message_start') return;
      const text = events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
      ended.set(start.message_id, { text });
      finished += 1;
      // By then some turns have ended, some are running and some have not started.
      if (finished === TURNS / 5 || finished === TURNS / 2) child.kill('SIGKILL');
    };
    await Promise.allSettled(booted.slice(0, TURNS / 2).map(turn));
    server.child.kill('SIGKILL');
    await hasEnded(server.child);
    server = await serve();
    await Promise.allSettled(booted.slice(TURNS / 2).map((visitor, at) => turn(visitor, TURNS / 2 + at)));
    server.child.kill('SIGKILL');
    await hasEnded(server.child);
    expect(JSON.parse(await importing)).toMatchObject({ articles: 300, errors: 0 });
    expect(ended.size).toBeGreaterThanOrEqual(TURNS / 5);

    const database = new Database(join(dataDir, 'guidepost.db'), { readonly: true });
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
    database.close();
    const store = openSqlite({ file: join(dataDir, 'guidepost.db') });
    const here = store.in(tenant_id);
    for (const [messageId, { text }] of ended) {
      const turn = await here.conversations.findTurn(messageId);
      expect(turn).toMatchObject({ state: 'complete', answer: text });
    }
    for (const visitorId of recorded)
      expect(await here.consents.getCurrentDecision(visitorId)).toMatchObject({ decision: 'accepted' });
    const chain = await here.consents.chain(10_000);
    expect(chain.length).toBeGreaterThanOrEqual(recorded.size);
    expect(chain.map(({ position }) => position)).toEqual(chain.map((_, index) => index + 1));
    expect(await verifyChain(chain)).toMatchObject({ ok: true, count: chain.length });
    await store.close();

    const again = await serve();
    const after = new Database(join(dataDir, 'guidepost.db'), { readonly: true });
    expect(after.prepare("SELECT count(*) FROM turns WHERE state = 'running'").pluck().get()).toBe(0);
    after.close();
    const { jwt } = await boot(again.baseUrl, app_id);
    const turnEvents = eventsOf(
      await (await post(again.baseUrl, '/chat', jwt, question({ conversation_id: 'after' }))).text(),
    );
    expect(turnEvents.at(-1)?.type).toBe('message_end');
  });
});
