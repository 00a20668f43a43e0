import { readConfig } from '../../server/config.ts';
import { openSpeech } from '../../server/speech/open-speech.ts';
import type { Speech } from '../../server/speech/speech.ts';
import { CARTESIA_KEY, CARTESIA_VOICE, openFakeCartesia } from './fakes/cartesia.ts';
import { DEEPGRAM_KEY, openFakeDeepgram } from './fakes/deepgram.ts';
import { ELEVENLABS_KEY, ELEVENLABS_VOICE, openFakeElevenLabs } from './fakes/elevenlabs.ts';
import type { FakeProvider } from './fakes/fake-provider.ts';
import { readSpokenText } from './fakes/mp3.ts';
import { OPENAI_KEY, openFakeOpenAi } from './fakes/openai.ts';
import { describeSpeech, TIMEOUT_MILLIS, type Traits } from './speech.suite.ts';

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
