import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type MintedToken,
  type RecordedAudio,
  type SpeakInput,
  type Speech,
  SpeechFailure,
  type SpeechFailureKind,
  type SpeechProviderName,
  type SpokenAudio,
  type TokenKind,
  type Transcript,
} from '../../server/speech/speech.ts';
import {
  type FakeProvider,
  type Fault,
  FORBIDDEN_TEXT,
  RETRY_AFTER_SECONDS,
} from '../support/fake-speech/fake-provider.ts';

/** The contract suite of the speech port. */

/** Long enough for a busy machine; only tests that move the timers exceed it. */
export const TIMEOUT_MILLIS = 60_000;

/** An adapter, and the fake provider that it calls; the mock calls none. */
type OpenedProvider = {
  speech: Speech;
  fake?: FakeProvider;
};

export type Traits = {
  provider: SpeechProviderName;
  does: readonly ('token' | 'transcribe' | 'speak')[];
  key?: string;
  open: () => Promise<OpenedProvider>;
  /** Extracts what a test can check from audio. */
  heard: (audio: Uint8Array) => string;
  /** The expected extract for a text. */
  meant: (text: string) => string;
  voice: { own: string; foreign: string };
};

export type Subject = Traits & OpenedProvider;

export function describeSpeech(name: string, traits: Traits): void {
  describe(name, () => {
    let current: Subject;
    const subject = () => current;

    beforeEach(async () => {
      current = { ...traits, ...(await traits.open()) };
    });

    afterEach(async () => {
      await current.fake?.close();
    });

    if (traits.does.includes('token')) describeMinting(subject, traits);
    if (traits.does.includes('transcribe')) describeTranscribing(subject);
    if (traits.does.includes('speak')) describeSpeaking(subject, traits);
  });
}

const TOKEN_SECONDS = 60;

function describeMinting(subject: () => Subject, { key }: Traits): void {
  describe('mint', () => {
    it('returns a token that expires after the configured seconds', async () => {
      const before = Date.now();
      const { token, expiresAt } = await mint(subject());
      expect(token.length).toBeGreaterThan(10);
      const secondsAfter = (moment: number) => (expiresAt - moment) / 1000;
      expect(secondsAfter(before)).toBeGreaterThan(TOKEN_SECONDS - 3);
      expect(secondsAfter(Date.now())).toBeLessThanOrEqual(TOKEN_SECONDS + 1);
    });

    it('returns a new token for each session', async () => {
      const tokens = await Promise.all([mint(subject()), mint(subject()), mint(subject())]);
      expect(new Set(tokens.map(({ token }) => token)).size).toBe(3);
    });

    it('returns the URL where the session opens', async () => {
      const { transport, url } = await mint(subject());
      const scheme = { webrtc: 'http:', websocket: 'ws:', upload: undefined, mock: undefined }[transport];
      expect(url && new URL(url).protocol).toBe(scheme);
    });

    it('mints every kind that the provider lists', async () => {
      const { minters } = subject().speech;
      for (const kind of minters[0]!.kinds) expect((await mint(subject(), kind)).token).not.toBe('');
    });

    it('accepts valid, absent and invalid locales', async () => {
      const { minters } = subject().speech;
      for (const locale of ['de-CH', 'en', 'not a language']) {
        await minters[0]!.mint({ kind: 'realtime', locale }, unaborted());
      }
    });

    it('never returns the API key', async () => {
      for (const kind of subject().speech.minters[0]!.kinds) {
        expect(JSON.stringify(await mint(subject(), kind))).not.toContain(key ?? 'no key at all');
      }
    });

    if (key)
      describeFaults(subject, mintRealtime, [
        ['cut', 'upstream'],
        ['stalls', 'timeout'],
      ]);
  });
}

function mint({ speech }: Subject, kind: TokenKind = 'realtime'): Promise<MintedToken> {
  return speech.minters[0]!.mint({ kind }, unaborted());
}

function mintRealtime({ speech }: Subject, signal: AbortSignal): Promise<MintedToken> {
  return speech.minters[0]!.mint({ kind: 'realtime' }, signal);
}

const bytes = Buffer.from('the bytes of a recording');
const recording: RecordedAudio = {
  bytes,
  mime: 'audio/webm',
  extension: 'webm',
};

