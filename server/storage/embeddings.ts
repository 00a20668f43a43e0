/**
 * Embeddings of published texts: one vector for each chunk. They are derived data: exports leave them out, and missing
 * ones are computed again.
 */

/** The vectors of a passage. */
export type StoredEmbedding = {
  readonly passageId: number;
  readonly articleId: string;
  readonly locale: string;
  readonly dimensions: number;
  /** One vector for each chunk; opaque to the store. */
  readonly vectors: Uint8Array;
};

/** The embeddings of one workspace. */
export type Embeddings = {
  /** Adds or replaces the vectors of a passage. Does nothing once the passage or the workspace is removed. */
  put(embedding: StoredEmbedding & { readonly model: string; readonly contentHash: string }): Promise<void>;
  /** Assigns the stored vectors to a passage that has replaced another one with the same content. */
  keep(articleId: string, locale: string, passageId: number): Promise<void>;
  /** Lists the embeddings of published passages in ascending order, after the given passage. */
  list(
    model: string,
    limit: number,
    after?: { readonly articleId: string; readonly locale: string },
  ): Promise<readonly StoredEmbedding[]>;
  count(model: string): Promise<number>;
};

export type PassageToEmbed = {
  readonly passageId: number;
  readonly workspaceId: string;
  readonly articleId: string;
  readonly locale: string;
  /** Whether this passage has vectors of the model. */
  readonly isEmbedded: boolean;
  /** Hash of the content that the model embedded for this article and locale; absent if it has not yet. */
  readonly contentHash?: string;
};

/** The embeddings of all workspaces. */
export type EmbeddingIndex = {
  /** Lists passages of all workspaces by ascending number, after the given one. New passages have greater numbers. */
  after(passageId: number, limit: number, model: string): Promise<readonly PassageToEmbed[]>;
  /** Removes some embeddings of unpublished passages, and returns how many. */
  removeUnpublished(limit: number): Promise<number>;
  /** Counts all passages, and those that have embeddings of the model. */
  progress(model: string): Promise<{ readonly passages: number; readonly embedded: number }>;
};
