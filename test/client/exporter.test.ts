import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import {
  createExporter,
  createGuide,
  type ExportedEvent,
  type Exporter,
  type ExportPage,
} from '../../client/sdk/index.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import { USER_AGENT } from '../harness.ts';
import { catchError, collect } from './colleagues.ts';

/** The exporter against the real service, with the data of some visitors. */

const QUESTIONS = ['How do I reset my password?', 'Wie, "so", \n= 1 + 1?', 'Where is my order?'];

let team: Team;
let exporter: Exporter;
let visitorIds: string[];
const startedAt = Date.now();
beforeAll(async () => {
  team = await openTeam();
  const { baseUrl, appId, origin } = team.harness;
  exporter = createExporter(await withKey(['events:read', 'analytics:read']));
  visitorIds = [];
  for (const message of QUESTIONS) {
    const guide = createGuide({ baseUrl, appId, origin, headers: { 'user-agent': USER_AGENT } });
    expect(await guide.consent('accepted')).toMatchObject({ recorded: true });
    await collect(guide.chat({ message, domDigest: 'main', url: `${origin}/` }));
    team.harness.clock.advance(1000);
    visitorIds.push(team.harness.pseudonym(guide.state!));
    guide.close();
  }
});
afterAll(() => team.close());

async function withKey(scopes: readonly string[]) {
  const { json } = await team
    .as('owner')
    .post<{ key: string }>('/api-keys', { name: `Report ${scopes}`, scopes });
  return { baseUrl: team.harness.baseUrl, apiKey: json.key };
}

test('exporter.events() iterates over every event once, in order, page by page', async () => {
  const whole = await collect(exporter.events());
  const inPages: ExportPage<ExportedEvent>[] = await collect(exporter.events({ limit: 2 }).pages());
  expect(whole.length).toBeGreaterThan(6);
  expect(inPages.flatMap(({ data }) => data)).toEqual(whole);
  expect(inPages.map(({ hasMore }) => hasMore)).toEqual(inPages.map((_, at) => at < inPages.length - 1));
  expect(inPages.every(({ data }) => data.length <= 2)).toBe(true);
  expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
  const moments = whole.map(({ at }) => at);
  expect(moments).toEqual([...moments].sort());
});

test('streams, pages and CSV files have the same rows', async () => {
  const kinds = ['events', 'conversations', 'transcripts'] as const;
  for (const kind of kinds) {
    const rows: object[] = await collect<object>(exporter[kind]());
    const stream = exporter.stream[kind]();
    expect(await collect<object>(stream)).toEqual(rows);
    expect(stream.count).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(QUESTIONS.length);
    const text = await new Response(await exporter.csv[kind]()).text();
    for (const row of rows) expect(text).toContain(Object.values(row)[0]);
  }
  const { message } = (await collect(exporter.transcripts({ visitorId: visitorIds[1] })))[0]!;
  expect(message).toBe(QUESTIONS[1]);
});

test('filters select by type, time, visitor and conversation, and a type narrows the rows', async () => {
  const turns = await collect(exporter.stream.events({ type: 'turn' }));
  expectTypeOf(turns[0]!.type).toEqualTypeOf<'turn'>();
  expect(turns).toHaveLength(QUESTIONS.length);
  const [first, second, third] = turns;
  const middle = { from: new Date(second!.at), to: third!.at };
  expect(await collect(exporter.events({ type: 'turn', ...middle }))).toEqual([second]);
  // Numbers are seconds since 1970, with or without fractions.
  const fromSeconds = Date.parse(third!.at) / 1000;
  expect(await collect(exporter.events({ type: 'turn', from: fromSeconds }))).toEqual([third]);
  const all = await collect(exporter.events({ type: 'turn', from: Math.floor(startedAt / 1000) }));
  expect(all).toHaveLength(3);
  const { visitor_id: visitorId, conversation_id: conversationId } = first!;
  expect(visitorId).toBe(visitorIds[0]);
  expect(await collect(exporter.conversations({ visitorId, conversationId }))).toMatchObject([
    { first_message: QUESTIONS[0] },
  ]);
});

test('a later export continues at the last cursor with new rows', async () => {
  const rows = exporter.events({ limit: 3 });
  expect(rows.cursor).toBeUndefined();
  const taken: ExportedEvent[] = [];
  for await (const row of rows) {
    taken.push(row);
    if (taken.length === 4) break;
  }
  // The second page is not used up yet.
  const later = exporter.events({ limit: 3, cursor: rows.cursor });
  expect([...taken.slice(0, 3), ...(await collect(later))]).toEqual(await collect(exporter.events()));
  expect(await collect(exporter.events({ cursor: later.cursor }))).toEqual([]);
  team.harness.clock.advance(1000);
  await team.harness.boot();
  await expect
    .poll(async () => (await collect(exporter.events({ cursor: later.cursor }))).map(({ type }) => type))
    .toEqual(['boot']);
  const alien = exporter.events({ cursor: later.cursor, type: 'turn' });
  expect(await catchError(alien.page())).toMatchObject({ code: 'export/cursor_mismatch' });
});

test('rest() pages through the rows after the last one of a stream', async () => {
  const whole = await collect(exporter.stream.events());
  for (const after of [0, 1, 2, 3, whole.length]) {
    const stream = exporter.stream.events();
    const taken: ExportedEvent[] = [];
    if (after > 0)
      for await (const row of stream) {
        taken.push(row);
        if (taken.length === after) break;
      }
    expect([...taken, ...(await collect(stream.rest()))]).toEqual(whole);
  }
});

test('exporter.analytics() returns the figures of a time zone', async () => {
  const from = new Date(startedAt - 3_600_000);
  const figures = await exporter.analytics({ from, by: 'hour', zone: 'Europe/Berlin' });
  expect(figures).toMatchObject({ zone: 'Europe/Berlin' });
  expect(JSON.stringify(figures)).toContain('"turns":3');
});

test('a key that is unknown, revoked or lacks the scope rejects with its code', async () => {
  const blind = createExporter(await withKey(['analytics:read']));
  await blind.analytics();
  for (const call of [
    () => collect(blind.events()),
    () => collect(blind.stream.events()),
    () => blind.csv.events(),
  ])
    expect(await catchError(call())).toMatchObject({ code: 'export/insufficient_scope', status: 403 });
  const options = await withKey(['events:read']);
  const unknown = createExporter({ ...options, apiKey: `${options.apiKey.slice(0, -6)}aaaaaa` });
  expect(await catchError(unknown.conversations().page())).toMatchObject({ code: 'export/unauthorized' });
  const revoked = createExporter(options);
  await revoked.events().page();
  const { json } = await team.as('owner').get<{ data: { id: string; name: string }[] }>('/api-keys');
  const { id } = json.data.find(({ name }) => name === 'Report events:read')!;
  await team.as('owner').delete(`/api-keys/${id}`);
  expect(await catchError(revoked.events().page())).toMatchObject({ code: 'export/unauthorized' });
});

test('invalid filters are rejected with the name of the filter', async () => {
  expect(await catchError(exporter.events({ from: 'yesterday' }).page())).toMatchObject({
    code: 'request/invalid',
    issues: [{ path: 'query.from' }],
  });
  expect(await catchError(exporter.analytics({ from: new Date('never') }))).toMatchObject({
    code: 'request/invalid',
  });
});
