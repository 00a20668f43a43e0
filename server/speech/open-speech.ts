import { type CircuitBreaker, createCircuitBreaker } from '../base/circuit-breaker.ts';
import type { Clock } from '../base/clock.ts';
import type { SpeechSettings } from '../settings/speech.ts';
import { createMock } from './mock.ts';
import { createProviderA } from './provider-a.ts';
import { createProviderB } from './provider-b.ts';
import { createProviderC } from './provider-c.ts';
import {
  estimateSpokenSeconds,
  type Speaker,
  type SpeakInput,
  type Speech,
  SpeechFailure,
  type SpeechObserver,
  type SpeechOperation,
  type SpeechProviderName,
  type SpokenAudio,
  type TokenMinter,
  type Transcriber,
} from './speech.ts';

/** Opens every provider that has a key, in order of preference. The mock comes last where it can stand in. */
export function openSpeech(
  settings: SpeechSettings,
  { clock, observe = () => {} }: { clock: Clock; observe?: SpeechObserver },
): Speech {
  const a = settings.a && createProviderA(settings.a, settings);
  const b = settings.b && createProviderB(settings.b, settings, clock);
  const c = settings.c && createProviderC(settings.c, settings);
  const mock = createMock(clock, settings.tokenSeconds);
  const guard = createGuard(clock, observe);
  return {
    minters: definedOnly<TokenMinter>(a?.minter, b?.minter, mock.minter).map((minter) => ({
      ...minter,
      mint: guard.call(minter.name, 'token', minter.mint),
    })),
    // No mock here: it could only invent a transcript.
    transcribers: definedOnly<Transcriber>(b?.transcriber, a?.transcriber).map((transcriber) => ({
      ...transcriber,
      transcribe: guard.call(transcriber.name, 'transcribe', transcriber.transcribe),
    })),
    speakers: definedOnly<Speaker>(c?.speaker, b?.speaker, a?.speaker, mock.speaker).map((speaker) => ({
      ...speaker,
      speak: guard.speak(speaker),
    })),
  };
}

function definedOnly<T>(...values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined);
}

/** Wraps every provider with measurement, a circuit breaker for each operation, and a limit on the length of speech. */
type Guard = {
  call<Input, Output>(
    provider: SpeechProviderName,
    operation: SpeechOperation,
    run: (input: Input, signal: AbortSignal) => Promise<Output>,
  ): (input: Input, signal: AbortSignal) => Promise<Output>;
  speak(speaker: Speaker): Speaker['speak'];
};

function createGuard(clock: Clock, observe: SpeechObserver): Guard {
  async function call<Output>(
    breaker: CircuitBreaker,
    [provider, operation]: readonly [SpeechProviderName, SpeechOperation],
    run: () => Promise<Output>,
  ) {
    const attempt = breaker.begin() ?? throwOpen(provider, breaker);
    const startedAt = performance.now();
    const report = (outcome: Parameters<SpeechObserver>[0]['outcome']) =>
      observe({ provider, operation, outcome, millis: performance.now() - startedAt });
    const fail = (error: unknown) => {
      const kind = error instanceof SpeechFailure ? error.kind : 'upstream';
      // The same provider may accept another caller or text.
      if (kind === 'aborted' || kind === 'refused') attempt.giveUp();
      else attempt.fail(error instanceof SpeechFailure ? error.retryAfterSeconds : undefined);
      return kind;
    };
    try {
      const output = await run();
      report('ok');
      return { output, succeed: attempt.succeed, giveUp: attempt.giveUp, fail };
    } catch (error) {
      report(fail(error));
      throw error;
    }
  }

  return {
    call(provider, operation, run) {
      const breaker = createCircuitBreaker(clock.now);
      return async (input, signal) => {
        const { output, succeed } = await call(breaker, [provider, operation], () => run(input, signal));
        succeed();
        return output;
      };
    },
    speak({ name, speak }) {
      const breaker = createCircuitBreaker(clock.now);
      return async (input, signal) => {
        const { output, ...attempt } = await call(breaker, [name, 'speak'], () => speak(input, signal));
        return { ...output, body: watchAudio(output, createLengthCheck(name, input, output), attempt) };
      };
    },
  };
}

function throwOpen(provider: SpeechProviderName, { millisLeft }: CircuitBreaker): never {
  const seconds = Math.max(1, Math.ceil(millisLeft / 1000));
  throw new SpeechFailure(provider, 'busy', 'failed repeatedly and is left alone', seconds);
}

type Watch = { succeed(): void; giveUp(): void; fail(error: unknown): unknown };

/** Watches how audio ends. Not a generator: return() before its start would leave the provider's connection open. */
function watchAudio(
  { body }: SpokenAudio,
  assertWithinBound: (bytes: Uint8Array) => void,
  attempt: Watch,
): AsyncIterable<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      try {
        const part = await source.next();
        if (part.done) attempt.succeed();
        else assertWithinBound(part.value);
        return part;
      } catch (error) {
        attempt.fail(error);
        await source.return?.();
        throw error;
      }
    },
    async return() {
      attempt.giveUp();
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Slow voices take up to three times the estimate; a short text may have a pause around it. */
const SLOWNESS_MAX = 3;
const PAUSE_SECONDS_MAX = 5;
/** The highest bit rate of MP3, for audio that does not reveal its own. */
const BYTES_PER_SECOND_MAX = 40_000;
/** Time for the transfer beyond the length of the speech, since a player may read at its own pace. */
const TRANSFER_SECONDS_MAX = 120;

/** Creates a check that throws when a provider speaks for longer than its text can take. */
function createLengthCheck(
  provider: SpeechProviderName,
  { text }: SpeakInput,
  { bytesPerSecond }: SpokenAudio,
) {
  const secondsMax = SLOWNESS_MAX * estimateSpokenSeconds(text) + PAUSE_SECONDS_MAX;
  const bytesMax = secondsMax * (bytesPerSecond ?? BYTES_PER_SECOND_MAX);
  const endsAt = performance.now() + (secondsMax + TRANSFER_SECONDS_MAX) * 1000;
  let bytesLeft = bytesMax;
  return (part: Uint8Array): void => {
    bytesLeft -= part.length;
    if (bytesLeft < 0 || performance.now() > endsAt)
      throw new SpeechFailure(provider, 'upstream', 'spoke for longer than the text can take');
  };
}
