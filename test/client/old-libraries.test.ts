import { afterEach, expect, test } from 'vitest';
import {
  answerFrames,
  aScriptedServerForEach,
  framesText,
  openGuide,
  server,
  stream,
} from './scripted-server.ts';

aScriptedServerForEach();

type Taught = { toJSON?: unknown };

afterEach(() => {
  for (const prototype of [Array.prototype, Object.prototype] as Taught[]) delete prototype.toJSON;
});

const target = {
  key: 't1',
  role: 'button',
  name: 'Buy',
  bounding_box: { x: 1, y: 2, width: 3, height: 4 },
} as const;
const turn = {
  message: 'How?',
  domDigest: 'h1 Shop',
  url: 'https://shop.example/',
  captureContext: { targets: [target] } as never,
  viewport: { width: 800, height: 600, dpr: 1 },
};

test.each([
  ['arrays', Array.prototype],
  ['objects', Object.prototype],
])('a toJSON that a library of the page adds to %s does not change what is sent', async (_, prototype) => {
  server.answer('/chat', stream(framesText(answerFrames)));
  const guide = openGuide();
  await guide.boot();
  Object.defineProperty(prototype, 'toJSON', { value: () => '[]', configurable: true });
  for await (const _ of guide.chat(turn));
  expect(server.at('/chat')[0]?.body).toMatchObject({
    message: 'How?',
    viewport: turn.viewport,
    capture_context: { targets: [target] },
  });
});
