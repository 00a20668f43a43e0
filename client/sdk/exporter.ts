import {
  exportAnalytics,
  exportConversations,
  exportEvents,
  exportTranscripts,
  streamConversations,
  streamEvents,
  streamTranscripts,
  tabulateConversations,
  tabulateEvents,
  tabulateTranscripts,
} from '../../generated/routes.ts';
import type {
  AnalyticsPeriodLength,
  ExportedConversation,
  ExportedEvent,
  ExportedTranscript,
  Operation,
  Analytics as WireAnalytics,
} from '../../generated/types.ts';
import { asGuideError, GuideError } from './errors.ts';
import { type Bytes, IDLE_MILLIS, readBytes, streamRows } from './event-stream.ts';
import {
  type Answer,
  type AnyInput,
  type CallOptions,
  type HttpCall,
  openHttp,
  type RetryOptions,
  readJson,
  toAnswer,
} from './http.ts';
import type { CallInput, JsonOperation, Reply } from './operations.ts';

export type ExporterOptions = {
  /** URL of the service, such as `https://guide.example.com`. */
  baseUrl: string;
  /** The `pk_live_` key of the workspace, for servers and scripts. Never put it into a page. */
  apiKey: string;
  fetch?: typeof globalThis.fetch;
  /** By default each call waits up to a minute between attempts. */
  retry?: Partial<RetryOptions>;
};

export type { ExportedConversation, ExportedEvent, ExportedTranscript };
export type ExportedEventType = ExportedEvent['type'];
export type ExportedAnalytics = WireAnalytics;

/** A `Date`, seconds since 1970, or ISO 8601 with a time zone. A date alone means midnight UTC. */
export type Moment = Date | number | string;

export type ExportFilters = CallOptions & {
  /** Start of the period. */
  from?: Moment | undefined;
  /** End of the period, exclusive. */
  to?: Moment | undefined;
  visitorId?: string | undefined;
  conversationId?: string | undefined;
  locale?: string | undefined;
};
export type EventFilters<T extends ExportedEventType = ExportedEventType> = ExportFilters & {
  type?: T | undefined;
};
/** How to fetch pages. */
export type Paging = {
  /** Continues after a page of an earlier call with the same filters. */
  cursor?: string | undefined;
  /** Rows per page: 1 to 1000, 1000 by default. */
  limit?: number | undefined;
};
export type ExportAnalyticsOptions = Pick<ExportFilters, 'from' | 'to' | 'signal'> & {
  by?: AnalyticsPeriodLength | undefined;
  /** IANA time zone of the days and hours; UTC by default. */
  zone?: string | undefined;
};

/** One page of an export. */
export type ExportPage<T> = {
  data: readonly T[];
  /** The cursor after the last row, on the last page too, since more rows may follow later; absent without rows. */
  nextCursor?: string | undefined;
  /** True when there were more rows at the time. */
  hasMore: boolean;
};

/**
 * Rows of an export. `for await (const row of rows)` iterates over all rows and fetches pages as needed, one after the other;
 * leaving the loop stops fetching. Every loop starts from the beginning.
 */
export type ExportRows<T> = AsyncIterable<T> & {
  /**
   * The cursor after the last page that the latest loop has used up. Pass it as `cursor` to another call with the same
   * filters to continue there: after a failure, or later for new rows.
   */
  cursor: string | undefined;
  /** The same loop, page by page. */
  pages(): AsyncGenerator<ExportPage<T>, void, void>;
  /** One page: the first, or the one at the `nextCursor` of an earlier page. */
  page(cursor?: string, options?: CallOptions): Promise<ExportPage<T>>;
};

/**
 * Rows of an export in one response. Leaving the loop ends the request. An interrupted stream rejects with `network` or
 * `timeout`; `error.rows` is the number of rows that had arrived.
 */
export type ExportStream<T> = AsyncIterable<T> & {
  /** How many rows the latest loop has received. */
  count: number;
  /** The rows after the last one of the latest loop, fetched page by page. */
  rest(): AsyncGenerator<T, void, void>;
};

/**
 * Exports the data of a workspace with an API key. Every method rejects with a `GuideError`: `export/unauthorized` for an
 * unknown or revoked key, `export/insufficient_scope` when the key lacks the scope.
 */
