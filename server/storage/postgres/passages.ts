/** Passages on PostgreSQL: the port, and the writes for an article's own transaction. */

import { sql } from 'drizzle-orm';
import { type Grants, PUBLIC } from '../../base/audience.ts';
import { bindGrants, isVisible } from '../audiences.ts';
import type { SqlDatabase, Tx } from '../database.ts';
import { type PassageRow, toPassage, toPublished } from '../passage-writes.ts';
import type {
  Candidate,
  IndexedPassage,
  LiveVariant,
  Partition,
  PassageIndex,
  PassageLanguage,
  Passages,
  PublishedPassage,
  TermCount,
} from '../passages.ts';
import { input, rawStatement } from '../statements.ts';
import type { ChunkStorage } from '../stored-data.ts';

/**
 * Replaces the published variant of (workspace, article, locale); call it inside the publishing
 * transaction. The new row id lets a running search notice that the text it ranked is gone.
 */
export async function writePassage(tx: Tx, workspaceId: string, passage: IndexedPassage): Promise<void> {
  // Chunks keep their ids, because search breaks ties by id and reindexing must not change answers.
  const chunkIds = await removePassages(tx, workspaceId, passage.articleId, passage.locale);
  const { chunks } = passage;
  const { passageId, partitionId } = (await tx.get(insertPassage, toRow(workspaceId, passage)))!;
  await Promise.all([
    tx.run(insertChunks, {
      ...{ workspaceId, passageId, partitionId },
      ids: chunks.map((_, ordinal) => chunkIds[ordinal] ?? null),
      sentences: chunks.map(({ sentences }) => sentences),
      words: chunks.map(({ words }) => words),
      ngrams: chunks.map(({ ngrams }) => ngrams),
      normalized: chunks.map(({ normalized }) => normalized),
      terms: chunks.map(({ terms }) => `{${terms.join(',')}}`),
    }),
    tx.run(countTerms, { partitionId, ...toCounts(chunks.map(({ terms }) => terms)) }),
    tx.run(addToPartition, {
      partitionId,
      articles: 1,
      sources: passage.translationId === undefined ? 1 : 0,
      chunks: chunks.length,
      sentences: sum(chunks, 'sentences'),
      words: sum(chunks, 'words'),
      ngrams: sum(chunks, 'ngrams'),
    }),
  ]);
}

/**
 * Removes the article's variant in `locale`, or all its variants if `locale` is omitted. Returns the ids of
 * the removed chunks. Call it inside a transaction.
 */
export async function removePassages(
  tx: Tx,
  workspaceId: string,
  articleId: string,
  locale?: string,
): Promise<readonly number[]> {
  const chunkIds: number[] = [];
  for (const { id, partitionId, source } of await tx.all(passagesOfArticle, {
    workspaceId,
    articleId,
    locale,
  })) {
    const removed = await tx.all(removeChunks, { id, partitionId });
    chunkIds.push(...removed.map((chunk) => chunk.id));
    await Promise.all([
      tx.run(forgetTerms, {
        partitionId,
        terms: [...new Set(removed.flatMap(({ terms }) => JSON.parse(terms)))],
      }),
      tx.run(removePassage, { id }),
      tx.run(addToPartition, {
        partitionId,
        articles: -1,
        sources: -source,
        chunks: -removed.length,
        sentences: -sum(removed, 'sentences'),
        words: -sum(removed, 'words'),
        ngrams: -sum(removed, 'ngrams'),
      }),
      tx.run(forgetPartition, { partitionId }),
    ]);
  }
  return chunkIds;
}

