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
  Analytics as WireAnalytics,
} from '../../generated/types.ts';
import { type Bytes, bytesOf } from './bytes.ts';
import { GuideError } from './errors.ts';
import {
  type ExportRows,
  type ExportStream,
  exportRows,
  exportStream,
  type WirePage,
} from './export-rows.ts';
import type { CallOptions } from './guide.ts';
import {
  type Answer,
  answerOf,
  type ClientRoute,
  type HttpCall,
  openHttp,
  type QueryValue,
  type RetryOptions,
  readJson,
} from './http.ts';
import { IDLE_MILLIS, rowsOf } from './lines.ts';

export type ExporterOptions = {
  /** Where the service is, such as `https://guide.example.com`. */
  readonly baseUrl: string;
  /** The `pk_live_` key of the workspace. It is for servers and scripts: no page should know it. */
  readonly apiKey: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Waits up to a minute for each call when omitted, since nobody looks on. */
  readonly retry?: Partial<RetryOptions>;
};

export type { ExportedConversation, ExportedEvent, ExportedTranscript };
export type ExportedEventType = ExportedEvent['type'];
export type ExportedAnalytics = WireAnalytics;

/** A `Date`, seconds since 1970, or ISO 8601 with a zone; a date alone is its midnight in UTC. */
export type Moment = Date | number | string;

export type ExportFilters = CallOptions & {
  /** The first moment that is wanted. */
  readonly from?: Moment | undefined;
  /** The end of what is wanted, not itself part of it. */
  readonly to?: Moment | undefined;
  readonly visitorId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly locale?: string | undefined;
};
export type EventFilters<T extends ExportedEventType = ExportedEventType> = ExportFilters & {
  readonly type?: T | undefined;
};
/** How to fetch page after page. */
export type Paging = {
  /** Goes on behind a page of an earlier run with the same filters. */
  readonly cursor?: string | undefined;
  /** How many rows to fetch at once: 1 to 1000, 1000 when omitted. */
  readonly limit?: number | undefined;
};
export type ExportAnalyticsOptions = Pick<ExportFilters, 'from' | 'to' | 'signal'> & {
  readonly by?: AnalyticsPeriodLength | undefined;
  /** The time zone that days and hours are cut in, by its IANA name; UTC when omitted. */
  readonly zone?: string | undefined;
};

/**
 * What a workspace takes out with an API key. Every method rejects with a `GuideError`: `export/unauthorized` where the key
 * is not known, or not any more, `export/insufficient_scope` where it may not read this.
 */
export type Exporter = {
  events<T extends ExportedEventType = ExportedEventType>(
    filters?: EventFilters<T> & Paging,
  ): ExportRows<EventOf<T>>;
  conversations(filters?: ExportFilters & Paging): ExportRows<ExportedConversation>;
  transcripts(filters?: ExportFilters & Paging): ExportRows<ExportedTranscript>;
  /** Figures for each day or hour, beside the equally long time before; the last 28 days when nothing is asked for. */
  analytics(options?: ExportAnalyticsOptions): Answer<ExportedAnalytics>;
  /** Everything in one answer, row by row, at the pace of the loop. */
  readonly stream: {
    events<T extends ExportedEventType = ExportedEventType>(
      filters?: EventFilters<T>,
    ): ExportStream<EventOf<T>>;
    conversations(filters?: ExportFilters): ExportStream<ExportedConversation>;
    transcripts(filters?: ExportFilters): ExportStream<ExportedTranscript>;
  };
  /** Everything in one answer, as the bytes of a CSV file. A stream that errors was cut off. */
  readonly csv: {
    events(filters?: EventFilters): Promise<Bytes>;
    conversations(filters?: ExportFilters): Promise<Bytes>;
    transcripts(filters?: ExportFilters): Promise<Bytes>;
  };
};

type EventOf<T extends ExportedEventType> = Extract<ExportedEvent, { readonly type: T }>;
type Wanted = EventFilters & Paging;