function describeTranscribing(subject: () => Subject): void {
  describe('transcribe', () => {
    it('returns text, model and duration', async () => {
      const transcript = await transcribe(subject(), unaborted());
      expect(transcript.text.toLowerCase()).toContain('reset my password');
      expect(transcript.model).not.toBe('');
      expect(transcript.seconds).toBeGreaterThan(0);
    });

    it('sends the recording unchanged', async () => {
      await transcribe(subject(), unaborted());
      expect(subject().fake!.seen[0]!.body.includes(bytes)).toBe(true);
    });

    it.each(['audio/mp4', 'application/json', 'text/plain\r\nx-evil: 1'])(
      'sends the detected media type safely: %s',
      async (mime) => {
        const transcribing = subject().speech.transcribers[0]!.transcribe(
          { ...recording, mime },
          unaborted(),
        );
        expect((await transcribing).text).not.toBe('');
        expect(subject().fake!.seen[0]!.headers['x-evil']).toBeUndefined();
      },
    );

    it('sends the language of the locale', async () => {
      await subject().speech.transcribers[0]!.transcribe({ ...recording, locale: 'de-CH' }, unaborted());
      const { query, body } = subject().fake!.seen[0]!;
      expect(query.get('language') === 'de' || /languages?(\[\])?"\r\n\r\nde\r\n/.test(body.toString())).toBe(
        true,
      );
    });

    describeFaults(subject, transcribe, [
      ['cut', 'upstream'],
      ['stalls', 'timeout'],
    ]);
  });
}

function transcribe({ speech }: Subject, signal: AbortSignal): Promise<Transcript> {
  return speech.transcribers[0]!.transcribe(recording, signal);
}

const SENTENCE = 'You can return an order within thirty days.';
/** A text of the maximum length of a request. */
const LONG = Array.from({ length: 44 }, (_, index) => `${SENTENCE.slice(0, -1)}, ${index}.`)
  .join(' ')
  .slice(0, 2000);

function describeSpeaking(subject: () => Subject, { key }: Traits): void {
  describe('speak', () => {
    it.each([SENTENCE, LONG])('speaks the whole text in order', async (text) => {
      const { heard, meant } = subject();
      const audio = await speak(subject(), unaborted(), { text });
      expect(heard(await listen(audio))).toBe(meant(text));
    });

    it('returns the media type and the bytes per second', async () => {
      const audio = await speak(subject(), unaborted());
      expect(['audio/mpeg', 'audio/wav']).toContain(audio.mime);
      expect(audio.bytesPerSecond).toBeGreaterThan(1000);
      await listen(audio);
    });

    it('accepts its own voices and rejects other ids', async () => {
      const { voice, speech, fake } = subject();
      await listen(await speak(subject(), unaborted(), { text: SENTENCE, voiceId: voice.own }));
      expect(speech.speakers[0]!.supportsVoice(voice.own)).toBe(true);
      const requestsBefore = fake?.seen.length;
      for (const voiceId of [voice.foreign, '../admin', 'voice?x=1', '', '/etc/passwd']) {
        expect(speech.speakers[0]!.supportsVoice(voiceId)).toBe(false);
        const failure = await catchFailure(speak(subject(), unaborted(), { text: SENTENCE, voiceId }));
        expect(failure.kind).toBe('refused');
      }
      expect(fake?.seen.length).toBe(requestsBefore);
    });

    it('stops when the caller disconnects midway', async () => {
      const caller = new AbortController();
      const audio = await speak(subject(), caller.signal);
      const reading = audio.body[Symbol.asyncIterator]();
      await reading.next();
      caller.abort();
      expect((await catchFailure(readToEnd(reading))).kind).toBe('aborted');
    });

    if (key) describeUpstream(subject);
  });
}

function describeUpstream(subject: () => Subject): void {
  describeFaults(subject, speak);

  it('closes the provider connection when the caller disconnects midway', async () => {
    const { fake } = subject();
    fake!.fault = 'stalls';
    const caller = new AbortController();
    const audio = await speak(subject(), caller.signal, { text: LONG });
    await audio.body[Symbol.asyncIterator]().next();
    caller.abort();
    await fake!.callerDisconnected();
  });

  it('closes the provider connection when the reader leaves, even before reading', async () => {
    const { fake } = subject();
    fake!.fault = 'stalls';
    const read = await speak(subject(), unaborted(), { text: LONG });
    for await (const _chunk of read.body) break;
    await expect.poll(() => fake!.countDisconnects()).toBe(1);
    const unread = await speak(subject(), unaborted(), { text: LONG });
    await unread.body[Symbol.asyncIterator]().return?.();
    await expect.poll(() => fake!.countDisconnects()).toBe(2);
  });

  it('throws after the received bytes when the provider drops the connection', async () => {
    subject().fake!.fault = 'cut';
    const audio = await speak(subject(), unaborted(), { text: LONG });
    const reading = audio.body[Symbol.asyncIterator]();
    expect((await reading.next()).value.length).toBeGreaterThan(0);
    expect((await catchFailure(readToEnd(reading))).kind).toBe('upstream');
  });

  it('throws a timeout when the provider stalls', async () => {
    const { fake } = subject();
    fake!.fault = 'stalls';
    const moveTimers = stopTimers();
    const audio = await speak(subject(), unaborted(), { text: LONG });
    expect((await moveTimers(catchFailure(listen(audio)))).kind).toBe('timeout');
    await fake!.callerDisconnected();
  });

  it('does not time out while the reader is slow', async () => {
    const { heard, meant } = subject();
    stopTimers();
    const audio = await speak(subject(), unaborted(), { text: LONG });
    const chunks: Uint8Array[] = [];
    for await (const chunk of audio.body) {
      if (chunks.length === 1) vi.advanceTimersByTime(1.5 * TIMEOUT_MILLIS);
      chunks.push(chunk);
    }
    expect(heard(Buffer.concat(chunks))).toBe(meant(LONG));
  });
}

