import { expect, test } from 'vitest';
import { parseEventStream, type ServerSentEvent } from '../../client/sdk/event-stream.ts';
import { fc } from '../fixtures/seeded-random.ts';

/** A stream of these chunks; `hang` leaves it open after them. */
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
