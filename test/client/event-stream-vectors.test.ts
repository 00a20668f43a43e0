import { describe, expect, test } from 'vitest';
import { parseEventStream, type ServerSentEvent } from '../../client/sdk/event-stream.ts';

/**
 * The event stream format of the WHATWG standard: the examples of its section on interpreting a
 * stream, and the cases of the
 * web platform tests. Each stream is read whole, cut in two at every byte, and byte by byte.
 */
type Expected = {
  readonly type?: string;
  readonly data: string;
  readonly lastEventId?: string;
  readonly retryMillis?: number;
};

const LONG = 'x'.repeat(2 * 1024);
const VECTORS: Readonly<Record<string, readonly [stream: string, events: readonly Expected[]]>> = {
  // Byte order mark
  'one mark at the start is skipped': ['\uFEFFdata:1\n\ndata:2\n\n', [{ data: '1' }, { data: '2' }]],
  'a second mark belongs to the name of the field': ['\uFEFF\uFEFFdata:1\n\ndata:2\n\n', [{ data: '2' }]],
  'a mark later on belongs to the line': [
    'data:1\n\n\uFEFFdata:2\n\ndata:3\n\n',
    [{ data: '1' }, { data: '3' }],
  ],
  'a mark in data stays': ['data:\uFEFFa\n\n', [{ data: '\uFEFFa' }]],

  // Line ends
  'lines end in LF': ['data:a\ndata:b\n\n', [{ data: 'a\nb' }]],
  'lines end in CR': ['data:a\rdata:b\r\r', [{ data: 'a\nb' }]],
  'lines end in CR LF': ['data:a\r\ndata:b\r\n\r\n', [{ data: 'a\nb' }]],
  'all three in one stream': ['data:a\r\ndata\ndata:b\r\r\n', [{ data: 'a\n\nb' }]],
  'CR LF is one end and not two': ['data:a\r\ndata:b\n\n', [{ data: 'a\nb' }]],
  'LF CR is two ends': ['data:a\n\rdata:b\n\n', [{ data: 'a' }, { data: 'b' }]],
  'other separators are no line ends': ['data:a\u2028b\u0085c\vd\n\n', [{ data: 'a\u2028b\u0085c\vd' }]],
  'empty lines alone dispatch nothing': ['\n\r\r\n\n', []],

  // Data
  'an empty value is data': ['data:\n\n', [{ data: '' }]],
  'fields without a colon are empty values': ['data\n\ndata\ndata\n\n', [{ data: '' }, { data: '\n' }]],
  'one space after the colon is taken away, and only that': [
    'data:a\n\ndata: a\n\ndata:  a\n\ndata:\ta\n\ndata: \n\n',
    [{ data: 'a' }, { data: 'a' }, { data: ' a' }, { data: '\ta' }, { data: '' }],
  ],
  'colons in the value stay': ['data:a:b: c\n\n', [{ data: 'a:b: c' }]],
  'a NUL in data stays': ['data:\0\n\n\n\n', [{ data: '\0' }]],
  'names are compared exactly': [
    'data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n',
    [{ data: '\0\n 2\n1\n3\n\n4' }],
  ],
  'the example of the standard with three lines': [
    'data: YHOO\ndata: +2\ndata: 10\n\n',
    [{ data: 'YHOO\n+2\n10' }],
  ],

  // Unknown fields
  'unknown fields, and lines without a colon that name none, are skipped': [
    'data:a\n data\ndata\nfoobar:x\njusttext\n:a comment\ndata:b\n\n',
    [{ data: 'a\n\nb' }],
  ],
  'comments are skipped, however long': [
    `data:1\r:\0\n:\r\ndata:2\n:${LONG}\rdata:3\n:data:no\r:${LONG}\ndata:4\n\n`,
    [{ data: '1\n2\n3\n4' }],
  ],
  'a comment between empty lines dispatches nothing': [': hello\n\n: again\n\n', []],

  // Types
  'a type holds for one event': [
    'event:test\ndata:x\n\ndata:x\n\n',
    [{ type: 'test', data: 'x' }, { data: 'x' }],
  ],
  'an empty type is the usual one': ['event: \ndata:a\n\nevent\ndata:b\n\n', [{ data: 'a' }, { data: 'b' }]],
  'the last of several types counts': ['event:a\nevent:b\ndata:x\n\n', [{ type: 'b', data: 'x' }]],
  'a type without data is forgotten': ['event:a\n\ndata:x\n\n', [{ data: 'x' }]],

  // Ids
  'an id stays until another one': [
    'id:1\ndata:a\n\ndata:b\n\nid:2\ndata:c\n\n',
    [
      { data: 'a', lastEventId: '1' },
      { data: 'b', lastEventId: '1' },
      { data: 'c', lastEventId: '2' },
    ],
  ],
  'an empty id takes it away': [
    'id:1\ndata:a\n\nid\ndata:b\n\nid:\ndata:c\n\n',
    [{ data: 'a', lastEventId: '1' }, { data: 'b' }, { data: 'c' }],
  ],
  'an id with a NUL is ignored': [
    'id:1\ndata:a\n\nid:2\0\ndata:b\n\n',
    [
      { data: 'a', lastEventId: '1' },
      { data: 'b', lastEventId: '1' },
    ],
  ],
  'an id without data counts for the next event': ['id:7\n\ndata:x\n\n', [{ data: 'x', lastEventId: '7' }]],
  'an id may hold anything else': [
    'id: …\u2029 7:3\ndata:x\n\n',
    [{ data: 'x', lastEventId: '…\u2029 7:3' }],
  ],

  // Reconnection time
  'digits are milliseconds': ['retry:03000\ndata:x\n\n', [{ data: 'x', retryMillis: 3000 }]],
  'anything else is ignored': [
    'retry:3000\nretry:1000x\nretry\nretry:-1\nretry:1.5\nretry: ٣\ndata:x\n\n',
    [{ data: 'x', retryMillis: 3000 }],
  ],
  'a wait without data counts, too': ['retry:20\n\ndata:x\n\n', [{ data: 'x', retryMillis: 20 }]],

  // End of the stream
  'what the end cuts off is not dispatched': [
    'retry:1000\ndata:a\n\nid:test\ndata:b',
    [{ data: 'a', retryMillis: 1000 }],
  ],
  'nor is a block without its empty line': ['data:a\n\ndata:b\n', [{ data: 'a' }]],
  'an empty stream holds nothing': ['', []],

  // Characters
  'characters of every length': ['data:aü…🧭\n\n', [{ data: 'aü…🧭' }]],
  'the example of the standard with comments and ids': [
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
