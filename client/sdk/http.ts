import type { Operation } from '../../generated/types.ts';
import { GuideError, isGuideError, readError } from './errors.ts';

export type CallOptions = { signal?: AbortSignal | undefined };

/** Options of calls that a page may send while it is being left. */
export type LastCallOptions = CallOptions & {
  /** True when the request must outlive the page that sends it. */
  keepalive?: boolean;
};

export type RequestOptions = {
  /** Overrides the default deadline. */
  deadlineSeconds?: number;
  /**
   * Overrides whether the request is repeated after an unknown outcome: true when repeating is harmless
   * although the route does not promise it, false when a second response would mislead.
   */
  idempotent?: boolean;
  /** True when the request is never sent again, not even after 429 or 503. */
  once?: boolean;
  /** True when the request must outlive the page that sends it. */
  keepalive?: boolean;
};

export type HttpOptions = {
  /** Base URL of the service; operation paths are appended. */
  baseUrl: string;
  /** Defaults to the global `fetch`. */
  fetch: typeof globalThis.fetch | undefined;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
  retry: RetryOptions;
};

/** A query parameter. A `Date` is sent as ISO 8601; `undefined` is not sent. */
export type QueryValue = string | number | boolean | Date | undefined;

export type RetryOptions = {
  /** How often a request is sent again at most. */
  attemptsMax: number;
  /** How long one call may wait between attempts, in total. If `Retry-After` asks for more, the error is thrown. */
  waitSecondsMax: number;
  /** For one call with all its attempts and waits. A stream only has to send its headers within it. */
  deadlineSeconds: number;
};

export const RETRY_DEFAULT: RetryOptions = { attemptsMax: 2, waitSecondsMax: 5, deadlineSeconds: 30 };

export type HttpCall<T> = RequestOptions & {
  route: Operation;
  params?: Readonly<Record<string, string | number>> | undefined;
  query?: Readonly<Record<string, QueryValue>> | undefined;
  /** Sent as JSON, or as multipart/form-data when it is a `FormData`. */
  body?: unknown;
  token?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Reads a successful response, within the deadline. */
  read: (response: Response) => Promise<T>;
};

/** The input of any operation, as implementations see it. */
export type AnyInput = CallOptions &
  RequestOptions &
  Pick<HttpCall<unknown>, 'params' | 'query' | 'headers' | 'body'>;

export type Http = <T>(call: HttpCall<T>) => Promise<T>;

/** Sends requests, turns every failure into a `GuideError`, and retries when that is safe and quick. */
export function openHttp(settings: HttpOptions): Http {
  const { attemptsMax, waitSecondsMax, deadlineSeconds } = settings.retry;
  // In lower case, so that a header replaces an earlier one of the same name.
  const named = Object.entries(settings.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const options = { ...settings, headers: Object.fromEntries(named) };
  return async (call) => {
    const deadlineMillis = Date.now() + (call.deadlineSeconds ?? deadlineSeconds) * 1000;
    let waitMillisLeft = waitSecondsMax * 1000;
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendOnce(options, call, deadlineMillis - Date.now());
      } catch (error) {
        const waitMillis = attempt > attemptsMax ? undefined : getRetryDelay(error, call, attempt);
        const millisLeft = Math.min(waitMillisLeft, deadlineMillis - Date.now());
        if (waitMillis === undefined || waitMillis > millisLeft) throw error;
        const spread = Math.min(spreadMillis(waitMillis), millisLeft);
        waitMillisLeft -= spread;
        await pause(spread, call.signal);
      }
    }
  };
}

/** Reads JSON. Anything else did not come from the service. */
export async function readJson<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw new GuideError('protocol', 'The response is not JSON.', { status: response.status, cause });
    throw cause;
  }
}

/** The promise of a reply. `withResponse()` also returns the response, for its status and headers such as `x-request-id`. */
export type Answer<T> = Promise<T> & {
  /** `data` is the body of `response`, which has been read already. */
  withResponse(): Promise<{ data: T; response: Response }>;
};

/** Passes `send` a reader that remembers the response. */
export function toAnswer<T>(send: (read: typeof readJson) => Promise<T>): Answer<T> {
  let lastResponse: Response;
  const data = send((response) => {
    lastResponse = response;
    return readJson(response);
  });
  return withResponse(data, () => lastResponse);
}

