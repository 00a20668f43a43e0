import { expect, test } from 'vitest';
import type { ChatTurn, Guide } from '../../client/sdk/index.ts';
import {
  type Answer,
  answerFrames,
  aScriptedServerForEach,
  framesText,
  openGuide,
  server,
} from './scripted-server.ts';

aScriptedServerForEach();

const turn = { message: 'How?', domDigest: 'h1 Shop', url: 'https://shop.example/' };

/** Keeps the conversation that was sent, and ends each answer when `until` resolves. */
const keepsConversations =
  (until: (asked: { readonly conversation_id: string; readonly turn_idx: number }) => unknown): Answer =>
  async (response, { body }) => {
    const { conversation_id, turn_idx } = body;
    const [start, ...rest] = framesText([
      { ...answerFrames[0]!, conversation_id, conversation_rotated: false, turn_idx },
      answerFrames[1]!,
      { ...answerFrames[3]!, next_turn_idx: turn_idx + 1 },
    ]);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(start);
    await until(body);
    response.end(rest.join(''));
  };

async function ask(guide: Guide, more: Partial<ChatTurn> = {}): Promise<void> {
  for await (const _ of guide.chat({ ...turn, ...more }));
}

const sent = () => server.at('/chat').map(({ body }) => [body.conversation_id, body.turn_idx]);

test('a conversation named by the page starts at its own first turn', async () => {
  server.answer(
    '/chat',
    keepsConversations(() => {}),
  );
  const guide = openGuide();
  await ask(guide, { conversationId: 'conv_a' });
  await ask(guide);
  await ask(guide, { conversationId: 'conv_b' });
  await ask(guide);
  expect(sent()).toEqual([
    ['conv_a', 0],
    ['conv_a', 1],
    ['conv_b', 0],
    ['conv_b', 1],
  ]);
});

test('two parallel answers stay in their conversations, and the guide continues the newer one', async () => {
  const newerEnded = Promise.withResolvers<void>();
  server.answer(
    '/chat',
    keepsConversations(({ conversation_id }) => conversation_id === 'conv_a' && newerEnded.promise),
  );
  const guide = openGuide();
  const older = guide.chat({ ...turn, conversationId: 'conv_a', turnIdx: 7 });
  await older.next();
  await ask(guide, { conversationId: 'conv_b' });
  newerEnded.resolve();
  for await (const _ of older);
  expect(guide.conversationId).toBe('conv_b');
  await ask(guide);
  expect(sent().at(-1)).toEqual(['conv_b', 1]);
});

test('an earlier answer that ends late does not move the conversation back to its turn', async () => {
  const laterEnded = Promise.withResolvers<void>();
  server.answer(
    '/chat',
    keepsConversations(({ turn_idx }) => turn_idx === 0 && laterEnded.promise),
  );
  const guide = openGuide();
  const first = guide.chat(turn);
  await first.next();
  await ask(guide);
  laterEnded.resolve();
  for await (const _ of first);
  await ask(guide);
  expect(sent().map(([, index]) => index)).toEqual([0, 1, 2]);
  expect(new Set(sent().map(([id]) => id)).size).toBe(1);
});
