import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { type Answer, answerOf, expectError } from '../fixtures/answer.ts';
import { eventsOf, type Harness, openHarness, question } from '../harness.ts';

/** A large screenshot is dropped; the question is still answered. */

let harness: Harness;
let jwt: string;
beforeAll(async () => {
  harness = await openHarness();
  jwt = (await harness.boot()).jwt;
});
afterAll(() => harness.close());

const picture = (data: string, size = {}) => ({
  viewport_screenshot: { mime: 'image/jpeg', data, width: 8, height: 8, ...size },
});

function send(body: Record<string, unknown>): Promise<Answer> {
  return answerOf(
    harness.fetch('/chat', { json: question(body), headers: { authorization: `Bearer ${jwt}` } }),
  );
}

it.each([
  ['of two megabytes', picture('A'.repeat(2_000_000))],
  ['larger than all else may be', picture('A'.repeat(LIMITS.chatBodyBytesMax + 1))],
  ['of ten megabytes', picture('A'.repeat(10_000_000))],
  ['with a width below zero', picture('/9j/2Q==', { width: -8 })],
])('answers and drops a screenshot %s with a notice', async (_what, body) => {
  const { status, text } = await send(body);
  expect(status).toBe(200);
  const events = eventsOf(text);
  expect(events).toContainEqual(expect.objectContaining({ type: 'notice', code: 'screenshot_dropped' }));
  expect(events.at(-1)?.type).toBe('message_end');
});

it.each([
  ['a screenshot without end', picture('A'.repeat(LIMITS.chatArrivingBytesMax)), 'request/too_large'],
  ['a digest that is too large', { dom_digest: 'x'.repeat(LIMITS.chatBodyBytesMax) }, 'request/too_large'],
  ['a long text with a quote in it', picture(`${'A'.repeat(LIMITS.chatBodyBytesMax)}"`), 'request/invalid'],
] as const)('rejects %s', async (_what, body, code) => {
  expectError(await send(body), code);
});
