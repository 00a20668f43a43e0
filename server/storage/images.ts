import { desc, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { IndexHint, SqlDatabase } from './database.ts';
import { images } from './schema/index.ts';
import { db, input, insertInto, matches, rawStatement, type Stored, statement } from './statements.ts';

export type ImageMediaType = ImageHead['mediaType'];

/** An image without its content. */
export type ImageHead = Omit<NewImage, 'contentHash' | 'content'>;

export type NewImage = Omit<Stored<typeof images>, 'workspaceId'>;

/** Limits of a workspace: the number of images, and their total size. */
type ImageLimits = { countMax: number; bytesMax: number };

/** A text that shows images: the live or newest revision of an article or translation. */
type ImageText = {
  articleId: string;
  /** Title of the article. */
  title: string;
  locale: string;
  /** Whether visitors get this text. */
  isLive: boolean;
  /** Ids of images in the text, which may not exist. */
  imageIds: readonly string[];
};

export type ImageSize = { id: string; width: number; height: number };

export function sqlImages({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Stores an image, or returns the one with the same content. Returns 'full' when it would exceed a limit. */
    put: ({ content, ...image }: NewImage, { countMax, bytesMax }: ImageLimits, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        const existing = await tx.get(byContent, { workspaceId, contentHash: image.contentHash });
        if (existing) return existing;
        const { count, bytes } = (await tx.get(total, { workspaceId }))!;
        if (count >= countMax || bytes + image.contentBytes > bytesMax) return 'full';
        await tx.run(insert, { ...image, workspaceId, content });
        await insertAudit(tx, workspaceId, audit);
        const { contentHash: _, ...head } = image;
        return head;
      }),

    /** Lists all images, newest first. */
    list: () => read(workspaceId, (tx) => tx.all(ofWorkspace, { workspaceId })),

    /** Lists the sizes of the images in a text, in pixels. */
    async listSizes(text: string): Promise<readonly ImageSize[]> {
      const ids = findImageIds(text);
      if (ids.length === 0) return [];
      return read(workspaceId, (tx) => tx.all(sizes, { workspaceId, ids: JSON.stringify(ids) }));
    },

    /**
     * Lists the texts that show images, a bounded number of articles at a time, in the order of their ids. Pass
     * `continueAfter` to the next call; it is absent when there are no more.
     */
    listTexts: (after: string = '') =>
      read(
        workspaceId,
        async (tx) => {
          const next = await tx.get(lastOfStep, { workspaceId, after });
          const step = { workspaceId, after, until: next?.id ?? AFTER_ALL_IDS };
          const rows = [...(await tx.all(articleTexts, step)), ...(await tx.all(translationTexts, step))];
          const texts = rows.map(({ answer, isLive, ...row }) => {
            return { ...row, isLive: isLive === 1, imageIds: findImageIds(answer) };
          });
          return { texts, ...(next && { continueAfter: next.id }) };
        },
        'atOnce',
      ),

    /** Removes an image that no live or newest text shows. Otherwise returns how many articles show it. */
    remove: (id: string, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        const { usedBy } = (await tx.get(countUses, { workspaceId, pattern: `%/images/${id}%` }))!;
        if (usedBy > 0 && (await tx.get(imageById, { workspaceId, id }))) return { usedBy };
        if ((await tx.run(remove, { workspaceId, id })) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'removed';
      }),
  });
}

export function sqlPublicImages({ read }: SqlDatabase) {
  return { find: (id: string) => read(undefined, (tx) => tx.get(published, { id })) };
}

const { workspaceId: _w, contentHash: _h, content: _c, ...head } = getTableColumns(images);
const byContent = statement(() =>
  db.select(head).from(images).where(matches(images.workspaceId, images.contentHash)),
);
const ofWorkspace = statement(() =>
  db
    .select(head)
    .from(images)
    .where(matches(images.workspaceId))
    .orderBy(desc(images.createdAt), desc(images.id)),
);
const sizes = rawStatement<ImageSize>(
  sql`SELECT id, width, height FROM images WHERE workspace_id = ${input('workspaceId')}
   AND id IN (SELECT value FROM json_each(${input('ids')}))`,
  'id',
  'width',
  'height',
);
const insert = insertInto(images);
const remove = statement(() => db.delete(images).where(matches(images.workspaceId, images.id)));
const total = rawStatement<{ count: number; bytes: number }>(
  sql`SELECT count(*), coalesce(sum(content_bytes), 0) FROM images WHERE workspace_id = ${input('workspaceId')}`,
  'count',
  'bytes',
);
type Published = { mediaType: ImageMediaType; content: Uint8Array };
const published = rawStatement<Published>(
  sql`SELECT media_type, content FROM images JOIN workspaces ON workspaces.id = workspace_id AND removed_at IS NULL
   WHERE images.id = ${input('id')}`,
  'mediaType',
  'content',
);
const imageById = statement(() =>
  db.select({ id: images.id }).from(images).where(matches(images.workspaceId, images.id)),
);

