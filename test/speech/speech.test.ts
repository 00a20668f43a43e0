import { parseBuffer } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../server/settings/config.ts';
import { createMock } from '../../server/speech/mock.ts';
import { openSpeech } from '../../server/speech/open-speech.ts';
import { splitText } from '../../server/speech/provider-b.ts';
import type { SpeakInput, Speech, SpeechObserver } from '../../server/speech/speech.ts';
import { CARTESIA_KEY, CARTESIA_VOICE, openFakeCartesia } from '../support/fake-speech/cartesia.ts';
import { DEEPGRAM_KEY, openFakeDeepgram } from '../support/fake-speech/deepgram.ts';
import { ELEVENLABS_KEY, ELEVENLABS_VOICE, openFakeElevenLabs } from '../support/fake-speech/elevenlabs.ts';
import type { FakeProvider } from '../support/fake-speech/fake-provider.ts';
import { readSpokenText } from '../support/fake-speech/fake-provider.ts';
import { OPENAI_KEY, openFakeOpenAi } from '../support/fake-speech/openai.ts';
import { fc } from '../support/seeded-random.ts';
import { catchFailure, describeSpeech, TIMEOUT_MILLIS, type Traits, unaborted } from './speech.suite.ts';

const times = {
  SPEECH_TIMEOUT_MILLIS: String(TIMEOUT_MILLIS),
  SPEECH_TRANSCRIBE_TIMEOUT_MILLIS: String(TIMEOUT_MILLIS),
};

const openTestSpeech = (
  openFake: () => Promise<FakeProvider & { env: Readonly<Record<string, string>> }>,
): Traits['open'] => {
  return async () => {
    const fake = await openFake();
    return { fake, speech: withoutMock(openSpeechFrom({ ...fake.env, ...times })) };
  };
};

/** Providers drop white space at the end of a part. */
const words = {
  heard: (audio: Uint8Array) => readSpokenText(audio).replaceAll(/\s/g, ''),
  meant: (text: string) => text.replaceAll(/\s/g, ''),
};

describeSpeech('provider_a', {
  provider: 'provider_a',
  does: ['token', 'transcribe', 'speak'],
  key: OPENAI_KEY,
  open: openTestSpeech(openFakeOpenAi),
  ...words,
  voice: { own: 'marin', foreign: ELEVENLABS_VOICE },
});

describeSpeech('provider_b', {
  provider: 'provider_b',
  does: ['token', 'transcribe', 'speak'],
  key: DEEPGRAM_KEY,
  open: openTestSpeech(openFakeDeepgram),
  ...words,
  voice: { own: 'aura-2-thalia-en', foreign: ELEVENLABS_VOICE },
});

describeSpeech('provider_c', {
  provider: 'provider_c',
  does: ['speak'],
  key: ELEVENLABS_KEY,
  open: openTestSpeech(openFakeElevenLabs),
  ...words,
  voice: { own: ELEVENLABS_VOICE, foreign: 'aura-2-thalia-en' },
});

describeSpeech('provider_c, with its other driver', {
  provider: 'provider_c',
  does: ['speak'],
  key: CARTESIA_KEY,
  open: openTestSpeech(openFakeCartesia),
  ...words,
  voice: { own: CARTESIA_VOICE, foreign: ELEVENLABS_VOICE },
});

describeSpeech('the mock', {
  provider: 'mock',
  does: ['token', 'speak'],
  open: async () => ({ speech: openSpeechFrom({}) }),
  heard: (audio) => Buffer.from(audio).toString('latin1', 8, 12),
  meant: () => 'WAVE',
  voice: { own: 'low', foreign: 'aura-2-thalia-en' },
});

function openSpeechFrom(env: Readonly<Record<string, string>>): Speech {
  return openSpeech(readConfig(env).speech, { clock: { now: () => Date.now() } });
}

function withoutMock(speech: Speech): Speech {
  return {
    ...speech,
    minters: speech.minters.filter(({ name }) => name !== 'mock'),
    speakers: speech.speakers.filter(({ name }) => name !== 'mock'),
  };
}

const TEXT = 'You can return an order within thirty days.';

