import { GuideError, isGuideError, refusalOf } from './errors.ts';

/** One operation of the contract, from the generated route table. */
export type ClientRoute = {
  readonly method: string;
  readonly path: string;
  /** True when sending the same request again cannot do its work twice. */
  readonly retryable: boolean;
};

export type HttpOptions = {
  /** Where the service is; operation paths are appended. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly retry: RetryOptions;
};

export type RetryOptions = {
  /** How often a request is sent again at most. */
  readonly attemptsMax: number;
  /** A longer `Retry-After` is not waited for but thrown, so that the caller can say when to come back. */
  readonly waitSecondsMax: number;
  /** For one call with all its attempts and waits; a stream is past it once its headers are here. */
  readonly deadlineSeconds: number;
};

export type HttpCall<T> = {
  readonly route: ClientRoute;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** True when doing the work twice is harmless, though the route itself does not promise that. */
  readonly harmlessAgain?: boolean;
  /** Takes what the caller needs from an answer that is no refusal; runs within the deadline. */
  readonly read: (response: Response) => Promise<T>;
};

export type Http = <T>(call: HttpCall<T>) => Promise<T>;

/** Sends requests, turns every "no" into a `GuideError`, and tries again where that is safe and short. */
export function openHttp(options: HttpOptions): Http {
  const { attemptsMax, waitSecondsMax, deadlineSeconds } = options.retry;
  return async (call) => {
    const deadlineMillis = Date.now() + deadlineSeconds * 1000;
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendOnce(options, call, deadlineMillis - Date.now());
      } catch (error) {
        const waitMillis = attempt > attemptsMax ? undefined : waitBefore(error, call, attempt);
        if (waitMillis === undefined || waitMillis > waitSecondsMax * 1000) throw error;
        if (Date.now() + waitMillis > deadlineMillis) throw error;
        await pause(waitMillis, call.signal);
      }
    }
  };
}

/** Reads an answer as JSON; what is none did not come from the service. */
export async function readJson<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw new GuideError('protocol', 'The answer is not JSON.', { status: response.status, cause });
    throw cause;
  }
}

/** Waits, unless the signal ends it. */
export async function pause(millis: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waiting = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, millis);
  });
  await abortable(waiting, signal).finally(() => clearTimeout(timer));
}

/** The promise, or `aborted` as soon as the signal says so; what the promise stands for goes on. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new GuideError('aborted', 'The call was aborted.', { cause: signal.reason }));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Growing waits with some chance in them, so that the pages of a site do not come back all at once. */
export function backoffMillis(attempt: number): number {
  return 250 * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
}

async function sendOnce<T>(options: HttpOptions, call: HttpCall<T>, millisLeft: number): Promise<T> {
  const { route, signal } = call;
  const ending = new AbortController();
  const abort = () => ending.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    ending.abort();
  }, millisLeft);
  try {
    const response = await options.fetch(options.baseUrl + pathOf(call), {
      method: route.method,
      headers: headersOf(options, call),
      credentials: 'omit',
      cache: 'no-store',
      signal: ending.signal,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    if (!response.ok) throw await refusalOf(response);
    return await call.read(response);
  } catch (cause) {
    if (signal.aborted) throw new GuideError('aborted', 'The call was aborted.', { cause });
    if (late) throw new GuideError('timeout', 'The service did not answer in time.', { cause });
    if (isGuideError(cause)) throw cause;
    throw new GuideError('network', 'The service could not be reached.', { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function pathOf({ route, parameters = {} }: HttpCall<unknown>): string {
  return route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
}

function headersOf(options: HttpOptions, call: HttpCall<unknown>): Record<string, string> {
  return {
    ...options.headers,
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(call.token ? { authorization: `Bearer ${call.token}` } : {}),
    ...call.headers,
  };
}

/** How long to wait before sending again; undefined when that would be unsafe or useless. */
function waitBefore(error: unknown, call: HttpCall<unknown>, attempt: number): number | undefined {
  if (!isGuideError(error) || error.code === 'boot/unavailable') return undefined;
  const { code, status, retryAfterSeconds } = error;
  // A refusal says that nothing was done, so that any request may follow it.
  const refusedForNow = status === 429 || status === 503;
  const unknownOutcome = code === 'network' || status === 502 || status === 504;
  const mayRepeat = refusedForNow || (unknownOutcome && (call.route.retryable || call.harmlessAgain));
  if (!mayRepeat) return undefined;
  return retryAfterSeconds === undefined ? backoffMillis(attempt) : retryAfterSeconds * 1000;
}
