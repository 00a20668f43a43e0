/** Tokens of language models that a workspace has used in a month of its time zone, such as 2026-11. */
export type TokenMonths = {
  /** What the month has counted so far. */
  used(period: string): Promise<number>;
  /**
   * Counts as many tokens as `grant` says, which is pure, runs within the step and is told what is counted so far; answers with that
   * number. Where it says undefined nothing changes.
   */
  draw(period: string, grant: (usedTokens: number) => number | undefined): Promise<number | undefined>;
};
