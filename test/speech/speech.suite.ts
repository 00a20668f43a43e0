/** What a speech provider is. An adapter is correct when this passes. */
import { afterEach, beforeEach, describe } from 'vitest';
import type { Speech, SpeechProviderName } from '../../server/speech/speech.ts';
import type { FakeProvider } from './fakes/fake-provider.ts';
import { describeMinting } from './suite/minting.ts';
import { describeSpeaking } from './suite/speaking.ts';
import { describeTranscribing } from './suite/transcribing.ts';

export const TIMEOUT_MILLIS = 200;

/** One adapter with the provider that it asks; the mock asks nobody. */
export type OpenedProvider = {
  readonly speech: Speech;
  readonly fake?: FakeProvider;
};

export type Traits = {
  readonly provider: SpeechProviderName;
  readonly does: readonly ('token' | 'transcribe' | 'speak')[];
  readonly key?: string;
  readonly open: () => Promise<OpenedProvider>;
  /** What can be heard in speech, as far as a test can tell. */
  readonly heard: (audio: Uint8Array) => string;
  /** What that has to be for a text. */
  readonly meant: (text: string) => string;
  readonly voice: { readonly own: string; readonly foreign: string };
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
      await current.speech.close();
      await current.fake?.close();
    });

    if (traits.does.includes('token')) describeMinting(subject, traits);
    if (traits.does.includes('transcribe')) describeTranscribing(subject);
    if (traits.does.includes('speak')) describeSpeaking(subject, traits);
  });
}
