import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectError, readResponse } from '../support/response.ts';
import { openTeam, type Team } from '../support/team.ts';

const ARTICLE = { slug: 'gifts', title: 'Gift wrapping', answer: 'Choose gift wrapping at the checkout.' };

describe('Idempotency-Key', () => {
  let team: Team;
  beforeEach(async () => {
    team = await openTeam();
  });
  afterEach(() => team.close());

  const post = (path: string, json: object, key: string, who: 'owner' | 'admin' = 'owner') =>
    readResponse<{ id: string }>(
      fetch(`${team.harness.baseUrl}/api/tenants/${team.workspace.id}${path}`, {
        method: 'POST',
        headers: {
          cookie: team.as(who).cookie,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(json),
      }),
    );
  const create = (key: string, changes: object = {}, who?: 'owner' | 'admin') =>
    post('/knowledge/articles', { ...ARTICLE, ...changes }, key, who);
  const count = async () =>
    (
      await team.as('owner').get<{ data: { slug: string }[] }>('/knowledge/articles?q=wrapping')
    ).json.data.filter(({ slug }) => slug.startsWith('gift')).length;

  it('returns the first response for a repeated request, and creates one article', async () => {
    const first = await create('push-1');
    expect(first.status).toBe(201);
    expect(await create('push-1')).toMatchObject({ status: 201, json: first.json });
    expect(await count()).toBe(1);
    expectError(await create('push-2'), 'article/slug_taken');
  });

  it('creates one article for requests at the same time', async () => {
    const { slug: _, ...unnamed } = ARTICLE;
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => post('/knowledge/articles', unnamed, 'at-once')),
    );
    const created = responses.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ json }) => json.id)).size).toBe(1);
    for (const other of responses.filter(({ status }) => status !== 201))
      expectError(other, 'request/in_progress');
    expect(await count()).toBe(1);
  });

  it('rejects another payload or another operation with the same key', async () => {
    const { id } = (await create('push-1')).json;
    expectError(await create('push-1', { title: 'Another' }), 'request/idempotency_mismatch');
    const german = { locale: 'de', title: 'Geschenke', answer: 'An der Kasse.' };
    expectError(
      await post(`/knowledge/articles/${id}/translations`, german, 'push-1'),
      'request/idempotency_mismatch',
    );
  });

  it('separates the keys of different sessions', async () => {
    await create('push-1');
    expectError(await create('push-1', {}, 'admin'), 'article/slug_taken');
  });

  it('does not store failures', async () => {
    await create('push-1');
    expectError(await create('push-2'), 'article/slug_taken');
    const { data } = (
      await team.as('owner').get<{ data: { id: string; slug: string }[] }>('/knowledge/articles?q=wrapping')
    ).json;
    await team.as('owner').delete(`/knowledge/articles/${data.find(({ slug }) => slug === 'gifts')!.id}`);
    expect((await create('push-2')).status).toBe(201);
  });

  it('does not store secrets, and reports that the request succeeded', async () => {
    const key = { name: 'Report', scopes: ['events:read'] };
    expect((await post('/api-keys', key, 'key-1')).status).toBe(201);
    expectError(await post('/api-keys', key, 'key-1'), 'request/already_done');
    const { data } = (await team.as('owner').get<{ data: unknown[] }>('/api-keys')).json;
    expect(data).toHaveLength(1);
  });
});
