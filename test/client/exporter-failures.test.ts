import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExporter, type Exporter, type ExporterOptions } from '../../client/sdk/index.ts';
import { catchError, collect } from './colleagues.ts';
import {
  type Answer,
  errorResponse,
  hangUp,
  json,
  openScriptedServer,
  type ScriptedServer,
} from './scripted-server.ts';

/** The exporter when the service or the connection fails. */

const KEY = 'pk_live_0123456789_secret';
const PAGE = '/api/export/events?limit=1000';
const STREAM = '/api/export/events.ndjson';
const CSV = '/api/export/events.csv';

let server: ScriptedServer;
let exporter: Exporter;
beforeEach(async () => {
  server = await openScriptedServer();
  exporter = open();
});
afterEach(() => server.close());

const open = (options: Partial<ExporterOptions> = {}) =>
  createExporter({ baseUrl: server.baseUrl, apiKey: KEY, ...options });

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
  (text: string, end: (response: ServerResponse) => unknown, type = 'application/x-ndjson'): Answer =>
  async (response) => {
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` });
    response.write(text);
    await new Promise((resolve) => setTimeout(resolve, 20));
    end(response);
  };
const whole = (response: ServerResponse) => response.end();
const cut = (response: ServerResponse) => response.socket?.destroy();
const linesOf = (...rows: readonly object[]) => rows.map((each) => `${JSON.stringify(each)}\n`).join('');

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
  const hasty = open({ retry: { waitSecondsMax: 1.5 } });
  expect(await catchError(hasty.events().page())).toMatchObject({ code: 'rate_limit/exceeded' });
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
    [linesOf(...rows), cut],
    [`${linesOf(...rows)}{"id":"d"`, whole],
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

test('an interrupted CSV file errors when it is read', async () => {
  server.answer(CSV, download('id,at\r\na,', cut, 'text/csv'));
  const table = await exporter.csv.events();
  expect(await catchError(new Response(table).text())).toMatchObject({ code: 'network' });
});

test.for(['rows', 'a table', 'the signal'] as const)('leaving %s ends the request', async (what) => {
  let hungUp: Promise<unknown> | undefined;
  const type = what === 'a table' ? 'text/csv' : 'application/x-ndjson';
  server.answer(what === 'a table' ? CSV : STREAM, (response, received) => {
    hungUp = new Promise((resolve) => response.on('close', resolve));
    return download(linesOf(row('a')), () => {}, type)(response, received);
  });
  const ending = new AbortController();
  if (what === 'rows') for await (const _ of exporter.stream.events()) break;
  if (what === 'a table') await (await exporter.csv.events()).cancel();
  if (what === 'the signal') {
    const rows = exporter.stream.events({ signal: ending.signal })[Symbol.asyncIterator]();
    await rows.next();
    ending.abort();
    expect(await catchError(rows.next())).toMatchObject({ code: 'aborted', rows: 1 });
  }
  await hungUp;
});

test('a response that is not an export is a protocol error', async () => {
  server.answer(STREAM, json([]));
  server.answer(CSV, download('<html>', whole, 'text/html'));
  expect(await catchError(collect(exporter.stream.events()))).toMatchObject({ code: 'protocol' });
  expect(await catchError(exporter.csv.events())).toMatchObject({ code: 'protocol' });
});

test('the API key is sent in a header only, and never appears in errors', async () => {
  const elsewhere = await openScriptedServer();
  const moved: Answer = (response) => response.writeHead(307, { location: `${elsewhere.baseUrl}/` }).end();
  const errors: unknown[] = [];
  for (const answer of [hangUp, errorResponse(401, 'export/unauthorized'), moved, json('<html>')]) {
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
  // With a line break, as read from a file.
  server.answer(PAGE, page([], null, false));
  expect(await collect(open({ apiKey: `${KEY}\n` }).events())).toEqual([]);
});

test('each filter is sent under its name in the query', async () => {
  server.answer('/api/export/transcripts?locale=de&limit=5', page([], null, false));
  const iso = '2026-11-01T00%3A00%3A00.000Z';
  server.answer(`/api/export/conversations.ndjson?from=${iso}&to=1761955200`, download('', whole));
  expect(await collect(exporter.transcripts({ locale: 'de', limit: 5 }))).toEqual([]);
  const stream = exporter.stream.conversations({ from: new Date(AT[0]), to: 1_761_955_200 });
  expect(await collect(stream)).toEqual([]);
});
