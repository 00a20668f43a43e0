import { fetchSignedIn } from './cookies.ts';
import type { CallOptions } from './guide.ts';
import {
  type Answer,
  answerOf,
  type ClientRoute,
  type HttpCall,
  openHttp,
  RETRY_DEFAULT,
  type RetryOptions,
} from './http.ts';
import { objectsOf } from './lines.ts';
import { type Page, type RowList, rowList } from './pages.ts';

export type ConnectionOptions = {
  /** Where the service is, such as `https://guide.example.com`; empty on its own pages. */
  readonly baseUrl: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Sent with every request. An `origin` is needed here where the service is known under another one than `baseUrl`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly retry?: Partial<RetryOptions>;
};

/** What an operation is called with. */
export type Call = Pick<
  HttpCall<unknown>,
  'parameters' | 'query' | 'headers' | 'body' | 'harmlessAgain' | 'once' | 'deadlineSeconds'
>;

/** Calls to the service as one signed-in person. */
export type Connection = {
  readonly ask: <T>(route: ClientRoute, call?: Call, options?: CallOptions) => Answer<T>;
  /** The same where nothing is answered that anybody needs. */
  readonly tell: (route: ClientRoute, call?: Call, options?: CallOptions) => Answer<void>;
  readonly list: <T>(route: ClientRoute, call?: Call, options?: CallOptions) => RowList<T>;
  readonly lines: <T extends { readonly type: string }>(
    route: ClientRoute,
    call?: Call,
    options?: CallOptions,
  ) => AsyncGenerator<T, void, void>;
};

export function openConnection({ baseUrl, fetch, headers = {}, retry }: ConnectionOptions): Connection {
  const http = openHttp({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    // A browser's fetch refuses to be called as a method of something else.
    fetch: fetchSignedIn(baseUrl, fetch ?? ((input, init) => globalThis.fetch(input, init))),
    headers,
    retry: { ...RETRY_DEFAULT, ...retry },
  });

  function ask<T>(route: ClientRoute, call: Call = {}, { signal = never() }: CallOptions = {}): Answer<T> {
    return answerOf((read) => http<T>({ ...call, route, signal, read }));
  }

  return {
    ask,
    tell: (route, call = {}, { signal = never() } = {}) =>
      answerOf((read) => {
        const heard = async (response: Response) => void (await read(response));
        return http<void>({ ...call, route, signal, read: heard });
      }),
    list: (route, call = {}, { signal: signalOfAll } = {}) =>
      rowList((cursor, signal) => {
        const query = { ...call.query, cursor };
        return ask<Page<never>>(route, { ...call, query }, signal ? { signal } : {});
      }, signalOfAll),
    async *lines(route, call = {}, { signal = never() } = {}) {
      const response = await http({ ...call, route, signal, read: async (answer) => answer });
      yield* objectsOf(response, signal);
    },
  };
}

const never = () => new AbortController().signal;
