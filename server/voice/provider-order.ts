import { throwApiError } from '../http/errors.ts';
import { SpeechFailure, type SpeechProviderName } from '../speech/speech.ts';

type Named = { readonly name: SpeechProviderName };

/**
 * Returns the providers to try, in order. `auto` means all configured providers, the workspace's choice first, and the
 * mock only if none is configured. A named provider is used alone; the mock replaces it when it is not configured.
 */
export function selectProviders<T extends Named>(
  known: readonly T[],
  provider: string,
  own?: string,
): readonly T[] {
  const mock = known.filter(({ name }) => name === 'mock');
  const input =
    provider === 'auto' ? sortProviders(known, own) : known.filter(({ name }) => name === provider);
  return input.length > 0 ? input : mock;
}

/** Puts the workspace's choice first. A workspace that chose the mock uses only the mock, which never fails. */
function sortProviders<T extends Named>(known: readonly T[], own: string | undefined): readonly T[] {
  const first = known.filter(({ name }) => name === own);
  if (own === 'mock' && first.length > 0) return first;
  return [...first, ...known.filter(({ name }) => name !== own && name !== 'mock')];
}

export function isMockOnly(input: readonly Named[]): boolean {
  return input.every(({ name }) => name === 'mock');
}

/** Returns the first success. Throws when all fail, or when the caller disconnects. */
export async function callFirstAvailable<T extends Named, A>(
  input: readonly T[],
  ask: (provider: T) => Promise<A>,
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

/** Bounds the Retry-After of providers. */
const RETRY_SECONDS_MAX = 3600;
