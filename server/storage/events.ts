/**
 * A row of what happened. Rows of one commit are stored together; `data` is a flat JSON object whose fields depend on
 * the type. A row without visitor tells nothing about who.
 */
export type EventRow = {
  readonly id: string;
  readonly atMillis: number;
  readonly type:
    | 'boot'
    | 'consent'
    | 'turn'
    | 'citation'
    | 'action'
    | 'action_outcome'
    | 'feedback'
    | 'rate_limited';
  readonly visitorId?: string;
  readonly conversationId?: string;
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
};

export type Events = {
  append(rows: readonly EventRow[]): Promise<void>;
  /** Oldest first by time and id, after the given position. */
  list(
    limit: number,
    after?: { readonly atMillis: number; readonly id: string },
  ): Promise<readonly EventRow[]>;
};
