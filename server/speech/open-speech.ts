import type { Clock } from '../clock.ts';
import type { SpeechSettings } from '../speech-settings.ts';
import { createMock } from './mock.ts';
import { createProviderA } from './provider-a.ts';
import { createProviderB } from './provider-b.ts';
import { createProviderC } from './provider-c.ts';
import {
  type Speaker,
  type Speech,
  SpeechFailure,
  type SpeechObserver,
  type SpeechOperation,
  type SpeechProviderName,
  type TokenMinter,
  type Transcriber,
} from './speech.ts';

/** Opens every provider that has a key, in order of preference. The mock comes last where it can stand in. */
export function openSpeech(
  settings: SpeechSettings,
  { clock, observe = () => {} }: { readonly clock: Clock; readonly observe?: SpeechObserver },
): Speech {
  const a = settings.a && createProviderA(settings.a, settings);
  const b = settings.b && createProviderB(settings.b, settings, clock);
  const c = settings.c && createProviderC(settings.c, settings);
  const mock = createMock(clock, settings.tokenSeconds);
  const observed = createObserved(observe);
  return {
    minters: definedOnly<TokenMinter>(a?.minter, b?.minter, mock.minter).map((minter) => ({
      ...minter,
      mint: observed(minter.name, 'token', minter.mint),
    })),
    // No mock here: it could only invent a transcript.
    transcribers: definedOnly<Transcriber>(b?.transcriber, a?.transcriber).map((transcriber) => ({
      ...transcriber,
      transcribe: observed(transcriber.name, 'transcribe', transcriber.transcribe),
    })),
    speakers: definedOnly<Speaker>(c?.speaker, b?.speaker, a?.speaker, mock.speaker).map((speaker) => ({
      ...speaker,
      speak: observed(speaker.name, 'speak', speaker.speak),
    })),
  };
}

function definedOnly<T>(...values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined);
}

function createObserved(observe: SpeechObserver) {
  return <Input, Output>(
    provider: SpeechProviderName,
    operation: SpeechOperation,
    run: (input: Input, signal: AbortSignal) => Promise<Output>,
  ) =>
    async (input: Input, signal: AbortSignal): Promise<Output> => {
      const startedAt = performance.now();
      const report = (outcome: Parameters<SpeechObserver>[0]['outcome']) =>
        observe({ provider, operation, outcome, millis: performance.now() - startedAt });
      try {
        const output = await run(input, signal);
        report('ok');
        return output;
      } catch (error) {
        report(error instanceof SpeechFailure ? error.kind : 'upstream');
        throw error;
      }
    };
}
