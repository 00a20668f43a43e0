import { expect, test } from 'vitest';
import type { ChatEvent } from '../../client/index.ts';
import { aScriptedServerForEach, openGuide, server } from './scripted-guide.ts';
import { type Answer, answerFrames, bootReply, framesText, json } from './scripted-server.ts';

aScriptedServerForEach();

const turn = { message: 'How?', domDigest: 'h1 Shop', url: 'https://shop.example/' };
const frames = framesText(answerFrames);
const whole = new TextEncoder().encode(frames.join(''));

/** A service that keeps its promise: after `Last-Event-ID` come the frames behind that one. Its first answer is cut. */
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

async function textOf(events: AsyncIterable<ChatEvent>): Promise<{ text: string; seqs: number[] }> {
  const seqs: number[] = [];
  let text = '';
  for await (const event of events) {
    seqs.push(event.seq);
    if (event.type === 'text_delta') text += event.delta;
  }
  return { text, seqs };
}

/** True in the second piece of text and in the end of the frame before it. */
function isInText(at: number): boolean {
  const [start, first, second] = frames.map((frame) => new TextEncoder().encode(frame).length) as number[];
  const from = start! + first!;
  return at > from - 20 && at < from + second!;
}

test('an answer whose connection breaks, wherever that is, arrives without a lost or doubled character', async () => {
  const ask = async (cut: number) => {
    const path = `/cut${cut}`;
    server.answer(`${path}/boot`, json(bootReply('token')));
    server.answer(`${path}/chat`, cutAfter(cut));
    const guide = openGuide({ baseUrl: `${server.baseUrl}${path}` });
    expect(await textOf(guide.chat(turn)), `cut after ${cut} bytes`).toEqual({
      text: 'Öffnen Sie die Übersicht. 🧭',
      seqs: answerFrames.map(({ seq }) => seq),
    });
    guide.close();
  };
  const cuts = [...whole.keys()].filter((at) => at % 7 === 0 || isInText(at));
  while (cuts.length > 0) await Promise.all(cuts.splice(0, 64).map(ask));
});
