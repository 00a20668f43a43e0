/**
 * Embeddings of published articles, whose translations share the vectors of the source. They are derived data: exports
 * leave them out, and missing ones are computed again.
 */

/** The vectors of the passage of an article's source. */
export type StoredEmbedding = {
  passageId: number;
  articleId: string;
  locale: string;
  dimensions: number;
  /** One vector for each part of the text, with its position; opaque to the store. */
  vectors: Uint8Array;
};

/** The embeddings of one workspace. */
export type Embeddings = {
  /** Adds or replaces the vectors of a passage. Does nothing once the passage or the workspace is removed. */
  put(embedding: StoredEmbedding & { model: string; contentHash: string }): Promise<void>;
  /** Assigns the stored vectors to a passage that has replaced another one with the same content. */
  keep(articleId: string, locale: string, passageId: number): Promise<void>;
  /** Lists the embeddings of published sources in ascending order, after the given one. */
  list(
    model: string,
    limit: number,
    after?: { articleId: string; locale: string },
  ): Promise<readonly StoredEmbedding[]>;
  count(model: string): Promise<number>;
};

export type PassageToEmbed = {
  passageId: number;
  workspaceId: string;
  articleId: string;
  locale: string;
  /** Whether this passage has vectors of the model. */
  isEmbedded: boolean;
  /** Hash of the content that the model embedded for this article and locale; absent if it has not yet. */
  contentHash?: string;
};

/** The passages between two numbers, which are left out; newer passages have greater numbers. */
export type PassageRange = { above: number; below: number };

/** The embeddings of all workspaces. */
export type EmbeddingIndex = {
  /** Lists the passages of sources of all workspaces, newest first. */
  newest(range: PassageRange, limit: number, model: string): Promise<readonly PassageToEmbed[]>;
  /** Removes some embeddings of texts that are not published as a source, and returns how many. */
  removeUnpublished(limit: number): Promise<number>;
  /** Counts the passages of all sources, and those that have embeddings of the model. */
  progress(model: string): Promise<{ passages: number; embedded: number }>;
};