/** Each method is one round trip to the server. */
export function postgresPassages({ read }: Pick<SqlDatabase, 'read'>) {
  return (workspaceId: string, reader: Grants = PUBLIC): Passages => {
    const grants = bindGrants(reader);
    return {
      partitions: () => read(workspaceId, (tx) => tx.all(listPartitions, { workspaceId })),
      termCounts: (locale, terms) =>
        read(workspaceId, (tx) => tx.all(readTermCounts, { workspaceId, locale, terms })),
      candidates: (locale, terms, limit) =>
        read(workspaceId, (tx) =>
          tx.all(findCandidates, {
            ...{ workspaceId, locale, limit, grants },
            terms: terms.map(({ term }) => term),
            weights: terms.map(({ weight }) => toExactWeight(weight)),
          }),
        ),
      titles: (locale, limit) =>
        read(workspaceId, async (tx) => {
          const rows = await tx.all(listTitles, { workspaceId, locale, limit, grants });
          return rows.map(({ url, ...title }) => ({ ...title, ...(url === null ? {} : { url }) }));
        }),
      chunks: (locale, limit) =>
        read(workspaceId, (tx) => tx.all(listChunks, { workspaceId, locale, limit, grants })),
      liveVariants: (articleIds) =>
        read(workspaceId, async (tx) => {
          const rows = await tx.all(listLiveVariants, { workspaceId, articleIds, grants });
          return rows.map((row) => ({ ...row, source: row.source === 1 }));
        }),
      load: (passageIds) =>
        read(workspaceId, async (tx) => {
          const [rows, chunks] = await Promise.all([
            tx.all(loadPassages, { workspaceId, passageIds, grants }),
            tx.all(loadChunks, { workspaceId, passageIds }),
          ]);
          return rows.flatMap((row) => {
            const passageChunks = chunks.filter(({ passageId }) => passageId === row.passageId);
            // The passage was replaced between the two statements.
            return passageChunks.length === 0
              ? []
              : [
                  toPassage(
                    row,
                    passageChunks.map(({ normalized }) => normalized),
                  ),
                ];
          });
        }),
      languages: () => read(workspaceId, (tx) => tx.all(listLanguages, { workspaceId, grants })),
      hiddenArticles: () =>
        read(workspaceId, async (tx) =>
          (await tx.all(listHidden, { workspaceId, grants })).map(({ id }) => id),
        ),
    };
  };
}

export function postgresPassageIndex({ read, write }: SqlDatabase): PassageIndex {
  const before = async (tx: Tx, passageId: number, limit: number): Promise<PublishedPassage[]> =>
    (await tx.all(passagesBefore, { passageId, limit })).map(toPublished);

  return {
    state: () =>
      read(undefined, async (tx) => {
        const rows = await tx.all(readMetadata);
        const values = new Map(rows.map(({ name, value }) => [name, value]));
        const [tokenizer, renewal] = [values.get('tokenizer'), values.get('renewal')];
        return {
          tokenizer,
          ...(renewal === undefined ? {} : { renewal: JSON.parse(renewal) }),
        };
      }),

    before: (passageId, limit) => read(undefined, (tx) => before(tx, passageId, limit)),

    async renew(passages, { tokenizer, downTo }) {
      const published = await read(undefined, (tx) =>
        tx.all(listWorkspaces, { passageIds: passages.map(({ passageId }) => passageId) }),
      );
      const workspaceIds = new Map(published.map(({ passageId, workspaceId }) => [passageId, workspaceId]));
      for (const { passageId, titles, chunks } of passages) {
        const workspaceId = workspaceIds.get(passageId);
        if (workspaceId === undefined) continue;
        // Each passage in a transaction of its workspace, so that no publication runs at the same time.
        await write(workspaceId, async (tx) => {
          const [current] = await before(tx, passageId + 1, 1);
          // The passage was republished or removed meanwhile.
          if (current?.passageId !== passageId) return;
          await writePassage(tx, workspaceId, { ...current.variant, titles, chunks });
        });
      }
      await write(undefined, (tx) =>
        tx.run(putMetadata, { name: 'renewal', value: JSON.stringify({ tokenizer, downTo }) }),
      );
    },

    finish: (tokenizer) =>
      write(undefined, async (tx) => {
        await tx.run(putMetadata, { name: 'tokenizer', value: tokenizer });
        await tx.run(forgetRenewal);
      }),

    // Rows in a table need no merging.
    merge: async () => false,
  };
}

/** Rounds a weight, so that sums are exact and do not depend on the order of addition. */
function toExactWeight(weight: number): number {
  return Math.round(weight * 2 ** 24) / 2 ** 24;
}

function toCounts(lists: readonly Int32Array[]): { terms: number[]; counts: number[] } {
  const counts = new Map<number, number>();
  for (const terms of lists) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { terms: [...counts.keys()], counts: [...counts.values()] };
}

