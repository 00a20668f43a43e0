/** In how many windows of a partition each term occurs. */
import type { Database } from 'better-sqlite3';

/** How many windows hold a term more than before, or fewer. */
export type TermChanges = Map<number, number>;

export function addTerms(changes: TermChanges, terms: Int32Array, by: 1 | -1): void {
  for (const term of terms) changes.set(term, (changes.get(term) ?? 0) + by);
}

/** All changes of a passage at once: term by term, a long text would take thousands of statements. */
export function termCounting(db: Database): (partitionId: number, changes: TermChanges) => void {
  const count = db.prepare(
    `INSERT INTO passage_terms (partition_id, term, chunks) SELECT ?, CAST(key AS INTEGER), value FROM json_each(?) WHERE true
     ON CONFLICT (partition_id, term) DO UPDATE SET chunks = chunks + excluded.chunks`,
  );
  const forget = db.prepare(
    `DELETE FROM passage_terms
     WHERE partition_id = ? AND term IN (SELECT CAST(key AS INTEGER) FROM json_each(?)) AND chunks <= 0`,
  );
  return (partitionId, changes) => {
    const json = JSON.stringify(Object.fromEntries(changes));
    count.run(partitionId, json);
    forget.run(partitionId, json);
  };
}
