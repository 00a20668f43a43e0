/** Passages on SQLite: the port, and the writes for an article's own transaction. */

import type { Database } from 'better-sqlite3';
import { type Grants, PUBLIC } from '../../base/audience.ts';
import { once } from '../../base/cache.ts';
import { bindGrants, toVisible } from '../audiences.ts';
import { type PassageRow, type PassageWrites, toPassage, toPublished } from '../passage-writes.ts';
import type {
  Candidate,
  IndexedChunk,
  IndexedPassage,
  LiveVariant,
  Partition,
  PassageIndex,
  PassageLanguage,
  Passages,
  PublishedPassage,
  TermCount,
  WeightedTerm,
} from '../passages.ts';
import type { ChunkStorage } from '../stored-data.ts';
import type { Connections } from './connections.ts';

/** The passage writes for the shared transactions, which run on this connection. */
export function passageWrites(db: Database): PassageWrites {
  function requireOpen(): void {
    if (!db.inTransaction) throw new TypeError('the transaction is over: a passage may not be written');
  }
  return {
    async writePassage(_tx, workspaceId, passage) {
      requireOpen();
      writePassage(db, workspaceId, passage);
    },
    async removePassages(_tx, workspaceId, articleId, locale) {
      requireOpen();
      removePassages(db, workspaceId, articleId, locale);
    },
  };
}

/**
 * Replaces the published variant of (workspace, article, locale); call it inside the publishing
 * transaction. The new row id lets a running search notice that the text it ranked is gone.
 */
export function writePassage(db: Database, workspaceId: string, passage: IndexedPassage): void {
  // Chunks keep their ids, because search breaks ties by id and reindexing must not change answers.
  const chunkIds = removePassages(db, workspaceId, passage.articleId, passage.locale);
  const sql = getWrites(db);
  const partitionId = sql.partition.get(workspaceId, passage.locale) as number;
  const { lastInsertRowid: passageId } = sql.insertPassage.run({
    partitionId,
    workspaceId,
    articleId: passage.articleId,
    translationId: passage.translationId ?? null,
    slug: passage.slug,
    locale: passage.locale,
    revision: passage.revision,
    sourceRevision: passage.sourceRevision,
    title: passage.title,
    answer: passage.answer,
    aliases: JSON.stringify(passage.aliases),
    url: passage.url ?? null,
    stale: passage.stale ? 1 : 0,
    titles: passage.titles,
  });
  const sums = {
    articles: 1,
    sources: passage.translationId === undefined ? 1 : 0,
    chunks: 0,
    sentences: 0,
    words: 0,
    ngrams: 0,
  };
  const terms: TermChanges = new Map();
  passage.chunks.forEach((chunk, ordinal) => {
    writeChunk(sql, { id: chunkIds[ordinal] ?? null, partitionId, passageId, ordinal }, chunk);
    addTerms(terms, chunk.terms, 1);
    sums.chunks += 1;
    sums.sentences += chunk.sentences;
    sums.words += chunk.words;
    sums.ngrams += chunk.ngrams;
  });
  sql.countTerms(partitionId, terms);
  sql.addToPartition.run({ partitionId, ...sums });
}

/**
 * Removes the article's variant in `locale`, or all its variants if `locale` is omitted. Returns the ids of
 * the removed chunks. Call it inside a transaction.
 */
export function removePassages(
  db: Database,
  workspaceId: string,
  articleId: string,
  locale?: string,
): readonly number[] {
  const sql = getWrites(db);
  const chunkIds: number[] = [];
  for (const { id, partitionId, source } of sql.passagesByArticle.all({
    workspaceId,
    articleId,
    locale: locale ?? null,
  }) as PassageKey[]) {
    const sums = { articles: -1, sources: -source, chunks: 0, sentences: 0, words: 0, ngrams: 0 };
    const terms: TermChanges = new Map();
    for (const chunk of sql.chunksByPassage.all(id) as ChunkKey[]) {
      sql.removeWords.run(chunk.id);
      chunkIds.push(chunk.id);
      addTerms(terms, toTerms(chunk.terms), -1);
      sums.chunks -= 1;
      sums.sentences -= chunk.sentences;
      sums.words -= chunk.words;
      sums.ngrams -= chunk.ngrams;
    }
    sql.countTerms(partitionId, terms);
    sql.removeChunks.run(id);
    sql.removePassage.run(id);
    sql.addToPartition.run({ partitionId, ...sums });
    sql.forgetPartition.run(partitionId);
  }
  return chunkIds;
}

