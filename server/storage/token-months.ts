/** Tokens that a workspace has used in a month of its time zone, such as 2026-11. */
export type TokenMonths = {
  /** The month's total so far. */
  used(period: string): Promise<number>;
  /**
   * Adds the number of tokens that `grant` returns for the month's total so far, and returns that
   * number. `grant` must be pure and runs inside the
   * transaction; when it returns undefined, nothing changes.
   */
  reserve(period: string, grant: (usedTokens: number) => number | undefined): Promise<number | undefined>;
};
