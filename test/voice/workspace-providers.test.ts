import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VOICE_DEFAULTS, type WorkspaceVoice } from '../../server/storage/workspace-settings.ts';
import { openFakeDeepgram } from '../support/fake-speech/deepgram.ts';
import { openFakeElevenLabs } from '../support/fake-speech/elevenlabs.ts';
import { type FakeProvider, type Fault, FORBIDDEN_TEXT } from '../support/fake-speech/fake-provider.ts';
import { openFakeOpenAi } from '../support/fake-speech/openai.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { expectError, readResponse, textWithoutId } from '../support/response.ts';
import { openVoice, type Provider, seconds, type VoiceHarness, waveFile } from '../support/voice-service.ts';

/** The provider order of a workspace, by kind of use. */

const transcript = { text: 'Hello.', model: 'm' };
const working: Provider = { token: () => ({}), transcribe: () => transcript, speak: () => seconds(1) };
const failing: Provider = { token: 'upstream', transcribe: 'upstream', speak: 'upstream' };
const ALL = { provider_a: working, provider_b: working, provider_c: { speak: () => seconds(1) } };

async function spokenBy(harness: VoiceHarness, body: Record<string, unknown> = {}): Promise<string | null> {
  const response = await (await harness.visitor()).speak(body);
  await response.arrayBuffer();
  return response.headers.get('x-service-tts-provider');
}
const heardBy = async (harness: VoiceHarness) => {
  await (await harness.visitor()).transcribe(waveFile());
  return harness.speech.calls.map(({ name }) => name);
};
const tokenOf = async (harness: VoiceHarness, query = '') => {
  const { provider, transport } = (await (await harness.visitor()).token(query)).json;
  return `${provider} ${transport}`;
};

describe('workspace token provider', () => {
  const cases: [NonNullable<WorkspaceVoice['tokenProvider']>, string][] = [
    ['provider_a', 'provider_a webrtc'],
    ['provider_b', 'provider_b websocket'],
    ['provider_b-batch', 'provider_b upload'],
    ['mock', 'mock mock'],
  ];
  it.each(cases)('is used for `auto` and without a provider: %s', async (tokenProvider, token) => {
    const harness = await openVoice(ALL, { tokenProvider });
    expect(await tokenOf(harness)).toBe(token);
    expect(await tokenOf(harness, '?provider=auto')).toBe(token);
    const isLive = tokenProvider === 'provider_a' || tokenProvider === 'provider_b';
    expect(await harness.openReservations()).toBe(isLive ? 2 : 0);
  });

  it('is overridden by the request', async () => {
    const harness = await openVoice(ALL, { tokenProvider: 'provider_b' });
    expect(await tokenOf(harness, '?provider=provider_a')).toBe('provider_a webrtc');
    expect(await tokenOf(harness, '?provider=provider_b-batch')).toBe('provider_b upload');
    expect(await tokenOf(harness, '?provider=mock')).toBe('mock mock');
  });

  it('falls back to the others when it fails, unless the request names it', async () => {
    const harness = await openVoice({ ...ALL, provider_b: failing }, { tokenProvider: 'provider_b' });
    expect(await tokenOf(harness)).toBe('provider_a webrtc');
    expect(harness.speech.calls.map(({ name }) => name)).toEqual(['provider_b', 'provider_a']);
    const visitor = await harness.visitor();
    expectError(await visitor.token('?provider=provider_b'), 'voice/provider_failed');
  });

  it.each(['provider_b', 'provider_b-batch'] as const)(
    'is skipped when not configured: %s',
    async (tokenProvider) => {
      expect(await tokenOf(await openVoice({ provider_a: working }, { tokenProvider }))).toBe(
        'provider_a webrtc',
      );
      expect(await tokenOf(await openVoice({}, { tokenProvider }))).toBe('mock mock');
    },
  );
});

describe('workspace transcription provider', () => {
  it('is tried first, then the others', async () => {
    const own = { transcribeProvider: 'provider_a' } as const;
    expect(await heardBy(await openVoice(ALL))).toEqual(['provider_b']);
    expect(await heardBy(await openVoice(ALL, own))).toEqual(['provider_a']);
    expect(await heardBy(await openVoice({ ...ALL, provider_a: failing }, own))).toEqual([
      'provider_a',
      'provider_b',
    ]);
  });

  it('is skipped when not configured', async () => {
    const own = { transcribeProvider: 'provider_a' } as const;
    expect(await heardBy(await openVoice({ provider_b: working }, own))).toEqual(['provider_b']);
    const visitor = await (await openVoice({}, own)).visitor();
    expectError(await visitor.transcribe(waveFile()), 'voice/not_configured');
  });
});

