import { parseBuffer } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { VOICE_LIMITS } from '../../contract/limits/voice.ts';
import { SpeechFailure } from '../../server/speech/speech.ts';
import { expectError, readResponse } from '../support/response.ts';
import { BYTES_PER_SECOND, openVoice, scriptedSpeech, seconds } from '../support/voice-service.ts';

const ALL = {
  provider_a: { speak: () => seconds(2) },
  provider_b: { speak: () => seconds(2) },
  provider_c: { speak: () => seconds(2) },
};
const speakerOf = (response: Response) => response.headers.get('x-service-tts-provider');

describe('POST /speak', () => {
  it('streams speech and names the provider', async () => {
    let go = () => {};
    const rest = new Promise<void>((resolve) => {
      go = resolve;
    });
    const parts = async function* () {
      yield new Uint8Array(10).fill(1);
      await rest;
      yield new Uint8Array(10).fill(2);
    };
    const harness = await openVoice({ provider_c: { speak: parts } });
    const response = await (await harness.visitor()).speak();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('access-control-expose-headers')).toContain('x-service-tts-provider');
    expect(speakerOf(response)).toBe('provider_c');
    const reader = response.body!.getReader();
    const first = (await reader.read()).value!;
    expect([...first.subarray(-10)]).toEqual(Array(10).fill(1));
    go();
    expect([...(await reader.read()).value!]).toEqual(Array(10).fill(2));
    expect((await reader.read()).done).toBe(true);
  });

  it.each([
    [undefined, 'provider_c'],
    ['auto', 'provider_c'],
    ['provider_a', 'provider_a'],
    ['provider_b', 'provider_b'],
    ['provider_c', 'provider_c'],
    ['mock', 'mock'],
  ])('uses the provider of the request: %s', async (provider, speaker) => {
    const harness = await openVoice(ALL);
    const response = await (await harness.visitor()).speak(provider ? { provider } : {});
    expect(speakerOf(response)).toBe(speaker);
    await response.arrayBuffer();
  });

  it.each([undefined, 'provider_a', 'provider_b', 'provider_c', 'mock'])(
    'uses the mock without a provider: %s',
    async (provider) => {
      const harness = await openVoice({});
      const response = await (await harness.visitor()).speak(provider ? { provider } : {});
      expect(speakerOf(response)).toBe('mock');
      expect(response.headers.get('content-type')).toBe('audio/wav');
    },
  );

  it.each(['credentials', 'busy', 'upstream', 'timeout', 'refused'] as const)(
    'falls back when a provider fails before its first bytes: %s',
    async (failure) => {
      const harness = await openVoice({
        ...ALL,
        provider_c: { speak: failure },
        provider_b: { speak: failure },
      });
      const visitor = await harness.visitor();
      expect(speakerOf(await visitor.speak())).toBe('provider_a');
      expect(harness.speech.calls.map(({ name }) => name)).toEqual([
        'provider_c',
        'provider_b',
        'provider_a',
      ]);
      const named = await readResponse(visitor.speak({ provider: 'provider_b' }));
      expectError(named, 'voice/provider_failed');
    },
  );

  it('returns an error and charges nothing when every provider fails', async () => {
    const harness = await openVoice({
      provider_a: { speak: 'timeout' },
      provider_c: { speak: 'busy' },
    });
    const response = await readResponse((await harness.visitor()).speak());
    expectError(response, 'voice/provider_failed');
    expect(await harness.counted()).toBe(0);
    expect(response.headers.get('x-service-tts-provider')).toBeNull();
  });

  it('ends interrupted speech and charges at most the estimate', async () => {
    const broken = async function* () {
      yield* seconds(3);
      throw new SpeechFailure('provider_c', 'upstream', 'broke off');
    };
    const harness = await openVoice({ ...ALL, provider_c: { speak: broken } });
    const response = await (await harness.visitor()).speak();
    expect(speakerOf(response)).toBe('provider_c');
    await expect(response.arrayBuffer()).rejects.toThrow();
    await expect.poll(harness.openReservations).toBe(0);
    expect(await harness.counted()).toBe(2);
    expect(harness.speech.calls).toHaveLength(1);
  });

  it('charges what was sent and cancels the provider when the listener leaves', async () => {
    let isCancelled = false;
    const endless = async function* () {
      try {
        for (;;) {
          yield* seconds(1, () => new Promise((resolve) => setTimeout(resolve, 5)));
        }
      } finally {
        isCancelled = true;
      }
    };
    const harness = await openVoice({ provider_c: { speak: endless } });
    const hangUp = new AbortController();
    const response = await (await harness.visitor()).speak({}, { signal: hangUp.signal });
    await response.body!.getReader().read();
    hangUp.abort();
    await expect.poll(harness.openReservations).toBe(0);
    expect(isCancelled).toBe(true);
    expect(await harness.counted()).toBeGreaterThan(0);
  });

  it('charges by bytes, or by the estimate when the bit rate is unknown', async () => {
    const harness = await openVoice({ provider_c: { speak: () => seconds(4) } });
    await (await (await harness.visitor()).speak()).arrayBuffer();
    expect(await harness.counted()).toBe(4);
    const unknownRate = await openVoice({ provider_c: { speak: () => seconds(4), bytesPerSecond: 0 } });
    await (await (await unknownRate.visitor()).speak({ text: 'x'.repeat(150) })).arrayBuffer();
    expect(await unknownRate.counted()).toBe(10);
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n\t '],
    ['more than two thousand characters', 'x'.repeat(VOICE_LIMITS.speechCharsMax + 1)],
    ['a number', 5],
  ])('rejects %s', async (_what, text) => {
    const harness = await openVoice(ALL);
    expectError(await readResponse((await harness.visitor()).speak({ text })), 'request/invalid');
  });
});

