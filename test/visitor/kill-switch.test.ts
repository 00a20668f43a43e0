import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Engine } from '../../server/engine/engine.ts';
import { answerOf, expectError } from '../fixtures/answer.ts';
import { clock, eventsOf, type Harness, openHarness, question } from '../harness.ts';

/** Writes until it is stopped. */
const endless: Engine = {
  name: 'endless',
  async *answer(_question, signal) {
    while (!signal.aborted) {
      yield { type: 'text', delta: 'More. ' };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
};

let harness: Harness;
let headers: Record<string, string>;

beforeEach(async () => {
  harness = await openHarness({ engine: endless });
  headers = { authorization: `Bearer ${(await harness.boot()).jwt}` };
});
afterEach(() => harness.close());

async function turn(on: boolean): Promise<void> {
  await harness.service.store.featureFlags.set('kill_switch', on, clock.now());
  clock.advance(300);
}

it('stops chat and voice for tokens that are out, and nothing that costs nothing', async () => {
  await turn(true);
  const form = new FormData();
  form.append('audio', new Blob(['RIFF']), 'recording');
  const paused = [
    harness.fetch('/chat', { json: question(), headers }),
    harness.fetch('/transcribe-token', { headers }),
    harness.fetch('/transcribe', { method: 'POST', body: form, headers }),
    harness.fetch('/tts', { json: { text: 'Hello' }, headers }),
  ];
  for (const answer of paused) expectError(await answerOf(answer), 'guide/paused');
  expect((await harness.fetch('/visitor', { method: 'DELETE', headers })).status).toBe(200);
  await turn(false);
  await harness.boot();
});

it('ends a running answer with an error event', async () => {
  const asked = await harness.fetch('/chat', { json: question(), headers });
  await turn(true);
  const events = eventsOf(await asked.text());
  expect(events.filter(({ type }) => type === 'error' || type === 'message_end')).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: 'error', code: 'guide/paused', retryable: true });
  const read = await harness.fetch('/conversations/conv-of-a-test', { headers });
  expect(await read.json()).toMatchObject({ turns: [{ state: 'interrupted' }] });
});
