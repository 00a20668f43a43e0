import { afterEach, beforeEach, expect, expectTypeOf, test } from 'vitest';
import {
  createAccount,
  createExporter,
  createGuide,
  type SessionState,
  type TenantUsage,
} from '../../client/sdk/index.ts';
import type { JsonOperation } from '../../client/sdk/operations.ts';
import * as operations from '../../generated/routes.ts';
import type { Operation, Operations } from '../../generated/types.ts';
import { json, openScriptedServer, type ScriptedServer } from './scripted-server.ts';

let server: ScriptedServer;
beforeEach(async () => {
  server = await openScriptedServer();
});
afterEach(() => server.close());

type AnyCall = (operation: Operation, input: object) => Promise<unknown>;

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
    // @ts-expect-error It is not an operation of a workspace.
    tenant.call(operations.readSession);
    // @ts-expect-error A page with a visitor has no session.
    createGuide({ baseUrl: '', appId: 'gp_x' }).call(operations.readUsage);
    // @ts-expect-error It does not return pages.
    tenant.list(operations.readUsage);
  };
  expect(check).toBeTypeOf('function');
});

test('list() goes through the pages of any list operation', async () => {
  const page = (data: object[], nextCursor?: string) => json({ data, ...(nextCursor ? { nextCursor } : {}) });
  server.answer('/api/tenants/ws_1/members?limit=1', page([{ id: 'mem_1' }], 'a'));
  server.answer('/api/tenants/ws_1/members?limit=1&cursor=a', page([{ id: 'mem_2' }]));
  const tenant = createAccount({ baseUrl: server.baseUrl }).tenant('ws_1');
  const ids = [];
  for await (const { id } of tenant.list(operations.listMembers, { query: { limit: 1 } })) ids.push(id);
  expect(ids).toEqual(['mem_1', 'mem_2']);
});
