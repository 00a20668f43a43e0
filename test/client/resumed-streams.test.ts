import { expect, test } from 'vitest';
import type { ChatEvent } from '../../client/sdk/index.ts';
import {
  type Answer,
  answerFrames,
  aScriptedServerForEach,
  bootReply,
  errorResponse,
  framesText,
  json,
  openGuide,
  server,
  stream,
} from './scripted-server.ts';

aScriptedServerForEach();

const turn = { message: 'How?', domDigest: 'h1 Shop', url: 'https://shop.example/' };
const frames = framesText(answerFrames);
const whole = new TextEncoder().encode(frames.join(''));

/** A service that cuts its first answer, and continues after `Last-Event-ID`. */
function cutAfter(bytes: number): Answer {
  let isFirst = true;
  return (response, { headers }) => {
    const after = Number(headers['last-event-id']?.toString().split(':')[1] ?? -1);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 1\n\n');
    if (!isFirst) return response.end(frames.slice(after + 1).join(''));
    isFirst = false;
    return response.write(whole.subarray(0, bytes), () => response.socket?.destroy());
  };
}

async function readText(events: AsyncIterable<ChatEvent>): Promise<{ text: string; seqs: number[] }> {
  const seqs: number[] = [];
  let text = '';
  for await (const event of events) {
    seqs.push(event.seq);
    if (event.type === 'text_delta') text += event.delta;
  }
  return { text, seqs };
}

/** Within the second delta, and at the end of the frame before it. */
function isInText(at: number): boolean {
  const [start, first, second] = frames.map((frame) => new TextEncoder().encode(frame).length) as number[];
  const from = start! + first!;
  return at > from - 20 && at < from + second!;
}

test('an answer that breaks at any byte arrives without lost or repeated characters', async () => {
  const ask = async (cut: number) => {
    const path = `/cut${cut}`;
    server.answer(`${path}/boot`, json(bootReply('token')));
    server.answer(`${path}/chat`, cutAfter(cut));
    const guide = openGuide({ baseUrl: `${server.baseUrl}${path}` });
    expect(await readText(guide.chat(turn)), `cut after ${cut} bytes`).toEqual({
      text: 'Öffnen Sie die Übersicht. 🧭',
      seqs: answerFrames.map(({ seq }) => seq),
    });
    guide.close();
  };
  const cuts = [...whole.keys()].filter((at) => at % 7 === 0 || isInText(at));
  while (cuts.length > 0) await Promise.all(cuts.splice(0, 64).map(ask));
});

const page =
  (status: number): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>');

test.each<[string, Answer]>([
  ['502 with a page', page(502)],
  ['503 without a word on when', errorResponse(503, 'server/overloaded')],
  ['503 with a Retry-After', errorResponse(503, 'server/shutting_down', {}, { 'retry-after': '1' })],
  ['504 with a page', page(504)],
])('an answer survives a restart behind a proxy that responds with %s', async (_, restarting) => {
  const cut = stream(['retry: 1\n\n', ...frames.slice(0, 2)], 'break');
  const rest = stream(frames.slice(2));
  server.answer('/chat', cut, restarting, restarting, rest);
  const guide = openGuide({ retry: { attemptsMax: 0 } });
  const { text } = await readText(guide.chat(turn));
  expect(text).toBe('Öffnen Sie die Übersicht. 🧭');
  expect(server.at('/chat')).toHaveLength(4);
});

test('a restart that takes too long rejects with the error of the proxy', async () => {
  server.answer('/chat', stream(['retry: 1\n\n', ...frames.slice(0, 2)], 'break'), page(502));
  const guide = openGuide({ retry: { attemptsMax: 0 } });
  await expect(readText(guide.chat(turn))).rejects.toMatchObject({ code: 'protocol', status: 502 });
  expect(server.at('/chat')).toHaveLength(4);
});

test('an error of a proxy before the answer rejects the call', async () => {
  server.answer('/chat', page(502));
  const guide = openGuide({ retry: { attemptsMax: 0 } });
  await expect(readText(guide.chat(turn))).rejects.toMatchObject({ status: 502 });
  expect(server.at('/chat')).toHaveLength(1);
});
