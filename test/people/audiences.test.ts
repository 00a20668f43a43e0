import { type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CUSTOMER_LIMITS } from '../../contract/limits/customers.ts';
import type { PreviewReply } from '../../contract/preview.ts';
import { newId } from '../../server/base/ids.ts';
import { HELP_CENTRE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { connectAgent, readerKey, VERSIONS } from '../mcp/agent.ts';
import { ORIGIN } from '../support/harness.ts';
import { expectError, readResponse } from '../support/response.ts';
import { importSeeds, seeds } from '../support/seeds.ts';
import { openTeam, type Team } from '../support/team.ts';

/** Articles for some customers, which nobody else gets to see by any route. */

const ATTRIBUTES = [
  { name: 'plan', type: 'one_of', values: ['pro', 'team'] },
  { name: 'beta', type: 'boolean' },
  { name: 'region', type: 'text' },
];
const QUESTION = 'How do I use the wholesale zanzibar portal?';

let team: Team;
let secret: string;
beforeEach(async () => {
  team = await openTeam({
    articles: [],
    settings: { helpCentre: { ...HELP_CENTRE_DEFAULTS, enabled: true } },
  });
  await team.as('admin').patch('', { customerAttributes: ATTRIBUTES });
  const created = await team.as('admin').post<{ secret: string }>('/customer-keys', { kind: 'secret' });
  secret = created.json.secret;
});
afterEach(() => team.close());

const write = async (title: string, audience?: string[]) => {
  const answer = `${title}: the wholesale zanzibar portal shows prices of ${title}.`;
  const { json } = await team
    .as('admin')
    .post<{ id: string }>('/knowledge/articles', { title, answer, ...(audience && { audience }) });
  await team.as('admin').post(`/knowledge/articles/${json.id}/publish`, { baseRevision: 1 });
  return json.id;
};
const act = (json: object) => team.as('admin').post('/knowledge/article-actions', json);

async function boot(claims?: JWTPayload) {
  if (!claims) return team.harness.boot();
  const exp = Math.floor(team.harness.clock.now() / 1000) + 600;
  const token = new SignJWT({ sub: 'customer-1', aud: team.harness.appId, exp, ...claims });
  const signed = token.setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
  const reply = await team.harness.boot({ user_token: await signed });
  expect(reply.user_token).toBe('accepted');
  return reply;
}

/** Asks by every route that visitors have, and returns all that they get, as text. */
async function readAll(claims: JWTPayload | undefined, articleIds: readonly string[], collectionId: string) {
  const booted = await boot(claims);
  const get = async (path: string) =>
    (await readResponse(team.harness.fetch(path, { headers: { authorization: `Bearer ${booted.jwt}` } })))
      .text;
  const conversation_id = newId('conv');
  const search = `/articles/search?q=${encodeURIComponent(QUESTION)}`;
  return [
    JSON.stringify(booted.config),
    await get('/articles'),
    await get(`/articles?collection=${collectionId}`),
    await get(search),
    ...(await Promise.all(articleIds.map((id) => get(`/articles/${id}`)))),
    JSON.stringify(await team.harness.ask(booted.jwt, { message: QUESTION, conversation_id })),
    JSON.stringify(
      await team.harness.ask(booted.jwt, { message: 'And what does it cost?', conversation_id }),
    ),
    JSON.stringify(await team.harness.ask(booted.jwt, { message: 'What can you help me with?' })),
    await get(search),
  ].map((text) => text.toLowerCase());
}

/** The public pages, which know no customers. */
const PAGES = ['/en', '/en/search?q=zanzibar', '/sitemap.xml', '/en/feed.xml', '/llms.txt', '/llms-full.txt'];
async function readPages(slugs: readonly string[]) {
  const paths = [...PAGES, ...slugs.flatMap((slug) => [`/en/${slug}`, `/en/${slug}.md`])];
  const reads = paths.map(async (path) => {
    const response = await fetch(`${team.harness.baseUrl}/help/${team.harness.appId}${path}`);
    // A page that is not found offers a search with the words of its address.
    return response.status === 404 ? '' : (await response.text()).toLowerCase();
  });
  return Promise.all(reads);
}

/** The titles that occur, apart from the question, which answers may repeat. */
const findTitles = (texts: readonly string[]) =>
  ['alpha', 'bravo', 'carlo'].filter((title) => texts.some((text) => text.includes(`ware ${title}`)));

describe('an article with an audience', () => {
  it('is shown by no route to visitors to whom no entry applies', async () => {
    const ids = [
      await write('Ware alpha', ['signed_in']),
      await write('Ware bravo', ['plan=team', 'plan=pro']),
    ];
    ids.push(await write('Ware carlo'));
    await act({ action: 'restrict', articleIds: [ids[2]], audience: ['beta=true'] });
    const { json } = await team.as('admin').post<{ id: string }>('/knowledge/collections', { name: 'Wares' });
    await act({ action: 'move', articleIds: ids, collectionId: json.id });
    const read = async (claims?: JWTPayload) => findTitles(await readAll(claims, ids, json.id));

    const hidden = await readAll(undefined, ids, json.id);
    expect(findTitles(hidden)).toEqual([]);
    expect(hidden[1]).not.toContain('wares');
    for (const id of ids) expect(hidden.join()).not.toContain(id);
    for (const claims of [
      {},
      { plan: 'gold' },
      { plan: ['pro'] },
      { plan: 'pro'.padEnd(CUSTOMER_LIMITS.attributeValueCharsMax + 1, 'x') },
      { beta: 'true' },
      { audience: ['plan=pro'], '*': '*' },
    ])
      expect(await read(claims), JSON.stringify(claims)).toEqual(['alpha']);
    expect(await read({ plan: 'pro' })).toEqual(['alpha', 'bravo']);
    expect(await read({ beta: true })).toEqual(['alpha', 'carlo']);
    expect(await read()).toEqual([]);

    const pages = await readPages(['ware-alpha', 'ware-bravo', 'ware-carlo']);
    expect(findTitles(pages)).toEqual([]);
    for (const id of ids) expect(pages.join()).not.toContain(id);
    await act({ action: 'restrict', articleIds: [ids[0]], audience: [] });
    team.harness.clock.advance(60_000);
    expect(findTitles(await readPages(['ware-alpha']))).toEqual(['alpha']);

    const agent = await connectAgent(team.harness, await readerKey(team.harness), VERSIONS[0]!);
    const call = async (name: string, args: Record<string, unknown>) =>
      JSON.stringify(await agent.client.callTool({ name, arguments: args })).toLowerCase();
    expect(findTitles([await call('search_articles', { query: QUESTION })])).toEqual(['alpha']);
    expect(JSON.parse(await call('list_languages', {})).structuredcontent.languages).toEqual([
      { locale: 'en', articles: 1 },
    ]);
    for (const id of ids.slice(1))
      expect(findTitles([await call('read_article', { article: id })])).toEqual([]);
    await agent.client.close();
  });

  it('gives no place in the results to what is hidden, and follows a change of the audience at once', async () => {
    await importSeeds(team.harness.service.store, team.workspace.id, seeds);
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push(await write(`Ware bravo ${n}`));
    const open = await write('Ware alpha');
    await act({ action: 'restrict', articleIds: ids, audience: ['plan=pro'] });
    const search = async (audience?: string[]) => {
      const body = { message: QUESTION, ...(audience && { audience }) };
      const { json } = await team.as('admin').post<PreviewReply>('/preview', body);
      return json.findings.passages.map(({ articleId }) => articleId);
    };
    expect(await search()).toContain(open);
    expect((await search()).filter((id) => ids.includes(id))).toEqual([]);
    expect((await search(['plan=pro'])).filter((id) => ids.includes(id)).length).toBeGreaterThan(3);
    const undone = await act({ action: 'restrict', articleIds: ids, audience: [] });
    expect(undone.json).toMatchObject({ done: 12 });
    expect(JSON.stringify(undone.json)).toContain('"previousAudience":["plan=pro"]');
    expect((await search()).filter((id) => ids.includes(id)).length).toBeGreaterThan(3);
  });

  it('is listed, exported and imported with it, and tested as one of the audience', async () => {
    const id = await write('Ware bravo', ['plan=pro', 'signed_in', 'plan=pro']);
    const admin = team.as('admin');
    const { json } = await admin.get<{ data: object[] }>('/knowledge/articles?audience=restricted');
    expect(json.data).toMatchObject([{ id, audience: ['plan=pro', 'signed_in'] }]);
    expect((await admin.get('/knowledge/articles?audience=everyone')).json).toMatchObject({ data: [] });
    const exported = await admin.post('/knowledge/article-export', { articleIds: [id] });
    expect(JSON.parse(exported.text)).toMatchObject({ audience: ['plan=pro', 'signed_in'] });
    const test = { question: 'What does the ware bravo portal show?', locale: 'en', article: id };
    expect((await admin.put('/answer-tests', { tests: [test] })).status).toBeLessThan(300);
    await expect
      .poll(async () => (await admin.get('/answer-tests')).json)
      .toMatchObject({ data: [{ state: 'passed' }] });
  });
});

describe('an audience', () => {
  it.each([[['plan=gold']], [['beta=yes']], [['unknown=1']]])(
    '%j that nobody can have is refused',
    async (audience) => {
      const article = { title: 'A', answer: 'B', audience };
      expectError(await team.as('admin').post('/knowledge/articles', article), 'request/invalid');
      const id = await write('Ware alpha');
      expectError(await act({ action: 'restrict', articleIds: [id], audience }), 'request/invalid');
    },
  );
});

describe('declared attributes', () => {
  it('have one meaning each, and values only if they are one of several', async () => {
    for (const customerAttributes of [
      [{ name: 'email', type: 'text' }],
      [{ name: 'signed_in', type: 'boolean' }],
      [ATTRIBUTES[1], ATTRIBUTES[1]],
      [{ name: 'plan', type: 'one_of' }],
      [{ name: 'plan', type: 'text', values: ['pro'] }],
      [{ name: 'Plan', type: 'text' }],
      Array.from({ length: CUSTOMER_LIMITS.attributesMax + 1 }, (_, n) => ({ name: `a${n}`, type: 'text' })),
    ])
      expectError(await team.as('admin').patch('', { customerAttributes }), 'request/invalid');
  });

  it('fit into a visitor token at their maximum length, and other claims are dropped', async () => {
    const names = Array.from({ length: CUSTOMER_LIMITS.attributesMax }, (_, n) =>
      `a${n}`.padEnd(CUSTOMER_LIMITS.attributeNameCharsMax, 'x'),
    );
    const customerAttributes = names.map((name) => ({ name, type: 'text' }));
    await team.as('admin').patch('', { customerAttributes });
    team.harness.clock.advance(10_000);
    const value = '語'.repeat(CUSTOMER_LIMITS.attributeValueCharsMax);
    const values = Object.fromEntries(names.map((name) => [name, value]));
    const { jwt } = await boot({
      ...values,
      name: 'n'.repeat(CUSTOMER_LIMITS.nameCharsMax),
      secret: 'dropped',
    });
    const { usr } = JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString());
    expect(usr.attributes).toEqual(names.map((name) => `${name}=${value}`));
    expect(JSON.stringify(usr)).not.toContain('dropped');
    expect((await team.harness.ask(jwt)).length).toBeGreaterThan(1);
  });
});

describe('a handover of a known customer', () => {
  it('carries name and address of the user token, whatever the visitor sends', async () => {
    await team.as('admin').patch('', { handover: { mode: 'when_needed' } });
    team.harness.clock.advance(10_000);
    const send = async (claims: JWTPayload | undefined, json: object) => {
      const { jwt } = await boot(claims);
      const body = { message: 'Help', url: `${ORIGIN}/`, locale: 'en', shown_seconds: 20, ...json };
      return readResponse<{ handover_id: string }>(
        team.harness.fetch('/handovers', { json: body, headers: { authorization: `Bearer ${jwt}` } }),
      );
    };
    const known = { name: 'Ada Lovelace', email: 'ada@example.com' };
    for (const json of [{}, { name: 'Somebody', email: 'else@example.com' }]) {
      const { json: sent } = await send(known, json);
      const { json: read } = await team.as('member').get(`/handovers/${sent.handover_id}`);
      expect(read).toMatchObject(known);
    }
    expect(await boot(known)).toMatchObject({ customer: known });
    expectError(await send({}, {}), 'request/invalid');
    expectError(await send(undefined, {}), 'request/invalid');
    expect((await send({}, { email: 'own@example.com' })).status).toBe(201);
  });
});
