import { afterEach, expect, it } from 'vitest';
import type { EventRow } from '../../server/storage/events.ts';
import { decide } from '../consent/decisions.ts';
import { clock, type Harness, openHarness } from '../harness.ts';

const DAY = 86_400_000;

let harness: Harness;
afterEach(() => harness.close());

const store = () => harness.service.store.in(harness.workspace.id);
const eventTypes = async () => (await store().events.list(100)).map(({ type }: EventRow) => type);

/** A visitor who agreed asks one question. */
async function converse(conversation: string): Promise<void> {
  const visitor = await harness.boot();
  expect((await decide(harness, visitor)).json).toMatchObject({ recorded: true });
  await harness.ask(visitor.jwt, { conversation_id: conversation });
}

it('keeps conversations and events of visitors who agreed for thirteen months', async () => {
  harness = await openHarness();
  await converse('an-old-one');
  clock.advance(394 * DAY);
  await converse('a-recent-one');
  await harness.service.tick();
  expect(await store().conversations.find('an-old-one')).toBeDefined();
  const before = await eventTypes();
  clock.advance(2 * DAY);
  await harness.service.tick();
  expect(await store().conversations.find('an-old-one')).toBeUndefined();
  expect(await store().conversations.find('a-recent-one')).toBeDefined();
  expect(await eventTypes()).toHaveLength(before.length / 2);
});

it('deletes within an hour what a shorter retention no longer keeps', async () => {
  harness = await openHarness();
  await converse('one');
  clock.advance(3 * DAY);
  await harness.service.tick();
  await harness.service.store.workspaces.change(
    harness.workspace.id,
    { settings: { retention: { conversationDays: 395, eventDays: 2 } } },
    clock.now(),
  );
  clock.advance(3_600_000);
  await harness.service.tick();
  expect(await eventTypes()).toEqual([]);
  expect(await store().conversations.find('one')).toBeDefined();
});
