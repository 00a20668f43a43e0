import { throwApiError } from '../http/errors.ts';
import { SpeechFailure, type SpeechProviderName } from '../speech/speech.ts';

type Named = { readonly name: SpeechProviderName };

/**
 * Who is asked, in order. `auto` asks every provider that is set up, the workspace's own choice before the others, and the mock only where
 * none is; a provider that was named is asked alone, and the mock stands in for one that is not set up.
 */
export function askedOf<T extends Named>(known: readonly T[], provider: string, own?: string): readonly T[] {
  const mock = known.filter(({ name }) => name === 'mock');
  const input = provider === 'auto' ? inOrder(known, own) : known.filter(({ name }) => name === provider);
  return input.length > 0 ? input : mock;
}

/** A workspace that chose the mock wants no provider to be asked; the mock itself does not fail. */
function inOrder<T extends Named>(known: readonly T[], own: string | undefined): readonly T[] {
  const first = known.filter(({ name }) => name === own);
  if (own === 'mock' && first.length > 0) return first;
  return [...first, ...known.filter(({ name }) => name !== own && name !== 'mock')];
}

export function isMock(input: readonly Named[]): boolean {
  return input.every(({ name }) => name === 'mock');
}

/** The first answer; refuses when everybody has failed. A caller who has hung up ends the search. */
export async function firstAnswer<T extends Named, A>(
  input: readonly T[],
  ask: (one: T) => Promise<A>,
): Promise<{ readonly by: T; readonly answer: A }> {
  const failures: SpeechFailure[] = [];
  for (const by of input) {
    try {
      return { by, answer: await ask(by) };
    } catch (error) {
      if (!(error instanceof SpeechFailure)) throw error;
      failures.push(error);
      if (error.kind === 'aborted') break;
    }
  }
  const waits = failures.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? []);
  return throwApiError(
    'voice/provider_failed',
    failures.map(({ kind, message }) => `${kind}: ${message}`).join('; '),
    waits.length === 0 ? {} : { retryAfterSec: Math.min(...waits, RETRY_SECONDS_MAX) },
  );
}

/** What a provider says is not passed on unseen. */
const RETRY_SECONDS_MAX = 3600;
