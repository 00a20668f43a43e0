import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import { mcp } from '../../contract/mcp.ts';
import { createKey } from '../../server/accounts/api-keys.ts';
import { newId } from '../../server/base/ids.ts';
import { makeKey } from '../support/export-client.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { expectError, readResponse, type TestResponse } from '../support/response.ts';
import { importSeeds } from '../support/seeds.ts';
import { joinAs } from '../support/team.ts';
import { type Agent, connectAgent, type Found, readerKey, type Variant, VERSIONS } from './agent.ts';

let harness: Harness;
let key: Record<string, string>;
beforeAll(async () => {
  harness = await openHarness();
  key = await readerKey(harness);
});
afterAll(() => harness.close());

const message = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });

/** Sends a message without the official client. */
function send(json: unknown, headers: Record<string, string> = key): Promise<TestResponse> {
  return readResponse(harness.fetch('/mcp', { json, headers }));
}

describe.each(VERSIONS)('an agent of version %j', (version) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connectAgent(harness, key, version);
  });
  afterAll(() => agent.client.close());

  it('lists read-only tools, with schemas of their input and output', async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'list_languages',
      'read_article',
      'search_articles',
    ]);
    for (const { annotations, inputSchema, outputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
      expect(inputSchema.type).toBe('object');
      expect(outputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
    expect(agent.client.getServerVersion()).toMatchObject({
      name: 'guidepost',
      title: harness.workspace.name,
    });
  });

  it('finds articles in the language it asks for', async () => {
    const { found, articles } = await agent.call<Found>('search_articles', {
      query: 'Wie setze ich mein Passwort zurück?',
      locale: 'de',
    });
    expect(found).toBe(true);
    expect(articles[0]).toMatchObject({
      slug: 'reset-password',
      title: 'Passwort zurücksetzen',
      translation_id: expect.stringMatching(/^tr_/),
      requested_locale: 'de',
      content_locale: 'de',
      url: 'https://shop.example.com/help/reset-password',
      stale: false,
    });
    expect(articles[0]).not.toHaveProperty('fallback_reason');
    expect(articles[0]!.quotes.join(' ')).toContain('Öffnen Sie die Anmeldeseite');
  });

  it('returns at most the requested number of articles, and reports when none answers', async () => {
    const search = (query: string) => agent.call<Found>('search_articles', { query, limit: 1 });
    expect((await search('gift card order delivery')).articles).toHaveLength(1);
    expect((await search('zebra migration in winter')).found).toBe(false);
  });

  it('reads an article by id or slug, in the base language or the source where there is no other', async () => {
    const read = (article: string, locale: string) =>
      agent.call<Variant & { answer: string }>('read_article', { article, locale });
    const austrian = await read('reset-password', 'de-AT');
    expect(austrian).toMatchObject({
      requested_locale: 'de-AT',
      content_locale: 'de',
      fallback_reason: 'base_language',
    });
    const french = await read(austrian.article_id, 'fr');
    expect(french).toMatchObject({
      article_id: austrian.article_id,
      title: 'Reset your password',
      requested_locale: 'fr',
      content_locale: 'en',
      fallback_reason: 'source_article',
      answer: expect.stringContaining('Open the sign-in page'),
    });
    expect(french).not.toHaveProperty('translation_id');
  });

  it('lists languages with the number of their articles', async () => {
    expect(await agent.call('list_languages')).toEqual({
      languages: [
        { locale: 'de', articles: 2 },
        { locale: 'en', articles: 4 },
        { locale: 'pt-BR', articles: 1 },
      ],
    });
  });

  it('gets a tool error for a wrong article, locale or input, and can continue', async () => {
    const read = (input: Record<string, unknown>) => agent.call('read_article', input);
    await expect(read({ article: 'no-such-article' })).rejects.toThrow('There is no published article');
    await expect(read({ article: newId('art') })).rejects.toThrow('There is no published article');
    await expect(read({ article: 'gift-cards', locale: 'not a tag' })).rejects.toThrow('BCP 47');
    await expect(read({ article: 'gift-cards', surprise: 1 })).rejects.toThrow('surprise');
    await expect(agent.call('search_articles', { query: '' })).rejects.toThrow('query');
    expect(await read({ article: 'gift-cards' })).toMatchObject({ title: 'Gift cards' });
  });

  it('gets an error of the protocol for an unknown tool', async () => {
    await expect(agent.call('delete_article')).rejects.toThrow('delete_article');
  });

  it('finds nothing of another workspace', async () => {
    const { id } = await harness.addWorkspace();
    const slug = `secret-${newId('ws')}`;
    const answer = 'The secret handshake has seven steps.';
    const title = 'The secret handshake';
    await importSeeds(harness.service.store, id, [{ slug, locale: 'en', title, answer }]);
    const neighbour = await connectAgent(harness, await readerKey(harness, id), version);
    const neighbourArticle = await neighbour.call<Variant>('read_article', { article: slug });
    await expect(agent.call('read_article', { article: neighbourArticle.article_id })).rejects.toThrow(
      'no published',
    );
    await expect(agent.call('read_article', { article: slug })).rejects.toThrow('no published');
    const { articles } = await agent.call<Found>('search_articles', { query: 'secret handshake' });
    expect(articles.map(({ article_id }) => article_id)).not.toContain(neighbourArticle.article_id);
    expect(await neighbour.call('list_languages')).toEqual({ languages: [{ locale: 'en', articles: 1 }] });
    await neighbour.client.close();
  });
});