function sum<Key extends string>(rows: readonly { readonly [K in Key]: number }[], key: Key): number {
  return rows.reduce((total, row) => total + row[key], 0);
}

function toRow(workspaceId: string, passage: IndexedPassage) {
  const { chunks: _, aliases, stale, ...row } = passage;
  return { ...row, workspaceId, aliases: JSON.stringify(aliases), stale: stale ? 1 : 0 };
}

export const CHUNK_STORAGE: ChunkStorage = {
  texts: ['workspace_id', 'normalized'],
  numbers: ['id', 'passage_id', 'ordinal', 'sentences', 'words', 'ngrams', 'terms'],
  overhead: 12_000,
};

const PASSAGE_COLUMNS = [
  ...(['passageId', 'articleId', 'translationId', 'slug', 'locale', 'revision', 'sourceRevision'] as const),
  ...(['title', 'answer', 'aliases', 'url', 'stale'] as const),
];
const SELECT_PASSAGE = sql`SELECT id, article_id, translation_id, slug, locale, revision, source_revision,
  title, answer, aliases, url, stale`;

const addToPartition = rawStatement(
  sql`UPDATE passage_partitions SET articles = articles + ${input('articles')},
    sources = sources + ${input('sources')}, chunks = chunks + ${input('chunks')},
     sentences = sentences + ${input('sentences')}, words = words + ${input('words')},
     ngrams = ngrams + ${input('ngrams')} WHERE id = ${input('partitionId')}`,
);
const forgetPartition = rawStatement(
  sql`DELETE FROM passage_partitions WHERE id = ${input('partitionId')} AND articles = 0`,
);

const insertPassage = rawStatement<{ passageId: number; partitionId: number }>(
  sql`WITH partition AS (
     INSERT INTO passage_partitions (workspace_id, locale) VALUES (${input('workspaceId')}, ${input('locale')})
     ON CONFLICT (workspace_id, locale) DO UPDATE SET locale = excluded.locale RETURNING id)
   INSERT INTO passages (partition_id, workspace_id, article_id, translation_id, slug, locale, revision,
     source_revision, title, answer, aliases, url, stale, titles)
   SELECT id, ${input('workspaceId')}, ${input('articleId')}, ${input('translationId')}, ${input('slug')},
   ${input('locale')}, ${input('revision')}::bigint,
     ${input('sourceRevision')}::bigint, ${input('title')}, ${input('answer')}, ${input('aliases')},
     ${input('url')}, ${input('stale')}::bigint, ${input('titles')}::bytea
   FROM partition RETURNING id, partition_id`,
  ...(['passageId', 'partitionId'] as const),
);
const passagesOfArticle = rawStatement<{ id: number; partitionId: number; source: number }>(
  sql`SELECT id, partition_id, translation_id IS NULL FROM passages
   WHERE workspace_id = ${input('workspaceId')} AND article_id = ${input('articleId')}
   AND locale = coalesce(${input('locale')}, locale)`,
  ...(['id', 'partitionId', 'source'] as const),
);
const removePassage = rawStatement(sql`DELETE FROM passages WHERE id = ${input('id')}`);

