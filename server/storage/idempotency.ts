/** The claim of a session's request to its idempotency key; a repeated request gets the first response. */
type IdempotencyClaim = {
  readonly sessionId: string;
  /** The key as the client sent it. */
  readonly key: string;
  readonly payloadHash: string;
  readonly startedAt: number;
  readonly expiresAt: number;
};

type StoredResponse = {
  readonly payloadHash: string;
  /** Absent while the first request is being handled. */
  readonly status?: number;
  /** JSON; absent if the response must not be stored. */
  readonly body?: string;
};

export type IdempotencyKeys = {
  /**
   * Claims the key for this request, and forgets all but the newest `keysMax` keys of the session. If another request
   * has the key, returns what is stored of that request, unless it has expired, or began before `abandonedBefore` and
   * never ended. Returns 'gone' when the session has ended.
   */
  claim(
    claim: IdempotencyClaim,
    limits: { readonly abandonedBefore: number; readonly keysMax: number },
  ): Promise<'claimed' | 'gone' | StoredResponse>;
  /** Stores the response to the request that has the key. */
  complete(
    claim: Pick<IdempotencyClaim, 'sessionId' | 'key' | 'startedAt'>,
    response: { readonly status: number; readonly body: string | undefined },
  ): Promise<void>;
  /** Releases the key after a failure. */
  release(claim: Pick<IdempotencyClaim, 'sessionId' | 'key' | 'startedAt'>): Promise<void>;
};