describe('an article', () => {
  it('is served as published: marked stale after a change, and never as a draft', async () => {
    const agent = await connectAgent(harness, key);
    const owner = await joinAs(harness, harness.workspace, 'owner');
    const { article_id } = await agent.call<Variant>('read_article', { article: 'return-an-order' });
    const path = `/knowledge/articles/${article_id}`;
    const { json } = await owner.get<{ revision: number }>(path);
    const text = { title: 'Return an order', answer: 'Returns are free within sixty days.', aliases: [] };
    const edited = await owner.put<{ revision: number }>(path, { baseRevision: json.revision, ...text });
    const read = (locale: string) => agent.call<Variant>('read_article', { article: article_id, locale });
    expect(await read('en')).toMatchObject({ answer: expect.stringContaining('thirty days') });
    const step = { baseRevision: edited.json.revision };
    const published = await owner.post<{ revision: number }>(`${path}/publish`, step);
    expect(await read('en')).toMatchObject({ answer: text.answer, stale: false });
    expect(await read('de')).toMatchObject({ content_locale: 'de', stale: true });
    await owner.post(`${path}/unpublish`, { baseRevision: published.json.revision });
    await expect(read('en')).rejects.toThrow('There is no published article');
    const { articles } = await agent.call<Found>('search_articles', { query: 'return an order' });
    expect(articles.map(({ article_id: id }) => id)).not.toContain(article_id);
    await agent.client.close();
  });

  it('is in the language of Accept-Language when the agent names none', async () => {
    const agent = await connectAgent(harness, { ...key, 'accept-language': 'pt-PT, de-AT;q=0.5' });
    expect(await agent.call('read_article', { article: 'reset-password' })).toMatchObject({
      requested_locale: 'pt-PT',
      content_locale: 'de',
      fallback_reason: 'base_language',
    });
    await agent.client.close();
  });
});

