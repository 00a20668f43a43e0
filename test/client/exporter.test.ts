import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import {
  createExporter,
  createGuide,
  type ExportedEvent,
  type Exporter,
  type ExportPage,
} from '../../client/sdk/index.ts';
import { type Office, openOffice } from '../accounts/office.ts';
import { USER_AGENT } from '../harness.ts';
import { allOf, failureOf } from './colleagues.ts';

/** The exporter against the service itself, with what some visitors have left there. */

const QUESTIONS = ['How do I reset my password?', 'Wie, "so", \n= 1 + 1?', 'Where is my order?'];

let office: Office;
let exporter: Exporter;
let visitorIds: string[];
const startedAt = Date.now();
beforeAll(async () => {
  office = await openOffice();
  const { baseUrl, appId, origin } = office.harness;
  exporter = createExporter(await withKey(['events:read', 'analytics:read']));
  visitorIds = [];
  for (const message of QUESTIONS) {
    const guide = createGuide({ baseUrl, appId, origin, headers: { 'user-agent': USER_AGENT } });
    expect(await guide.consent('accepted')).toMatchObject({ recorded: true });
    await allOf(guide.chat({ message, domDigest: 'main', url: `${origin}/` }));
    office.harness.clock.advance(1000);
    visitorIds.push(guide.state!.visitor_id);
    guide.close();
  }
});
afterAll(() => office.close());

async function withKey(scopes: readonly string[]) {
  const { json } = await office
    .as('owner')
    .post<{ key: string }>('/api-keys', { name: `Report ${scopes}`, scopes });
  return { baseUrl: office.harness.baseUrl, apiKey: json.key };
}

test('goes over every event once, a page after the other, in their order', async () => {
  const whole = await allOf(exporter.events());
  const inPages: ExportPage<ExportedEvent>[] = await allOf(exporter.events({ limit: 2 }).pages());
  expect(whole.length).toBeGreaterThan(6);
  expect(inPages.flatMap(({ data }) => data)).toEqual(whole);
  expect(inPages.map(({ hasMore }) => hasMore)).toEqual(inPages.map((_, at) => at < inPages.length - 1));
  expect(inPages.every(({ data }) => data.length <= 2)).toBe(true);
  expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
  const moments = whole.map(({ at }) => at);
  expect(moments).toEqual([...moments].sort());
});

test('streams, pages and tables bring the same rows', async () => {
  const kinds = ['events', 'conversations', 'transcripts'] as const;
  for (const kind of kinds) {
    const rows: object[] = await allOf<object>(exporter[kind]());
    const stream = exporter.stream[kind]();
    expect(await allOf<object>(stream)).toEqual(rows);
    expect(stream.count).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(QUESTIONS.length);
    const text = await new Response(await exporter.csv[kind]()).text();
    for (const row of rows) expect(text).toContain(Object.values(row)[0]);
  }
  const { message } = (await allOf(exporter.transcripts({ visitorId: visitorIds[1] })))[0]!;
  expect(message).toBe(QUESTIONS[1]);
});

test('filters by type, time, visitor and conversation; a type narrows the rows', async () => {
  const turns = await allOf(exporter.stream.events({ type: 'turn' }));
  expectTypeOf(turns[0]!.type).toEqualTypeOf<'turn'>();
  expect(turns).toHaveLength(QUESTIONS.length);
  const [first, second, third] = turns;
  const middle = { from: new Date(second!.at), to: third!.at };
  expect(await allOf(exporter.events({ type: 'turn', ...middle }))).toEqual([second]);
  // Numbers are seconds since 1970, with parts of them or without.
  const fromSeconds = Date.parse(third!.at) / 1000;
  expect(await allOf(exporter.events({ type: 'turn', from: fromSeconds }))).toEqual([third]);
  const all = await allOf(exporter.events({ type: 'turn', from: Math.floor(startedAt / 1000) }));
  expect(all).toHaveLength(3);
  const { visitor_id: visitorId, conversation_id: conversationId } = first!;
  expect(visitorId).toBe(visitorIds[0]);
  expect(await allOf(exporter.conversations({ visitorId, conversationId }))).toMatchObject([
    { first_message: QUESTIONS[0] },
  ]);
});

test('the last cursor goes on where the rows were taken, and brings what came since', async () => {
  const rows = exporter.events({ limit: 3 });
  expect(rows.cursor).toBeUndefined();
  const taken: ExportedEvent[] = [];
  for await (const row of rows) {
    taken.push(row);
    if (taken.length === 4) break;
  }
  // The second page was begun and is not behind us.
  const later = exporter.events({ limit: 3, cursor: rows.cursor });
  expect([...taken.slice(0, 3), ...(await allOf(later))]).toEqual(await allOf(exporter.events()));
  expect(await allOf(exporter.events({ cursor: later.cursor }))).toEqual([]);
  office.harness.clock.advance(1000);
  await office.harness.boot();
  await expect
    .poll(async () => (await allOf(exporter.events({ cursor: later.cursor }))).map(({ type }) => type))
    .toEqual(['boot']);
  const alien = exporter.events({ cursor: later.cursor, type: 'turn' });
  expect(await failureOf(alien.page())).toMatchObject({ code: 'export/cursor_mismatch' });
});

test('a stream that was left goes on by pages behind its last row', async () => {
  const whole = await allOf(exporter.stream.events());
  for (const after of [0, 1, 2, 3, whole.length]) {
    const stream = exporter.stream.events();
    const taken: ExportedEvent[] = [];
    if (after > 0)
      for await (const row of stream) {
        taken.push(row);
        if (taken.length === after) break;
      }
    expect([...taken, ...(await allOf(stream.rest()))]).toEqual(whole);
  }
});

test('brings the figures of a time zone', async () => {
  const from = new Date(startedAt - 3_600_000);
  const figures = await exporter.analytics({ from, by: 'hour', zone: 'Europe/Berlin' });
  expect(figures).toMatchObject({ zone: 'Europe/Berlin' });
  expect(JSON.stringify(figures)).toContain('"turns":3');
});

test('a key that may not, is unknown or was revoked is refused by its code', async () => {
  const blind = createExporter(await withKey(['analytics:read']));
  await blind.analytics();
  for (const call of [
    () => allOf(blind.events()),
    () => allOf(blind.stream.events()),
    () => blind.csv.events(),
  ])
    expect(await failureOf(call())).toMatchObject({ code: 'export/insufficient_scope', status: 403 });
  const options = await withKey(['events:read']);
  const unknown = createExporter({ ...options, apiKey: `${options.apiKey.slice(0, -6)}aaaaaa` });
  expect(await failureOf(unknown.conversations().page())).toMatchObject({ code: 'export/unauthorized' });
  const revoked = createExporter(options);
  await revoked.events().page();
  const { json } = await office.as('owner').get<{ data: { id: string; name: string }[] }>('/api-keys');
  const { id } = json.data.find(({ name }) => name === 'Report events:read')!;
  await office.as('owner').delete(`/api-keys/${id}`);
  expect(await failureOf(revoked.events().page())).toMatchObject({ code: 'export/unauthorized' });
});

test('what no service would understand is refused by its name', async () => {
  expect(await failureOf(exporter.events({ from: 'yesterday' }).page())).toMatchObject({
    code: 'request/invalid',
    issues: [{ path: 'query.from' }],
  });
  expect(await failureOf(exporter.analytics({ from: new Date('never') }))).toMatchObject({
    code: 'request/invalid',
  });
});
