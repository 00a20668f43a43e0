import { readConfig } from '../../server/config.ts';
import { openSpeech } from '../../server/speech/open-speech.ts';
import type { Speech } from '../../server/speech/speech.ts';
import { CARTESIA_KEY, CARTESIA_VOICE, openFakeCartesia } from './fakes/cartesia.ts';
import { DEEPGRAM_KEY, openFakeDeepgram } from './fakes/deepgram.ts';
import { ELEVENLABS_KEY, ELEVENLABS_VOICE, openFakeElevenLabs } from './fakes/elevenlabs.ts';
import type { FakeProvider } from './fakes/fake-provider.ts';
import { wordsIn } from './fakes/mp3.ts';
import { OPENAI_KEY, openFakeOpenAi } from './fakes/openai.ts';
import { describeSpeech, TIMEOUT_MILLIS, type Traits } from './speech.suite.ts';

const times = {
  SPEECH_TIMEOUT_MILLIS: String(TIMEOUT_MILLIS),
  SPEECH_TRANSCRIBE_TIMEOUT_MILLIS: String(TIMEOUT_MILLIS),
};

const opened = (
  openFake: () => Promise<FakeProvider & { env: Readonly<Record<string, string>> }>,
): Traits['open'] => {
  return async () => {
    const fake = await openFake();
    return { fake, speech: withoutMock(speechOf({ ...fake.env, ...times })) };
  };
};

/** Spaces at the end of a part aren't said. */
const words = {
  heard: (audio: Uint8Array) => wordsIn(audio).replaceAll(/\s/g, ''),
  meant: (text: string) => text.replaceAll(/\s/g, ''),
};

describeSpeech('provider_a', {
  provider: 'provider_a',
  does: ['token', 'transcribe', 'speak'],
  key: OPENAI_KEY,
  open: opened(openFakeOpenAi),
  ...words,
  voice: { own: 'marin', foreign: ELEVENLABS_VOICE },
});

describeSpeech('provider_b', {
  provider: 'provider_b',
  does: ['token', 'transcribe', 'speak'],
  key: DEEPGRAM_KEY,
  open: opened(openFakeDeepgram),
  ...words,
  voice: { own: 'aura-2-thalia-en', foreign: ELEVENLABS_VOICE },
});

describeSpeech('provider_c', {
  provider: 'provider_c',
  does: ['speak'],
  key: ELEVENLABS_KEY,
  open: opened(openFakeElevenLabs),
  ...words,
  voice: { own: ELEVENLABS_VOICE, foreign: 'aura-2-thalia-en' },
});

describeSpeech('provider_c, with its other driver', {
  provider: 'provider_c',
  does: ['speak'],
  key: CARTESIA_KEY,
  open: opened(openFakeCartesia),
  ...words,
  voice: { own: CARTESIA_VOICE, foreign: ELEVENLABS_VOICE },
});

describeSpeech('the mock', {
  provider: 'mock',
  does: ['token', 'speak'],
  open: async () => ({ speech: speechOf({}) }),
  heard: (audio) => Buffer.from(audio).toString('latin1', 8, 12),
  meant: () => 'WAVE',
  voice: { own: 'rms', foreign: 'aura-2-thalia-en' },
});

function speechOf(env: Readonly<Record<string, string>>): Speech {
  return openSpeech(readConfig(env).speech, { clock: { now: () => Date.now() } });
}

function withoutMock(speech: Speech): Speech {
  return {
    ...speech,
    minting: speech.minting.filter(({ name }) => name !== 'mock'),
    speaking: speech.speaking.filter(({ name }) => name !== 'mock'),
  };
}
