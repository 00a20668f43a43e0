/** Passages on SQLite: the port, and the two writes that an article's own transaction makes. */
import type { Database } from 'better-sqlite3';
import type {
  IndexedPassage,
  IndexedWindow,
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
    labels: passage.labels,
  });
  const sums = {
    articles: 1,
    sources: passage.translationId === undefined ? 1 : 0,
    windows: 0,
    sentences: 0,
    words: 0,
    grams: 0,
  };
  const terms: TermChanges = new Map();
  passage.windows.forEach((window, ordinal) => {
    writeWindow(sql, partitionId, passageId, ordinal, window);
    addTerms(terms, window.terms, 1);
    sums.windows += 1;
    sums.sentences += window.sentences;
    sums.words += window.words;
    sums.grams += window.grams;
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
    const sums = { articles: -1, sources: -source, windows: 0, sentences: 0, words: 0, grams: 0 };
    const terms: TermChanges = new Map();
    for (const window of sql.windowsOf.all(id) as WindowKey[]) {
      sql.removeWords.run(window.id);
      addTerms(terms, asTerms(window.terms), -1);
      sums.windows -= 1;
      sums.sentences -= window.sentences;
      sums.words -= window.words;
      sums.grams -= window.grams;
    }
    sql.countTerms(partitionId, terms);
    sql.removeWindows.run(id);
    sql.removePassage.run(id);
    sql.addToPartition.run({ partitionId, ...sums });
    sql.forgetPartition.run(partitionId);
  }
}

function writeWindow(
  sql: Writes,
  partitionId: number,
  passageId: number | bigint,
  ordinal: number,
  window: IndexedWindow,
): void {
  const { lastInsertRowid } = sql.insertWindow.run({
    passageId,
    ordinal,
    sentences: window.sentences,
    words: window.words,
    grams: window.grams,
    folded: window.folded,
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
    const { passageId, windows: _, ...variant } = passageOf(row, []);
    return { passageId, workspaceId, variant };
  });
}

/** Which analyser wrote the index; undefined while it is empty. */
export function readAnalyserVersion(db: Database): string | undefined {
  return db.prepare(`SELECT value FROM passage_meta WHERE name = 'analyser'`).pluck().get() as
    | string
    | undefined;
}

export function writeAnalyserVersion(db: Database, version: string): void {
  db.prepare(`INSERT OR REPLACE INTO passage_meta (name, value) VALUES ('analyser', ?)`).run(version);
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
        const windows = sql.termCount.get(id, term) as number | undefined;
        return windows === undefined ? [] : [{ term, windows }];
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
        return row ? [passageOf(row, sql.foldedOf.all(id) as Uint8Array[])] : [];
      });
    },
  };
}

interface PassageKey {
  id: number;
  partitionId: number;
  source: number;
}

interface WindowKey {
  id: number;
  sentences: number;
  words: number;
  grams: number;
  terms: Uint8Array;
}

type LiveVariantRow = Omit<LiveVariant, 'source'> & { source: number };

type PassageRow = Omit<Passage, 'windows' | 'aliases' | 'stale' | 'translationId' | 'url'> & {
  translationId: string | null;
  url: string | null;
  aliases: string;
  stale: number;
};

function passageOf(row: PassageRow, windows: readonly Uint8Array[]): Passage {
  const { translationId, url, aliases, stale, ...rest } = row;
  return {
    ...rest,
    aliases: JSON.parse(aliases),
    stale: stale === 1,
    windows,
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
        `INSERT INTO passage_partition (workspace_id, locale) VALUES (?, ?)
         ON CONFLICT (workspace_id, locale) DO UPDATE SET locale = excluded.locale RETURNING id`,
      )
      .pluck(),
    addToPartition: db.prepare(
      `UPDATE passage_partition SET articles = articles + @articles, sources = sources + @sources, windows = windows + @windows,
         sentences = sentences + @sentences, words = words + @words, grams = grams + @grams WHERE id = @partitionId`,
    ),
    forgetPartition: db.prepare(`DELETE FROM passage_partition WHERE id = ? AND articles = 0`),
    insertPassage: db.prepare(
      `INSERT INTO passage (partition_id, workspace_id, article_id, translation_id, slug, locale, revision,
         source_revision, title, answer, aliases, url, stale, labels)
       VALUES (@partitionId, @workspaceId, @articleId, @translationId, @slug, @locale, @revision,
         @sourceRevision, @title, @answer, @aliases, @url, @stale, @labels)`,
    ),
    passagesOf: db.prepare(
      `SELECT id, partition_id AS partitionId, translation_id IS NULL AS source FROM passage
       WHERE workspace_id = @workspaceId AND article_id = @articleId AND (@locale IS NULL OR locale = @locale)`,
    ),
    removePassage: db.prepare(`DELETE FROM passage WHERE id = ?`),
    passagesBefore: db.prepare(
      `SELECT workspace_id AS workspaceId, ${passageColumns} FROM passage WHERE id < +? ORDER BY id DESC LIMIT +?`,
    ),
    insertWindow: db.prepare(
      `INSERT INTO passage_window (passage_id, ordinal, sentences, words, grams, folded, terms)
       VALUES (@passageId, @ordinal, @sentences, @words, @grams, @folded, @terms)`,
    ),
    windowsOf: db.prepare(
      `SELECT id, sentences, words, grams, terms FROM passage_window WHERE passage_id = ?`,
    ),
    removeWindows: db.prepare(`DELETE FROM passage_window WHERE passage_id = ?`),
    insertWords: db.prepare(`INSERT INTO passage_words (rowid, terms) VALUES (?, ?)`),
    removeWords: db.prepare(`DELETE FROM passage_words WHERE rowid = ?`),
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
      `SELECT locale, articles, sources, windows, sentences, words, grams FROM passage_partition WHERE workspace_id = +? ORDER BY locale`,
    ),
    partitionId: db.prepare(`SELECT id FROM passage_partition WHERE workspace_id = ? AND locale = ?`).pluck(),
    termCount: db.prepare(`SELECT windows FROM passage_term WHERE partition_id = ? AND term = ?`).pluck(),
    candidates: candidateSearch(db),
    liveVariants: db.prepare(
      `SELECT passage.id AS passageId, article_id AS articleId, locale, translation_id IS NULL AS source
       FROM json_each(+?) AS wanted CROSS JOIN passage ON workspace_id = +? AND article_id = wanted.value
       ORDER BY wanted.key, locale`,
    ),
    passage: db.prepare(`SELECT ${passageColumns} FROM passage WHERE id = ? AND workspace_id = ?`),
    foldedOf: db.prepare(`SELECT folded FROM passage_window WHERE passage_id = +? ORDER BY ordinal`).pluck(),
  };
}
