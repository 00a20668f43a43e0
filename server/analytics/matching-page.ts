/** Rows that are looked through for those that match. */
export type Search<Row, Place> = {
  readonly rowsAStep: number;
  /** A page is looked for among this many rows; the next page goes on behind them. */
  readonly examinedMax: number;
  readonly list: (limit: number, after: Place | undefined) => Promise<readonly Row[]>;
  /** Which of these rows match. */
  readonly matchesAmong: (rows: readonly Row[]) => Promise<(row: Row) => boolean>;
  readonly pace: () => Promise<void>;
};

export type MatchingPage<Row, Place> = {
  readonly rows: readonly Row[];
  /** Where to go on; absent at the end. */
  readonly after?: Place;
};

/** A page of what matches, looked for in steps. It may hold less than it could, even nothing, and yet not be the last. */
export async function matchingPage<Row extends Place, Place>(
  limit: number,
  start: Place | undefined,
  { rowsAStep, examinedMax, list, matchesAmong, pace }: Search<Row, Place>,
): Promise<MatchingPage<Row, Place>> {
  const rows: Row[] = [];
  let after = start;
  for (let examined = 0; examined < examinedMax; examined += rowsAStep) {
    await pace();
    const found = await list(rowsAStep, after);
    const matches = await matchesAmong(found);
    for (const row of found) {
      if (matches(row)) {
        if (rows.length === limit) return { rows, after: after! };
        rows.push(row);
      }
      after = row;
    }
    if (found.length < rowsAStep) return { rows };
  }
  return { rows, after: after! };
}