export function withResponse<T>(data: Promise<T>, getResponse: () => Response): Answer<T> {
  return Object.assign(data, { withResponse: async () => ({ data: await data, response: getResponse() }) });
}

/** Waits, or rejects with `aborted` when the signal aborts. */
export async function pause(millis: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waiting = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, millis);
  });
  await abortable(waiting, signal).finally(() => clearTimeout(timer));
}

/** Rejects with `aborted` as soon as the signal aborts; the work behind the promise continues. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(abortError(signal.reason));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export function abortError(cause: unknown): GuideError {
  return new GuideError('aborted', 'The call was aborted.', { cause });
}

/** Returns a signal that aborts as soon as one of `signals` does. */
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/** Returns up to a quarter more, so that the pages of a site do not all come back at once. */
export const spreadMillis = (millis: number): number => millis * (1 + Math.random() / 4);

export const backoffMillis = (attempt: number): number => 250 * 2 ** (attempt - 1);

async function sendOnce<T>(options: HttpOptions, call: HttpCall<T>, millisLeft: number): Promise<T> {
  const { route, signal, body } = call;
  // Called as a method of another object, a browser's fetch throws.
  const { fetch = globalThis.fetch } = options;
  const url = options.baseUrl + buildPath(call);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), millisLeft);
  try {
    const response = await fetch(url, {
      method: route.method,
      headers: buildHeaders(options, call),
      credentials: 'omit',
      cache: 'no-store',
      signal: anySignal(signal, deadline.signal),
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : toJson(body) }),
      ...(call.keepalive ? { keepalive: true } : {}),
    });
    if (!response.ok) throw await readError(response);
    return await call.read(response);
  } catch (cause) {
    if (signal.aborted) throw abortError(cause);
    if (deadline.signal.aborted) throw new GuideError('timeout', 'No response in time.', { cause });
    if (isGuideError(cause)) throw cause;
    throw new GuideError('network', 'Could not reach the service.', { cause });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Serializes the body. Ignores the `toJSON` that old libraries such as Prototype add to arrays, which would become
 * strings.
 */
function toJson(body: unknown): string {
  return JSON.stringify(body, function (this: Record<string, WithToJson>, key, value) {
    const original = this[key];
    const isPlain = Array.isArray(original) || original?.toJSON === ({} as WithToJson).toJSON;
    return isPlain ? original : value;
  });
}

type WithToJson = { toJSON?: unknown };

function buildPath({ route, params = {}, query = {} }: HttpCall<unknown>): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = encodeURIComponent(params[name] ?? '');
    // "", "." and ".." would be dropped from the URL and the request would reach another route.
    if (/^\.{0,2}$/.test(value)) throw new GuideError('request/invalid', `Invalid ${name}: "${value}".`);
    return value;
  });
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : String(value)]],
  );
  return pairs.length === 0 ? path : `${path}?${`${new URLSearchParams(pairs)}`.replaceAll('+', '%20')}`;
}

function buildHeaders(options: HttpOptions, call: HttpCall<unknown>): Record<string, string> {
  return {
    ...options.headers,
    // The browser writes the content type of a form, with its boundary.
    ...(call.body === undefined || call.body instanceof FormData
      ? {}
      : { 'content-type': 'application/json' }),
    ...(call.token ? { authorization: `Bearer ${call.token}` } : {}),
    ...call.headers,
  };
}

/** Milliseconds to wait before the next attempt; undefined when a retry is unsafe or pointless. */
function getRetryDelay(error: unknown, call: HttpCall<unknown>, attempt: number): number | undefined {
  if (call.once || !isGuideError(error)) return undefined;
  const { code, status, retryAfterSeconds } = error;
  // These last until an operator acts.
  if (code === 'boot/unavailable' || code === 'guide/paused' || code === 'voice/not_configured')
    return undefined;
  // After these the service has done nothing, so any request may be repeated.
  const isRejected = status === 429 || status === 503;
  const isOutcomeUnknown = code === 'network' || status === 502 || status === 504;
  const mayRepeat = isRejected || (isOutcomeUnknown && (call.idempotent ?? call.route.retryable));
  if (!mayRepeat) return undefined;
  return retryAfterSeconds === undefined ? backoffMillis(attempt) : retryAfterSeconds * 1000;
}

/** Returns 128 random bits in hex. `crypto.randomUUID` exists on secure pages only. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
