/** Passages on SQLite: the port, and the two writes that an article's own transaction makes. */
import type { Database } from 'better-sqlite3';
import type {
  IndexedChunk,
  IndexedPassage,
  LiveVariant,
  Partition,
  Passage,
  Passages,
  PublishedVariant,
} from '../passages.ts';
import { candidateSearch, tokenOf } from './passage-candidates.ts';
import { addTerms, type TermChanges, termCounting } from './passage-terms.ts';

/**
 * Replaces the published variant of (workspace, article, locale). Call it inside the transaction that publishes.
 * A new row id each time lets a search that is under way notice that the text it ranked is gone.
 */
export function writePassage(db: Database, workspaceId: string, passage: IndexedPassage): void {
  removePassages(db, workspaceId, passage.articleId, passage.locale);
  const sql = writesOf(db);
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
  passage.chunks.forEach((window, ordinal) => {
    writeChunk(sql, partitionId, passageId, ordinal, window);
    addTerms(terms, window.terms, 1);
    sums.chunks += 1;
    sums.sentences += window.sentences;
    sums.words += window.words;
    sums.ngrams += window.ngrams;
  });
  sql.countTerms(partitionId, terms);
  sql.addToPartition.run({ partitionId, ...sums });
}

/** Removes one published variant, or without a locale all of the article's. Call it inside a transaction. */
export function removePassages(db: Database, workspaceId: string, articleId: string, locale?: string): void {
  const sql = writesOf(db);
  for (const { id, partitionId, source } of sql.passagesOf.all({
    workspaceId,
    articleId,
    locale: locale ?? null,
  }) as PassageKey[]) {
    const sums = { articles: -1, sources: -source, chunks: 0, sentences: 0, words: 0, ngrams: 0 };
    const terms: TermChanges = new Map();
    for (const window of sql.chunksOf.all(id) as ChunkKey[]) {
      sql.removeWords.run(window.id);
      addTerms(terms, asTerms(window.terms), -1);
      sums.chunks -= 1;
      sums.sentences -= window.sentences;
      sums.words -= window.words;
      sums.ngrams -= window.ngrams;
    }
    sql.countTerms(partitionId, terms);
    sql.removeChunks.run(id);
    sql.removePassage.run(id);
    sql.addToPartition.run({ partitionId, ...sums });
    sql.forgetPartition.run(partitionId);
  }
}

function writeChunk(
  sql: Writes,
  partitionId: number,
  passageId: number | bigint,
  ordinal: number,
  window: IndexedChunk,
): void {
  const { lastInsertRowid } = sql.insertChunk.run({
    passageId,
    ordinal,
    sentences: window.sentences,
    words: window.words,
    ngrams: window.ngrams,
    normalized: window.normalized,
    terms: new Uint8Array(window.terms.slice().buffer),
  });
  sql.insertWords.run(
    lastInsertRowid,
    Array.from(window.terms, (term) => tokenOf(partitionId, term)).join(' '),
  );
}

/**
 * What is published, newest row first, for indexing it again: pass the last row's id to go on. Rows that are written
 * meanwhile have higher ids and never come.
 */
export function passagesBefore(
  db: Database,
  beforeId: number,
  limit: number,
): { readonly passageId: number; readonly workspaceId: string; readonly variant: PublishedVariant }[] {
  const rows = writesOf(db).passagesBefore.all(beforeId, limit) as (PassageRow & { workspaceId: string })[];
  return rows.map(({ workspaceId, ...row }) => {
    const { passageId, chunks: _, ...variant } = passageOf(row, []);
    return { passageId, workspaceId, variant };
  });
}

/** Which tokenizer wrote the index; undefined while it is empty. */
export function readTokenizerVersion(db: Database): string | undefined {
  return db.prepare(`SELECT value FROM passage_metadata WHERE name = 'tokenizer'`).pluck().get() as
    | string
    | undefined;
}

export function writeTokenizerVersion(db: Database, version: string): void {
  db.prepare(`INSERT OR REPLACE INTO passage_metadata (name, value) VALUES ('tokenizer', ?)`).run(version);
}

