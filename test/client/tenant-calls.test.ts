import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import {
  type Account,
  type Article,
  type ArticleSummary,
  createAccount,
  createExporter,
  createGuide,
  createTenant,
  type SessionState,
  type Tenant,
  type TenantUsage,
} from '../../client/sdk/index.ts';
import type { JsonOperation } from '../../client/sdk/operations.ts';
import { archiveLine } from '../../contract/archive-line.ts';
import * as operations from '../../generated/routes.ts';
import type { Operation, Operations } from '../../generated/types.ts';
import { openTeam, type Team } from '../support/team.ts';
import { catchError, collect, join } from './colleagues.ts';
import {
  errorResponse,
  hangUp,
  json,
  openScriptedServer,
  type Responder,
  type ScriptedServer,
} from './scripted-server.ts';

const seen = { id: 'art_1', revision: 3 };
const ARTICLE = '/api/tenants/ws_1/knowledge/articles/art_1';
const content = { title: 'Title', answer: 'Text.' };

describe('calls of a tenant', () => {
  let team: Team;
  let real: Tenant;
  beforeAll(async () => {
    team = await openTeam({ articles: [] });
    real = (await join(team, 'owner')).account.tenant(team.workspace.id);
    for (let n = 1; n <= 7; n++) await real.articles.create({ title: `Article ${n}`, answer: 'Text.' });
  });
  afterAll(() => team.close());

  let server: ScriptedServer;
  let scripted: Tenant;
  beforeEach(async () => {
    server = await openScriptedServer();
    scripted = createTenant({ baseUrl: server.baseUrl, tenantId: 'ws_1' });
  });
  afterEach(() => server.close());

  const fetched = (operation: string) =>
    team.harness.logged.filter((line) => line.operation === operation).length;

  test('a list iterates over all rows, page by page', async () => {
    const before = fetched('listArticles');
    const list = real.articles.list({ limit: 3 });
    expect(fetched('listArticles')).toBe(before);
    const titles = (await collect(list)).map((article) => article.title);
    expect(titles).toEqual([7, 6, 5, 4, 3, 2, 1].map((n) => `Article ${n}`));
    expect(fetched('listArticles')).toBe(before + 3);
    expect(await collect(list)).toHaveLength(7);
    expect(await collect(real.articles.list({ q: 'Article 4', status: 'draft' }))).toHaveLength(1);
    expect(await collect(real.articles.list({ q: undefined, status: 'published' }))).toEqual([]);
  });

  test('a list stops fetching when its loop is left early', async () => {
    const before = fetched('listArticles');
    for await (const article of real.articles.list({ limit: 2 })) {
      expectTypeOf(article).toEqualTypeOf<ArticleSummary>();
      if (article.title === 'Article 6') break;
    }
    expect(fetched('listArticles')).toBe(before + 1);
  });

  test('list.page() returns single pages', async () => {
    const list = real.articles.list({ limit: 4 });
    const first = await list.page();
    const second = await list.page(first.nextCursor);
    expect([first.data.length, second.data.length]).toEqual([4, 3]);
    expect(second.nextCursor).toBeUndefined();
    expect(await catchError(list.page('nonsense'))).toMatchObject({ code: 'request/invalid' });
  });

  test('a signal ends a list within a page, and a call that has no response yet', async () => {
    const ending = new AbortController();
    const rows: string[] = [];
    const reading = (async () => {
      for await (const { title } of real.articles.list({ signal: ending.signal })) {
        rows.push(title);
        if (rows.length === 2) ending.abort();
      }
    })();
    expect(await catchError(reading)).toMatchObject({ code: 'aborted' });
    expect(rows).toHaveLength(2);

    server.answer(ARTICLE, () => {});
    expectTypeOf<ReturnType<typeof scripted.articles.read>>().resolves.toEqualTypeOf<Article>();
    const pendingRead = scripted.articles.read('art_1', { signal: AbortSignal.timeout(50) });
    expect(await catchError(pendingRead)).toMatchObject({ code: 'aborted' });
  });

  test('a list rejects when the service returns the same page again', async () => {
    server.answer('/api/tenants/ws_1/members?cursor=a', json({ data: [], nextCursor: 'a' }));
    server.answer('/api/tenants/ws_1/members', json({ data: [], nextCursor: 'a' }));
    expect(await catchError(collect(scripted.members.list()))).toMatchObject({ code: 'protocol' });
  });

  test('reads are repeated over a broken connection, changes with an unknown outcome never', async () => {
    server.answer(ARTICLE, hangUp, json({ id: 'art_1' }));
    expect(await scripted.articles.read('art_1')).toEqual({ id: 'art_1' });
    for (const [path, change] of [
      [ARTICLE, () => scripted.articles.edit(seen, content)],
      [`${ARTICLE}/publish`, () => scripted.articles.publish(seen)],
      ['/api/tenants/ws_1', () => scripted.settings.change({ name: 'New' })],
    ] as const) {
      server.answer(path, hangUp);
      const before = server.at(path).length;
      expect(await catchError(change()), path).toMatchObject({ code: 'network' });
      expect(server.at(path).length, path).toBe(before + 1);
    }
  });

  test('creating calls are repeated over a broken connection with the same Idempotency-Key', async () => {
    const path = '/api/tenants/ws_1/invitations';
    server.answer(path, hangUp, json({ id: 'inv_1' }, 201));
    await scripted.invitations.create({ email: 'a@b.c', role: 'member' });
    const keys = server.at(path).map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/./), keys[0]]);
  });

  test('changes are repeated after 503, but not the deletion of a workspace', async () => {
    const busy = errorResponse(503, 'storage/unavailable', {}, { 'retry-after': '0' });
    server.answer(ARTICLE, busy, json({ id: 'art_1' }));
    await scripted.articles.edit(seen, content);
    expect(server.at(ARTICLE)[1]).toMatchObject({ method: 'PUT', body: { ...content, baseRevision: 3 } });

    const deletion = '/api/tenants/ws_1?confirmName=Shop%20%26%20Sons';
    server.answer(deletion, busy);
    expect(await catchError(scripted.settings.delete('Shop & Sons'))).toMatchObject({ status: 503 });
    expect(server.at(deletion)).toHaveLength(1);
  });

  test('an id that would change the path is never sent', async () => {
    for (const id of ['', '.', '..'])
      expect(await catchError(scripted.articles.delete(id))).toMatchObject({ code: 'request/invalid' });
    expect(server.received).toEqual([]);
    await catchError(scripted.articles.delete('../../members/mem_1'));
    expect(server.received[0]?.path).toBe('/api/tenants/ws_1/knowledge/articles/..%2F..%2Fmembers%2Fmem_1');
  });
});

