import { describe, expect, test } from 'vitest';
import { parseEventStream, type ServerSentEvent } from '../../client/sdk/event-stream.ts';
import { fc } from '../support/seeded-random.ts';

/** Returns a stream of these chunks; `hang` leaves it open after them. */
function streamOf(chunks: readonly Uint8Array[], { hang = false, onCancel = () => {} } = {}) {
  const queue = [...chunks];
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = queue.shift();
      if (chunk) controller.enqueue(chunk);
      else if (!hang) controller.close();
      else return new Promise(() => {});
    },
    cancel: onCancel,
  });
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function eventsOf(...chunks: (string | Uint8Array)[]): Promise<ServerSentEvent[]> {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? bytesOf(chunk) : chunk));
  const events: ServerSentEvent[] = [];
  for await (const event of parseEventStream(streamOf(bytes))) events.push(event);
  return events;
}

test('parseEventStream() reads type, data and id, and removes one space after the colon', async () => {
  expect(await eventsOf('event: hello\nid: m:1\ndata:  two spaces\n\n')).toEqual([
    { type: 'hello', data: ' two spaces', lastEventId: 'm:1' },
  ]);
});

test('parseEventStream() joins lines of data, and reads a line without a colon as an empty field', async () => {
  expect(await eventsOf('data: a\ndata\ndata:c\n\n')).toEqual([
    { type: 'message', data: 'a\n\nc', lastEventId: '' },
  ]);
});

test('parseEventStream() skips a byte order mark, comments, unknown fields and events without data', async () => {
  expect(await eventsOf('\uFEFF: hello\n\nwhat: ever\nevent: empty\n\nid: 7\n\ndata: x\n\n')).toEqual([
    { type: 'message', data: 'x', lastEventId: '7' },
  ]);
});

test('parseEventStream() keeps the last id for later events, and ignores one with a NUL', async () => {
  const events = await eventsOf('id: 1\ndata: a\n\ndata: b\n\nid: \0\ndata: c\n\nid\ndata: d\n\n');
  expect(events.map((event) => event.lastEventId)).toEqual(['1', '1', '1', '']);
});

test('parseEventStream() reports a numeric reconnection time', async () => {
  const events = await eventsOf('retry: 1500\ndata: a\n\nretry: soon\ndata: b\n\n');
  expect(events.map((event) => event.retryMillis)).toEqual([1500, 1500]);
});

test('parseEventStream() does not dispatch an event that the end cuts off', async () => {
  expect(await eventsOf('data: whole\n\ndata: half\n')).toHaveLength(1);
});

test('parseEventStream() reads a CR and an LF in separate chunks as one line end', async () => {
  expect(await eventsOf('data: a\r', '\ndata: b\r', '\n\r', '\n')).toEqual([
    { type: 'message', data: 'a\nb', lastEventId: '' },
  ]);
});

test('parseEventStream() dispatches an event at the CR that ends its empty line', async () => {
  const events = parseEventStream(streamOf([bytesOf('data: a\r\r')], { hang: true }));
  expect((await events.next()).value).toMatchObject({ data: 'a' });
  await events.return();
});

const word = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\0]/g, ' '));
const frame = fc.record(
  { event: word, id: word, lines: fc.array(word, { minLength: 1, maxLength: 3 }), comment: word },
  { requiredKeys: ['lines'] },
);
const lineEnd = fc.constantFrom('\n', '\r', '\r\n');