const { speaker } = createMock({ now: () => Date.now() }, 60);

describe('mock voice', () => {
  it.each([TEXT, 'Как сбросить пароль?', 'パスワードを再設定するには?', '…', '👍', '\u0000\u001b[31mred'])(
    'renders any text as an audible WAV: %j',
    async (text) => {
      const wav = await speak({ text });
      const { format } = await parseBuffer(wav, { mimeType: 'audio/wav' });
      expect(format).toMatchObject({ container: 'WAVE', numberOfChannels: 1, bitsPerSample: 16 });
      expect(measureLoudness(wav)).toBeGreaterThan(1000);
    },
  );

  it('takes about as long as a person would, and at most 20 seconds', async () => {
    const seconds = await Promise.all(['Hi.', TEXT, `${TEXT} `.repeat(50)].map(measureSeconds));
    expect(seconds[0]).toBeGreaterThan(0.5);
    expect(seconds[1]).toBeGreaterThan(2);
    expect(seconds[1]).toBeLessThan(6);
    expect(seconds[2]).toBeCloseTo(20, 1);
  });

  it('returns the same audio for the same text, and other audio for other texts and voices', async () => {
    const wav = await speak({ text: TEXT });
    expect(wav.equals(await speak({ text: TEXT }))).toBe(true);
    expect(wav.equals(await speak({ text: TEXT.toUpperCase() }))).toBe(false);
    expect(wav.equals(await speak({ text: TEXT, voiceId: 'low' }))).toBe(false);
  });

  it.each(['slt', 'toString', '__proto__'])('rejects the unknown voice %s', async (voiceId) => {
    expect(speaker.supportsVoice(voiceId)).toBe(false);
    expect(await catchFailure(speak({ text: TEXT, voiceId }))).toMatchObject({ kind: 'refused' });
  });

  it('fails for a caller that has disconnected', async () => {
    const failure = catchFailure(speaker.speak({ text: TEXT }, AbortSignal.abort()));
    expect(await failure).toMatchObject({ kind: 'aborted' });
  });
});

async function speak(input: SpeakInput): Promise<Buffer> {
  const { body } = await speaker.speak(input, unaborted());
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function measureSeconds(text: string): Promise<number> {
  const { format } = await parseBuffer(await speak({ text }), { mimeType: 'audio/wav' }, { duration: true });
  return format.duration!;
}

/** Returns the mean amplitude; 32,767 is the maximum. */
function measureLoudness(wav: Buffer): number {
  const samples = wav.subarray(44);
  let sum = 0;
  for (let at = 0; at + 1 < samples.length; at += 2) sum += Math.abs(samples.readInt16LE(at));
  return sum / (samples.length / 2);
}

describe('splitText', () => {
  it('fills each part with whole sentences', () => {
    expect(splitText('One. Two is longer. Three!', 20)).toEqual(['One. Two is longer.', 'Three!']);
  });

  it('returns a short text as it is', () => {
    expect(splitText('One. Two.', 20)).toEqual(['One. Two.']);
  });

  it('splits long sentences between words and long words between characters', () => {
    expect(splitText('one two three four five', 10)).toEqual(['one two', 'three four', 'five']);
    expect(splitText('abcdefghijkl', 5)).toEqual(['abcde', 'fghij', 'kl']);
  });

  it('never splits a grapheme', () => {
    expect(splitText('👩‍👩‍👧‍👦'.repeat(3), 12)).toEqual(['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦']);
    const marked = `a${'\u0301'.repeat(30)}😀`;
    expect(splitText(marked, 4).every((part) => part.length <= 4 && part.isWellFormed())).toBe(true);
  });

  it('returns no part that is too long or empty, and loses only white space', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 2, max: 60 }),
        (text, max) => {
          const parts = splitText(text, max);
          expect(parts.every((part) => part.length <= max && part.trim() !== '')).toBe(true);
          expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
        },
      ),
      { numRuns: 200 },
    );
  });
});

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
      const speech = openFor(env);
      expect({
        minters: speech.minters.map(({ name }) => name),
        transcribers: speech.transcribers.map(({ name }) => name),
        speakers: speech.speakers.map(({ name }) => name),
      }).toEqual({ minters, transcribers, speakers });
    },
  );

  it('reports every call to the observer with outcome and duration', async () => {
    const fake = await openFakeElevenLabs();
    const calls: Parameters<SpeechObserver>[0][] = [];
    const speech = openFor(fake.env, (call) => calls.push(call));
    await speech.speakers[0]!.speak({ text: 'Hello.' }, unaborted());
    fake.fault = 'busy';
    await catchFailure(speech.speakers[0]!.speak({ text: 'Hello.' }, unaborted()));
    expect(calls).toMatchObject([
      { provider: 'provider_c', operation: 'speak', outcome: 'ok' },
      { provider: 'provider_c', operation: 'speak', outcome: 'busy' },
    ]);
    expect(calls.every(({ millis }) => millis > 0)).toBe(true);
    await fake.close();
  });
});

