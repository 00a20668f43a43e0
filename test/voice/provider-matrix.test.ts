import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VOICE_DEFAULTS } from '../../server/storage/workspaces.ts';
import { answerOf, expectError, textWithoutId } from '../fixtures/answer.ts';
import { type Harness, openHarness } from '../harness.ts';
import { openFakeDeepgram } from '../speech/fakes/deepgram.ts';
import { openFakeElevenLabs } from '../speech/fakes/elevenlabs.ts';
import { type FakeProvider, type Fault, FORBIDDEN_TEXT } from '../speech/fakes/fake-provider.ts';
import { openFakeOpenAi } from '../speech/fakes/openai.ts';
import { waveFile } from './scripted-speech.ts';

/**
 * Every set of providers with every kind of failure, of one or all: which provider answers, or
 * which error is returned.
 */

type Name = 'provider_a' | 'provider_b' | 'provider_c';
type Operation = 'token' | 'transcribe' | 'speak';
type Fake = FakeProvider & { readonly env: Readonly<Record<string, string>> };

const NAMES: readonly Name[] = ['provider_a', 'provider_b', 'provider_c'];
const OPEN: Record<Name, () => Promise<Fake>> = {
  provider_a: openFakeOpenAi,
  provider_b: openFakeDeepgram,
  provider_c: openFakeElevenLabs,
};
const ORDER: Record<Operation, readonly Name[]> = {
  token: ['provider_a', 'provider_b'],
  transcribe: ['provider_b', 'provider_a'],
  speak: ['provider_c', 'provider_b', 'provider_a'],
};
const TROUBLES: readonly Fault[] = ['unauthorized', 'busy', 'broken', 'hangs', 'garbage', 'cut', 'stalls'];
const TIMES = { SPEECH_TIMEOUT_MILLIS: '500', SPEECH_TRANSCRIBE_TIMEOUT_MILLIS: '500' };
const SETS = Array.from({ length: 8 }, (_, bits) => NAMES.filter((_, at) => bits & (1 << at)));

/** Once speech has begun, its provider cannot change. */
const isTooLate = (operation: Operation, fault: Fault) =>
  operation === 'speak' && (fault === 'cut' || fault === 'stalls');

describe.each(SETS.map((set) => [set.join(' and ') || 'nobody', set] as const))(
  'provider fallback with %s',
  (_who, present) => {
    const fakes = new Map<Name, Fake>();
    let harness: Harness;
    beforeAll(async () => {
      for (const name of present) fakes.set(name, await OPEN[name]());
      const times = present.length > 0 ? TIMES : {};
      const env = Object.assign({}, times, ...[...fakes.values()].map((fake) => fake.env));
      const settings = { voice: { ...VOICE_DEFAULTS, monthlySecondsMax: 1_000_000 } };
      harness = await openHarness({ env, settings });
    });
    afterAll(async () => {
      await harness.close();
      for (const fake of fakes.values()) await fake.close();
    });

    // Closes the circuit breakers that an earlier case has opened.
    beforeEach(() => harness.clock.advance(61_000));

    /** The provider that answered, or the error code; `cut` when speech was interrupted. */
    async function ask(operation: Operation): Promise<string> {
      harness.clock.advance(1000);
      const { jwt } = await harness.boot();
      const headers = { authorization: `Bearer ${jwt}` };
      if (operation === 'speak') {
        const response = await harness.fetch('/tts', { json: { text: 'Good morning.' }, headers });
        if (response.status !== 200) return refusalOf(answerOf(response));
        const speaker = response.headers.get('x-service-tts-provider') ?? '';
        const isWhole = await response.arrayBuffer().then(
          (bytes) => bytes.byteLength > 0,
          () => false,
        );
        return isWhole ? speaker : `${speaker} cut`;
      }
      const body = new FormData();
      body.append('audio', new Blob([waveFile()]), 'recording');
      const init = operation === 'token' ? {} : { method: 'POST', body };
      const path = operation === 'token' ? '/transcribe-token' : '/transcribe';
      const answer = await answerOf<{ provider?: string; model?: string }>(
        harness.fetch(path, { ...init, headers }),
      );
      if (answer.status !== 200) return refusalOf(Promise.resolve(answer));
      if (operation === 'token') return answer.json.provider ?? '';
      return answer.json.model === 'nova-3' ? 'provider_b' : 'provider_a';
    }

    async function refusalOf(answering: ReturnType<typeof answerOf>): Promise<string> {
      const answer = await answering;
      expect(answer.text).not.toContain(FORBIDDEN_TEXT);
      const { error } = answer.json as { error: 'voice/provider_failed' };
      const refusal = expectError(answer, error);
      expect(textWithoutId(answer, refusal)).not.toMatch(/127\.0\.0\.1|key|sk[-_]/i);
      return error;
    }

    /** The expected outcome for these failures. */
    function due(operation: Operation, troubled: readonly Name[], fault: Fault | undefined): string {
      const order = ORDER[operation].filter((name) => present.includes(name));
      if (order.length === 0) return operation === 'transcribe' ? 'voice/not_configured' : 'mock';
      if (fault && isTooLate(operation, fault)) {
        return troubled.includes(order[0]!) ? `${order[0]} cut` : order[0]!;
      }
      return order.find((name) => !troubled.includes(name)) ?? 'voice/provider_failed';
    }

    const sets = present.length > 1 ? [...present.map((name) => [name]), present] : [present];
    const cases = TROUBLES.flatMap((fault) => sets.map((troubled) => [fault, troubled] as const));
    it.each(present.length === 0 ? [] : cases)('%s: %s', async (fault, troubled) => {
      for (const name of troubled) fakes.get(name)!.fault = fault;
      const operations = ['token', 'transcribe', 'speak'] as const;
      const outcomes = await Promise.all(operations.map(ask));
      for (const name of troubled) fakes.get(name)!.fault = undefined;
      expect(outcomes).toEqual(operations.map((operation) => due(operation, troubled, fault)));
    });

    it('no failure', async () => {
      for (const operation of ['token', 'transcribe', 'speak'] as const) {
        expect(await ask(operation)).toBe(due(operation, [], undefined));
      }
    });
  },
);
