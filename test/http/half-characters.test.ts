import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerOf, expectRefusal } from '../fixtures/answer.ts';
import { type Harness, openHarness } from '../harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

it('names an unknown field in whole characters, wherever its name is cut or broken', async () => {
  const names = [`${'x'.repeat(63)}𝕏`, 'half \ud835', `${'y'.repeat(600)}𝕐`];
  for (const name of names) {
    const answer = await answerOf(harness.fetch('/boot', { json: { [name]: 1 } }));
    expect(expectRefusal(answer, 'request/invalid').issues).not.toEqual([]);
    expect(answer.text).not.toMatch(/\\ud[89ab]/i);
  }
});
