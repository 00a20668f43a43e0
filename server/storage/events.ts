/**
 * An analytics event. Rows of one call are stored together. `data` is a flat JSON object;
 * docs/analytics.md lists its fields by type. A row without visitor id is anonymous.
 */
export type EventRow = {
  id: string;
  /**
   * When it happened, in milliseconds. The store may increase it by up to a second to list rows in
   * commit order.
   */
  atMillis: number;
  /**
   * The time at which the store lists the row, if it differs from `atMillis` because the clock was set
   * back. Only the store sets it.
   */
  positionMillis?: number;
  type:
    | 'boot'
    | 'consent'
    | 'turn'
    | 'citation'
    | 'action'
    | 'action_outcome'
    | 'feedback'
    | 'voice'
    | 'rate_limited';
  visitorId?: string;
  conversationId?: string;
  data: Readonly<Record<string, string | number | boolean | null>>;
};

/** A keyset position in the event log: `positionMillis`, else `atMillis`, then the id. */
export type EventPosition = Pick<EventRow, 'atMillis' | 'positionMillis' | 'id'>;

/** A half-open range: includes `fromMillis`, excludes `beforeMillis`. */
export type Span = { fromMillis: number; beforeMillis: number };

/** Filters event rows; an absent field matches all. */
export type EventFilter = {
  within?: Span;
  type?: EventRow['type'];
  visitorId?: string;
  conversationId?: string;
  /** Matches `requested_locale`, else `locale`; case-insensitive. */
  locale?: string;
};

/** The matches among the rows of one bounded scan. Without `continueAfter`, the scan reached the end. */
export type Scan<Found> = { found: Found; continueAfter?: EventPosition };

export type Events = {
  append(rows: readonly EventRow[]): Promise<void>;
  /**
   * Like `append`, for rows that may be lost: stored before the next write, within 50 ms at most,
   * and lost if the process dies first. Reading events in this process waits for them.
   */
  appendDeferred(rows: readonly EventRow[]): Promise<void>;
  /**
   * Lists rows oldest first by position, after the given one. Rows committed later sort after all
   * rows committed before, across processes and whatever the clock does, so reading on from the last
   * row neither misses nor repeats any. `within` applies to times, not to positions.
   */
  list(limit: number, after?: EventPosition, within?: Span): Promise<readonly EventRow[]>;
  /** Returns the matches among the next `limit` rows, in the order of `list`. */
  queryRows(limit: number, filter: EventFilter, after?: EventPosition): Promise<Scan<readonly EventRow[]>>;
  /**
   * Like `queryRows`, as NDJSON text. Fields: id, at (ISO 8601, UTC), type, visitor_id, conversation_id,
   * data; absent values have no field. The store writes the text itself, which is faster for large
   * exports.
   */
  queryLines(limit: number, filter: EventFilter, after?: EventPosition): Promise<Scan<string>>;
};
