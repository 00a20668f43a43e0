import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../server/base/ids.ts';
import { makeKey } from '../support/export-client.ts';
import type { Harness } from '../support/harness.ts';
import { expectError } from '../support/response.ts';
import { getSample } from '../support/samples.ts';
import { joinAs, joinUnproved, type MemberClient, openTeam } from '../support/team.ts';
import { type FilledTeam, fill, openFilled, visit } from './installations.ts';

const WORD = 'canaryword';

let team: FilledTeam;
const nameOf = () => encodeURIComponent(`${WORD} the shop`);
const remove = () => team.owner.delete(`?confirmName=${nameOf()}`);

/** Creates an automation session with an `Idempotency-Key`. */
async function automate(): Promise<void> {
  const { harness, workspace, owner } = team;
  const response = await fetch(`${harness.baseUrl}/api/tenants/${workspace.id}/automation-sessions`, {
    method: 'POST',
    headers: {
      cookie: owner.cookie,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      'idempotency-key': 'once',
    },
    body: JSON.stringify({ name: `${WORD} pipeline`, role: 'admin', areas: ['articles'] }),
  });
  expect(response.status).toBe(201);
}

/** Returns the positions of a text in the database files. */
function findPositions(text: string): string[] {
  const file = team.harness.config.database.file;
  return [file, `${file}-wal`].filter((name) => readFileSync(name).includes(text));
}

/** Returns every table that contains one of these texts in a column. */
function tablesNaming(...texts: string[]): string[] {
  const database = new Database(team.harness.config.database.file, { readonly: true });
  const tables = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'passage_index%'`)
    .pluck()
    .all() as string[];
  const naming = tables.filter((table) => {
    const rows = JSON.stringify(database.prepare(`SELECT * FROM "${table}"`).all());
    return texts.some((text) => rows.includes(text));
  });
  database.close();
  return naming.sort();
}

/** Returns the tables with a workspace column. */
function ownedTables(): string[] {
  const database = new Database(team.harness.config.database.file, { readonly: true });
  const tables = database
    .prepare(
      `SELECT DISTINCT tables.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND columns.name = 'workspace_id'`,
    )
    .pluck()
    .all() as string[];
  database.close();
  return tables;
}

/** Inserts rows that a crawl keeps for the next one. */
function keepAddresses(): void {
  const database = new Database(team.harness.config.database.file);
  database
    .prepare(`INSERT INTO source_frontier SELECT id, ?, workspace_id, 1, 1 FROM source_runs LIMIT 1`)
    .run(`https://${WORD}.example/`);
  database.close();
}

/** Inserts a question whose visitor is not known. */
function keepQuestion(): void {
  const database = new Database(team.harness.config.database.file);
  database
    .prepare('INSERT INTO anonymous_questions VALUES (?, ?, 1, ?, ?, ?, ?, NULL, NULL)')
    .run(randomUUID(), team.workspace.id, WORD, WORD, 'en', '/');
  database.close();
}

/** Inserts a mail that waits. */
function keepMail(): void {
  const database = new Database(team.harness.config.database.file);
  database
    .prepare(`INSERT INTO mails VALUES (?, ?, NULL, 'invitation', 'en', ?, 'waiting', 0, 1, NULL, 1, ?)`)
    .run(newId('mail'), team.workspace.id, WORD, Number.MAX_SAFE_INTEGER);
  database.close();
}

function belongsElsewhereToo(userId: string): void {
  const database = new Database(team.harness.config.database.file);
  database
    .prepare('INSERT INTO members (id, workspace_id, user_id, role, created_at) VALUES (?, ?, ?, ?, ?)')
    .run(newId('mem'), team.elsewhere.id, userId, 'member', 1);
  database.close();
}

/** Leaves a provider with a domain and an identity. */
async function signInWithProvider(): Promise<void> {
  const { harness, owner: memberClient } = team;
  const { body, headers } = await getSample({ harness, memberClient } as never, 'finishProviderSignIn');
  const response = await harness.fetch('/api/session/provider/return', {
    json: body,
    headers: { ...headers, 'sec-fetch-site': 'same-origin' },
  });
  expect(response.status).toBe(200);
}

