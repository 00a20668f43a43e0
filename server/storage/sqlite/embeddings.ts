import type { EmbeddingIndex, Embeddings, PassageToEmbed, StoredEmbedding } from '../embeddings.ts';
import { lazy } from '../sql/lazy.ts';
import type { Connections } from './connections.ts';

export function sqliteEmbeddings({
  reader,
  writer,
  read,
  write,
}: Connections): (workspaceId: string) => Embeddings {
  const reads = prepareReads(reader.$client);
  const writes = lazy(() => prepareWrites(writer.$client));

  return (workspaceId) => ({
    put: (embedding) =>
      write(() => {
        writes().put.run({ ...embedding, workspaceId });
      }),
    keep: (articleId, locale, passageId) =>
      write(() => {
        writes().keep.run({ workspaceId, articleId, locale, passageId });
      }),
    list: (model, limit, { articleId, locale } = { articleId: '', locale: '' }) =>
      read(() => reads.list.all({ workspaceId, model, limit, articleId, locale }) as StoredEmbedding[]),
    count: (model) => read(() => reads.count.get(workspaceId, model) as number),
  });
}

export function sqliteEmbeddingIndex({ reader, writer, read, write }: Connections): EmbeddingIndex {
  const db = reader.$client;
  const after = db.prepare(
    `SELECT passages.id AS passageId, passages.workspace_id AS workspaceId, passages.article_id AS articleId,
       passages.locale AS locale, embeddings.passage_id IS passages.id AS isEmbedded, content_hash AS contentHash
     FROM passages
     JOIN workspaces ON workspaces.id = passages.workspace_id AND removed_at IS NULL
     LEFT JOIN embeddings ON embeddings.workspace_id = passages.workspace_id
       AND embeddings.article_id = passages.article_id AND embeddings.locale = passages.locale AND model = +@model
     WHERE passages.id > +@passageId ORDER BY passages.id LIMIT +@limit`,
  );
  const passages = db.prepare('SELECT coalesce(sum(articles), 0) FROM passage_partitions').pluck();
  const embedded = db.prepare('SELECT count(*) FROM embeddings WHERE model = ?').pluck();
  const removeUnpublished = lazy(() =>
    writer.$client.prepare(
      `DELETE FROM embeddings WHERE rowid IN (
         SELECT embeddings.rowid FROM embeddings
         LEFT JOIN passages ON passages.workspace_id = embeddings.workspace_id
           AND passages.article_id = embeddings.article_id AND passages.locale = embeddings.locale
         WHERE passages.id IS NULL LIMIT ?)`,
    ),
  );
  return {
    after: (passageId, limit, model) =>
      read(() => (after.all({ passageId, limit, model }) as PassageRow[]).map(toPassage)),
    removeUnpublished: (limit) => write(() => removeUnpublished().run(limit).changes),
    progress: (model) =>
      read(() => ({ passages: passages.get() as number, embedded: embedded.get(model) as number })),
  };
}

type PassageRow = Omit<PassageToEmbed, 'isEmbedded' | 'contentHash'> & {
  readonly isEmbedded: 0 | 1;
  readonly contentHash: string | null;
};

const toPassage = ({ isEmbedded, contentHash, ...passage }: PassageRow): PassageToEmbed => ({
  ...passage,
  isEmbedded: isEmbedded === 1,
  ...(contentHash === null ? {} : { contentHash }),
});

function prepareReads(db: Connections['reader']['$client']) {
  return {
    list: db.prepare(
      `SELECT passage_id AS passageId, embeddings.article_id AS articleId, embeddings.locale AS locale, dimensions, vectors
       FROM embeddings JOIN passages ON passages.id = passage_id
       WHERE embeddings.workspace_id = +@workspaceId AND model = +@model
         AND (embeddings.article_id, embeddings.locale) > (+@articleId, +@locale)
       ORDER BY embeddings.article_id, embeddings.locale LIMIT +@limit`,
    ),
    count: db.prepare('SELECT count(*) FROM embeddings WHERE workspace_id = ? AND model = ?').pluck(),
  };
}

function prepareWrites(db: Connections['writer']['$client']) {
  return {
    put: db.prepare(
      `INSERT OR REPLACE INTO embeddings
         (workspace_id, article_id, locale, passage_id, model, content_hash, dimensions, vectors)
       SELECT workspace_id, article_id, locale, passages.id, @model, @contentHash, @dimensions, @vectors
       FROM passages JOIN workspaces ON workspaces.id = workspace_id AND removed_at IS NULL
       WHERE passages.id = @passageId AND workspace_id = @workspaceId`,
    ),
    keep: db.prepare(
      `UPDATE embeddings SET passage_id = @passageId
       WHERE workspace_id = @workspaceId AND article_id = @articleId AND locale = @locale`,
    ),
  };
}
