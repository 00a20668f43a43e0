import { parseBuffer } from 'music-metadata';
import { afterEach, describe, expect, it } from 'vitest';
import { createMock, type Mock, type MockOptions } from '../../server/speech/mock.ts';
import type { SpeechAsk } from '../../server/speech/speech.ts';
import { soundOf } from '../../server/speech/wav.ts';
import { failureOf, unaborted } from './suite/troubles.ts';

const TEXT = 'You can return an order within thirty days.';
const LONG = `${TEXT} `.repeat(20);

let mock: Mock;
afterEach(() => mock.close());

describe('the mock voice', () => {
  it('takes about as long as a person, and is never silent for all of it', async () => {
    open();
    const sound = soundOf(await said({ text: TEXT }))!;
    const seconds = sound.samples.length / 2 / sound.samplesPerSecond;
    expect(seconds).toBeGreaterThan(1.5);
    expect(seconds).toBeLessThan(6);
    expect(loudness(sound.samples)).toBeGreaterThan(300);
  });

  it('says different things differently, and the same always the same', async () => {
    open();
    const [first, again, other] = [
      await said({ text: TEXT }),
      await said({ text: TEXT }),
      await said({ text: 'Something else.' }),
    ];
    expect(Buffer.compare(first, again)).toBe(0);
    expect(Buffer.compare(first, other)).not.toBe(0);
    expect(Buffer.compare(first, await said({ text: TEXT, voiceId: 'rms' }))).not.toBe(0);
  });

  it.each(['-h', '-voice /etc/passwd -o /out/x', 'Größe, “naïve”… café', '\u0000\u001b[31mred', '3 + 4 = 7'])(
    'takes a text as nothing but a text: %j',
    async (text) => {
      open();
      expect(loudness(soundOf(await said({ text }))!.samples)).toBeGreaterThan(300);
    },
  );

  it.each(['Как сбросить пароль?', 'パスワードを再設定するには?', '…', '👍'])(
    'is a tone where there are no Latin letters: %s',
    async (text) => {
      open();
      expect(Buffer.compare(await said({ text }), await toneOf(text))).toBe(0);
    },
  );

  it('is a tone where the package is absent, and where its program does not run', async () => {
    const tone = await toneOf(TEXT);
    expect(loudness(soundOf(tone)!.samples)).toBeGreaterThan(3000);
    open({ voiceFile: new URL(import.meta.url).pathname });
    expect(Buffer.compare(await said({ text: TEXT }), tone)).toBe(0);
    expect(Buffer.compare(await said({ text: TEXT }), tone)).toBe(0);
  });

  it.each([TEXT, 'Привет'])('says in a place for programs that nobody has said it: %s', async (text) => {
    open();
    const { common, format } = await parseBuffer(await said({ text }), { mimeType: 'audio/wav' });
    expect(JSON.stringify(common.comment)).toContain('synthetic-speech=true');
    expect(format).toMatchObject({ container: 'WAVE', numberOfChannels: 1, bitsPerSample: 16 });
  });

  it('speaks one text at a time and takes no more than may wait', async () => {
    open({ waitingMax: 2 });
    const order: number[] = [];
    const speaking = [0, 1, 2].map(async (index) => {
      await said({ text: `${TEXT} ${index}` });
      order.push(index);
    });
    expect(await failureOf(said({ text: TEXT }))).toMatchObject({ kind: 'busy', retryAfterSeconds: 5 });
    await Promise.all(speaking);
    expect(order).toEqual([0, 1, 2]);
  });

  it('lets the next one speak when a caller hangs up, whether he waits or is spoken to', async () => {
    open({ waitingMax: 2 });
    const callers = [new AbortController(), new AbortController()];
    const left = callers.map(({ signal }) => failureOf(mock.speaking.speak({ text: LONG }, signal)));
    const last = said({ text: TEXT });
    for (const caller of callers) caller.abort();
    expect((await Promise.all(left)).map(({ kind }) => kind)).toEqual(['aborted', 'aborted']);
    expect(soundOf(await last)).toBeDefined();
  });

  it('gives up on a text that takes too long, and speaks the next one', async () => {
    open({ timeoutMillis: 1 });
    expect((await failureOf(said({ text: LONG }))).kind).toBe('timeout');
    expect((await failureOf(said({ text: LONG }))).kind).toBe('timeout');
  });

  it('leaves nobody waiting when the service stops', async () => {
    open();
    const waiting = [said({ text: LONG }), said({ text: TEXT })].map(failureOf);
    await mock.close();
    expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(['aborted', 'aborted']);
  });
});

function open(options: Partial<MockOptions> = {}): void {
  mock = createMock({
    clock: { now: () => Date.now() },
    tokenSeconds: 60,
    timeoutMillis: 15_000,
    ...options,
  });
}

async function said(ask: SpeechAsk): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await mock.speaking.speak(ask, unaborted())).body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** What is heard where nothing can speak. */
async function toneOf(text: string): Promise<Buffer> {
  const speaking = mock;
  open({ voiceFile: 'none' });
  const tone = await said({ text });
  if (speaking) mock = speaking;
  return tone;
}

/** The mean distance from silence; 32,767 is as loud as it gets. */
function loudness(samples: Uint8Array): number {
  const view = new DataView(samples.buffer, samples.byteOffset, samples.byteLength);
  let sum = 0;
  for (let at = 0; at + 1 < samples.length; at += 2) sum += Math.abs(view.getInt16(at, true));
  return sum / (samples.length / 2);
}
