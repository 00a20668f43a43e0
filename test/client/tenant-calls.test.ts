import { afterAll, afterEach, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { type Article, type ArticleSummary, createTenant, type Tenant } from '../../client/sdk/index.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import { catchError, collect, join } from './colleagues.ts';
import { errorResponse, hangUp, json, openScriptedServer, type ScriptedServer } from './scripted-server.ts';

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
const seen = { id: 'art_1', revision: 3 };
const ARTICLE = '/api/tenants/ws_1/knowledge/articles/art_1';
const content = { title: 'Title', answer: 'Text.' };

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

test('a list fetches no more after its loop is left', async () => {
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
  const asked = scripted.articles.read('art_1', { signal: AbortSignal.timeout(50) });
  expect(await catchError(asked)).toMatchObject({ code: 'aborted' });
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
    ['/api/tenants/ws_1/invitations', () => scripted.invitations.create({ email: 'a@b.c', role: 'member' })],
  ] as const) {
    server.answer(path, hangUp);
    const before = server.at(path).length;
    expect(await catchError(change()), path).toMatchObject({ code: 'network' });
    expect(server.at(path).length, path).toBe(before + 1);
  }
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
