import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { type Answer, answerOf, expectError } from '../fixtures/answer.ts';
import { eventsOf, type Harness, openHarness, question } from '../harness.ts';

/** Large and malformed screenshots and targets are dropped; the question is still answered. */

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
  ['larger than all else may be, with quotes', picture('A"'.repeat(LIMITS.chatBodyBytesMax / 2))],
  ['larger than all else may be, of numbers', { viewport_screenshot: Array(2_000_000).fill(1) }],
  ['with a width below zero', picture('/9j/2Q==', { width: -8 })],
  ['with a width over every limit', picture('/9j/2Q==', { width: 1e300 })],
  ['with a width in words', picture('/9j/2Q==', { width: '8' })],
  ['without data', { viewport_screenshot: { mime: 'image/jpeg', width: 8, height: 8 } }],
  ['with an unknown field', picture('/9j/2Q==', { quality: 1 })],
  ['that is a data URL', { viewport_screenshot: 'data:image/jpeg;base64,/9j/2Q==' }],
  ['that is null', { viewport_screenshot: null }],
  ['that is a list', { viewport_screenshot: [] }],
])('answers and drops a screenshot %s with a notice', async (_what, body) => {
  const { status, text } = await send(body);
  expect(status).toBe(200);
  const events = eventsOf(text);
  expect(events).toContainEqual(expect.objectContaining({ type: 'notice', code: 'screenshot_dropped' }));
  expect(events.at(-1)?.type).toBe('message_end');
});

const target = { gp_id: 'buy', role: 'button', name: 'Buy' };

it.each([
  ['without an id', { targets: [target, { name: 'Sell' }] }, 1],
  ['that are no objects', { targets: [null, 'Sell', target, 7] }, 3],
  ['with an unknown field', { targets: [{ ...target, onclick: 'steal()' }] }, 1],
  ['with a wrong box', { targets: [{ ...target, viewport_bbox: { x: 'left' } }] }, 1],
  ['with a confidence over 1', { targets: [{ ...target, confidence: 2 }] }, 1],
  ['that are no list', { targets: 'all' }, 1],
  ['that has the focus', { focused_target: { gp_id: 7 }, targets: [target] }, 1],
  ['beyond the limit', { targets: Array(20_000).fill({}) }, LIMITS.targetsSentMax],
])('answers and drops malformed targets %s with a notice', async (_what, capture_context, dropped) => {
  const { status, text } = await send({ capture_context });
  expect(status).toBe(200);
  const events = eventsOf(text);
  const notice = { type: 'notice', code: 'targets_dropped', text: `${dropped} targets were not kept.` };
  expect(events).toContainEqual(expect.objectContaining(notice));
  expect(events.at(-1)?.type).toBe('message_end');
});

it.each([
  ['a screenshot without end', picture('A'.repeat(LIMITS.chatArrivingBytesMax)), 'request/too_large'],
  ['a digest that is too large', { dom_digest: 'x'.repeat(LIMITS.chatBodyBytesMax) }, 'request/too_large'],
  ['an unknown field', { viewport_picture: {} }, 'request/invalid'],
  ['an unknown field of the page context', { capture_context: { pages: [] } }, 'request/invalid'],
] as const)('rejects %s', async (_what, body, code) => {
  expectError(await send(body), code);
});
