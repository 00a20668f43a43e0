import { GuideError } from './errors.ts';
import type { CallOptions } from './guide.ts';
import type { Answer } from './http.ts';

/** Some rows of a list. */
export type Page<T> = {
  readonly data: readonly T[];
  /** Where the next page begins; absent on the last one. */
  readonly nextCursor?: string | undefined;
};

/**
 * A list of the service. `for await (const row of list)` goes over all of its rows and fetches the next page when it is
 * needed; leaving the loop fetches no more. Nothing is sent before the loop begins, and each loop begins anew.
 */
export type RowList<T> = AsyncIterable<T> & {
  /** One page, for a screen that shows one at a time: the first, or the one that an earlier page names. */
  page(cursor?: string, options?: CallOptions): Answer<Page<T>>;
};

/** A list of which `fetchPage` brings one page. */
export function rowList<T>(
  fetchPage: (cursor: string | undefined, signal: AbortSignal | undefined) => Answer<Page<T>>,
  signalOfAll: AbortSignal | undefined,
): RowList<T> {
  return {
    page: (cursor, { signal = signalOfAll } = {}) => fetchPage(cursor, signal),
    async *[Symbol.asyncIterator]() {
      for (let cursor: string | undefined; ; ) {
        const { data, nextCursor } = await fetchPage(cursor, signalOfAll);
        for (const row of data) {
          if (signalOfAll?.aborted) throw new GuideError('aborted', 'The call was aborted.');
          yield row;
        }
        if (nextCursor === undefined) return;
        if (nextCursor === cursor) throw new GuideError('protocol', 'The next page is the same one again.');
        cursor = nextCursor;
      }
    },
  };
}
