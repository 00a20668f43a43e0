import { sql } from 'drizzle-orm';
import type { SqlDatabase } from './database.ts';
import type { embeddings } from './schema/index.ts';
import { input, rawStatement } from './statements.ts';

/**
 * Embeddings of published articles, whose translations share the vectors of the source. They are derived data: exports
 * leave them out, and missing ones are computed again.
 */

/** The vectors of the passage of an article's source. */
export type StoredEmbedding = Omit<typeof embeddings.$inferSelect, 'workspaceId' | 'model' | 'contentHash'>;

export type PassageToEmbed = {
  passageId: number;
  workspaceId: string;
  articleId: string;
  locale: string;
  /** Whether this passage has vectors of the model. */
  isEmbedded: boolean;
  /** Hash of the content that the model embedded for this article and locale; absent if it has not yet. */
  contentHash?: string;
};

/** The passages between two numbers, which are left out; newer passages have greater numbers. */
export type PassageRange = { above: number; below: number };

export function sqlEmbeddings({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Adds or replaces the vectors of a passage. Does nothing once the passage or the workspace is removed. */
    put: (embedding: StoredEmbedding & { model: string; contentHash: string }) =>
      write(workspaceId, async (tx) => {
        await tx.run(put, { workspaceId, ...embedding });
      }),
    /** Assigns the stored vectors to a passage that has replaced another one with the same content. */
    keep: (articleId: string, locale: string, passageId: number) =>
      write(workspaceId, async (tx) => {
        await tx.run(keep, { workspaceId, articleId, locale, passageId });
      }),
    /** Lists the embeddings of published sources in ascending order, after the given one. */
    list: (
      model: string,
      limit: number,
      { articleId, locale }: { articleId: string; locale: string } = { articleId: '', locale: '' },
    ) => read(workspaceId, (tx) => tx.all(list, { workspaceId, model, limit, articleId, locale })),
    /** Lists the sources without vectors that answers of late have cited, most cited first. */
    mostCited: (model: string, limit: number) =>
      read(workspaceId, async (tx) =>
        (await tx.all(mostCited, { workspaceId, model, limit, events: RECENT_EVENTS })).map(toPassage),
      ),
    count: (model: string) =>
      read(workspaceId, async (tx) => (await tx.get(count, { workspaceId, model }))!.count),
  });
}

export function sqlEmbeddingIndex({ read, write }: SqlDatabase) {
  return {
    /** Lists the passages of sources of all workspaces, newest first. */
    newest: (range: PassageRange, limit: number, model: string) =>
      read(undefined, async (tx) => (await tx.all(newest, { ...range, limit, model })).map(toPassage)),
    /** Removes some embeddings of texts that are not published as a source, and returns how many. */
    removeUnpublished: (limit: number) => write(undefined, (tx) => tx.run(removeUnpublished, { limit })),
    /** Counts the passages of all sources, and those that have embeddings of the model. */
    progress: (model: string) =>
      read(undefined, async (tx) => {
        const [passages, embedded] = await Promise.all([
          tx.get(countPassages),
          tx.get(countEmbedded, { model }),
        ]);
        return { passages: passages!.count, embedded: embedded!.count };
      }),
  };
}

const list = rawStatement<StoredEmbedding>(
  sql`SELECT passage_id, embeddings.article_id, embeddings.locale, dimensions, vectors
   FROM embeddings JOIN passages ON passages.id = passage_id AND translation_id IS NULL
   WHERE embeddings.workspace_id = ${input('workspaceId')} AND model = ${input('model')}
     AND (embeddings.article_id, embeddings.locale) > (${input('articleId')}, ${input('locale')})
   ORDER BY embeddings.article_id, embeddings.locale LIMIT ${input('limit')}`,
  'passageId',
  'articleId',
  'locale',
  'dimensions',
  'vectors',
);
const count = rawStatement<{ count: number }>(
  sql`SELECT count(*) FROM embeddings WHERE workspace_id = ${input('workspaceId')} AND model = ${input('model')}`,
  'count',
);
const put = rawStatement(
  sql`INSERT INTO embeddings (workspace_id, article_id, locale, passage_id, model, content_hash, dimensions, vectors)
   SELECT workspace_id, article_id, locale, passages.id, ${input('model')}, ${input('contentHash')},
   ${input('dimensions')}, ${input('vectors')}
   FROM passages JOIN workspaces ON workspaces.id = workspace_id AND removed_at IS NULL
   WHERE passages.id = ${input('passageId')} AND workspace_id = ${input('workspaceId')}
   ON CONFLICT (workspace_id, article_id, locale) DO UPDATE SET passage_id = excluded.passage_id,
     model = excluded.model, content_hash = excluded.content_hash, dimensions = excluded.dimensions,
     vectors = excluded.vectors`,
);
const keep = rawStatement(
  sql`UPDATE embeddings SET passage_id = ${input('passageId')}
   WHERE workspace_id = ${input('workspaceId')} AND article_id = ${input('articleId')}
   AND locale = ${input('locale')}`,
);

