import type { Clock } from '../clock.ts';
import type { SpeechSettings } from '../speech-settings.ts';
import { createCartesia } from './cartesia.ts';
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
  type TokenMint,
  type Transcriber,
} from './speech.ts';

/** Every provider that has a key, in the order in which it is tried, and the mock behind them where it can stand in. */
export function openSpeech(
  settings: SpeechSettings,
  { clock, observe = () => {} }: { readonly clock: Clock; readonly observe?: SpeechObserver },
): Speech {
  const a = settings.a && createProviderA(settings.a, settings);
  const b = settings.b && createProviderB(settings.b, settings, clock);
  const createC = settings.c?.driver === 'cartesia' ? createCartesia : createProviderC;
  const c = settings.c && createC(settings.c, settings);
  const mock = createMock({ clock, ...settings });
  const observed = observedBy(observe);
  return {
    minting: present<TokenMint>(a?.minting, b?.minting, mock.minting).map((mint) => ({
      ...mint,
      mint: observed(mint.name, 'token', mint.mint),
    })),
    // Without a provider nobody transcribes: a mock could only invent what was said.
    transcribing: present<Transcriber>(b?.transcribing, a?.transcribing).map((transcriber) => ({
      ...transcriber,
      transcribe: observed(transcriber.name, 'transcribe', transcriber.transcribe),
    })),
    speaking: present<Speaker>(c?.speaking, b?.speaking, a?.speaking, mock.speaking).map((speaker) => ({
      ...speaker,
      speak: observed(speaker.name, 'speak', speaker.speak),
    })),
    close: mock.close,
  };
}

function present<T>(...given: readonly (T | undefined)[]): T[] {
  return given.filter((one) => one !== undefined);
}

function observedBy(observe: SpeechObserver) {
  return <Ask, Answer>(
    provider: SpeechProviderName,
    operation: SpeechOperation,
    ask: (what: Ask, signal: AbortSignal) => Promise<Answer>,
  ) =>
    async (what: Ask, signal: AbortSignal): Promise<Answer> => {
      const began = performance.now();
      const tell = (outcome: Parameters<SpeechObserver>[0]['outcome']) =>
        observe({ provider, operation, outcome, millis: performance.now() - began });
      try {
        const answer = await ask(what, signal);
        tell('ok');
        return answer;
      } catch (error) {
        tell(error instanceof SpeechFailure ? error.kind : 'upstream');
        throw error;
      }
    };
}
