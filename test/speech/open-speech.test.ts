import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../server/config.ts';
import { openSpeech } from '../../server/speech/open-speech.ts';
import type { Speech, SpeechObserver } from '../../server/speech/speech.ts';
import { openFakeDeepgram } from './fakes/deepgram.ts';
import { openFakeElevenLabs } from './fakes/elevenlabs.ts';
import { openFakeOpenAi } from './fakes/openai.ts';
import { catchFailure, unaborted } from './speech.suite.ts';

const KEYS = {
  a: { SPEECH_A_API_KEY: 'a-key-of-a-test' },
  aSpeaks: { SPEECH_A_SPEECH_MODEL: 'a-speech-model' },
  b: { SPEECH_B_API_KEY: 'a-key-of-a-test' },
  c: { SPEECH_C_API_KEY: 'a-key-of-a-test', SPEECH_C_SPEECH_VOICE: 'a-voice' },
};

describe('openSpeech', () => {
  it.each([
    ['no provider', {}, ['mock'], [], ['mock']],
    ['a', KEYS.a, ['provider_a', 'mock'], ['provider_a'], ['mock']],
    ['b', KEYS.b, ['provider_b', 'mock'], ['provider_b'], ['provider_b', 'mock']],
    ['c', KEYS.c, ['mock'], [], ['provider_c', 'mock']],
    [
      'all of them',
      { ...KEYS.a, ...KEYS.aSpeaks, ...KEYS.b, ...KEYS.c },
      ['provider_a', 'provider_b', 'mock'],
      ['provider_b', 'provider_a'],
      ['provider_c', 'provider_b', 'provider_a', 'mock'],
    ],
  ])(
    'lists the providers in order of preference with %s',
    async (_name, env, minters, transcribers, speakers) => {
      const speech = openTestSpeech(env);
      expect({
        minters: speech.minters.map(({ name }) => name),
        transcribers: speech.transcribers.map(({ name }) => name),
        speakers: speech.speakers.map(({ name }) => name),
      }).toEqual({ minters, transcribers, speakers });
    },
  );

  it('reports every call to the observer with outcome and duration', async () => {
    const fake = await openFakeElevenLabs();
    const seen: Parameters<SpeechObserver>[0][] = [];
    const speech = openTestSpeech(fake.env, (call) => seen.push(call));
    await speech.speakers[0]!.speak({ text: 'Hello.' }, unaborted());
    fake.fault = 'busy';
    await catchFailure(speech.speakers[0]!.speak({ text: 'Hello.' }, unaborted()));
    expect(seen).toMatchObject([
      { provider: 'provider_c', operation: 'speak', outcome: 'ok' },
      { provider: 'provider_c', operation: 'speak', outcome: 'busy' },
    ]);
    expect(seen.every(({ millis }) => millis > 0)).toBe(true);
    await fake.close();
  });
});

describe('a speech provider that fails', () => {
  const hear = async ({ speakers: [speaker] }: Speech) => {
    const { body } = await speaker!.speak({ text: 'Hello there' }, unaborted());
    let bytes = 0;
    for await (const part of body) bytes += part.length;
    return bytes;
  };

  it('is left alone after three failures, until one request has probed', async () => {
    const fake = await openFakeElevenLabs();
    let now = 0;
    const speech = openTestSpeech(
      fake.env,
      () => {},
      () => now,
    );
    fake.fault = 'cut';
    for (let call = 0; call < 3; call += 1) await catchFailure(hear(speech));
    expect(await catchFailure(hear(speech))).toMatchObject({ kind: 'busy', retryAfterSeconds: 15 });
    expect(fake.seen).toHaveLength(3);
    now += 15_001;
    fake.fault = 'hangs';
    const probe = new AbortController();
    const hanging = catchFailure(speech.speakers[0]!.speak({ text: 'Hello there' }, probe.signal));
    expect(await catchFailure(hear(speech))).toMatchObject({ kind: 'busy' });
    probe.abort();
    await hanging;
    fake.fault = undefined;
    expect(await hear(speech)).toBeGreaterThan(0);
    await fake.close();
  });

  it('is cut off when it speaks for longer than the text can take', async () => {
    const fake = await openFakeElevenLabs();
    fake.fault = 'endless';
    const { speakers } = openTestSpeech(fake.env);
    const { body, bytesPerSecond } = await speakers[0]!.speak({ text: 'Hello there' }, unaborted());
    let bytes = 0;
    const listen = async () => {
      for await (const part of body) bytes += part.length;
    };
    expect(await catchFailure(listen())).toMatchObject({ kind: 'upstream' });
    expect(bytes / bytesPerSecond!).toBeLessThan(10);
    await fake.callerDisconnected();
    await fake.close();
  });
});