const insertChunks = rawStatement(
  sql`WITH added AS (
     INSERT INTO passage_chunks (id, workspace_id, passage_id, ordinal, sentences, words, ngrams, normalized, terms)
     SELECT coalesce(given.id, nextval('passage_chunks_id_seq')), ${input('workspaceId')}, ${input('passageId')},
     position - 1,
       given.sentences, given.words, given.ngrams, given.normalized, given.terms::integer[]
     FROM unnest(${input('ids')}::bigint[], ${input('sentences')}::bigint[], ${input('words')}::bigint[],
     ${input('ngrams')}::bigint[], ${input('normalized')}::bytea[], ${input('terms')}::text[])
       WITH ORDINALITY AS given (id, sentences, words, ngrams, normalized, terms, position)
     ORDER BY position RETURNING id, terms)
   INSERT INTO passage_words (partition_id, term, chunk_id)
   SELECT ${input('partitionId')}, term, added.id FROM added CROSS JOIN unnest(added.terms) AS term`,
);
type RemovedChunk = { id: number; sentences: number; words: number; ngrams: number; terms: string };
const removeChunks = rawStatement<RemovedChunk>(
  sql`WITH removed AS (
     DELETE FROM passage_chunks WHERE passage_id = ${input('id')} RETURNING id, ordinal, sentences, words, ngrams, terms
   ), words_removed AS (
     DELETE FROM passage_words AS words USING removed CROSS JOIN unnest(removed.terms) AS gone (term)
     WHERE words.partition_id = ${input('partitionId')} AND words.term = gone.term AND words.chunk_id = removed.id
   ), counted AS (
     UPDATE passage_terms AS known SET chunks = known.chunks - gone.chunks
     FROM (SELECT term, count(*) AS chunks FROM removed CROSS JOIN unnest(removed.terms) AS term GROUP BY term) AS gone
     WHERE known.partition_id = ${input('partitionId')} AND known.term = gone.term
   )
   SELECT id, sentences, words, ngrams, array_to_json(terms)::text FROM removed ORDER BY ordinal`,
  ...(['id', 'sentences', 'words', 'ngrams', 'terms'] as const),
);

const countTerms = rawStatement(
  sql`INSERT INTO passage_terms AS known (partition_id, term, chunks)
   SELECT ${input('partitionId')}, term, chunks
   FROM unnest(${input('terms')}::integer[], ${input('counts')}::bigint[]) AS added (term, chunks)
   ON CONFLICT (partition_id, term) DO UPDATE SET chunks = known.chunks + excluded.chunks`,
);
const forgetTerms = rawStatement(
  sql`DELETE FROM passage_terms WHERE partition_id = ${input('partitionId')}
    AND term = ANY (${input('terms')}::integer[]) AND chunks <= 0`,
);

