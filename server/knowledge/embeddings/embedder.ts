/** The port of the embedding model: texts in, vectors out. Only the adapter knows the protocol. */
export type Embedder = {
  readonly model: string;
  /** Rejects with an `EmbeddingFailure`, also when the signal aborts. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>;
  close(): void;
};

export type Embedded = {
  /** In the order of the texts, of equal length each. */
  readonly vectors: readonly (readonly number[])[];
  /** Estimated where the server does not report it. */
  readonly tokens: number;
};

export type EmbeddingFailureKind =
  | 'aborted'
  | 'unreachable'
  /** The server refuses every request: key, model or address are wrong. */
  | 'refused'
  /** The server refuses these texts, for example because they are too long. */
  | 'rejected'
  | 'rate_limited'
  | 'overloaded'
  | 'broken';

/** Contains nothing of the texts, the key or the reply. */
export class EmbeddingFailure extends Error {
  override readonly name = 'EmbeddingFailure';
  readonly kind: EmbeddingFailureKind;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: EmbeddingFailureKind, reason: string, retryAfterSeconds?: number) {
    super(`${kind}: ${reason}`);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