describe('speech settings', () => {
  it.each([
    ['a key that is no header', { SPEECH_A_API_KEY: 'two words of a key' }],
    ['an http address that is not local', { SPEECH_B_BASE_URL: 'http://speech.example.com' }],
    ['an address with a password', { SPEECH_B_BASE_URL: 'https://user:word@speech.example.com' }],
    ['an address with a query', { SPEECH_B_BASE_URL: 'https://speech.example.com/?a=b' }],
    ['no address', { SPEECH_A_BASE_URL: 'speech' }],
    ['provider_c without a voice', { SPEECH_C_API_KEY: 'a-key-of-a-test' }],
    ['an unknown driver', { SPEECH_C_DRIVER: 'provider_d' }],
    ['a voice that is a path', { SPEECH_C_SPEECH_VOICE: '../admin' }],
  ])('rejects %s without quoting it', (_name, env) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    for (const value of Object.values(env)) expect(() => readConfig(env)).not.toThrow(value);
  });
});

describe('requests to providers', () => {
  it('does not follow redirects', async () => {
    const fake = await openFakeDeepgram();
    fake.fault = 'redirects';
    await catchFailure(openTestSpeech(fake.env).minters[0]!.mint({ kind: 'realtime' }, unaborted()));
    expect(fake.seen).toHaveLength(1);
    await fake.close();
  });

  it('splits long texts for provider_b between sentences', async () => {
    const fake = await openFakeDeepgram();
    const sentence = 'Orders that came late are paid back in full, at once. ';
    const { body } = await openTestSpeech(fake.env).speakers[0]!.speak(
      { text: sentence.repeat(37) },
      unaborted(),
    );
    for await (const _chunk of body);
    const parts = fake.seen.map((seen) => (JSON.parse(seen.body.toString()) as { text: string }).text);
    expect(parts).toHaveLength(3);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(1000);
      expect(part).toMatch(/^Orders.*once\.$/s);
    }
    await fake.close();
  });

  it('mints upload tokens of provider_b without calling it', async () => {
    const fake = await openFakeDeepgram();
    const token = await openTestSpeech(fake.env).minters[0]!.mint({ kind: 'batch' }, unaborted());
    expect(token).toMatchObject({ mode: 'batch', transport: 'upload' });
    expect(fake.seen).toEqual([]);
    await fake.close();
  });

  it('never sends JSON to provider_b as audio', async () => {
    const fake = await openFakeDeepgram();
    const bytes = Buffer.from('{"url":"http://169.254.169.254/"}');
    const audio = { bytes, mime: 'application/json', extension: 'json' };
    await openTestSpeech(fake.env).transcribers[0]!.transcribe(audio, unaborted());
    expect(fake.seen[0]!.headers['content-type']).toBe('application/octet-stream');
    await fake.close();
  });

  it('sends languages to provider_a in the form that each model accepts', async () => {
    const fake = await openFakeOpenAi();
    const audio = { bytes: Buffer.from('sound'), mime: 'audio/ogg', extension: 'ogg', locale: 'pt-BR' };
    await openTestSpeech(fake.env).transcribers[0]!.transcribe(audio, unaborted());
    await openTestSpeech({
      ...fake.env,
      SPEECH_A_TRANSCRIBE_MODEL: 'an-older-model',
    }).transcribers[0]!.transcribe(audio, unaborted());
    const [newer, older] = fake.seen.map(({ body }) => body.toString());
    expect(newer).toMatch(/name="languages\[\]"\r\n\r\npt\r\n/);
    expect(older).toMatch(/name="language"\r\n\r\npt\r\n/);
    expect(older).toMatch(/filename="audio.ogg"\r\nContent-Type: audio\/ogg/);
    await fake.close();
  });
});

function openTestSpeech(
  env: Readonly<Record<string, string>>,
  observe: SpeechObserver = () => {},
  now = Date.now,
): Speech {
  return openSpeech(readConfig(env).speech, { clock: { now }, observe });
}