type ChunkKeys = {
  id: number | null;
  partitionId: number;
  passageId: number | bigint;
  ordinal: number;
};

function writeChunk(
  sql: Writes,
  { id, partitionId, passageId, ordinal }: ChunkKeys,
  chunk: IndexedChunk,
): void {
  const { lastInsertRowid } = sql.insertChunk.run({
    id,
    passageId,
    ordinal,
    sentences: chunk.sentences,
    words: chunk.words,
    ngrams: chunk.ngrams,
    normalized: chunk.normalized,
    terms: new Uint8Array(chunk.terms.slice().buffer),
  });
  sql.insertWords.run(
    lastInsertRowid,
    Array.from(chunk.terms, (term) => toToken(partitionId, term)).join(' '),
  );
}

/**
 * Lists published passages for reindexing, newest row first; pass the last row's id to continue.
 * Rows written meanwhile have higher ids and do not appear.
 */
export function passagesBefore(db: Database, beforeId: number, limit: number): PublishedPassage[] {
  const rows = getWrites(db).passagesBefore.all(beforeId, limit) as (PassageRow & { workspaceId: string })[];
  return rows.map(toPublished);
}

/** Returns the tokenizer version of the index; undefined while it is empty. */
export function readTokenizerVersion(db: Database): string | undefined {
  return db.prepare(`SELECT value FROM passage_metadata WHERE name = 'tokenizer'`).pluck().get() as
    | string
    | undefined;
}

export function writeTokenizerVersion(db: Database, version: string): void {
  db.prepare(`INSERT OR REPLACE INTO passage_metadata (name, value) VALUES ('tokenizer', ?)`).run(version);
}

/** Returns the search index of a workspace for a reader; queries run on `db`. */
export function sqlitePassages(
  { db, read }: { db: Database; read: Connections['read'] },
  workspaceId: string,
  reader: Grants = PUBLIC,
): Passages {
  const sql = getReads(db);
  const grants = bindGrants(reader);
  const getPartitionId = (locale: string) => sql.partitionId.get(workspaceId, locale) as number | undefined;
  return {
    partitions: () => read(() => sql.partitions.all(workspaceId) as Partition[]),

    termCounts: (locale, terms) =>
      read(() => {
        const id = getPartitionId(locale);
        return id === undefined ? [] : (sql.termCounts.all(JSON.stringify(terms), id) as TermCount[]);
      }),

    candidates: (locale, terms, limit) =>
      read(() => {
        const id = getPartitionId(locale);
        return id === undefined ? [] : sql.candidates(id, terms, limit, grants);
      }),

    titles: (locale, limit) =>
      read(() => {
        const rows = sql.titles.all({ workspaceId, locale, limit, grants }) as TitleRow[];
        return rows.map(({ url, ...title }) => ({ ...title, ...(url === null ? {} : { url }) }));
      }),

    chunks: (locale, limit) =>
      read(() => sql.chunks.all({ workspaceId, locale, limit, grants }) as Candidate[]),

    liveVariants: (articleIds) =>
      read(() => {
        const rows = sql.liveVariants.all({
          ...{ articleIds: JSON.stringify(articleIds), workspaceId, grants },
        }) as LiveVariantRow[];
        return rows.map((row) => ({ ...row, source: row.source === 1 }));
      }),

    load: (passageIds) =>
      read(() =>
        passageIds.flatMap((id) => {
          const row = sql.passage.get({ id, workspaceId, grants }) as PassageRow | undefined;
          return row ? [toPassage(row, sql.normalizedChunks.all(id) as Uint8Array[])] : [];
        }),
      ),

    languages: () => read(() => sql.languages.all({ workspaceId, grants }) as PassageLanguage[]),

    hiddenArticles: () => read(() => sql.hiddenArticles.all({ workspaceId, grants }) as string[]),
  };
}

