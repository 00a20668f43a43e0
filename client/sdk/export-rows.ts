import { asGuideError, GuideError } from './errors.ts';
import type { CallOptions } from './guide.ts';

/** Some rows of an export. */
export type ExportPage<T> = {
  readonly data: readonly T[];
  /** The place behind the last row, on the last page too, where more may come later; absent where there are no rows. */
  readonly nextCursor?: string | undefined;
  /** True when there were more rows at that moment. */
  readonly hasMore: boolean;
};

/**
 * Rows of an export. `for await (const row of rows)` goes over all that there are and fetches the next page when it is
 * needed, one after the other; leaving the loop fetches no more. Each loop begins anew.
 */
export type ExportRows<T> = AsyncIterable<T> & {
  /**
   * The place behind the last page whose rows were all taken from the newest loop. Given as `cursor` to another call with
   * the same filters, that one goes on there: after a failure, or later, for what has come since.
   */
  readonly cursor: string | undefined;
  /** The same loop, page by page. */
  pages(): AsyncGenerator<ExportPage<T>, void, void>;
  /** One page: the first, or the one behind an earlier page. */
  page(cursor?: string, options?: CallOptions): Promise<ExportPage<T>>;
};

/**
 * Rows of an export in one answer. Leaving the loop ends the request. A stream that breaks off rejects with `network` or
 * `timeout`, and `error.rows` says after how many rows.
 */
export type ExportStream<T> = AsyncIterable<T> & {
  /** How many rows the newest loop has brought. */
  readonly count: number;
  /** What comes behind the last row of the newest loop, page by page. */
  rest(): AsyncGenerator<T, void, void>;
};

export type WirePage<T> = {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
};

export function exportRows<T>(
  fetchPage: (cursor: string | undefined, options?: CallOptions) => Promise<WirePage<T>>,
  { cursor: start, signal }: CallOptions & { readonly cursor?: string | undefined },
): ExportRows<T> {
  let taken = start;

  async function page(cursor = start, options?: CallOptions): Promise<ExportPage<T>> {
    const { data, next_cursor, has_more } = await fetchPage(cursor, options);
    const hasMore = has_more === true;
    if (!Array.isArray(data) || (hasMore && (next_cursor ?? cursor) === cursor))
      throw new GuideError('protocol', 'The page does not say where the next one begins.');
    return { data, hasMore, ...(next_cursor == null ? {} : { nextCursor: next_cursor }) };
  }

  async function* pages(): AsyncGenerator<ExportPage<T>, void, void> {
    taken = start;
    for (;;) {
      const found = await page(taken);
      yield found;
      taken = found.nextCursor ?? taken;
      if (!found.hasMore) return;
    }
  }

  return {
    get cursor() {
      return taken;
    },
    page,
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) {
        for (const row of data) {
          if (signal?.aborted) throw new GuideError('aborted', 'The call was aborted.');
          yield row;
        }
      }
    },
  };
}

export type StreamDeps<T> = {
  readonly open: () => AsyncIterable<T>;
  /** Pages of the same rows from this moment on; of all of them when it is omitted. */
  readonly from: (at?: string) => AsyncIterable<T>;
  /** What no other row is called. */
  readonly nameOf: (row: T) => string;
};

export function exportStream<T extends { readonly at: string }>(deps: StreamDeps<T>): ExportStream<T> {
  const { open, from, nameOf } = deps;
  let count = 0;
  let lastAt: string | undefined;
  /** The rows of the last moment: pages from there bring them once more. */
  let known: string[] = [];

  function take(row: T): T {
    if (row.at !== lastAt) known = [];
    lastAt = row.at;
    known.push(nameOf(row));
    count += 1;
    return row;
  }

  return {
    get count() {
      return count;
    },
    async *[Symbol.asyncIterator]() {
      count = 0;
      lastAt = undefined;
      try {
        for await (const row of open()) yield take(row);
      } catch (cause) {
        const error = asGuideError(cause);
        if (count === 0) throw error;
        const message = `${error.message} ${count} rows had come.`;
        throw new GuideError(error.code, message, { rows: count, cause: error });
      }
    },
    async *rest() {
      const before = new Set(lastAt === undefined ? [] : known);
      for await (const row of from(lastAt)) if (!before.has(nameOf(row))) yield row;
    },
  };
}
