import { throwApiError } from '../http/errors.ts';
import { SpeechFailure, type SpeechProviderName } from '../speech/speech.ts';

type Named = { name: SpeechProviderName };

/**
 * Returns the providers to try, in order. `auto` means all configured providers, the workspace's choice first, and the
 * mock only if none is configured. A named provider is used alone; the mock replaces it when it is not configured.
 */
export function selectProviders<T extends Named>(
  providers: readonly T[],
  provider: string,
  preferred?: string,
): readonly T[] {
  const mock = providers.filter(({ name }) => name === 'mock');
  const selected =
    provider === 'auto'
      ? sortProviders(providers, preferred)
      : providers.filter(({ name }) => name === provider);
  return selected.length > 0 ? selected : mock;
}

/** Puts the workspace's choice first. A workspace that chose the mock uses only the mock, which never fails. */
function sortProviders<T extends Named>(
  providers: readonly T[],
  preferred: string | undefined,
): readonly T[] {
  const first = providers.filter(({ name }) => name === preferred);
  if (preferred === 'mock' && first.length > 0) return first;
  return [...first, ...providers.filter(({ name }) => name !== preferred && name !== 'mock')];
}

export function isMockOnly(providers: readonly Named[]): boolean {
  return providers.every(({ name }) => name === 'mock');
}

/** Returns the first success. Throws when all fail, or when the caller disconnects. */
export async function callFirstAvailable<T extends Named, A>(
  providers: readonly T[],
  call: (provider: T) => Promise<A>,
): Promise<{ by: T; result: A }> {
  const failures: SpeechFailure[] = [];
  for (const by of providers) {
    try {
      return { by, result: await call(by) };
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
