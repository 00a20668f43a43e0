import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { canFliteSay, FLITE_VOICES, type FliteVoice } from './flite.ts';
import { createMockVoice, fliteFile, type MockVoice } from './mock-voice.ts';
import { type MintedToken, type SpeechAsk, SpeechFailure, type SpokenAudio } from './speech.ts';
import type { SpeechParts } from './speech-parts.ts';
import { toneFor } from './tone.ts';
import { bytesPerSecondOf, soundOf, wavOf } from './wav.ts';

/** What answers without a provider: a token for the browser's own speech recognition, and a voice that really speaks. */
export type MockOptions = {
  readonly clock: Clock;
  readonly tokenSeconds: number;
  readonly timeoutMillis: number;
  /** The program that speaks; the one of the optional package when absent. */
  readonly voiceFile?: string | 'none';
  readonly waitingMax?: number;
};

export type Mock = Required<Omit<SpeechParts, 'transcribing'>> & { close(): Promise<void> };

const DEFAULT_VOICE: FliteVoice = 'slt';
const WAITING_MAX = 8;

export function createMock(options: MockOptions): Mock {
  const { clock, tokenSeconds, timeoutMillis, waitingMax = WAITING_MAX } = options;
  const file = options.voiceFile ?? fliteFile() ?? 'none';
  const voice = file === 'none' ? undefined : createMockVoice({ file, timeoutMillis, waitingMax });
  return {
    minting: {
      name: 'mock',
      kinds: ['realtime', 'batch'],
      mint: async () => mockToken(clock, tokenSeconds),
    },
    speaking: {
      name: 'mock',
      canBeVoice,
      speak: (ask, signal) => speak(voice, ask, signal),
    },
    async close() {
      await voice?.close();
    },
  };
}

function mockToken(clock: Clock, tokenSeconds: number): MintedToken {
  return {
    token: `mock_${randomBytes(24).toString('base64url')}`,
    expiresAt: clock.now() + tokenSeconds * 1000,
    mode: 'mock',
    transport: 'mock',
  };
}

async function speak(
  voice: MockVoice | undefined,
  { text, voiceId = DEFAULT_VOICE }: SpeechAsk,
  signal: AbortSignal,
): Promise<SpokenAudio> {
  if (signal.aborted) throw new SpeechFailure('mock', 'aborted', 'our caller hung up');
  if (!canBeVoice(voiceId)) throw new SpeechFailure('mock', 'refused', 'has no voice with such a name');
  const spoken = voice && canFliteSay(text) ? await voice.say(text, voiceId, signal) : undefined;
  const sound = (spoken && soundOf(spoken)) ?? toneFor(text);
  return {
    mime: 'audio/wav',
    body: inChunks(wavOf(sound), signal),
    bytesPerSecond: bytesPerSecondOf(sound),
  };
}

function canBeVoice(voiceId: string): voiceId is FliteVoice {
  return (FLITE_VOICES as readonly string[]).includes(voiceId);
}

const CHUNK_BYTES = 32 * 1024;

async function* inChunks(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    if (signal.aborted) throw new SpeechFailure('mock', 'aborted', 'our caller hung up');
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}
