import { describe, expect, it } from 'vitest';
import type { SpeechAsk, SpokenAudio } from '../../../server/speech/speech.ts';
import { type Subject, TIMEOUT_MILLIS, type Traits } from '../speech.suite.ts';
import { describeTroubles, failureOf, unaborted } from './troubles.ts';

const SENTENCE = 'You can return an order within thirty days.';
/** As long as a request may be. */
const LONG = Array.from({ length: 44 }, (_, index) => `${SENTENCE.slice(0, -1)}, ${index}.`)
  .join(' ')
  .slice(0, 2000);

export function describeSpeaking(subject: () => Subject, { key }: Traits): void {
  describe('speech', () => {
    it.each([SENTENCE, LONG])('says what it is asked to say, in order', async (text) => {
      const { heard, meant } = subject();
      const audio = await speak(subject(), unaborted(), { text });
      expect(heard(await listen(audio))).toBe(meant(text));
    });

    it('says what it is and how fast it plays', async () => {
      const audio = await speak(subject(), unaborted());
      expect(['audio/mpeg', 'audio/wav']).toContain(audio.mime);
      expect(audio.bytesPerSecond).toBeGreaterThan(1000);
      await listen(audio);
    });

    it('has a voice by its name, and none by another name', async () => {
      const { voice, speech, fake } = subject();
      await listen(await speak(subject(), unaborted(), { text: SENTENCE, voiceId: voice.own }));
      expect(speech.speaking[0]!.canBeVoice(voice.own)).toBe(true);
      const asked = fake?.seen.length;
      for (const voiceId of [voice.foreign, '../admin', 'voice?x=1', '', '/etc/passwd']) {
        expect(speech.speaking[0]!.canBeVoice(voiceId)).toBe(false);
        const failure = await failureOf(speak(subject(), unaborted(), { text: SENTENCE, voiceId }));
        expect(failure.kind).toBe('refused');
      }
      expect(fake?.seen.length).toBe(asked);
    });

    it('ends for a caller who hangs up in the middle of it', async () => {
      const caller = new AbortController();
      const audio = await speak(subject(), caller.signal);
      const reading = audio.body[Symbol.asyncIterator]();
      await reading.next();
      caller.abort();
      expect((await failureOf(toTheEnd(reading))).kind).toBe('aborted');
    });

    if (key) describeUpstream(subject);
  });
}

function describeUpstream(subject: () => Subject): void {
  describeTroubles(subject, speak);

  it('hangs up on the provider when its caller hangs up in the middle', async () => {
    const { fake } = subject();
    fake!.trouble = 'stalls';
    const caller = new AbortController();
    const audio = await speak(subject(), caller.signal, { text: LONG });
    await audio.body[Symbol.asyncIterator]().next();
    caller.abort();
    await fake!.leftAlone();
  });

  it('hangs up on the provider when its reader leaves, whether it has begun to read or not', async () => {
    const { fake } = subject();
    fake!.trouble = 'stalls';
    const read = await speak(subject(), unaborted(), { text: LONG });
    for await (const _chunk of read.body) break;
    await expect.poll(() => fake!.timesLeft()).toBe(1);
    const unread = await speak(subject(), unaborted(), { text: LONG });
    await unread.body[Symbol.asyncIterator]().return?.();
    await expect.poll(() => fake!.timesLeft()).toBe(2);
  });

  it('throws where it is cut, after what was there', async () => {
    subject().fake!.trouble = 'cut';
    const audio = await speak(subject(), unaborted(), { text: LONG });
    const reading = audio.body[Symbol.asyncIterator]();
    expect((await reading.next()).value.length).toBeGreaterThan(0);
    expect((await failureOf(toTheEnd(reading))).kind).toBe('upstream');
  });

  it('throws where it does not go on', async () => {
    const { fake } = subject();
    fake!.trouble = 'stalls';
    const audio = await speak(subject(), unaborted(), { text: LONG });
    expect((await failureOf(listen(audio))).kind).toBe('timeout');
    await fake!.leftAlone();
  });

  it('waits as long as its reader takes', async () => {
    const { heard, meant } = subject();
    const audio = await speak(subject(), unaborted(), { text: LONG });
    const chunks: Uint8Array[] = [];
    for await (const chunk of audio.body) {
      if (chunks.length === 1) await new Promise((resolve) => setTimeout(resolve, 1.5 * TIMEOUT_MILLIS));
      chunks.push(chunk);
    }
    expect(heard(Buffer.concat(chunks))).toBe(meant(LONG));
  });
}

function speak(
  { speech }: Subject,
  signal: AbortSignal,
  ask: SpeechAsk = { text: SENTENCE },
): Promise<SpokenAudio> {
  return speech.speaking[0]!.speak(ask, signal);
}

async function listen({ body }: SpokenAudio): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function toTheEnd(reading: AsyncIterator<Uint8Array>): Promise<void> {
  while (!(await reading.next()).done);
}
