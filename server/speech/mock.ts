import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { type MintedToken, type SpeakInput, SpeechFailure, type SpokenAudio } from './speech.ts';
import type { SpeechProvider } from './upstream.ts';

/** Creates the stand-in for a provider: a token for the browser's own recognition, and a voice that hums characters. */
export function createMock(
  clock: Clock,
  tokenSeconds: number,
): Required<Omit<SpeechProvider, 'transcriber'>> {
  return {
    minter: {
      name: 'mock',
      kinds: ['realtime', 'batch'],
      mint: async () => mintMockToken(clock, tokenSeconds),
    },
    speaker: { name: 'mock', supportsVoice: (voiceId) => Object.hasOwn(VOICES, voiceId), speak },
  };
}

function mintMockToken(clock: Clock, tokenSeconds: number): MintedToken {
  return {
    token: `mock_${randomBytes(24).toString('base64url')}`,
    expiresAt: clock.now() + tokenSeconds * 1000,
    mode: 'mock',
    transport: 'mock',
  };
}

/** The lowest note of each voice, in hertz. */
const VOICES: Readonly<Record<string, number>> = { low: 110, medium: 165, high: 220 };

const SAMPLES_PER_SECOND = 16_000;
const BYTES_PER_SAMPLE = 2;
const BYTES_PER_SECOND = SAMPLES_PER_SECOND * BYTES_PER_SAMPLE;
/** 15 notes a second, about as fast as people speak. */
const NOTE_SAMPLES = Math.round(SAMPLES_PER_SECOND / 15);
const NOTES_MIN = 8;
/** 20 seconds, so that a long text does not hum for minutes. */
const NOTES_MAX = 300;
const FADE_SAMPLES = 160;
const AMPLITUDE = 0.25 * 32_767;

async function speak({ text, voiceId = 'medium' }: SpeakInput, signal: AbortSignal): Promise<SpokenAudio> {
  if (signal.aborted) throw callerDisconnected();
  const hertz = Object.hasOwn(VOICES, voiceId) ? VOICES[voiceId] : undefined;
  if (hertz === undefined) throw new SpeechFailure('mock', 'refused', `has no voice with this name`);
  const notes = [...text.padEnd(NOTES_MIN, '.')].slice(0, NOTES_MAX);
  return { mime: 'audio/wav', body: renderWav(notes, hertz, signal), bytesPerSecond: BYTES_PER_SECOND };
}

/** Renders note by note, so that long texts do not block the event loop and rendering ends when the listener leaves. */
async function* renderWav(
  notes: readonly string[],
  hertz: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield renderHeader(notes.length * NOTE_SAMPLES * BYTES_PER_SAMPLE);
  for (const note of notes) {
    if (signal.aborted) throw callerDisconnected();
    yield renderNote(note, hertz);
  }
}

/** Renders a WAV header: one channel, 16 bits per sample. */
function renderHeader(soundBytes: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(header.length - 8 + soundBytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  header.writeUInt32LE(BYTES_PER_SECOND, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write('data', 36);
  header.writeUInt32LE(soundBytes, 40);
  return header;
}

/** Renders white space as silence, and any other character as one of twelve semitones. */
function renderNote(character: string, baseHertz: number): Buffer {
  const samples = Buffer.alloc(NOTE_SAMPLES * BYTES_PER_SAMPLE);
  if (/\s/.test(character)) return samples;
  const hertz = baseHertz * 2 ** ((character.codePointAt(0)! % 12) / 12);
  for (let index = 0; index < NOTE_SAMPLES; index += 1) {
    const fade = Math.min(1, Math.min(index, NOTE_SAMPLES - 1 - index) / FADE_SAMPLES);
    const wave = Math.sin((2 * Math.PI * hertz * index) / SAMPLES_PER_SECOND);
    samples.writeInt16LE(Math.round(AMPLITUDE * fade * wave), BYTES_PER_SAMPLE * index);
  }
  return samples;
}

function callerDisconnected(): SpeechFailure {
  return new SpeechFailure('mock', 'aborted', 'the caller disconnected');
}