/** The port, reading on `read`. */
export function sqlitePassages(handles: { readonly read: Database }, workspaceId: string): Passages {
  const sql = readsOf(handles.read);
  const partitionId = (locale: string) => sql.partitionId.get(workspaceId, locale) as number | undefined;
  return {
    async partitions() {
      return sql.partitions.all(workspaceId) as Partition[];
    },

    async termCounts(locale, terms) {
      const id = partitionId(locale);
      if (id === undefined) return [];
      return terms.flatMap((term) => {
        const chunks = sql.termCount.get(id, term) as number | undefined;
        return chunks === undefined ? [] : [{ term, chunks }];
      });
    },

    async candidates(locale, terms, limit) {
      const id = partitionId(locale);
      return id === undefined ? [] : sql.candidates(id, terms, limit);
    },

    async liveVariants(articleIds) {
      const rows = sql.liveVariants.all(JSON.stringify(articleIds), workspaceId) as LiveVariantRow[];
      return rows.map((row) => ({ ...row, source: row.source === 1 }));
    },

    async load(passageIds) {
      return passageIds.flatMap((id) => {
        const row = sql.passage.get(id, workspaceId) as PassageRow | undefined;
        return row ? [passageOf(row, sql.normalizedChunks.all(id) as Uint8Array[])] : [];
      });
    },
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

type LiveVariantRow = Omit<LiveVariant, 'source'> & { source: number };

type PassageRow = Omit<Passage, 'windows' | 'aliases' | 'stale' | 'translationId' | 'url'> & {
  translationId: string | null;
  url: string | null;
  aliases: string;
  stale: number;
};

function passageOf(row: PassageRow, chunks: readonly Uint8Array[]): Passage {
  const { translationId, url, aliases, stale, ...rest } = row;
  return {
    ...rest,
    aliases: JSON.parse(aliases),
    stale: stale === 1,
    chunks,
    ...(translationId === null ? {} : { translationId }),
    ...(url === null ? {} : { url }),
  };
}

function asTerms(blob: Uint8Array): Int32Array {
  return new Int32Array(blob.slice().buffer);
}

const passageColumns = `id AS passageId, article_id AS articleId, translation_id AS translationId, slug, locale,
  revision, source_revision AS sourceRevision, title, answer, aliases, url, stale`;

type Writes = ReturnType<typeof prepareWrites>;
const writes = new WeakMap<Database, Writes>();

function writesOf(db: Database): Writes {
  let found = writes.get(db);
  if (!found) {
    found = prepareWrites(db);
    writes.set(db, found);
  }
  return found;
}

function prepareWrites(db: Database) {
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
    passagesOf: db.prepare(
      `SELECT id, partition_id AS partitionId, translation_id IS NULL AS source FROM passages
       WHERE workspace_id = @workspaceId AND article_id = @articleId AND (@locale IS NULL OR locale = @locale)`,
    ),
    removePassage: db.prepare(`DELETE FROM passages WHERE id = ?`),
    passagesBefore: db.prepare(
      `SELECT workspace_id AS workspaceId, ${passageColumns} FROM passages WHERE id < +? ORDER BY id DESC LIMIT +?`,
    ),
    insertChunk: db.prepare(
      `INSERT INTO passage_chunks (passage_id, ordinal, sentences, words, ngrams, normalized, terms)
       VALUES (@passageId, @ordinal, @sentences, @words, @ngrams, @normalized, @terms)`,
    ),
    chunksOf: db.prepare(
      `SELECT id, sentences, words, ngrams, terms FROM passage_chunks WHERE passage_id = ?`,
    ),
    removeChunks: db.prepare(`DELETE FROM passage_chunks WHERE passage_id = ?`),
    insertWords: db.prepare(`INSERT INTO passage_index (rowid, terms) VALUES (?, ?)`),
    removeWords: db.prepare(`DELETE FROM passage_index WHERE rowid = ?`),
    countTerms: termCounting(db),
  };
}

type Reads = ReturnType<typeof prepareReads>;
const reads = new WeakMap<Database, Reads>();

function readsOf(db: Database): Reads {
  let found = reads.get(db);
  if (!found) {
    found = prepareReads(db);
    reads.set(db, found);
  }
  return found;
}

function prepareReads(db: Database) {
  // A bare parameter beside ORDER BY makes SQLite prepare the statement anew each time that it runs; `+?` does not.
  return {
    partitions: db.prepare(
      `SELECT locale, articles, sources, chunks, sentences, words, ngrams FROM passage_partitions WHERE workspace_id = +? ORDER BY locale`,
    ),
    partitionId: db
      .prepare(`SELECT id FROM passage_partitions WHERE workspace_id = ? AND locale = ?`)
      .pluck(),
    termCount: db.prepare(`SELECT chunks FROM passage_terms WHERE partition_id = ? AND term = ?`).pluck(),
    candidates: candidateSearch(db),
    liveVariants: db.prepare(
      `SELECT passages.id AS passageId, article_id AS articleId, locale, translation_id IS NULL AS source
       FROM json_each(+?) AS wanted CROSS JOIN passages ON workspace_id = +? AND article_id = wanted.value
       ORDER BY wanted.key, locale`,
    ),
    passage: db.prepare(`SELECT ${passageColumns} FROM passages WHERE id = ? AND workspace_id = ?`),
    normalizedChunks: db
      .prepare(`SELECT normalized FROM passage_chunks WHERE passage_id = +? ORDER BY ordinal`)
      .pluck(),
  };
}
