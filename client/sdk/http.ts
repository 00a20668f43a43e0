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

/** What a query may hold. A moment is sent in the form of ISO 8601, and what is undefined is not sent. */
export type QueryValue = string | number | boolean | Date | undefined;

export type RetryOptions = {
  /** How often a request is sent again at most. */
  readonly attemptsMax: number;
  /**
   * How long one call may wait in all. Where `Retry-After` asks for more, the refusal is thrown, so that the caller can say
   * when to come back.
   */
  readonly waitSecondsMax: number;
  /** For one call with all its attempts and waits; a stream is past it once its headers are here. */
  readonly deadlineSeconds: number;
};

export const RETRY_DEFAULT: RetryOptions = { attemptsMax: 2, waitSecondsMax: 5, deadlineSeconds: 30 };

export type HttpCall<T> = {
  readonly route: ClientRoute;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  /** Sent instead of a body, as multipart/form-data. */
  readonly form?: FormData;
  /** True when the request shall outlive the page that it is sent from. */
  readonly keepalive?: boolean;
  /** Where this call may take longer, or less long, than others. */
  readonly deadlineSeconds?: number;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /**
   * True when doing the work twice is harmless, though the route itself does not promise that. False when it is not sent
   * again after an unknown outcome, though the route allows it, because the second answer would not tell the truth.
   */
  readonly harmlessAgain?: boolean;
  /** True when it is never sent again, not even when the service says no for now. */
  readonly once?: boolean;
  /** Takes what the caller needs from an answer that is no refusal; runs within the deadline. */
  readonly read: (response: Response) => Promise<T>;
};

export type Http = <T>(call: HttpCall<T>) => Promise<T>;

/** Sends requests, turns every "no" into a `GuideError`, and tries again where that is safe and short. */
export function openHttp(options: HttpOptions): Http {
  const { attemptsMax, waitSecondsMax, deadlineSeconds } = options.retry;
  return async (call) => {
    const deadlineMillis = Date.now() + (call.deadlineSeconds ?? deadlineSeconds) * 1000;
    let waitMillisLeft = waitSecondsMax * 1000;
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendOnce(options, call, deadlineMillis - Date.now());
      } catch (error) {
        const waitMillis = attempt > attemptsMax ? undefined : waitBefore(error, call, attempt);
        if (waitMillis === undefined || waitMillis > waitMillisLeft) throw error;
        if (Date.now() + waitMillis > deadlineMillis) throw error;
        waitMillisLeft -= waitMillis;
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

/** What was answered, and on demand how: the status and the headers, such as `x-request-id`. */
export type Answer<T> = Promise<T> & {
  /** The body of the response was read already: it is `data`. */
  withResponse(): Promise<{ readonly data: T; readonly response: Response }>;
};

/** Sends with a way to read that remembers the response. */
export function answerOf<T>(send: (read: typeof readJson) => Promise<T>): Answer<T> {
  let last: Response;
  const data = send((response) => {
    last = response;
    return readJson(response);
  });
  return withResponse(data, () => last);
}

export function withResponse<T>(data: Promise<T>, last: () => Response): Answer<T> {
  return Object.assign(data, { withResponse: async () => ({ data: await data, response: last() }) });
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
    const abort = () => reject(abortedBy(signal.reason));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export function abortedBy(cause: unknown): GuideError {
  return new GuideError('aborted', 'The call was aborted.', { cause });
}

/** Growing waits with some chance in them, so that the pages of a site do not come back all at once. */
export function backoffMillis(attempt: number): number {
  return 250 * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
}

async function sendOnce<T>(options: HttpOptions, call: HttpCall<T>, millisLeft: number): Promise<T> {
  const { route, signal } = call;
  const address = options.baseUrl + pathOf(call);
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
    const response = await options.fetch(address, {
      method: route.method,
      headers: headersOf(options, call),
      credentials: 'omit',
      cache: 'no-store',
      signal: ending.signal,
      ...(call.body === undefined ? {} : { body: jsonOf(call.body) }),
      ...(call.form ? { body: call.form } : {}),
      ...(call.keepalive ? { keepalive: true } : {}),
    });
    if (!response.ok) throw await refusalOf(response);
    return await call.read(response);
  } catch (cause) {
    if (signal.aborted) throw abortedBy(cause);
    if (late) throw new GuideError('timeout', 'The service did not answer in time.', { cause });
    if (isGuideError(cause)) throw cause;
    throw new GuideError('network', 'The service could not be reached.', { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Old libraries give all arrays of a page a `toJSON` that makes strings of them. What it made is not what is sent. */
function jsonOf(body: unknown): string {
  return JSON.stringify(body, function (this: Record<string, MayChange>, key, value) {
    const original = this[key];
    const isPlain = Array.isArray(original) || original?.toJSON === ({} as MayChange).toJSON;
    return isPlain ? original : value;
  });
}

type MayChange = { readonly toJSON?: unknown };

function pathOf({ route, parameters = {}, query = {} }: HttpCall<unknown>): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = encodeURIComponent(parameters[name] ?? '');
    // Such a part would vanish on the way, and the request would reach another address.
    if (/^\.{0,2}$/.test(value)) throw new GuideError('request/invalid', `This names nothing: "${value}".`);
    return value;
  });
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : String(value)]],
  );
  return pairs.length === 0 ? path : `${path}?${`${new URLSearchParams(pairs)}`.replaceAll('+', '%20')}`;
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
  if (call.once || !isGuideError(error)) return undefined;
  const { code, status, retryAfterSeconds } = error;
  // Both last until an operator does something.
  if (code === 'boot/unavailable' || code === 'voice/not_configured') return undefined;
  // A refusal says that nothing was done, so that any request may follow it.
  const refusedForNow = status === 429 || status === 503;
  const unknownOutcome = code === 'network' || status === 502 || status === 504;
  const mayRepeat = refusedForNow || (unknownOutcome && (call.harmlessAgain ?? call.route.retryable));
  if (!mayRepeat) return undefined;
  return retryAfterSeconds === undefined ? backoffMillis(attempt) : retryAfterSeconds * 1000;
}