describe('deleting a workspace', () => {
  beforeEach(async () => {
    team = await openFilled(WORD);
    await joinUnproved(team.harness, team.workspace, 'unproved@shop.example');
    await automate();
    keepAddresses();
    keepQuestion();
    const webhook = { name: WORD, url: `https://${WORD}.example/hooks`, events: ['article.published'] };
    const { json } = await team.owner.post<{ id: string }>('/webhooks', webhook);
    await team.owner.post(`/webhooks/${json.id}/test`);
    keepMail();
    await team.owner.post('/customer-keys', { kind: 'secret' });
    await signInWithProvider();
    await team.owner.put('/help-domain', { domain: `help.${WORD}.example` });
    const { status } = await team.owner.put('/model', {
      provider: 'openai',
      baseUrl: `https://${WORD}.example/v1`,
      model: 'a-model',
      key: 'sk-of-a-test',
    });
    expect(status).toBe(200);
  });
  afterEach(() => team.close());

  it('leaves nothing of it in the database files', async () => {
    // Concurrent writes of other workspaces make rows share pages.
    const stranger = await joinAs(team.harness, team.elsewhere, 'owner');
    const base = `/api/tenants/${team.elsewhere.id}/knowledge/articles`;
    for (let round = 0; round < 8; round += 1) {
      await fill(team.harness, team.owner, `${WORD}${round}`);
      await stranger.post(base, { title: `Neighbour ${round}`, answer: 'The neighbour has lanterns too.' });
      team.harness.clock.advance(30_000);
    }
    await team.owner.patch('', { name: `${WORD} the shop` });
    const denied = await visit(team.harness, 'denied');
    await team.harness.ask(denied.jwt, {
      conversation_id: `conv-${WORD}-denied`,
      message: `${WORD} secretly`,
    });
    expect(tablesNaming(WORD, team.workspace.id).length).toBeGreaterThan(18);
    // Deferred writes are stored on the next tick.
    await team.harness.service.tick();
    expect(findPositions(WORD).length).toBeGreaterThan(0);
    const tables = ownedTables().filter((table) => table !== 'event_watermarks');
    expect(tablesNaming(team.workspace.id)).toEqual(expect.arrayContaining(tables));
    // Query planner statistics contain samples of stored values.
    const planner = new Database(team.harness.config.database.file);
    planner.exec('ANALYZE');
    planner.close();
    const { owner, visitorId, workspace } = team;
    const others = tablesNaming(team.elsewhere.id);

    const again = await team.signIn(owner);
    expect((await again.delete(`?confirmName=${nameOf()}`)).json).toEqual({ ok: true });

    for (const text of [
      WORD,
      workspace.id,
      workspace.appId,
      owner.userId,
      owner.memberId,
      visitorId,
      team.harness.pseudonym(denied),
    ]) {
      expect(findPositions(text), text).toEqual([]);
    }
    expect(
      tablesNaming(WORD, workspace.id, owner.userId, 'admin@shop.example', 'unproved@shop.example'),
    ).toEqual([]);
    expect(tablesNaming(team.elsewhere.id)).toEqual(others);
    const database = new Database(team.harness.config.database.file, { readonly: true });
    const tablesWithRows = ownedTables().filter((table) =>
      database.prepare(`SELECT 1 FROM "${table}" WHERE workspace_id = ?`).get(workspace.id),
    );
    database.close();
    expect(tablesWithRows).toEqual([]);
    const listed = await stranger.get<{ data: unknown[] }>(base);
    expect(listed.json.data).toHaveLength(8);
  });

  it('requires its exact name, and ends the sessions of users without another workspace', async () => {
    for (const name of ['another', `${WORD} The shop`, `${WORD} the shop `]) {
      const response = await team.owner.delete(`?confirmName=${encodeURIComponent(name)}`);
      expectError(response, 'tenant/name_mismatch');
    }
    expect((await team.owner.get('')).status).toBe(200);
    belongsElsewhereToo(team.as('member').userId);
    const response = await remove();
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
    expectError(await team.owner.get('/api/session'), 'session/unauthorized');
    expectError(await team.as('admin').get(''), 'session/unauthorized');
    expectError(await team.as('member').get(''), 'tenant/not_found');
    expect((await team.as('member').get(`/api/tenants/${team.elsewhere.id}`)).status).toBe(200);
  });

  it('rejects boot, turns and a second deletion at once', async () => {
    const { jwt } = await team.harness.boot();
    expect((await remove()).status).toBe(200);
    team.harness.clock.advance(2000);
    const { appId, origin } = team.harness;
    const boot = await team.harness.fetch('/boot', { json: { app_id: appId, origin, path: '/' } });
    expect(await boot.json()).toMatchObject({ error: 'boot/origin_not_allowed' });
    await expect(team.harness.ask(jwt)).rejects.toThrow('chat/unauthorized');
    expectError(await remove(), 'session/unauthorized');
  });

  it('continues after a restart', async () => {
    const { store } = team.harness.service;
    await store.workspaces.remove(team.workspace.id, team.harness.clock.now());
    await store.workspaces.purgeRemoved(team.harness.clock.now());
    const harness = await team.harness.restart();
    await harness.service.tick();
    expect(tablesNaming(WORD, team.workspace.id)).toEqual([]);
    expect(findPositions(WORD)).toEqual([]);
    await harness.service.close();
  });

  it('returns storage/unavailable while a reader holds the old state, and purges it later', async () => {
    const reader = new Database(team.harness.config.database.file, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM users').get();
    expectError(await remove(), 'storage/unavailable');
    expectError(await team.owner.get(''), 'session/unauthorized');
    expect(findPositions(WORD).length).toBeGreaterThan(0);
    reader.exec('COMMIT');
    reader.close();
    await team.harness.service.tick();
    expect(findPositions(WORD)).toEqual([]);
    expect(findPositions(team.workspace.id)).toEqual([]);
  });
});

describe('a download from a workspace', () => {
  const NAME = 'A shop';

  async function fillEvents({ service, workspace, clock }: Harness): Promise<void> {
    const { events } = service.store.in(workspace.id);
    for (let thousand = 0; thousand < 40; thousand += 1) {
      const rows = Array.from({ length: 1000 }, () => ({
        id: newId('evt'),
        atMillis: clock.now(),
        type: 'rate_limited' as const,
        data: { bucket: 'x'.repeat(64) },
      }));
      await events.append(rows);
    }
  }

  /** Reads the body to its end, running `meanwhile` after the first part. */
  async function readAround(harness: Harness, head: string, meanwhile: () => Promise<void>): Promise<string> {
    const socket = connect(Number(new URL(harness.baseUrl).port), '127.0.0.1');
    socket.write(`${head}\r\nhost: localhost\r\n\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    await meanwhile();
    let text = '';
    socket.setEncoding('utf8').on('error', () => undefined);
    for await (const part of socket) text += part;
    return text;
  }

  const deletion = (owner: MemberClient) => async () => {
    expect((await owner.delete(`?confirmName=${encodeURIComponent(NAME)}`)).status).toBe(200);
  };

  it.each(['events.ndjson', 'events.csv'])(
    'aborts an export (%s) when its workspace is deleted during the download',
    async (name) => {
      const team = await openTeam();
      const { harness } = team;
      await fillEvents(harness);
      const owner = await joinAs(harness, harness.workspace, 'owner', 'owner@deleted.example');
      const key = (await makeKey(harness)).text;
      const head = `GET /api/export/${name} HTTP/1.1\r\nx-api-key: ${key}`;
      const text = await readAround(harness, head, deletion(owner));
      expect(text).toContain('rate_limited');
      expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false);
      await team.close();
    },
    60_000,
  );

  it('aborts a workspace export when its workspace is deleted during the download', async () => {
    const team = await openTeam();
    const { harness } = team;
    await fillEvents(harness);
    const owner = await joinAs(harness, harness.workspace, 'owner', 'owner@deleted.example');
    const head = `GET /api/tenants/${harness.workspace.id}/export HTTP/1.1\r\ncookie: ${owner.cookie}`;
    const text = await readAround(harness, head, deletion(owner));
    expect(text).toContain('{"type":"workspace"');
    expect(text).not.toContain('{"type":"end"');
    // A complete chunked body ends with an empty chunk.
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false);
    await team.close();
  });
});
