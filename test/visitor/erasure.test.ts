import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Harness, openHarness } from '../harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const erase = (jwt: string) =>
  harness.fetch('/visitor', { method: 'DELETE', headers: { authorization: `Bearer ${jwt}` } });

it('ends every token of an erased visitor at once, also after a restart', async () => {
  const first = await harness.boot();
  const second = await harness.boot({ visitor_id: first.visitor_id });
  expect(second.visitor_id).toBe(first.visitor_id);
  expect((await erase(first.jwt)).status).toBe(200);
  for (const { jwt } of [first, second]) expect((await erase(jwt)).status).toBe(401);
  harness = await harness.restart();
  for (const { jwt } of [first, second]) expect((await erase(jwt)).status).toBe(401);
});

it('gives whoever sends the id of an erased visitor a new one', async () => {
  const { jwt, visitor_id } = await harness.boot();
  await erase(jwt);
  const again = await harness.boot({ visitor_id });
  expect(again.visitor_id).not.toBe(visitor_id);
  expect((await erase(again.jwt)).status).toBe(200);
});
