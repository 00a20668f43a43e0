import type { Operation } from '../../generated/types.ts';
import { GuideError } from './errors.ts';
import { streamObjects } from './event-stream.ts';
import {
  type Answer,
  type AnyInput,
  type CallOptions,
  type Http,
  type HttpCall,
  openHttp,
  RETRY_DEFAULT,
  type RetryOptions,
  randomId,
  toAnswer,
} from './http.ts';
import type { CallInput, JsonOperation, ListOperation, Reply, Row, SessionOperation } from './operations.ts';

export type ConnectionOptions = {
  /** URL of the service, such as `https://guide.example.com`; empty on its own pages. */
  baseUrl: string;
  fetch?: typeof globalThis.fetch;
  /** Sent with every request. Set `origin` when the public origin of the service differs from `baseUrl`. */
  headers?: Readonly<Record<string, string>>;
  retry?: Partial<RetryOptions>;
  /** The token of an automation session. Not for browsers, which send their own session. */
  session?: string;
};

/** One page of a list. */
export type Page<T> = {
  data: readonly T[];
  /** Cursor of the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/**
 * A list. `for await (const row of list)` iterates over all rows and fetches pages as needed; leaving the loop stops
 * fetching. Nothing is sent before the loop starts, and every loop starts from the beginning.
 */
export type RowList<T, P = Page<T>> = AsyncIterable<T> & {
  /** One page: the first, or the one at the `nextCursor` of an earlier page. */
  page(cursor?: string, options?: CallOptions): Answer<P>;
};

/** Calls operations as the signed-in user. `Given` are path parameters that the connection fills in. */
export type Connection<Ids extends SessionOperation = SessionOperation, Given extends string = never> = {
  call: <Id extends Ids>(operation: Operation<Id>, ...[input]: CallInput<Id, Given>) => Answer<Reply<Id>>;
  /** Drops the reply, for operations that only confirm. */
  send: <Id extends Ids>(operation: Operation<Id>, ...[input]: CallInput<Id, Given>) => Answer<void>;
  list: <Id extends ListOperation<Ids>>(
    operation: Operation<Id>,
    ...[input]: CallInput<Id, Given>
  ) => RowList<Row<Id>, Reply<Id>>;
  /** Streams the objects of a download. */
  download: <T extends { type: string }>(
    operation: Operation,
    input: AnyInput,
  ) => AsyncGenerator<T, void, void>;
};

/** A connection that fills in the workspace of each operation. */
export type TenantConnection = Connection<
  JsonOperation<'session', { tenantId: string | number }>,
  'tenantId'
>;

export function openConnection({
  baseUrl,
  fetch,
  headers = {},
  retry,
  session,
}: ConnectionOptions): Connection {
  const sendAttempts = openHttp({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    // Called as a method of another object, a browser's fetch throws.
    fetch: fetchSignedIn(baseUrl, fetch ?? ((input, init) => globalThis.fetch(input, init)), session),
    headers,
    retry: { ...RETRY_DEFAULT, ...retry },
  });
  const http: Http = (call) => sendAttempts(withIdempotencyKey(call));

  const call = <T>(route: Operation, { signal = neverAborted(), ...input }: AnyInput = {}): Answer<T> =>
    toAnswer((read) => http<T>({ ...input, route, signal, read }));

  const send = (route: Operation, { signal = neverAborted(), ...input }: AnyInput = {}): Answer<void> =>
    toAnswer((read) =>
      http<void>({ ...input, route, signal, read: async (response) => void (await read(response)) }),
    );

  return {
    call: call as Connection['call'],
    send: send as Connection['send'],
    list: (route: Operation, { signal: listSignal, ...input }: AnyInput = {}) =>
      createRowList<never, never>((cursor, signal) => {
        const query = { ...input.query, cursor };
        return call(route, { ...input, query, signal });
      }, listSignal),
    async *download(route, { signal = neverAborted(), ...input }) {
      const response = await http({ ...input, route, signal, read: async (response) => response });
      yield* streamObjects(response, signal);
    },
  };
}

/** Gives all attempts of a call the same idempotency key, so that a retry creates nothing twice. */
function withIdempotencyKey<T>(call: HttpCall<T>): HttpCall<T> {
  const { route, headers } = call;
  const isNeeded = route.method === 'POST' && route.retryable && headers?.['idempotency-key'] === undefined;
  return isNeeded ? { ...call, headers: { ...headers, 'idempotency-key': randomId() } } : call;
}

const neverAborted = () => new AbortController().signal;

function createRowList<T, P extends Page<T>>(
  fetchPage: (cursor: string | undefined, signal: AbortSignal | undefined) => Answer<P>,
  listSignal: AbortSignal | undefined,
): RowList<T, P> {
  return {
    page: (cursor, { signal = listSignal } = {}) => fetchPage(cursor, signal),
    async *[Symbol.asyncIterator]() {
      for (let cursor: string | undefined; ; ) {
        const { data, nextCursor } = await fetchPage(cursor, listSignal);
        for (const row of data) {
          if (listSignal?.aborted) throw new GuideError('aborted', 'The call was aborted.');
          yield row;
        }
        if (nextCursor === undefined) return;
        if (nextCursor === cursor) throw new GuideError('protocol', 'The next page is the same again.');
        cursor = nextCursor;
      }
    },
  };
}

/**
 * Creates a fetch with the session cookie of one service. A browser handles the cookie and the `Origin` header itself.
 * Elsewhere the cookie is kept in memory, and requests carry the origin of the service, like those of its own pages.
 */
function fetchSignedIn(
  baseUrl: string,
  fetch: typeof globalThis.fetch,
  session: string | undefined,
): typeof globalThis.fetch {
  const page = (globalThis as { location?: { href: string } }).location;
  const { origin } = new URL(baseUrl, page?.href);
  // The service reads the second name if browsers reach it over https, otherwise the first.
  const names = session === undefined ? [] : ['gp_session', '__Host-gp_session'];
  const cookies = new Map(names.map((name) => [name, session!]));
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has('origin')) headers.set('origin', origin);
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    if (cookie) headers.set('cookie', cookie);
    // The service never redirects; do not hand the cookie to a host that does.
    const response = await fetch(input, {
      ...init,
      headers,
      credentials: 'same-origin',
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie?.() ?? []) storeCookie(line, cookies);
    return response;
  };
}

/** Stores the cookie of a `Set-Cookie` header. An empty value removes the cookie. */
function storeCookie(line: string, cookies: Map<string, string>): void {
  const [, name, value] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
  if (name === undefined) return;
  if (value) cookies.set(name, value);
  else cookies.delete(name);
}