interface PassageKey {
  id: number;
  partitionId: number;
  source: number;
}

interface ChunkKey {
  id: number;
  sentences: number;
  words: number;
  ngrams: number;
  terms: Uint8Array;
}

type TitleRow = { articleId: string; title: string; url: string | null };

type LiveVariantRow = Omit<LiveVariant, 'source'> & { source: number };

export function toTerms(blob: Uint8Array): Int32Array {
  return new Int32Array(blob.slice().buffer);
}

export const CHUNK_STORAGE: ChunkStorage = {
  texts: ['normalized', 'terms'],
  numbers: ['id', 'passage_id', 'ordinal', 'sentences', 'words', 'ngrams'],
  overhead: 1250,
};

const passageColumns = `id AS passageId, article_id AS articleId, translation_id AS translationId, slug, locale,
  revision, source_revision AS sourceRevision, title, answer, aliases, url, stale`;

type Writes = ReturnType<typeof preparePassageWrites>;
const writes = new WeakMap<Database, Writes>();

function getWrites(db: Database): Writes {
  let prepared = writes.get(db);
  if (!prepared) {
    prepared = preparePassageWrites(db);
    writes.set(db, prepared);
  }
  return prepared;
}

function preparePassageWrites(db: Database) {
  return {
    partition: db
      .prepare(
        `INSERT INTO passage_partitions (workspace_id, locale) VALUES (?, ?)
         ON CONFLICT (workspace_id, locale) DO UPDATE SET locale = excluded.locale RETURNING id`,
      )
      .pluck(),
    addToPartition: db.prepare(
      `UPDATE passage_partitions SET articles = articles + @articles, sources = sources + @sources, chunks = chunks + @chunks,
         sentences = sentences + @sentences, words = words + @words, ngrams = ngrams + @ngrams WHERE id = @partitionId`,
    ),
    forgetPartition: db.prepare(`DELETE FROM passage_partitions WHERE id = ? AND articles = 0`),
    insertPassage: db.prepare(
      `INSERT INTO passages (partition_id, workspace_id, article_id, translation_id, slug, locale, revision,
         source_revision, title, answer, aliases, url, stale, titles)
       VALUES (@partitionId, @workspaceId, @articleId, @translationId, @slug, @locale, @revision,
         @sourceRevision, @title, @answer, @aliases, @url, @stale, @titles)`,
    ),
    passagesByArticle: db.prepare(
      `SELECT id, partition_id AS partitionId, translation_id IS NULL AS source FROM passages
       WHERE workspace_id = @workspaceId AND article_id = @articleId AND (@locale IS NULL OR locale = @locale)`,
    ),
    removePassage: db.prepare(`DELETE FROM passages WHERE id = ?`),
    passagesBefore: db.prepare(
      `SELECT workspace_id AS workspaceId, ${passageColumns} FROM passages WHERE id < +? ORDER BY id DESC LIMIT +?`,
    ),
    insertChunk: db.prepare(
      `INSERT INTO passage_chunks (id, passage_id, ordinal, sentences, words, ngrams, normalized, terms)
       VALUES (@id, @passageId, @ordinal, @sentences, @words, @ngrams, @normalized, @terms)`,
    ),
    chunksByPassage: db.prepare(
      `SELECT id, sentences, words, ngrams, terms FROM passage_chunks WHERE passage_id = ? ORDER BY ordinal`,
    ),
    removeChunks: db.prepare(`DELETE FROM passage_chunks WHERE passage_id = ?`),
    insertWords: db.prepare(`INSERT INTO passage_index (rowid, terms) VALUES (?, ?)`),
    removeWords: db.prepare(`DELETE FROM passage_index WHERE rowid = ?`),
    countTerms: prepareTermCounts(db),
  };
}

type Reads = ReturnType<typeof preparePassageReads>;
const reads = new WeakMap<Database, Reads>();