test('parseEventStream() reads the same events for all chunk sizes and line ends', async () => {
  const streams = fc.tuple(fc.array(frame, { maxLength: 6 }), lineEnd, fc.boolean(), fc.array(fc.nat(400)));
  await fc.assert(
    fc.asyncProperty(streams, async ([frames, end, withMark, cuts]) => {
      let lastEventId = '';
      const expected = frames.map(({ event, id, lines }) => {
        lastEventId = id ?? lastEventId;
        return { type: event || 'message', data: lines.join('\n'), lastEventId };
      });
      const text = frames.map(({ event, id, lines, comment }) => [
        ...(comment === undefined ? [] : [`: ${comment}`]),
        ...(event === undefined ? [] : [`event: ${event}`]),
        ...(id === undefined ? [] : [`id: ${id}`]),
        ...lines.map((line) => `data: ${line}`),
        '',
      ]);
      const bytes = bytesOf(
        (withMark ? '\uFEFF' : '') +
          text
            .flat()
            .map((line) => line + end)
            .join(''),
      );
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort(
        (a, b) => a - b,
      );
      const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      expect(await eventsOf(...chunks)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test('parseEventStream() cancels the stream when the loop is left', async () => {
  let cancelled = false;
  const stream = streamOf([bytesOf('data: a\n\n')], { hang: true, onCancel: () => (cancelled = true) });
  for await (const _ of parseEventStream(stream)) break;
  expect(cancelled).toBe(true);
});

test('parseEventStream() rejects a silent stream, where comments count as activity', async () => {
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (let comments = 0; comments < 4; comments++) {
        controller.enqueue(bytesOf(comments === 3 ? 'data: late\n\n' : ': still here\n\n'));
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
    },
    cancel: () => {
      cancelled = true;
    },
  });
  const events = parseEventStream(stream, { idleMillis: 150 });
  expect((await events.next()).value).toMatchObject({ data: 'late' });
  await expect(events.next()).rejects.toMatchObject({ name: 'GuideError', code: 'timeout' });
  expect(cancelled).toBe(true);
});

/**
 * The event stream format of the WHATWG standard: the examples of its section on interpreting a stream, and the cases
 * of the web platform tests. Each stream is read whole, cut in two at every byte, and byte by byte.
 */
type Expected = {
  type?: string;
  data: string;
  lastEventId?: string;
  retryMillis?: number;
};

const LONG = 'x'.repeat(2 * 1024);
const VECTORS: Readonly<Record<string, readonly [stream: string, events: readonly Expected[]]>> = {
  // Byte order mark
  'skips one byte order mark at the start': ['\uFEFFdata:1\n\ndata:2\n\n', [{ data: '1' }, { data: '2' }]],
  'reads a second byte order mark as part of the name of the field': [
    '\uFEFF\uFEFFdata:1\n\ndata:2\n\n',
    [{ data: '2' }],
  ],
  'reads a later byte order mark as part of its line': [
    'data:1\n\n\uFEFFdata:2\n\ndata:3\n\n',
    [{ data: '1' }, { data: '3' }],
  ],
  'keeps a byte order mark in data': ['data:\uFEFFa\n\n', [{ data: '\uFEFFa' }]],

  // Line ends
  'ends lines at LF': ['data:a\ndata:b\n\n', [{ data: 'a\nb' }]],
  'ends lines at CR': ['data:a\rdata:b\r\r', [{ data: 'a\nb' }]],
  'ends lines at CR LF': ['data:a\r\ndata:b\r\n\r\n', [{ data: 'a\nb' }]],
  'reads all three line ends in one stream': ['data:a\r\ndata\ndata:b\r\r\n', [{ data: 'a\n\nb' }]],
  'reads CR LF as one line end': ['data:a\r\ndata:b\n\n', [{ data: 'a\nb' }]],
  'reads LF CR as two line ends': ['data:a\n\rdata:b\n\n', [{ data: 'a' }, { data: 'b' }]],
  'does not end lines at other separators': ['data:a\u2028b\u0085c\vd\n\n', [{ data: 'a\u2028b\u0085c\vd' }]],
  'dispatches nothing for empty lines alone': ['\n\r\r\n\n', []],

  // Data
  'reads an empty value as data': ['data:\n\n', [{ data: '' }]],
  'reads fields without a colon as empty values': ['data\n\ndata\ndata\n\n', [{ data: '' }, { data: '\n' }]],
  'removes exactly one space after the colon': [
    'data:a\n\ndata: a\n\ndata:  a\n\ndata:\ta\n\ndata: \n\n',
    [{ data: 'a' }, { data: 'a' }, { data: ' a' }, { data: '\ta' }, { data: '' }],
  ],
  'keeps colons in a value': ['data:a:b: c\n\n', [{ data: 'a:b: c' }]],
  'keeps a NUL in data': ['data:\0\n\n\n\n', [{ data: '\0' }]],
  'compares field names exactly': [
    'data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n',
    [{ data: '\0\n 2\n1\n3\n\n4' }],
  ],
  'reads the example of the standard with three lines': [
    'data: YHOO\ndata: +2\ndata: 10\n\n',
    [{ data: 'YHOO\n+2\n10' }],
  ],

  // Unknown fields
  'skips unknown fields, with and without a colon': [
    'data:a\n data\ndata\nfoobar:x\njusttext\n:a comment\ndata:b\n\n',
    [{ data: 'a\n\nb' }],
  ],
  'skips comments, however long': [
    `data:1\r:\0\n:\r\ndata:2\n:${LONG}\rdata:3\n:data:no\r:${LONG}\ndata:4\n\n`,
    [{ data: '1\n2\n3\n4' }],
  ],
  'dispatches nothing for a comment between empty lines': [': hello\n\n: again\n\n', []],

  // Types
  'applies a type to one event': [
    'event:test\ndata:x\n\ndata:x\n\n',
    [{ type: 'test', data: 'x' }, { data: 'x' }],
  ],
  'reads an empty type as the default type': [
    'event: \ndata:a\n\nevent\ndata:b\n\n',
    [{ data: 'a' }, { data: 'b' }],
  ],
  'uses the last of several types': ['event:a\nevent:b\ndata:x\n\n', [{ type: 'b', data: 'x' }]],
  'forgets a type without data': ['event:a\n\ndata:x\n\n', [{ data: 'x' }]],

  // Ids
  'keeps an id until another one': [
    'id:1\ndata:a\n\ndata:b\n\nid:2\ndata:c\n\n',
    [
      { data: 'a', lastEventId: '1' },
      { data: 'b', lastEventId: '1' },
      { data: 'c', lastEventId: '2' },
    ],
  ],
  'resets the id at an empty id': [
    'id:1\ndata:a\n\nid\ndata:b\n\nid:\ndata:c\n\n',
    [{ data: 'a', lastEventId: '1' }, { data: 'b' }, { data: 'c' }],
  ],
  'ignores an id with a NUL': [
    'id:1\ndata:a\n\nid:2\0\ndata:b\n\n',
    [
      { data: 'a', lastEventId: '1' },
      { data: 'b', lastEventId: '1' },
    ],
  ],
  'applies an id without data to the next event': ['id:7\n\ndata:x\n\n', [{ data: 'x', lastEventId: '7' }]],
  'accepts other special characters in an id': [
    'id: …\u2029 7:3\ndata:x\n\n',
    [{ data: 'x', lastEventId: '…\u2029 7:3' }],
  ],

  // Reconnection time
  'reads digits of `retry` as milliseconds': ['retry:03000\ndata:x\n\n', [{ data: 'x', retryMillis: 3000 }]],
  'ignores a `retry` of anything but digits': [
    'retry:3000\nretry:1000x\nretry\nretry:-1\nretry:1.5\nretry: ٣\ndata:x\n\n',
    [{ data: 'x', retryMillis: 3000 }],
  ],
  'applies a `retry` without data': ['retry:20\n\ndata:x\n\n', [{ data: 'x', retryMillis: 20 }]],

  // End of the stream
  'does not dispatch an event that the end cuts off': [
    'retry:1000\ndata:a\n\nid:test\ndata:b',
    [{ data: 'a', retryMillis: 1000 }],
  ],
  'does not dispatch an event without its empty line': ['data:a\n\ndata:b\n', [{ data: 'a' }]],
  'dispatches nothing for an empty stream': ['', []],

  // Characters
  'reads characters of one to four bytes': ['data:aü…🧭\n\n', [{ data: 'aü…🧭' }]],
  'reads the example of the standard with comments and ids': [
    ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n',
    [{ data: 'first event', lastEventId: '1' }, { data: 'second event' }, { data: ' third event' }],
  ],
};

async function read(chunks: readonly Uint8Array[]) {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const events: ServerSentEvent[] = [];
  for await (const event of parseEventStream(stream)) events.push(event);
  return events;
}

describe('parseEventStream()', () => {
  test.each(Object.entries(VECTORS))('%s', async (_, [text, events]) => {
    const bytes = new TextEncoder().encode(text);
    const expected: unknown[] = [];
    let retryMillis: number | undefined;
    for (const event of events) {
      retryMillis = event.retryMillis ?? retryMillis;
      const wait = retryMillis === undefined ? {} : { retryMillis };
      expected.push({ type: 'message', lastEventId: '', ...event, ...wait });
    }
    expect(await read([bytes])).toEqual(expected);
    expect(await read(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(expected);
    const places = bytes.length > 512 ? [1, 8, 9, 10, 11, 12, 13, 20, bytes.length - 1] : bytes.keys();
    for (const at of places)
      expect(await read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
  });

  test('parseEventStream() replaces invalid UTF-8 and continues', async () => {
    const bytes = Uint8Array.from([...new TextEncoder().encode('data:a'), 0xff, 0xc3, 0x0a, 0x0a]);
    expect(await read([bytes])).toEqual([{ type: 'message', data: 'a\uFFFD\uFFFD', lastEventId: '' }]);
  });
});
