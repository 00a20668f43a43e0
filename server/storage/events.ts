/**
 * A row of what happened. Rows of one commit are stored together; `data` is a flat JSON object whose fields depend on
 * the type: docs/analytics.md lists them. A row without visitor tells nothing about who.
 */
export type EventRow = {
  readonly id: string;
  /** When it happened; the store may move it a little later, so that rows are listed in the order of their commits. */
  readonly atMillis: number;
  readonly type:
    | 'boot'
    | 'consent'
    | 'turn'
    | 'citation'
    | 'action'
    | 'action_outcome'
    | 'feedback'
    | 'voice'
    | 'rate_limited';
  readonly visitorId?: string;
  readonly conversationId?: string;
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
};

/** A place in the line of event rows. */
export type EventPosition = Pick<EventRow, 'atMillis' | 'id'>;

/** Half-open: from the first moment on, up to but without the second. */
export type Span = { readonly fromMillis: number; readonly beforeMillis: number };

/** Which rows are wanted; what is absent leaves nothing out. */
export type EventFilter = {
  readonly within?: Span;
  readonly type?: EventRow['type'];
  readonly visitorId?: string;
  readonly conversationId?: string;
  /** Rows that name this language as `requested_locale`, else as `locale`; case makes no difference. */
  readonly locale?: string;
};

/** What was found in one step, and behind which place the next one goes on; without a place there is nothing more. */
export type Step<Found> = { readonly found: Found; readonly goOn?: EventPosition };

export type Events = {
  append(rows: readonly EventRow[]): Promise<void>;
  /**
   * The same for a row that nobody was promised: it is stored in front of the next write, within 50 ms in any case, and is lost when the
   * process dies before. Reading its events in this process waits for it.
   */
  appendDeferred(rows: readonly EventRow[]): Promise<void>;
  /**
   * Oldest first by time and id, after the given place. A row that is committed later stands behind all that were
   * committed before it, whichever process wrote them: who reads on from the last row misses none and meets none twice.
   */
  list(limit: number, after?: EventPosition, within?: Span): Promise<readonly EventRow[]>;
  /** The wanted ones among the next `limit` rows, in the order of `list`. */
  pick(limit: number, wanted: EventFilter, after?: EventPosition): Promise<Step<readonly EventRow[]>>;
  /**
   * The same as one text, a JSON object a line: id, at (ISO 8601 in UTC), type, visitor_id, conversation_id, data. What is absent has no
   * field. Written by the store itself, since this is how most rows leave.
   */
  queryLines(limit: number, wanted: EventFilter, after?: EventPosition): Promise<Step<string>>;
};