function getReads(db: Database): Reads {
  let prepared = reads.get(db);
  if (!prepared) {
    prepared = preparePassageReads(db);
    reads.set(db, prepared);
  }
  return prepared;
}

function preparePassageReads(db: Database) {
  // A bare parameter with ORDER BY makes SQLite re-prepare the statement on each run; `+?` does not.
  return {
    partitions: db.prepare(
      `SELECT locale, articles, sources, chunks, sentences, words, ngrams FROM passage_partitions WHERE workspace_id = +? ORDER BY locale`,
    ),
    partitionId: db
      .prepare(`SELECT id FROM passage_partitions WHERE workspace_id = ? AND locale = ?`)
      .pluck(),
    termCounts: db.prepare(
      `SELECT term, known.chunks FROM json_each(+?) AS wanted
       CROSS JOIN passage_terms AS known ON partition_id = +? AND term = wanted.value ORDER BY wanted.key`,
    ),
    candidates: prepareCandidateSearch(db),
    // Article ids are in the order of their creation.
    titles: db.prepare(
      `SELECT article_id AS articleId, title, url FROM passages
       WHERE workspace_id = +@workspaceId AND locale = +@locale AND ${toVisible('article_id', '+@grants')}
       ORDER BY article_id LIMIT +@limit`,
    ),
    chunks: db.prepare(
      `SELECT w.passage_id AS passageId, p.article_id AS articleId, w.ordinal, w.normalized, p.titles
       FROM passages AS p JOIN passage_chunks AS w ON w.passage_id = p.id
       WHERE p.workspace_id = +@workspaceId AND p.locale = +@locale AND ${toVisible('p.article_id', '+@grants')} LIMIT +@limit`,
    ),
    liveVariants: db.prepare(
      `SELECT passages.id AS passageId, article_id AS articleId, locale, translation_id IS NULL AS source
       FROM json_each(+@articleIds) AS wanted CROSS JOIN passages ON workspace_id = +@workspaceId AND article_id = wanted.value
       WHERE ${toVisible('article_id', '+@grants')}
       ORDER BY wanted.key, locale`,
    ),
    passage: db.prepare(`SELECT ${passageColumns} FROM passages
       WHERE id = @id AND workspace_id = @workspaceId AND ${toVisible('article_id', '+@grants')}`),
    languages: db.prepare(
      `SELECT locale, count(*) AS articles FROM passages
       WHERE workspace_id = +@workspaceId AND ${toVisible('article_id', '+@grants')} GROUP BY locale ORDER BY locale`,
    ),
    hiddenArticles: db
      .prepare(
        `SELECT id FROM articles WHERE workspace_id = +@workspaceId AND audience IS NOT NULL
         AND NOT ${toVisible('articles.id', '+@grants')}`,
      )
      .pluck(),
    normalizedChunks: db
      .prepare(`SELECT normalized FROM passage_chunks WHERE passage_id = +? ORDER BY ordinal`)
      .pluck(),
  };
}

type Search = (
  partitionId: number,
  terms: readonly WeightedTerm[],
  limit: number,
  grants: string,
) => Candidate[];

/**
 * Queries the word index term by term: ranking inside FTS5 reads every list twice and takes three
 * times as long.
 */
function prepareCandidateSearch(db: Database): Search {
  const chunksWith = db.prepare(`SELECT rowid FROM passage_index WHERE passage_index MATCH ?`).pluck();
  const candidates = db.prepare(
    `SELECT w.passage_id AS passageId, p.article_id AS articleId, w.ordinal, w.normalized, p.titles
     FROM json_each(+?) AS wanted
     CROSS JOIN passage_chunks AS w ON w.id = wanted.value
     CROSS JOIN passages AS p ON p.id = w.passage_id
     ORDER BY wanted.key`,
  );
  const hidden = db
    .prepare(
      `SELECT w.id FROM articles AS a
       JOIN passages AS p ON p.workspace_id = a.workspace_id AND p.article_id = a.id AND p.partition_id = @partitionId
       JOIN passage_chunks AS w ON w.passage_id = p.id
       WHERE a.workspace_id = (SELECT workspace_id FROM passage_partitions WHERE id = @partitionId)
         AND a.audience IS NOT NULL AND NOT ${toVisible('a.id', '+@grants')}`,
    )
    .pluck();
  return (partitionId, terms, limit, grants) => {
    const weights = new Map<number, number>();
    for (const { term, weight } of terms) {
      for (const chunk of chunksWith.all(toToken(partitionId, term)) as number[]) {
        weights.set(chunk, (weights.get(chunk) ?? 0) + weight);
      }
    }
    // Before the heaviest are selected, so that no hidden chunk takes the place of another.
    for (const chunk of hidden.all({ partitionId, grants }) as number[]) weights.delete(chunk);
    return candidates.all(JSON.stringify(selectHeaviest(weights, limit))) as Candidate[];
  };
}