function speak(
  { speech }: Subject,
  signal: AbortSignal,
  ask: SpeakInput = { text: SENTENCE },
): Promise<SpokenAudio> {
  return speech.speakers[0]!.speak(ask, signal);
}

async function listen({ body }: SpokenAudio): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function readToEnd(reading: AsyncIterator<Uint8Array>): Promise<void> {
  while (!(await reading.next()).done);
}

/** The failure kind expected for each fault before the answer. */
const EXPECTED_KINDS: readonly (readonly [Fault, SpeechFailureKind])[] = [
  ['unauthorized', 'credentials'],
  ['out of money', 'credentials'],
  ['busy', 'busy'],
  ['broken', 'upstream'],
  ['not understood', 'refused'],
  ['redirects', 'upstream'],
  ['garbage', 'upstream'],
  ['hangs', 'timeout'],
];

export const unaborted = () => new AbortController().signal;

function describeFaults(
  subject: () => Subject,
  ask: (subject: Subject, signal: AbortSignal) => Promise<unknown>,
  more: readonly (readonly [Fault, SpeechFailureKind])[] = [],
): void {
  it.each([...EXPECTED_KINDS, ...more])(
    'throws the right kind without quoting request or reply when the provider: %s',
    async (fault, kind) => {
      const { fake, provider, key } = subject();
      fake!.fault = fault;
      const moveTimers = kind === 'timeout' ? stopTimers() : undefined;
      const failing = catchFailure(ask(subject(), unaborted()));
      await expect.poll(() => fake!.seen.length).toBe(1);
      const failure = await (moveTimers ? moveTimers(failing) : failing);
      expect({ provider: failure.provider, kind: failure.kind }).toEqual({ provider, kind });
      if (fault === 'busy') expect(failure.retryAfterSeconds).toBe(RETRY_AFTER_SECONDS);
      if (fault === 'hangs') await fake!.callerDisconnected();
      const everything = inspect(failure, { depth: 9, showHidden: true });
      expect(everything).not.toContain(key);
      expect(everything).not.toContain(FORBIDDEN_TEXT);
      expect(failure.cause).toBeUndefined();
    },
  );

  it("throws 'upstream' when nothing listens at the address", async () => {
    await subject().fake!.close();
    expect(await catchFailure(ask(subject(), unaborted()))).toMatchObject({ kind: 'upstream' });
  });

  it('does not call the provider for an already aborted signal', async () => {
    const failure = await catchFailure(ask(subject(), AbortSignal.abort()));
    expect(failure.kind).toBe('aborted');
    expect(subject().fake!.seen).toEqual([]);
  });

  it('closes the provider connection when the caller disconnects before the answer', async () => {
    const { fake } = subject();
    fake!.fault = 'hangs';
    const caller = new AbortController();
    const failing = catchFailure(ask(subject(), caller.signal));
    await expect.poll(() => fake!.seen.length).toBe(1);
    caller.abort();
    expect((await failing).kind).toBe('aborted');
    await fake!.callerDisconnected();
  });
}

/** Stops timers until the end of the test. The returned function lets time pass until the promise settles. */
function stopTimers(): <T>(settling: Promise<T>) => Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return async (settling) => {
    let isSettled = false;
    settling.finally(() => {
      isSettled = true;
    });
    while (!isSettled) {
      vi.advanceTimersByTime(TIMEOUT_MILLIS);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return settling;
  };
}

export async function catchFailure(asked: Promise<unknown>): Promise<SpeechFailure> {
  const failure = await asked.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(SpeechFailure);
  return failure as SpeechFailure;
}
