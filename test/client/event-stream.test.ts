import { expect, test } from 'vitest';
import { parseEventStream, type ServerSentEvent } from '../../client/sdk/event-stream.ts';
import { fc } from '../fixtures/seeded-random.ts';

/** A stream that delivers these chunks; `hang` leaves it open after them. */
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

test('reads type, data and id, and takes one space after the colon away', async () => {
  expect(await eventsOf('event: hello\nid: m:1\ndata:  two spaces\n\n')).toEqual([
    { type: 'hello', data: ' two spaces', lastEventId: 'm:1' },
  ]);
});

test('joins several lines of data, and a line without a colon is an empty field', async () => {
  expect(await eventsOf('data: a\ndata\ndata:c\n\n')).toEqual([
    { type: 'message', data: 'a\n\nc', lastEventId: '' },
  ]);
});

test('skips a byte order mark, comments, unknown fields and events without data', async () => {
  expect(await eventsOf('\uFEFF: hello\n\nwhat: ever\nevent: empty\n\nid: 7\n\ndata: x\n\n')).toEqual([
    { type: 'message', data: 'x', lastEventId: '7' },
  ]);
});

test('keeps the last id for later events and ignores one with a NUL', async () => {
  const events = await eventsOf('id: 1\ndata: a\n\ndata: b\n\nid: \0\ndata: c\n\nid\ndata: d\n\n');
  expect(events.map((event) => event.lastEventId)).toEqual(['1', '1', '1', '']);
});

test('remembers how long the stream asks to wait, when that is a number', async () => {
  const events = await eventsOf('retry: 1500\ndata: a\n\nretry: soon\ndata: b\n\n');
  expect(events.map((event) => event.retryMillis)).toEqual([1500, 1500]);
});

test('dispatches nothing that the end of the stream cuts off', async () => {
  expect(await eventsOf('data: whole\n\ndata: half\n')).toHaveLength(1);
});

test('does not see an empty line between a CR and an LF that arrive apart', async () => {
  expect(await eventsOf('data: a\r', '\ndata: b\r', '\n\r', '\n')).toEqual([
    { type: 'message', data: 'a\nb', lastEventId: '' },
  ]);
});

test('gives an event out as soon as its empty line ends in a CR', async () => {
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

test('reads the same events however the bytes are cut into chunks and the lines are ended', async () => {
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

test('leaving the loop cancels the stream', async () => {
  let cancelled = false;
  const stream = streamOf([bytesOf('data: a\n\n')], { hang: true, onCancel: () => (cancelled = true) });
  for await (const _ of parseEventStream(stream)) break;
  expect(cancelled).toBe(true);
});

test('gives up a stream that falls silent, and comments break the silence', async () => {
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (let beat = 0; beat < 4; beat++) {
        controller.enqueue(bytesOf(beat === 3 ? 'data: late\n\n' : ': still here\n\n'));
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