describe('workspace speech provider', () => {
  it.each(['provider_a', 'provider_b', 'provider_c', 'mock'] as const)(
    'is used for `auto` and without a provider: %s',
    async (speechProvider) => {
      const harness = await openVoice(ALL, { speechProvider });
      expect(await spokenBy(harness)).toBe(speechProvider);
      expect(await spokenBy(harness, { provider: 'auto' })).toBe(speechProvider);
      expect((await harness.counted()) > 0).toBe(speechProvider !== 'mock');
    },
  );

  it('is overridden by the request', async () => {
    const harness = await openVoice(ALL, { speechProvider: 'provider_a' });
    expect(await spokenBy(harness, { provider: 'provider_c' })).toBe('provider_c');
    expect(await spokenBy(harness, { provider: 'mock' })).toBe('mock');
  });

  it('falls back to the others in default order until the first byte', async () => {
    const own = { speechProvider: 'provider_a' } as const;
    const harness = await openVoice({ ...ALL, provider_a: failing }, own);
    expect(await spokenBy(harness)).toBe('provider_c');
    expect(harness.speech.calls.map(({ name }) => name)).toEqual(['provider_a', 'provider_c']);
    const failed = await openVoice({ provider_a: failing, provider_b: failing }, own);
    const response = await (await failed.visitor()).speak();
    expect(await response.json()).toMatchObject({ error: 'voice/provider_failed' });
    expect(failed.speech.calls.map(({ name }) => name)).toEqual(['provider_a', 'provider_b']);
  });

  it('is skipped when not configured', async () => {
    const own = { speechProvider: 'provider_c' } as const;
    expect(await spokenBy(await openVoice({ provider_a: working }, own))).toBe('provider_a');
    expect(await spokenBy(await openVoice({}, own))).toBe('mock');
  });

  it('ignores a voice of another provider when the request names no provider', async () => {
    const harness = await openVoice(
      { ...ALL, provider_b: { ...working, supportsVoice: () => false } },
      { speechProvider: 'provider_b' },
    );
    expect(await spokenBy(harness, { voice_id: 'alloy' })).toBe('provider_b');
    expect(harness.speech.calls[0]!.what).not.toHaveProperty('voiceId');
  });
});

it('changed workspace settings apply at once', async () => {
  const harness = await openVoice(ALL);
  expect(await spokenBy(harness)).toBe('provider_c');
  await harness.service.store.workspaces.change(
    harness.workspace.id,
    ({ settings }) => ({ settings: { voice: { ...settings.voice, speechProvider: 'provider_b' } } }),
    harness.clock.now(),
  );
  harness.clock.advance(5000);
  expect(await spokenBy(harness)).toBe('provider_b');
});

/**
 * All providers with every kind of failure, and every set of them with some, of one or all: which provider answers,
 * or which error is returned.
 */

type Name = 'provider_a' | 'provider_b' | 'provider_c';
type Operation = 'token' | 'transcribe' | 'speak';
type Fake = FakeProvider & { env: Readonly<Record<string, string>> };

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

/** Whether the fault comes too late for a fallback: once speech has begun, its provider cannot change. */
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

    /** Returns the provider that answered, or the error code; `cut` when speech was interrupted. */
    async function ask(operation: Operation): Promise<string> {
      harness.clock.advance(1000);
      const { jwt } = await harness.boot();
      const headers = { authorization: `Bearer ${jwt}` };
      if (operation === 'speak') {
        const response = await harness.fetch('/tts', { json: { text: 'Good morning.' }, headers });
        if (response.status !== 200) return readErrorCode(readResponse(response));
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
      const answer = await readResponse<{ provider?: string; model?: string }>(
        harness.fetch(path, { ...init, headers }),
      );
      if (answer.status !== 200) return readErrorCode(Promise.resolve(answer));
      if (operation === 'token') return answer.json.provider ?? '';
      return answer.json.model === 'nova-3' ? 'provider_b' : 'provider_a';
    }

    async function readErrorCode(answering: ReturnType<typeof readResponse>): Promise<string> {
      const response = await answering;
      expect(response.text).not.toContain(FORBIDDEN_TEXT);
      const { error } = response.json as { error: 'voice/provider_failed' };
      const errorBody = expectError(response, error);
      expect(textWithoutId(response, errorBody)).not.toMatch(/127\.0\.0\.1|key|sk[-_]/i);
      return error;
    }

    /** Returns the expected outcome for these failures. */
    function due(operation: Operation, troubled: readonly Name[], fault: Fault | undefined): string {
      const order = ORDER[operation].filter((name) => present.includes(name));
      if (order.length === 0) return operation === 'transcribe' ? 'voice/not_configured' : 'mock';
      if (fault && isTooLate(operation, fault)) {
        return troubled.includes(order[0]!) ? `${order[0]} cut` : order[0]!;
      }
      return order.find((name) => !troubled.includes(name)) ?? 'voice/provider_failed';
    }

    const sets = present.length > 1 ? [...present.map((name) => [name]), present] : [present];
    // Only the order differs with fewer providers: one fault that falls back, and one that comes too late, show it.
    const faults = present.length === NAMES.length ? TROUBLES : (['broken', 'cut'] as const);
    const cases = faults.flatMap((fault) => sets.map((troubled) => [fault, troubled] as const));
    it.each(present.length === 0 ? [] : cases)(
      'answers from the next one, or with an error, for the fault "%s" of %s',
      async (fault, troubled) => {
        for (const name of troubled) fakes.get(name)!.fault = fault;
        const operations = ['token', 'transcribe', 'speak'] as const;
        const outcomes = await Promise.all(operations.map(ask));
        for (const name of troubled) fakes.get(name)!.fault = undefined;
        expect(outcomes).toEqual(operations.map((operation) => due(operation, troubled, fault)));
      },
    );

    it('answers from the first one without a fault', async () => {
      for (const operation of ['token', 'transcribe', 'speak'] as const) {
        expect(await ask(operation)).toBe(due(operation, [], undefined));
      }
    });
  },
);