type AnyCall = (operation: Operation, input: object) => Promise<unknown>;

describe('operations', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await openScriptedServer();
  });
  afterEach(() => server.close());

  function openCalls(): Record<string, AnyCall> {
    const { baseUrl } = server;
    const account = createAccount({ baseUrl });
    const exporter = createExporter({ baseUrl, apiKey: 'pk_live_x' });
    return {
      '/api/tenants/:tenantId': account.tenant('ws_1').call as AnyCall,
      '/api/export/': exporter.call as AnyCall,
      '/api/': account.call as AnyCall,
    };
  }

  test('call() sends every dashboard and export operation of the contract with its path and method', async () => {
    const calls = Object.entries(openCalls());
    for (const operation of Object.values(operations)) {
      const call = calls.find(([prefix]) => operation.path.startsWith(prefix))?.[1];
      if (!call) continue;
      const names = Array.from(operation.path.matchAll(/:(\w+)/g), ([, name]) => name!);
      const params = Object.fromEntries(
        names.filter((name) => name !== 'tenantId').map((name) => [name, 'x 1']),
      );
      const path = operation.path.replace(':tenantId', 'ws_1').replaceAll(/:\w+/g, 'x%201');
      server.answer(path, json({}));
      await call(operation, { params });
      expect(server.at(path).at(-1), path).toMatchObject({ method: operation.method });
    }
  });

  test('every operation that answers in JSON has a client that can call it', () => {
    type Streams = {
      [Id in keyof Operations]: Operations[Id] extends { reply: unknown } ? never : Id;
    }[keyof Operations];
    type Callable = JsonOperation<'none' | 'session'> | JsonOperation<'visitor'> | JsonOperation<'api-key'>;
    expectTypeOf<Exclude<keyof Operations, Callable>>().toEqualTypeOf<Streams>();
  });

  test('call() infers the parameters, query, body and reply of an operation', () => {
    const account = createAccount({ baseUrl: server.baseUrl });
    const tenant = account.tenant('ws_1');
    const check = () => {
      expectTypeOf(tenant.call(operations.readUsage)).resolves.toEqualTypeOf<TenantUsage>();
      expectTypeOf(account.call(operations.readSession)).resolves.toEqualTypeOf<SessionState>();
      tenant.call(operations.changeMemberRole, { params: { memberId: 'mem_1' }, body: { role: 'admin' } });
      tenant.call(operations.readAnalytics, { query: { from: new Date(), by: 'day' } });
      tenant.list(operations.listArticles, { query: { q: 'return' } });
      // @ts-expect-error The body is missing.
      tenant.call(operations.changeMemberRole, { params: { memberId: 'mem_1' } });
      // @ts-expect-error `readSession` is not an operation of a workspace.
      tenant.call(operations.readSession);
      // @ts-expect-error A page with a visitor has no session.
      createGuide({ baseUrl: '', appId: 'gp_x' }).call(operations.readUsage);
      // @ts-expect-error `readUsage` does not return pages.
      tenant.list(operations.readUsage);
    };
    expect(check).toBeTypeOf('function');
  });

  test('list() goes through the pages of any list operation', async () => {
    const page = (data: object[], nextCursor?: string) =>
      json({ data, ...(nextCursor ? { nextCursor } : {}) });
    server.answer('/api/tenants/ws_1/members?limit=1', page([{ id: 'mem_1' }], 'a'));
    server.answer('/api/tenants/ws_1/members?limit=1&cursor=a', page([{ id: 'mem_2' }]));
    const tenant = createAccount({ baseUrl: server.baseUrl }).tenant('ws_1');
    const ids = [];
    for await (const { id } of tenant.list(operations.listMembers, { query: { limit: 1 } })) ids.push(id);
    expect(ids).toEqual(['mem_1', 'mem_2']);
  });
});