const RETRY_IN_BATCHES: RetryOptions = { attemptsMax: 5, waitSecondsMax: 60, deadlineSeconds: 120 };
const ROWS_A_PAGE = 1000;

/** Opens the export of one workspace. Nothing is sent before the first call. */
export function createExporter({ baseUrl, apiKey, fetch, retry }: ExporterOptions): Exporter {
  const key = apiKey.trim();
  // A runtime would repeat in its own error what it cannot send.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new GuideError('export/unauthorized', 'This is no API key.');
  const send = fetch ?? globalThis.fetch.bind(globalThis);
  const http = openHttp({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    // The service never redirects; whatever does shall not be handed the key.
    fetch: (input, init) => send(input, { ...init, redirect: 'manual' }),
    headers: { authorization: `Bearer ${key}` },
    retry: { ...RETRY_IN_BATCHES, ...retry },
  });

  function ask<T>(
    route: ClientRoute,
    query: Readonly<Record<string, QueryValue>>,
    { signal = new AbortController().signal }: CallOptions,
    read: HttpCall<T>['read'],
  ): Promise<T> {
    return http({ route, query, signal, read });
  }

  const rows = <T>(route: ClientRoute, wanted: Wanted): ExportRows<T> =>
    exportRows((cursor, { signal = wanted.signal } = {}) => {
      const query = { ...filtersOf(wanted), limit: wanted.limit ?? ROWS_A_PAGE, cursor };
      return ask<WirePage<T>>(route, query, { signal }, readJson);
    }, wanted);

  const stream = <T extends { readonly at: string }>(
    route: ClientRoute,
    pages: ClientRoute,
    wanted: Wanted,
    nameOf: (row: T) => string,
  ): ExportStream<T> =>
    exportStream({
      nameOf,
      async *open() {
        const { signal = new AbortController().signal } = wanted;
        const response = await ask(route, filtersOf(wanted), { signal }, async (answer) => answer);
        yield* rowsOf<T>(response, signal);
      },
      from: (at) => rows<T>(pages, at === undefined ? wanted : { ...wanted, from: at }),
    });

  const table = async (route: ClientRoute, wanted: Wanted) => {
    const { signal = new AbortController().signal } = wanted;
    const answer = await ask(route, filtersOf(wanted), { signal }, async (response) => response);
    if (!answer.headers.get('content-type')?.startsWith('text/csv'))
      throw new GuideError('protocol', 'The answer is no table.', { status: answer.status });
    return bytesOf(answer, { idleMillis: IDLE_MILLIS, signal });
  };

  return {
    events: (wanted = {}) => rows(exportEvents, wanted),
    conversations: (wanted = {}) => rows(exportConversations, wanted),
    transcripts: (wanted = {}) => rows(exportTranscripts, wanted),
    analytics: ({ by, zone, ...wanted } = {}) =>
      // Async, so that a moment that is none rejects like everything else.
      answerOf(async (read) =>
        ask<ExportedAnalytics>(exportAnalytics, { ...filtersOf(wanted), by, zone }, wanted, read),
      ),
    stream: {
      events: (wanted = {}) => stream(streamEvents, exportEvents, wanted, ({ id }) => id),
      conversations: (wanted = {}) =>
        stream(streamConversations, exportConversations, wanted, ({ id }) => id),
      transcripts: (wanted = {}) =>
        stream(streamTranscripts, exportTranscripts, wanted, ({ message_id }) => message_id),
    },
    csv: {
      events: (wanted = {}) => table(tabulateEvents, wanted),
      conversations: (wanted = {}) => table(tabulateConversations, wanted),
      transcripts: (wanted = {}) => table(tabulateTranscripts, wanted),
    },
  };
}

function filtersOf({ from, to, type, visitorId, conversationId, locale }: Wanted) {
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
  if (Number.isNaN(date.getTime())) throw new GuideError('request/invalid', 'This is no moment.');
  return date.toISOString();
}