const listPartitions = rawStatement<Partition>(
  sql`SELECT locale, articles, sources, chunks, sentences, words, ngrams FROM passage_partitions
   WHERE workspace_id = ${input('workspaceId')} ORDER BY locale`,
  ...(['locale', 'articles', 'sources', 'chunks', 'sentences', 'words', 'ngrams'] as const),
);
const readTermCounts = rawStatement<TermCount>(
  sql`SELECT known.term, known.chunks
   FROM unnest(${input('terms')}::integer[]) WITH ORDINALITY AS wanted (term, position)
   JOIN passage_terms AS known ON known.term = wanted.term
   JOIN passage_partitions AS partition ON partition.id = known.partition_id
   WHERE partition.workspace_id = ${input('workspaceId')}
   AND partition.locale = ${input('locale')} ORDER BY position`,
  ...(['term', 'chunks'] as const),
);
/** Orders chunks with the same weight by their first term in `terms`, then by their ids. */
const findCandidates = rawStatement<Candidate>(
  sql`WITH hidden AS (
     SELECT chunk.id FROM articles JOIN passages ON passages.article_id = articles.id
     JOIN passage_chunks AS chunk ON chunk.passage_id = passages.id
     WHERE articles.workspace_id = ${input('workspaceId')} AND passages.workspace_id = ${input('workspaceId')}
     AND passages.locale = ${input('locale')} AND audience IS NOT NULL AND NOT ${isVisible('articles.id')}
   ), heaviest AS (
     SELECT words.chunk_id, sum(wanted.weight) AS weight, min(wanted.position) AS position
     FROM passage_partitions AS partition
     CROSS JOIN unnest(${input('terms')}::integer[], ${input('weights')}::float8[]) WITH ORDINALITY AS wanted (term, weight, position)
     JOIN passage_words AS words ON words.partition_id = partition.id AND words.term = wanted.term
     WHERE partition.workspace_id = ${input('workspaceId')} AND partition.locale = ${input('locale')}
     AND words.chunk_id NOT IN (SELECT id FROM hidden)
     GROUP BY words.chunk_id ORDER BY weight DESC, position, words.chunk_id LIMIT ${input('limit')}
   )
   SELECT chunk.passage_id, passage.article_id, chunk.ordinal, chunk.normalized, passage.titles
   FROM heaviest JOIN passage_chunks AS chunk ON chunk.id = heaviest.chunk_id
   JOIN passages AS passage ON passage.id = chunk.passage_id
   ORDER BY heaviest.weight DESC, heaviest.position, heaviest.chunk_id`,
  ...(['passageId', 'articleId', 'ordinal', 'normalized', 'titles'] as const),
);
/** Article ids are in the order of their creation. */
const listTitles = rawStatement<{ articleId: string; title: string; url: string | null }>(
  sql`SELECT article_id, title, url FROM passages
   WHERE workspace_id = ${input('workspaceId')}
   AND locale = ${input('locale')} AND ${isVisible('article_id')} ORDER BY article_id LIMIT ${input('limit')}`,
  ...(['articleId', 'title', 'url'] as const),
);
const listChunks = rawStatement<Candidate>(
  sql`SELECT chunk.passage_id, passage.article_id, chunk.ordinal, chunk.normalized, passage.titles
   FROM passages AS passage JOIN passage_chunks AS chunk ON chunk.passage_id = passage.id
   WHERE passage.workspace_id = ${input('workspaceId')} AND passage.locale = ${input('locale')}
   AND ${isVisible('passage.article_id')}
   ORDER BY passage.article_id, chunk.ordinal LIMIT ${input('limit')}`,
  ...(['passageId', 'articleId', 'ordinal', 'normalized', 'titles'] as const),
);
const listLiveVariants = rawStatement<Omit<LiveVariant, 'source'> & { source: number }>(
  sql`SELECT passages.id, article_id, locale, translation_id IS NULL
   FROM unnest(${input('articleIds')}::text[]) WITH ORDINALITY AS wanted (id, position)
   JOIN passages ON workspace_id = ${input('workspaceId')} AND article_id = wanted.id COLLATE "C"
   WHERE ${isVisible('article_id')}
   ORDER BY position, locale`,
  ...(['passageId', 'articleId', 'locale', 'source'] as const),
);
const loadPassages = rawStatement<PassageRow>(
  sql`${SELECT_PASSAGE} FROM passages WHERE workspace_id = ${input('workspaceId')}
    AND id = ANY (${input('passageIds')}::bigint[]) AND ${isVisible('passages.article_id')}
   ORDER BY array_position(${input('passageIds')}::bigint[], id)`,
  ...PASSAGE_COLUMNS,
);
const loadChunks = rawStatement<{ passageId: number; normalized: Uint8Array }>(
  sql`SELECT passage_id, normalized FROM passage_chunks
   WHERE workspace_id = ${input('workspaceId')}
   AND passage_id = ANY (${input('passageIds')}::bigint[]) ORDER BY passage_id, ordinal`,
  ...(['passageId', 'normalized'] as const),
);

const listLanguages = rawStatement<PassageLanguage>(
  sql`SELECT locale, count(*) FROM passages
   WHERE workspace_id = ${input('workspaceId')} AND ${isVisible('article_id')} GROUP BY locale ORDER BY locale`,
  ...(['locale', 'articles'] as const),
);
const listHidden = rawStatement<{ id: string }>(
  sql`SELECT id FROM articles WHERE workspace_id = ${input('workspaceId')} AND audience IS NOT NULL
   AND NOT ${isVisible('articles.id')}`,
  'id',
);

const passagesBefore = rawStatement<PassageRow & { workspaceId: string }>(
  sql`${SELECT_PASSAGE}, workspace_id FROM passages
    WHERE id < ${input('passageId')} ORDER BY id DESC LIMIT ${input('limit')}`,
  ...PASSAGE_COLUMNS,
  'workspaceId',
);
const listWorkspaces = rawStatement<{ passageId: number; workspaceId: string }>(
  sql`SELECT id, workspace_id FROM passages WHERE id = ANY (${input('passageIds')}::bigint[])`,
  ...(['passageId', 'workspaceId'] as const),
);
const readMetadata = rawStatement<{ name: string; value: string }>(
  sql`SELECT name, value FROM passage_metadata`,
  ...(['name', 'value'] as const),
);
const putMetadata = rawStatement(
  sql`INSERT INTO passage_metadata (name, value) VALUES (${input('name')}, ${input('value')})
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
);
const forgetRenewal = rawStatement(sql`DELETE FROM passage_metadata WHERE name = 'renewal'`);
