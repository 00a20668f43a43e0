/** Words of another language, or synonyms, that stand for a word, learned from the workspace's published translations. */
export type Alternative = {
  /** Word hash of `hashTerms`. */
  readonly hash: number;
  /** Between 0 and 1; the alternatives of a word sum to at most 1. */
  readonly weight: number;
};

export type Dictionary = {
  /**
   * Returns alternatives in locale `to` for a word, by its hash, of locale `from`. Equal locales
   * give synonyms. Empty when the word is unknown.
   */
  lookUp(from: string, to: string, word: number): readonly Alternative[];
  /** Whether a dictionary between the two locales was learned. */
  has(from: string, to: string): boolean;
};