describe('an export from a scripted server', () => {
  const EXPORT = '/api/tenants/ws_1/export';
  const END = { type: 'end', lines: 2 };

  let server: ScriptedServer;
  let tenant: Tenant;
  beforeEach(async () => {
    server = await openScriptedServer();
    tenant = createTenant({ baseUrl: server.baseUrl, tenantId: 'ws_1' });
  });
  afterEach(() => server.close());

  const download =
    (pieces: readonly string[], end: (response: ServerResponse) => unknown): Responder =>
    async (response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
      for (const piece of pieces) {
        response.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      end(response);
    };
  const whole = (response: ServerResponse) => response.end();

  test('tenant.export() yields each line as an object, however the bytes are cut', async () => {
    const text = '{"type":"audit","action":"über\\u2028"}\n{"type":"member"}\n';
    server.answer(EXPORT, download([...text, `${JSON.stringify(END)}\n`], whole));
    expect(await collect(tenant.export())).toEqual([
      { type: 'audit', action: 'über\u2028' },
      { type: 'member' },
      END,
    ]);
  });

  test('tenant.export() sends nothing before its loop starts, and rejects like other calls', async () => {
    server.answer(EXPORT, errorResponse(403, 'tenant/role_required'));
    const lines = tenant.export();
    expect(server.received).toEqual([]);
    expect(await catchError(lines.next())).toMatchObject({ code: 'tenant/role_required' });
  });

  test.for(['leaving the loop', 'the signal'] as const)(
    '%s ends the request of tenant.export()',
    async (how) => {
      let hungUp: Promise<unknown> | undefined;
      server.answer(EXPORT, (response) => {
        hungUp = new Promise((resolve) => response.on('close', resolve));
        return download(['{"type":"member"}\n'], () => {})(response, server.received[0]!);
      });
      const ending = new AbortController();
      const reading = (async () => {
        for await (const line of tenant.export({ signal: ending.signal })) {
          expect(line).toEqual({ type: 'member' });
          if (how === 'leaving the loop') break;
          ending.abort();
        }
        return 'left';
      })();
      if (how === 'leaving the loop') expect(await reading).toBe('left');
      else expect(await catchError(reading)).toMatchObject({ code: 'aborted' });
      await hungUp;
    },
  );

  test('tenant.export() rejects when the download is cut off in any way', async () => {
    const pieces = ['{"type":"member"}\n', '{"type":'];
    const cut = (response: ServerResponse) => response.socket?.destroy();
    for (const end of [whole, cut]) {
      server.answer(EXPORT, download(pieces, end));
      expect(await catchError(collect(tenant.export()))).toMatchObject({ code: 'network' });
    }
  });

  test('tenant.export() rejects with protocol when the response is not a download', async () => {
    for (const answer of [json({ type: 'end' }), download(['<html>\n'], whole)]) {
      server.answer(EXPORT, answer);
      expect(await catchError(collect(tenant.export()))).toMatchObject({ code: 'protocol' });
    }
  });
});

describe('an export from a real server', () => {
  let team: Team;
  let account: Account;
  let tenant: Tenant;
  beforeAll(async () => {
    team = await openTeam();
    ({ account } = await join(team, 'owner'));
    tenant = account.tenant(team.workspace.id);
  });
  afterAll(() => team.close());

  test('tenant.export() yields everything that the workspace owns, as the contract describes it', async () => {
    const rows = await collect(tenant.export());
    const lines = rows.map((row) => archiveLine.parse(row));
    expect(lines).toEqual(rows);
    expect(lines[0]).toMatchObject({ type: 'workspace', id: tenant.id });
    expect(lines.at(-1)).toEqual({ type: 'end', lines: lines.length - 1 });
    const articles = lines.filter((line) => line.type === 'article').map((line) => line.id);
    const listed = (await collect(tenant.articles.list())).map((article) => article.id);
    expect(articles.sort()).toEqual(listed.sort());
  });

  test('leaving the loop of tenant.export() stops the service', async () => {
    // More than the buffers between service and client can hold, of characters that are no words to be searched.
    for (let n = 0; n < 50; n++)
      await tenant.articles.create({ title: `Long ${n}`, answer: '…'.repeat(80_000) });
    const ended = new Promise<boolean>((resolve) => {
      team.harness.service.server.once('request', (_: IncomingMessage, response: ServerResponse) => {
        response.on('close', () => resolve(response.writableFinished));
      });
    });
    for await (const line of tenant.export()) if (line.type === 'article') break;
    expect(await ended).toBe(false);
  });

  test('settings.delete() deletes the workspace, and members who belong to no other', async () => {
    expect(await catchError(tenant.settings.delete('A shoppe'))).toMatchObject({
      code: 'tenant/name_mismatch',
    });
    await tenant.settings.delete('A shop');
    expect(await account.session()).toBeUndefined();
  });
});
