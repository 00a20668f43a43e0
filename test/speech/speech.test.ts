import { parseBuffer } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { createMock } from '../../server/speech/mock.ts';
import { openSpeech } from '../../server/speech/open-speech.ts';
import { splitText } from '../../server/speech/provider-b.ts';
import type { SpeakInput, Speech } from '../../server/speech/speech.ts';
import { fc } from '../fixtures/seeded-random.ts';
import { CARTESIA_KEY, CARTESIA_VOICE, openFakeCartesia } from './fakes/cartesia.ts';
import { DEEPGRAM_KEY, openFakeDeepgram } from './fakes/deepgram.ts';
import { ELEVENLABS_KEY, ELEVENLABS_VOICE, openFakeElevenLabs } from './fakes/elevenlabs.ts';
import type { FakeProvider } from './fakes/fake-provider.ts';
import { readSpokenText } from './fakes/mp3.ts';
import { OPENAI_KEY, openFakeOpenAi } from './fakes/openai.ts';
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

  it('renders the same text alike, and other texts and voices differently', async () => {
    const wav = await speak({ text: TEXT });
    expect(wav.equals(await speak({ text: TEXT }))).toBe(true);
    expect(wav.equals(await speak({ text: TEXT.toUpperCase() }))).toBe(false);
    expect(wav.equals(await speak({ text: TEXT, voiceId: 'low' }))).toBe(false);
  });

  it.each(['slt', 'toString', '__proto__'])('refuses the unknown voice %s', async (voiceId) => {
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

/** The mean amplitude; 32,767 is the maximum. */
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
