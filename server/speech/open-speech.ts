import type { Clock } from '../clock.ts';
import type { SpeechSettings } from '../speech-settings.ts';
import { createMock } from './mock.ts';
import { createProviderA } from './provider-a.ts';
import { createProviderB } from './provider-b.ts';
import { createProviderC } from './provider-c.ts';
import { createGuard } from './resilience.ts';
import type { Speaker, Speech, SpeechObserver, TokenMinter, Transcriber } from './speech.ts';

/** Opens every provider that has a key, in order of preference. The mock comes last where it can stand in. */
export function openSpeech(
  settings: SpeechSettings,
  { clock, observe = () => {} }: { readonly clock: Clock; readonly observe?: SpeechObserver },
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
