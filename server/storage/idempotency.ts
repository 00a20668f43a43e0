/** The claim of a session's request to its idempotency key; a repeated request gets the first response. */
type IdempotencyClaim = {
  sessionId: string;
  /** The key as the client sent it. */
  key: string;
  payloadHash: string;
  startedAt: number;
  expiresAt: number;
};

type StoredResponse = {
  payloadHash: string;
  /** Absent while the first request is being handled. */
  status?: number;
  /** JSON; absent if the response must not be stored. */
  body?: string;
};

export type IdempotencyKeys = {
  /**
   * Claims the key for this request, and forgets all but the newest `keysMax` keys of the session. If another request
   * has the key, returns what is stored of that request, unless it has expired, or began before `abandonedBefore` and
   * never ended. Returns 'gone' when the session has ended.
   */
  claim(
    claim: IdempotencyClaim,
    limits: { abandonedBefore: number; keysMax: number },
  ): Promise<'claimed' | 'gone' | StoredResponse>;
  /** Stores the response to the request that has the key. */
  complete(
    claim: Pick<IdempotencyClaim, 'sessionId' | 'key' | 'startedAt'>,
    response: { status: number; body: string | undefined },
  ): Promise<void>;
  /** Releases the key after a failure. */
  release(claim: Pick<IdempotencyClaim, 'sessionId' | 'key' | 'startedAt'>): Promise<void>;
};