describe('voice selection', () => {
  const b = (voiceId: string) => voiceId.startsWith('aura-');
  const c = (voiceId: string) => voiceId.startsWith('el');
  const providers = {
    provider_b: { speak: () => seconds(1), supportsVoice: b },
    provider_c: { speak: () => seconds(1), supportsVoice: c },
  };
  const voiceAsked = async (body: Record<string, unknown>, voiceId?: string) => {
    const harness = await openVoice(providers, voiceId === undefined ? {} : { voiceId });
    const response = await (await harness.visitor()).speak(body);
    await response.arrayBuffer();
    return harness.speech.calls[0]?.what.voiceId;
  };

  it("prefers the request, then the workspace, then the provider's default", async () => {
    expect(await voiceAsked({ voice_id: 'el9' }, 'el1')).toBe('el9');
    expect(await voiceAsked({}, 'el1')).toBe('el1');
    expect(await voiceAsked({})).toBeUndefined();
  });

  it('ignores a voice of another provider', async () => {
    expect(await voiceAsked({ voice_id: 'aura-2-thalia-en' }, 'el1')).toBe('el1');
    expect(await voiceAsked({ provider: 'provider_b' }, 'el1')).toBeUndefined();
  });

  it('rejects a voice that the named provider does not have', async () => {
    const harness = await openVoice(providers);
    const visitor = await harness.visitor();
    const body = { provider: 'provider_b', voice_id: 'el9' };
    const { issues } = expectError(await readResponse(visitor.speak(body)), 'request/invalid');
    expect(issues).toEqual([expect.objectContaining({ path: 'body.voice_id', code: 'unknown_voice' })]);
    const rejected = await readResponse(visitor.speak({ voice_id: '../../etc/passwd' }));
    expectError(rejected, 'request/invalid');
  });
});

describe('synthetic media mark', () => {
  const SOURCE = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';

  it("is set in a header and in the provider's audio", async () => {
    const harness = await openVoice(ALL);
    const response = await (await harness.visitor()).speak();
    expect(response.headers.get('x-synthetic-media')).toBe('trainedAlgorithmicMedia');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.toString('latin1')).toContain(SOURCE);
    expect(bytes.length).toBeGreaterThan(2 * BYTES_PER_SECOND);
    const { format, native } = await parseBuffer(bytes, 'audio/mpeg');
    expect(format.tagTypes).toContain('ID3v2.4');
    expect(native['ID3v2.4']).toContainEqual({ id: 'TXXX:DigitalSourceType', value: SOURCE });
  });

  it("is set in the mock's audio, which stays valid", async () => {
    const harness = await openVoice({});
    const response = await (await harness.visitor()).speak();
    expect(response.headers.get('x-synthetic-media')).toBe('trainedAlgorithmicMedia');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    const { format, common } = await parseBuffer(bytes, 'audio/wav', { duration: true });
    expect(format.duration).toBeCloseTo(0x2020 / 8000);
    expect(common.comment?.[0]?.text).toBe(SOURCE);
  });
});

it('the harness lists scripted providers in the order of the port', () => {
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  const speech = scriptedSpeech(ALL);
  expect(names(speech.speakers)).toEqual(['provider_c', 'provider_b', 'provider_a', 'mock']);
});