/** Joins partition and term to one word of ASCII letters and digits; the term has a fixed width. */
export function toToken(partitionId: number, term: number): string {
  return `${partitionId.toString(36)}${(term >>> 0).toString(36).padStart(7, '0')}`;
}

/** Returns the keys of the `limit` greatest values, greatest first; ties keep insertion order. */
function selectHeaviest(weights: ReadonlyMap<number, number>, limit: number): number[] {
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

/** By how many chunks each term's frequency changes. */
type TermChanges = Map<number, number>;

function addTerms(changes: TermChanges, terms: Int32Array, by: 1 | -1): void {
  for (const term of terms) changes.set(term, (changes.get(term) ?? 0) + by);
}

/**
 * Applies all changes of a passage at once: one statement per term would be thousands for a long
 * text.
 */
function prepareTermCounts(db: Database): (partitionId: number, changes: TermChanges) => void {
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

const PAGES_MERGED_PER_STEP = 16;

/**
 * Returns a function that merges a part of the word index, and returns whether some is left. Each commit adds a part in
 * which every word has to be looked up, and deleting only marks words as deleted.
 */
export function prepareIndexMerge(db: Database): () => boolean {
  const merge = db.prepare(
    `INSERT INTO passage_index (passage_index, rank) VALUES ('merge', -${PAGES_MERGED_PER_STEP})`,
  );
  const changes = db.prepare('SELECT total_changes()').pluck();
  return () => {
    const before = changes.get() as number;
    merge.run();
    // The statement itself counts as one change.
    return (changes.get() as number) - before > 1;
  };
}

/** Returns the search index of all workspaces. */
export function sqlitePassageIndex({ writer: db, reader, read, write }: Connections): PassageIndex {
  const renewal = reader.prepare(`SELECT value FROM passage_metadata WHERE name = 'renewal'`).pluck();
  const putRenewal = db.prepare(
    `INSERT OR REPLACE INTO passage_metadata (name, value) VALUES ('renewal', ?)`,
  );
  const removeRenewal = db.prepare(`DELETE FROM passage_metadata WHERE name = 'renewal'`);
  const merge = once(() => prepareIndexMerge(db));

  return {
    state: () =>
      read(() => {
        const tokenizer = readTokenizerVersion(reader);
        const activeRenewal = renewal.get() as string | undefined;
        return {
          tokenizer,
          ...(activeRenewal === undefined ? {} : { renewal: JSON.parse(activeRenewal) }),
        };
      }),

    before: (passageId, limit) => read(() => passagesBefore(reader, passageId, limit)),

    renew: (passages, { tokenizer, downTo }) =>
      write(async () => {
        for (const { passageId, titles, chunks } of passages) {
          const [current] = passagesBefore(db, passageId + 1, 1);
          // The passage was republished or removed meanwhile.
          if (current?.passageId !== passageId) continue;
          writePassage(db, current.workspaceId, { ...current.variant, titles, chunks });
        }
        putRenewal.run(JSON.stringify({ tokenizer, downTo }));
      }),

    finish: (tokenizer) =>
      write(async () => {
        writeTokenizerVersion(db, tokenizer);
        removeRenewal.run();
      }),

    merge: () => write(() => merge()()),
  };
}