/** Sorts after every id. */
const AFTER_ALL_IDS = '~';
/** The articles that one step reads, in a few milliseconds even if all of them show images. */
const ARTICLES_PER_STEP = 500;

const lastOfStep = rawStatement<{ id: string }>(
  sql`SELECT id FROM articles WHERE workspace_id = ${input('workspaceId')} AND id > ${input('after')}
   ORDER BY id LIMIT 1 OFFSET ${ARTICLES_PER_STEP - 1}`,
  'id',
);

/** Must be the condition of the partial indexes, so that SQLite can use them. */
const SHOWS_IMAGES = sql`texts.answer LIKE '%/images/img_%'`;
const IMAGE = /\/images\/(img_[0-9a-z]{26})/g;
const findImageIds = (answer: string) => [
  ...new Set(Array.from(answer.matchAll(IMAGE), ([, id = '']) => id)),
];

const getArticleTexts = (
  indexedBy: IndexHint,
) => sql`articles JOIN article_revisions AS texts ${indexedBy('article_revisions_with_images')}
  ON texts.article_id = articles.id AND texts.revision IN (articles.revision, articles.live_revision)`;
const getTranslationTexts = (
  indexedBy: IndexHint,
) => sql`articles JOIN translations ON translations.article_id = articles.id
  JOIN translation_revisions AS texts ${indexedBy('translation_revisions_with_images')}
  ON texts.translation_id = translations.id
  AND texts.revision IN (translations.revision, translations.live_revision)`;
const NEWEST = sql`JOIN article_revisions AS newest
  ON newest.article_id = articles.id AND newest.revision = articles.revision`;
const OF_STEP = sql`WHERE articles.workspace_id = ${input('workspaceId')}
  AND articles.id > ${input('after')} AND articles.id <= ${input('until')}
  AND ${SHOWS_IMAGES}`;

type TextRow = Pick<ImageText, 'articleId' | 'title' | 'locale'> & {
  isLive: number;
  answer: string;
};
const COLUMNS = ['articleId', 'title', 'locale', 'isLive', 'answer'] as const;

const articleTexts = rawStatement<TextRow>(
  (indexedBy) => sql`SELECT articles.id, newest.title, texts.locale,
     CASE WHEN texts.revision = articles.live_revision THEN 1 ELSE 0 END, texts.answer
   FROM ${getArticleTexts(indexedBy)} ${NEWEST} ${OF_STEP}`,
  ...COLUMNS,
);
const translationTexts = rawStatement<TextRow>(
  (indexedBy) => sql`SELECT articles.id, newest.title, translations.locale,
     CASE WHEN texts.revision = translations.live_revision AND articles.live_revision IS NOT NULL THEN 1 ELSE 0 END,
     texts.answer
   FROM ${getTranslationTexts(indexedBy)} ${NEWEST} ${OF_STEP}`,
  ...COLUMNS,
);

const selectShowingArticles = (texts: SQL) => sql`SELECT articles.id FROM ${texts}
  WHERE articles.workspace_id = ${input('workspaceId')} AND ${SHOWS_IMAGES}
  AND texts.answer LIKE ${input('pattern')}`;
const countUses = rawStatement<{ usedBy: number }>(
  (indexedBy) => sql`SELECT count(*) FROM (
    ${selectShowingArticles(getArticleTexts(indexedBy))} UNION ${selectShowingArticles(getTranslationTexts(indexedBy))}) AS showing`,
  'usedBy',
);

/** The images of one workspace. */
export type Images = ReturnType<ReturnType<typeof sqlImages>>;

/** The images of all workspaces, which everybody may load. */
export type PublicImages = ReturnType<typeof sqlPublicImages>;