describe('a speech provider that fails', () => {
  const speakOnce = async ({ speakers: [speaker] }: Speech) => {
    const { body } = await speaker!.speak({ text: 'Hello there' }, unaborted());
    let bytes = 0;
    for await (const part of body) bytes += part.length;
    return bytes;
  };

  it('gets no requests after three failures until one has probed it', async () => {
    const fake = await openFakeElevenLabs();
    let now = 0;
    const speech = openFor(
      fake.env,
      () => {},
      () => now,
    );
    fake.fault = 'cut';
    for (let call = 0; call < 3; call += 1) await catchFailure(speakOnce(speech));
    expect(await catchFailure(speakOnce(speech))).toMatchObject({ kind: 'busy', retryAfterSeconds: 15 });
    expect(fake.seen).toHaveLength(3);
    now += 15_001;
    fake.fault = 'hangs';
    const probe = new AbortController();
    const hanging = catchFailure(speech.speakers[0]!.speak({ text: 'Hello there' }, probe.signal));
    expect(await catchFailure(speakOnce(speech))).toMatchObject({ kind: 'busy' });
    probe.abort();
    await hanging;
    fake.fault = undefined;
    expect(await speakOnce(speech)).toBeGreaterThan(0);
    await fake.close();
  });

  it('is cut off when it speaks for longer than the text can take', async () => {
    const fake = await openFakeElevenLabs();
    fake.fault = 'endless';
    const { speakers } = openFor(fake.env);
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
    await catchFailure(openFor(fake.env).minters[0]!.mint({ kind: 'realtime' }, unaborted()));
    expect(fake.seen).toHaveLength(1);
    await fake.close();
  });

  it('splits long texts for provider_b between sentences', async () => {
    const fake = await openFakeDeepgram();
    const sentence = 'Orders that came late are paid back in full, at once. ';
    const { body } = await openFor(fake.env).speakers[0]!.speak({ text: sentence.repeat(37) }, unaborted());
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
    const token = await openFor(fake.env).minters[0]!.mint({ kind: 'batch' }, unaborted());
    expect(token).toMatchObject({ mode: 'batch', transport: 'upload' });
    expect(fake.seen).toEqual([]);
    await fake.close();
  });

  it('never sends JSON to provider_b as audio', async () => {
    const fake = await openFakeDeepgram();
    const bytes = Buffer.from('{"url":"http://169.254.169.254/"}');
    const audio = { bytes, mime: 'application/json', extension: 'json' };
    await openFor(fake.env).transcribers[0]!.transcribe(audio, unaborted());
    expect(fake.seen[0]!.headers['content-type']).toBe('application/octet-stream');
    await fake.close();
  });

  it('sends languages to provider_a in the form that each model accepts', async () => {
    const fake = await openFakeOpenAi();
    const audio = { bytes: Buffer.from('sound'), mime: 'audio/ogg', extension: 'ogg', locale: 'pt-BR' };
    await openFor(fake.env).transcribers[0]!.transcribe(audio, unaborted());
    await openFor({
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

function openFor(
  env: Readonly<Record<string, string>>,
  observe: SpeechObserver = () => {},
  now = Date.now,
): Speech {
  return openSpeech(readConfig(env).speech, { clock: { now }, observe });
}
