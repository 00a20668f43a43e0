import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import {
  createExporter,
  createGuide,
  type ExportedEvent,
  type Exporter,
  type ExporterOptions,
  type ExportPage,
} from '../../client/sdk/index.ts';
import { openTeam, type Team } from '../support/team.ts';
import { catchError, collect } from './colleagues.ts';
import {
  errorResponse,
  hangUp,
  json,
  openScriptedServer,
  type Responder,
  type ScriptedServer,
} from './scripted-server.ts';

/** The exporter against the real service, with the data of some visitors. */

const QUESTIONS = ['How do I reset my password?', 'Wie, "so", \n= 1 + 1?', 'Where is my order?'];
const startedAt = Date.now();

describe('the exporter with the service', () => {
  let team: Team;
  let exporter: Exporter;
  let visitorIds: string[];
  beforeAll(async () => {
    team = await openTeam();
    const { baseUrl, appId, origin } = team.harness;
    exporter = createExporter(await withKey(['events:read', 'analytics:read']));
    visitorIds = [];
    for (const message of QUESTIONS) {
      const guide = createGuide({ baseUrl, appId, origin });
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
    const withOtherFilters = exporter.events({ cursor: later.cursor, type: 'turn' });
    expect(await catchError(withOtherFilters.page())).toMatchObject({ code: 'export/cursor_mismatch' });
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
    const withoutEventScope = createExporter(await withKey(['analytics:read']));
    await withoutEventScope.analytics();
    for (const call of [
      () => collect(withoutEventScope.events()),
      () => collect(withoutEventScope.stream.events()),
      () => withoutEventScope.csv.events(),
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
});

/** The exporter when the service or the connection fails. */

const KEY = 'pk_live_0123456789_secret';
const PAGE = '/api/export/events?limit=1000';
const STREAM = '/api/export/events.ndjson';
const CSV = '/api/export/events.csv';

const AT = ['2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.001Z'] as const;
const row = (id: string, at: string = AT[0]) => ({ id, at, type: 'boot' });
const page = (rows: readonly object[], nextCursor: string | null, hasMore: boolean) =>
  json({ data: rows, next_cursor: nextCursor, has_more: hasMore });
const busy = (retryAfter: number) =>
  errorResponse(
    429,
    'rate_limit/exceeded',
    { bucket: 'export/key-burst' },
    { 'retry-after': String(retryAfter) },
  );

const download =
  (text: string, end: (response: ServerResponse) => unknown, type = 'application/x-ndjson'): Responder =>
  async (response) => {
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` });
    response.write(text);
    await new Promise((resolve) => setTimeout(resolve, 20));
    end(response);
  };
const endResponse = (response: ServerResponse) => response.end();
const breakConnection = (response: ServerResponse) => response.socket?.destroy();
const linesOf = (...rows: readonly object[]) => rows.map((each) => `${JSON.stringify(each)}\n`).join('');

describe('the exporter with a failing service', () => {
  let server: ScriptedServer;
  let exporter: Exporter;
  beforeEach(async () => {
    server = await openScriptedServer();
    exporter = open();
  });
  afterEach(() => server.close());

  const open = (options: Partial<ExporterOptions> = {}) =>
    createExporter({ baseUrl: server.baseUrl, apiKey: KEY, ...options });

  test('the exporter waits for Retry-After and continues with the same page', async () => {
    server.answer(PAGE, page([row('a')], 'c1', true));
    server.answer(`${PAGE}&cursor=c1`, busy(1), hangUp, page([row('b')], 'c2', false));
    const began = Date.now();
    expect(await collect(exporter.events())).toEqual([row('a'), row('b')]);
    expect(Date.now() - began).toBeGreaterThanOrEqual(1000);
    expect(server.at(PAGE)).toHaveLength(1);
  });

  test('the exporter waits a minute in total by default, and throws a longer wait', async () => {
    server.answer(PAGE, busy(61));
    expect(await catchError(exporter.events().page())).toMatchObject({
      code: 'rate_limit/exceeded',
      bucket: 'export/key-burst',
      retryAfterSeconds: 61,
    });
    expect(server.received).toHaveLength(1);
    server.answer(PAGE, busy(1));
    const impatient = open({ retry: { waitSecondsMax: 1.5 } });
    expect(await catchError(impatient.events().page())).toMatchObject({ code: 'rate_limit/exceeded' });
    expect(server.received).toHaveLength(3);
  });

  test('rows continue from the last cursor after a failure', async () => {
    server.answer(PAGE, page([row('a')], 'c1', true));
    server.answer(`${PAGE}&cursor=c1`, errorResponse(500, 'internal'), page([row('b')], 'c2', false));
    const rows = exporter.events();
    expect(await catchError(collect(rows))).toMatchObject({ code: 'internal' });
    expect(await collect(exporter.events({ cursor: rows.cursor }))).toEqual([row('b')]);
  });

  test('a page that leads to itself is an error, not a loop', async () => {
    for (const answer of [
      page([row('a')], null, true),
      json({ ok: true }),
      json({ data: [], has_more: true }),
    ]) {
      server.answer(PAGE, answer);
      expect(await catchError(collect(exporter.events()))).toMatchObject({ code: 'protocol' });
    }
    server.answer(PAGE, page([row('a')], 'c1', true));
    server.answer(`${PAGE}&cursor=c1`, page([row('b')], 'c1', true));
    expect(await catchError(collect(exporter.events()))).toMatchObject({ code: 'protocol' });
  });

  test('an interrupted stream rejects with its number of rows, and rest() pages through the others', async () => {
    const rows = [row('a'), row('b', AT[1]), row('c', AT[1])];
    const rest = [row('b', AT[1]), row('c', AT[1]), row('d', AT[1]), row('e')];
    server.answer(`${PAGE.replace('?', `?from=${encodeURIComponent(AT[1])}&`)}`, page(rest, 'c', false));
    for (const [text, end] of [
      [linesOf(...rows), breakConnection],
      [`${linesOf(...rows)}{"id":"d"`, endResponse],
    ] as const) {
      server.answer(STREAM, download(text, end));
      const stream = exporter.stream.events();
      const taken: object[] = [];
      const reading = (async () => {
        for await (const each of stream) taken.push(each);
      })();
      expect(await catchError(reading)).toMatchObject({ code: 'network', rows: 3 });
      expect(await catchError(reading)).toMatchObject({ message: expect.stringContaining('3 rows') });
      for await (const each of stream.rest()) taken.push(each);
      expect(taken).toEqual([...rows, row('d', AT[1]), row('e')]);
    }
  });

  test('an interrupted CSV file rejects when it is read', async () => {
    server.answer(CSV, download('id,at\r\na,', breakConnection, 'text/csv'));
    const table = await exporter.csv.events();
    expect(await catchError(new Response(table).text())).toMatchObject({ code: 'network' });
  });

  test.for(['rows', 'a table', 'the signal'] as const)(
    'the request of an export ends when its reader stops: %s',
    async (what) => {
      let hungUp: Promise<unknown> | undefined;
      const type = what === 'a table' ? 'text/csv' : 'application/x-ndjson';
      server.answer(what === 'a table' ? CSV : STREAM, (response, received) => {
        hungUp = new Promise((resolve) => response.on('close', resolve));
        return download(linesOf(row('a')), () => {}, type)(response, received);
      });
      const abortController = new AbortController();
      if (what === 'rows') for await (const _ of exporter.stream.events()) break;
      if (what === 'a table') await (await exporter.csv.events()).cancel();
      if (what === 'the signal') {
        const rows = exporter.stream.events({ signal: abortController.signal })[Symbol.asyncIterator]();
        await rows.next();
        abortController.abort();
        expect(await catchError(rows.next())).toMatchObject({ code: 'aborted', rows: 1 });
      }
      await hungUp;
    },
  );

  test('a response that is not an export is a protocol error', async () => {
    server.answer(STREAM, json([]));
    server.answer(CSV, download('<html>', endResponse, 'text/html'));
    expect(await catchError(collect(exporter.stream.events()))).toMatchObject({ code: 'protocol' });
    expect(await catchError(exporter.csv.events())).toMatchObject({ code: 'protocol' });
  });

  test('the API key is sent in a header only, and never appears in errors', async () => {
    const elsewhere = await openScriptedServer();
    const redirect: Responder = (response) =>
      response.writeHead(307, { location: `${elsewhere.baseUrl}/` }).end();
    const errors: unknown[] = [];
    for (const answer of [hangUp, errorResponse(401, 'export/unauthorized'), redirect, json('<html>')]) {
      server.answer(PAGE, answer);
      errors.push(
        await catchError(
          open({ retry: { attemptsMax: 0 } })
            .events()
            .page(),
        ),
      );
    }
    for (const apiKey of [`${KEY}\n${KEY}`, `${KEY} é`, ''])
      errors.push(await catchError(Promise.resolve().then(() => open({ apiKey }))));
    expect(errors.map((error) => (error as { code: string }).code)).toEqual([
      'network',
      'export/unauthorized',
      'protocol',
      'protocol',
      ...Array(3).fill('export/unauthorized'),
    ]);
    expect(inspect([errors, exporter], { depth: 20, showHidden: true })).not.toContain(KEY);
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
    for (const { path, headers } of server.received) {
      expect(path).not.toContain(KEY);
      expect(headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    }
    // The key may end in a line break, as read from a file.
    server.answer(PAGE, page([], null, false));
    expect(await collect(open({ apiKey: `${KEY}\n` }).events())).toEqual([]);
  });

  test('each filter is sent under its name in the query', async () => {
    server.answer('/api/export/transcripts?locale=de&limit=5', page([], null, false));
    const iso = '2026-11-01T00%3A00%3A00.000Z';
    server.answer(`/api/export/conversations.ndjson?from=${iso}&to=1761955200`, download('', endResponse));
    expect(await collect(exporter.transcripts({ locale: 'de', limit: 5 }))).toEqual([]);
    const stream = exporter.stream.conversations({ from: new Date(AT[0]), to: 1_761_955_200 });
    expect(await collect(stream)).toEqual([]);
  });
});
