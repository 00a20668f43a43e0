import { describe, expect, it } from 'vitest';
import { BadConfig, readConfig } from '../../server/config.ts';
import { openSpeech } from '../../server/speech/open-speech.ts';
import type { Speech, SpeechObserver } from '../../server/speech/speech.ts';
import { openFakeDeepgram } from './fakes/deepgram.ts';
import { openFakeElevenLabs } from './fakes/elevenlabs.ts';
import { openFakeOpenAi } from './fakes/openai.ts';
import { failureOf, unaborted } from './suite/troubles.ts';

const KEYS = {
  a: { SPEECH_A_API_KEY: 'a-key-of-a-test' },
  aSpeaks: { SPEECH_A_SPEECH_MODEL: 'a-speech-model' },
  b: { SPEECH_B_API_KEY: 'a-key-of-a-test' },
  c: { SPEECH_C_API_KEY: 'a-key-of-a-test', SPEECH_C_SPEECH_VOICE: 'a-voice' },
};

describe('who is asked', () => {
  it.each([
    ['nobody configured', {}, ['mock'], [], ['mock']],
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
  ])('with %s', async (_name, env, minting, transcribing, speaking) => {
    const speech = opened(env);
    expect({
      minting: speech.minting.map(({ name }) => name),
      transcribing: speech.transcribing.map(({ name }) => name),
      speaking: speech.speaking.map(({ name }) => name),
    }).toEqual({ minting, transcribing, speaking });
    await speech.close();
  });

  it('is seen from outside, with how it went and how long it took', async () => {
    const fake = await openFakeElevenLabs();
    const seen: Parameters<SpeechObserver>[0][] = [];
    const speech = opened(fake.env, (asked) => seen.push(asked));
    await speech.speaking[0]!.speak({ text: 'Hello.' }, unaborted());
    fake.trouble = 'busy';
    await failureOf(speech.speaking[0]!.speak({ text: 'Hello.' }, unaborted()));
    expect(seen).toMatchObject([
      { provider: 'provider_c', operation: 'speak', outcome: 'ok' },
      { provider: 'provider_c', operation: 'speak', outcome: 'busy' },
    ]);
    expect(seen.every(({ millis }) => millis > 0)).toBe(true);
    await fake.close();
  });
});

describe('the settings of speech', () => {
  it.each([
    ['a key that is no header', { SPEECH_A_API_KEY: 'two words of a key' }],
    ['an address that anybody can read', { SPEECH_B_BASE_URL: 'http://speech.example.com' }],
    ['an address with a password', { SPEECH_B_BASE_URL: 'https://user:word@speech.example.com' }],
    ['an address with a query', { SPEECH_B_BASE_URL: 'https://speech.example.com/?a=b' }],
    ['no address', { SPEECH_A_BASE_URL: 'speech' }],
    ['provider_c without a voice', { SPEECH_C_API_KEY: 'a-key-of-a-test' }],
    ['an unknown driver', { SPEECH_C_DRIVER: 'provider_d' }],
    ['a voice that is a path', { SPEECH_C_SPEECH_VOICE: '../admin' }],
  ])('refuse %s, and never repeat it', (_name, env) => {
    expect(() => readConfig(env)).toThrow(BadConfig);
    for (const value of Object.values(env)) expect(() => readConfig(env)).not.toThrow(value);
  });
});

describe('what is sent', () => {
  it('goes to no other address than the one that is set', async () => {
    const fake = await openFakeDeepgram();
    fake.trouble = 'redirects';
    await failureOf(opened(fake.env).minting[0]!.mint({ kind: 'realtime' }, unaborted()));
    expect(fake.seen).toHaveLength(1);
    await fake.close();
  });

  it('is no more than provider_b speaks at once, in whole sentences', async () => {
    const fake = await openFakeDeepgram();
    const sentence = 'Orders that came late are paid back in full, at once. ';
    const { body } = await opened(fake.env).speaking[0]!.speak({ text: sentence.repeat(37) }, unaborted());
    for await (const _chunk of body);
    const parts = fake.seen.map((seen) => (JSON.parse(seen.body.toString()) as { text: string }).text);
    expect(parts).toHaveLength(3);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(1000);
      expect(part).toMatch(/^Orders.*once\.$/s);
    }
    await fake.close();
  });

  it('asks provider_b for nothing when a browser only wants to upload', async () => {
    const fake = await openFakeDeepgram();
    const token = await opened(fake.env).minting[0]!.mint({ kind: 'batch' }, unaborted());
    expect(token).toMatchObject({ mode: 'batch', transport: 'upload' });
    expect(fake.seen).toEqual([]);
    await fake.close();
  });

  it('never orders provider_b to fetch an address', async () => {
    const fake = await openFakeDeepgram();
    const bytes = Buffer.from('{"url":"http://169.254.169.254/"}');
    const audio = { bytes, mime: 'application/json', extension: 'json' };
    await opened(fake.env).transcribing[0]!.transcribe(audio, unaborted());
    expect(fake.seen[0]!.headers['content-type']).toBe('application/octet-stream');
    await fake.close();
  });

  it('names models and languages in the way that each model of provider_a takes them', async () => {
    const fake = await openFakeOpenAi();
    const audio = { bytes: Buffer.from('sound'), mime: 'audio/ogg', extension: 'ogg', locale: 'pt-BR' };
    await opened(fake.env).transcribing[0]!.transcribe(audio, unaborted());
    await opened({ ...fake.env, SPEECH_A_TRANSCRIBE_MODEL: 'an-older-model' }).transcribing[0]!.transcribe(
      audio,
      unaborted(),
    );
    const [newer, older] = fake.seen.map(({ body }) => body.toString());
    expect(newer).toMatch(/name="languages\[\]"\r\n\r\npt\r\n/);
    expect(older).toMatch(/name="language"\r\n\r\npt\r\n/);
    expect(older).toMatch(/filename="audio.ogg"\r\nContent-Type: audio\/ogg/);
    await fake.close();
  });
});

function opened(env: Readonly<Record<string, string>>, observe: SpeechObserver = () => {}): Speech {
  return openSpeech(readConfig(env).speech, { clock: { now: () => Date.now() }, observe });
}
