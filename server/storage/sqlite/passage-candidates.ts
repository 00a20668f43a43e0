/** Which windows hold a question's words. */
import type { Database } from 'better-sqlite3';
import type { Candidate, WeightedTerm } from '../passages.ts';

type Search = (partitionId: number, terms: readonly WeightedTerm[], limit: number) => Candidate[];

/** Asks the word index term by term: ranking inside FTS5 walks every list twice and costs three times as much. */
export function candidateSearch(db: Database): Search {
  const chunksWith = db.prepare(`SELECT rowid FROM passage_index WHERE passage_index MATCH ?`).pluck();
  const candidates = db.prepare(
    `SELECT w.passage_id AS passageId, p.article_id AS articleId, w.ordinal, w.normalized, p.titles
     FROM json_each(+?) AS wanted
     CROSS JOIN passage_chunks AS w ON w.id = wanted.value
     CROSS JOIN passages AS p ON p.id = w.passage_id
     ORDER BY wanted.key`,
  );
  return (partitionId, terms, limit) => {
    const weights = new Map<number, number>();
    for (const { term, weight } of terms) {
      for (const window of chunksWith.all(tokenOf(partitionId, term)) as number[]) {
        weights.set(window, (weights.get(window) ?? 0) + weight);
      }
    }
    return candidates.all(JSON.stringify(heaviest(weights, limit))) as Candidate[];
  };
}

/** The partition and the term as one word of ASCII letters and digits; the term's part has a fixed width. */
export function tokenOf(partitionId: number, term: number): string {
  return `${partitionId.toString(36)}${(term >>> 0).toString(36).padStart(7, '0')}`;
}

/** The keys of the `limit` greatest values, greatest first; of equals those that came first. */
function heaviest(weights: ReadonlyMap<number, number>, limit: number): number[] {
  const top: { key: number; weight: number }[] = [];
  for (const [key, weight] of weights) {
    if (top.length === limit && weight <= top[limit - 1]!.weight) continue;
    let at = top.length;
    while (at > 0 && top[at - 1]!.weight < weight) at -= 1;
    top.splice(at, 0, { key, weight });
    if (top.length > limit) top.pop();
  }
  return top.map(({ key }) => key);
}