export type Exporter = {
  /** Analytics events; `type` narrows the type of the rows. */
  events<T extends ExportedEventType = ExportedEventType>(
    filters?: EventFilters<T> & Paging,
  ): ExportRows<EventOf<T>>;
  conversations(filters?: ExportFilters & Paging): ExportRows<ExportedConversation>;
  /** Turns with their texts. */
  transcripts(filters?: ExportFilters & Paging): ExportRows<ExportedTranscript>;
  /** Analytics per day or hour, with the period before for comparison; by default of the last 28 days. */
  analytics(options?: ExportAnalyticsOptions): Answer<ExportedAnalytics>;
  /** All rows in one response, at the pace of the loop. */
  stream: {
    events<T extends ExportedEventType = ExportedEventType>(
      filters?: EventFilters<T>,
    ): ExportStream<EventOf<T>>;
    conversations(filters?: ExportFilters): ExportStream<ExportedConversation>;
    transcripts(filters?: ExportFilters): ExportStream<ExportedTranscript>;
  };
  /** All rows in one response, as the bytes of a CSV file. The stream errors when it is cut off. */
  csv: {
    events(filters?: EventFilters): Promise<Bytes>;
    conversations(filters?: ExportFilters): Promise<Bytes>;
    transcripts(filters?: ExportFilters): Promise<Bytes>;
  };
  /** Calls any operation for API keys by its constant from `@guidepost/client/operations`. */
  call<Id extends JsonOperation<'api-key'>>(
    operation: Operation<Id>,
    ...[input]: CallInput<Id>
  ): Answer<Reply<Id>>;
};

type EventOf<T extends ExportedEventType> = Extract<ExportedEvent, { type: T }>;
type AllFilters = EventFilters & Paging;

const RETRY_IN_BATCHES: RetryOptions = { attemptsMax: 5, waitSecondsMax: 60, deadlineSeconds: 120 };
const ROWS_PER_PAGE = 1000;

/** Opens the export of one workspace. Nothing is sent before the first call. */
export function createExporter(options: ExporterOptions): Exporter {
  const request = openExportRequests(options);

  const openRows = <T>(route: Operation, filters: AllFilters): ExportRows<T> =>
    createRows((cursor, { signal = filters.signal } = {}) => {
      const query = { ...toQuery(filters), limit: filters.limit ?? ROWS_PER_PAGE, cursor };
      return request<WirePage<T>>(route, { query, signal }, readJson);
    }, filters);

  const openStream = <T extends { at: string }>(
    route: Operation,
    pages: Operation,
    filters: AllFilters,
    getId: (row: T) => string,
  ): ExportStream<T> =>
    createStream({
      getId,
      async *open() {
        const { signal = neverAborted() } = filters;
        yield* streamRows<T>(await request(route, { query: toQuery(filters), signal }, keepResponse), signal);
      },
      rowsSince: (at) => openRows<T>(pages, at === undefined ? filters : { ...filters, from: at }),
    });

  const openCsv = async (route: Operation, filters: AllFilters) => {
    const { signal = neverAborted() } = filters;
    const response = await request(route, { query: toQuery(filters), signal }, keepResponse);
    if (!response.headers.get('content-type')?.startsWith('text/csv'))
      throw new GuideError('protocol', 'The response is not CSV.', { status: response.status });
    return readBytes(response, { idleMillis: IDLE_MILLIS, signal });
  };

  const call = <T>(route: Operation, input: AnyInput = {}): Answer<T> =>
    toAnswer((read) => request<T>(route, input, read));

  return {
    events: (filters = {}) => openRows(exportEvents, filters),
    conversations: (filters = {}) => openRows(exportConversations, filters),
    transcripts: (filters = {}) => openRows(exportTranscripts, filters),
    analytics: ({ by, zone, ...filters } = {}) =>
      // Async, so that an invalid date rejects like any other error.
      toAnswer(async (read) => {
        const query = { ...toQuery(filters), by, zone };
        return request<ExportedAnalytics>(exportAnalytics, { query, signal: filters.signal }, read);
      }),
    stream: {
      events: (filters = {}) => openStream(streamEvents, exportEvents, filters, ({ id }) => id),
      conversations: (filters = {}) =>
        openStream(streamConversations, exportConversations, filters, ({ id }) => id),
      transcripts: (filters = {}) =>
        openStream(streamTranscripts, exportTranscripts, filters, ({ message_id }) => message_id),
    },
    csv: {
      events: (filters = {}) => openCsv(tabulateEvents, filters),
      conversations: (filters = {}) => openCsv(tabulateConversations, filters),
      transcripts: (filters = {}) => openCsv(tabulateTranscripts, filters),
    },
    call: call as Exporter['call'],
  };
}