describe('POST /mcp', () => {
  it('rejects a missing key and one without the scope', async () => {
    const { text } = await makeKey(harness, ['analytics:read', 'events:read']);
    expectError(await send(message('tools/list'), {}), 'export/unauthorized');
    expectError(await send(message('tools/list'), { 'x-api-key': text }), 'export/insufficient_scope');
    await expect(connectAgent(harness, {})).rejects.toThrow();
    await expect(connectAgent(harness, { 'x-api-key': text })).rejects.toThrow('export/insufficient_scope');
  });

  it('rejects a key that has expired, or is used outside its networks', async () => {
    const { service, clock, workspace } = harness;
    const wanted = {
      workspaceId: workspace.id,
      name: 'Agent',
      scopes: ['knowledge:read'],
      createdBy: 'operator',
    } as const;
    const make = async (restriction: object) =>
      (await createKey({ store: service.store, clock }, { ...wanted, ...restriction })).text;
    const expired = await make({ expiresAt: clock.now() - 1 });
    const elsewhere = await make({ allowedNetworks: ['203.0.113.0/24'] });
    expectError(await send(message('ping'), { 'x-api-key': expired }), 'export/key_expired');
    expectError(await send(message('ping'), { 'x-api-key': elsewhere }), 'export/address_not_allowed');
  });

  it('accepts a key with its scope alone, which opens no other route', async () => {
    const { status } = await readResponse(harness.fetch('/api/export/events', { headers: key }));
    expect(status).toBe(403);
  });

  it('limits the requests of a key', async () => {
    harness.clock.stop();
    const own = await readerKey(harness);
    const { points } = BUCKETS['mcp/key-burst'];
    for (let sent = 0; sent < points; sent += 1) expect((await send(message('ping'), own)).status).toBe(200);
    const response = await send(message('ping'), own);
    expect(expectError(response, 'rate_limit/exceeded').bucket).toBe('mcp/key-burst');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send(message('ping'))).status).toBe(200);
    harness.clock.resume();
  });

  it('acknowledges a notification with 202 and no body', async () => {
    const response = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(response).toMatchObject({ status: 202, text: '' });
    expect(response.headers.get('content-type')).toBeNull();
  });

  it('responds in JSON whatever the client accepts, and creates no session', async () => {
    const response = await send(message('tools/list'), { ...key, accept: 'application/json' });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('mcp-session-id')).toBeNull();
    const { 200: reply } = mcp.sendMcpMessage.responses;
    expect(reply.parse(response.json)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  });

  it('has no streams, sessions or subscriptions', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await readResponse(harness.fetch('/mcp', { method, headers: key }));
      expectError(response, 'request/method_not_allowed');
      expect(response.headers.get('allow')).toBe('POST');
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const listen = message('subscriptions/listen', { _meta, notifications: { toolsListChanged: true } });
    const versioned = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    const answer = await send(listen, { ...key, ...versioned });
    expect(answer.json).toMatchObject({ id: 1, error: { message: 'Subscription limit reached' } });
  });

  it('rejects a batch, a reply and a body over the limit', async () => {
    expectError(await send([message('ping')]), 'request/invalid');
    expectError(await send({ jsonrpc: '2.0', id: 1, result: {} }), 'request/invalid');
    const { bodyBytesMax } = mcp.sendMcpMessage.metadata;
    const padding = 'x'.repeat(bodyBytesMax);
    expectError(await send(message('tools/call', { name: padding })), 'request/too_large');
  });

  it('returns errors of the protocol as JSON-RPC errors', async () => {
    expect((await send(message('no/such/method'))).json).toMatchObject({ id: 1, error: { code: -32601 } });
    const answer = await send(message('tools/list'), { ...key, 'mcp-protocol-version': '1999-01-01' });
    expect(answer).toMatchObject({ status: 400, json: { error: { code: expect.any(Number) } } });
  });

  it('returns 500 without details when a tool fails, and logs the cause', async () => {
    const failing = vi.spyOn(harness.service.store, 'in').mockImplementation(() => {
      throw new Error('the disk is on fire');
    });
    const response = await send(message('tools/call', { name: 'list_languages', arguments: {} }));
    failing.mockRestore();
    expectError(response, 'internal');
    expect(response.text).not.toContain('fire');
    expect(harness.logged).toContainEqual(
      expect.objectContaining({ operation: 'sendMcpMessage', status: 500, error: 'internal' }),
    );
    expect(harness.logged).toContainEqual(
      expect.objectContaining({ reason: expect.stringContaining('the disk is on fire') }),
    );
  });

  it('lists the use of a key in the audit', async () => {
    const { text, key: stored } = await makeKey(harness, ['knowledge:read']);
    await send(message('tools/list'), { 'x-api-key': text });
    const { audit } = harness.service.store.in(harness.workspace.id);
    const rowsOfKey = async () => (await audit.list(50)).filter(({ actor }) => actor === stored.id);
    await expect
      .poll(rowsOfKey)
      .toContainEqual(expect.objectContaining({ details: { operation: 'sendMcpMessage' } }));
  });
});