const PASSAGE = sql`passages.id, passages.workspace_id, passages.article_id, passages.locale,
  embeddings.passage_id IS NOT DISTINCT FROM passages.id, content_hash`;
const PASSAGE_FIELDS = [
  'passageId',
  'workspaceId',
  'articleId',
  'locale',
  'isEmbedded',
  'contentHash',
] as const;
const WITH_EMBEDDING = sql`LEFT JOIN embeddings ON embeddings.workspace_id = passages.workspace_id
  AND embeddings.article_id = passages.article_id AND embeddings.locale = passages.locale
  AND model = ${input('model')}`;

/** Reading more of them would block for more than a few milliseconds. */
const RECENT_EVENTS = 2_000;

const mostCited = rawStatement<PassageRow>(
  sql`SELECT ${PASSAGE} FROM (
     SELECT json_extract(data, '$.article_id') AS article_id, count(*) AS citations FROM (
       SELECT type, data FROM events WHERE workspace_id = ${input('workspaceId')}
       ORDER BY at_millis DESC, id DESC LIMIT ${input('events')}
     ) AS recent WHERE type = 'citation' GROUP BY 1
   ) AS cited
   JOIN passages ON passages.workspace_id = ${input('workspaceId')}
     AND passages.article_id = cited.article_id AND translation_id IS NULL
   ${WITH_EMBEDDING}
   WHERE embeddings.passage_id IS DISTINCT FROM passages.id
   ORDER BY citations DESC, passages.id DESC LIMIT ${input('limit')}`,
  ...PASSAGE_FIELDS,
);
const newest = rawStatement<PassageRow>(
  sql`SELECT ${PASSAGE} FROM passages
   JOIN workspaces ON workspaces.id = passages.workspace_id AND removed_at IS NULL
   ${WITH_EMBEDDING}
   WHERE passages.id > ${input('above')} AND passages.id < ${input('below')} AND translation_id IS NULL
   ORDER BY passages.id DESC LIMIT ${input('limit')}`,
  ...PASSAGE_FIELDS,
);
const countPassages = rawStatement<{ count: number }>(
  sql`SELECT coalesce(sum(sources), 0) FROM passage_partitions`,
  'count',
);
const countEmbedded = rawStatement<{ count: number }>(
  sql`SELECT count(*) FROM embeddings WHERE model = ${input('model')}`,
  'count',
);
const removeUnpublished = rawStatement(
  sql`DELETE FROM embeddings WHERE (workspace_id, article_id, locale) IN (
     SELECT embeddings.workspace_id, embeddings.article_id, embeddings.locale FROM embeddings
     LEFT JOIN passages ON passages.workspace_id = embeddings.workspace_id
       AND passages.article_id = embeddings.article_id AND passages.locale = embeddings.locale AND translation_id IS NULL
     WHERE passages.id IS NULL LIMIT ${input('limit')})`,
);

type PassageRow = Omit<PassageToEmbed, 'isEmbedded' | 'contentHash'> & {
  isEmbedded: 0 | 1;
  contentHash: string | null;
};

const toPassage = ({ isEmbedded, contentHash, ...passage }: PassageRow): PassageToEmbed => ({
  ...passage,
  isEmbedded: isEmbedded === 1,
  ...(contentHash === null ? {} : { contentHash }),
});

/** The embeddings of one workspace. */
export type Embeddings = ReturnType<ReturnType<typeof sqlEmbeddings>>;

/** The embeddings of all workspaces. */
export type EmbeddingIndex = ReturnType<typeof sqlEmbeddingIndex>;