type ExportRequest = <T>(route: Operation, input: AnyInput, read: HttpCall<T>['read']) => Promise<T>;

const neverAborted = () => new AbortController().signal;
const keepResponse = async (response: Response) => response;

function openExportRequests({ baseUrl, apiKey, fetch, retry }: ExporterOptions): ExportRequest {
  const key = apiKey.trim();
  // Runtimes quote an invalid header value in their error message.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new GuideError('export/unauthorized', 'This is not an API key.');
  const send = fetch ?? globalThis.fetch.bind(globalThis);
  const http = openHttp({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    // The service never redirects; do not hand the key to a host that does.
    fetch: (input, init) => send(input, { ...init, redirect: 'manual' }),
    headers: { authorization: `Bearer ${key}` },
    retry: { ...RETRY_IN_BATCHES, ...retry },
  });
  return (route, { signal = neverAborted(), ...input }, read) => http({ ...input, route, signal, read });
}

function toQuery({ from, to, type, visitorId, conversationId, locale }: AllFilters) {
  return {
    from: toIsoString(from),
    to: toIsoString(to),
    type,
    visitor_id: visitorId,
    conversation_id: conversationId,
    locale,
  };
}

function toIsoString(moment: Moment | undefined): string | undefined {
  if (moment === undefined || typeof moment === 'string') return moment;
  if (Number.isInteger(moment)) return String(moment);
  const date = typeof moment === 'number' ? new Date(moment * 1000) : moment;
  if (Number.isNaN(date.getTime())) throw new GuideError('request/invalid', 'Invalid date.');
  return date.toISOString();
}

type WirePage<T> = {
  data: readonly T[];
  next_cursor: string | null;
  has_more: boolean;
};

function createRows<T>(
  fetchPage: (cursor: string | undefined, options?: CallOptions) => Promise<WirePage<T>>,
  { cursor: start, signal }: CallOptions & { cursor?: string | undefined },
): ExportRows<T> {
  let lastCursor = start;

  async function page(cursor = start, options?: CallOptions): Promise<ExportPage<T>> {
    const { data, next_cursor, has_more } = await fetchPage(cursor, options);
    const hasMore = has_more === true;
    if (!Array.isArray(data) || (hasMore && (next_cursor ?? cursor) === cursor))
      throw new GuideError('protocol', 'The page has no cursor for the next one.');
    return { data, hasMore, ...(next_cursor == null ? {} : { nextCursor: next_cursor }) };
  }

  async function* pages(): AsyncGenerator<ExportPage<T>, void, void> {
    lastCursor = start;
    for (;;) {
      const current = await page(lastCursor);
      yield current;
      lastCursor = current.nextCursor ?? lastCursor;
      if (!current.hasMore) return;
    }
  }

  return {
    get cursor() {
      return lastCursor;
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

type StreamDeps<T> = {
  open: () => AsyncIterable<T>;
  /** Reads the same rows page by page, from this time on; all rows by default. */
  rowsSince: (at?: string) => AsyncIterable<T>;
  getId: (row: T) => string;
};

function createStream<T extends { at: string }>(deps: StreamDeps<T>): ExportStream<T> {
  const { open, rowsSince, getId } = deps;
  let count = 0;
  let lastAt: string | undefined;
  /** Ids of the rows at `lastAt`, which `rowsSince(lastAt)` returns again. */
  let idsAtLast: string[] = [];

  function track(row: T): T {
    if (row.at !== lastAt) idsAtLast = [];
    lastAt = row.at;
    idsAtLast.push(getId(row));
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
        for await (const row of open()) yield track(row);
      } catch (cause) {
        const error = asGuideError(cause);
        if (count === 0) throw error;
        const message = `${error.message} ${count} rows had arrived.`;
        throw new GuideError(error.code, message, { rows: count, cause: error });
      }
    },
    async *rest() {
      const receivedIds = new Set(lastAt === undefined ? [] : idsAtLast);
      for await (const row of rowsSince(lastAt)) if (!receivedIds.has(getId(row))) yield row;
    },
  };
}
