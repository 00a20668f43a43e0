/** The result of comparing texts with the articles of a workspace by meaning. */

/**
 * Compares texts with a workspace's articles, and the first text with the question before it, if there is one; undefined
 * when no result is ready in time.
 */
export type FindSimilar = (request: {
  workspaceId: string;
  texts: readonly string[];
  before?: string | undefined;
  /** Articles that the reader does not see, which are left out. */
  hidden?: Promise<readonly string[]>;
}) => Promise<Comparison | undefined>;

export type Comparison = {
  /** In the order of the texts. */
  similarities: readonly Similarity[];
  /** Cosine of the first text and the question before it. */
  toBefore?: number | undefined;
};

/** Embeds messages while a visitor waits; returns undefined when the model is late or fails. */
export type EmbedMessages = (texts: readonly string[]) => Promise<EmbeddedMessages | undefined>;

type EmbeddedMessages = {
  model: string;
  /** In the order of the texts. */
  vectors: readonly (readonly number[])[];
};

export type Similarity = {
  /** The embedding model: what its cosines mean differs between models. */
  model: string;
  /** Most similar first, each article once; at most `SIMILAR_ARTICLES_MAX`. */
  articles: readonly SimilarArticle[];
  /** Mean cosine of the ten nearest articles, or of all if there are fewer. */
  nearestMean: number;
  /**
   * Mean cosine of the five nearest background texts, which have nothing to do with the workspace; 0 for models that the
   * service does not contain.
   */
  background: number;
};

export type SimilarArticle = {
  articleId: string;
  /** The passage of the article's source. */
  passageId: number;
  /** Mean cosine of the title, the window and the sentence. */
  score: number;
  /** The most similar window of the source's answer. */
  window: SimilarText;
  /** The most similar sentence of the source's answer; not in large workspaces. */
  sentence?: SimilarText;
};

/** A text with its cosine, at these UTF-16 offsets of the answer. */
type SimilarText = { score: number; start: number; end: number };

/** The most similar articles that a comparison returns; a small workspace has fewer. */
export const SIMILAR_ARTICLES_MAX = 40;
const MEAN_OF = 10;

export function toSimilarity({ articles, ...rest }: Omit<Similarity, 'nearestMean'>): Similarity {
  const nearest = articles.slice(0, MEAN_OF);
  const nearestMean = nearest.reduce((sum, { score }) => sum + score, 0) / nearest.length || 0;
  return { ...rest, articles, nearestMean };
}
