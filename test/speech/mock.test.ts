import { parseBuffer } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { createMock } from '../../server/speech/mock.ts';
import type { SpeakInput } from '../../server/speech/speech.ts';
import { catchFailure, unaborted } from './speech.suite.ts';

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
