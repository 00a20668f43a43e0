/** What of an article's translations is found, as far as the article itself decides it. */
import type { RepublishedTranslation } from '../articles.ts';
import type { Drizzle } from './connections.ts';
import { writePassage } from './passages.ts';

type LiveRow = {
  readonly translationId: string;
  readonly locale: string;
  readonly revision: number;
  readonly sourceRevision: number;
};

/** For write jobs. */
export function translationPassages(writer: Drizzle) {
  const db = writer.$client;
  const live = db.prepare(
    `SELECT id AS translationId, locale, live_revision AS revision, live_source_revision AS sourceRevision
     FROM translations WHERE article_id = ? AND live_revision IS NOT NULL`,
  );
  // In place: the text is the same, so that a search under way may go on with it.
  const refresh = db.prepare(
    `UPDATE passages SET (stale, url) = (
       SELECT live.live_source_hash <> @contentHash, coalesce(content.url, @url)
       FROM translations AS live
       JOIN translation_revisions AS content
         ON content.translation_id = live.id AND content.revision = live.live_revision
       WHERE live.id = passages.translation_id)
     WHERE workspace_id = @workspaceId AND article_id = @articleId AND translation_id IS NOT NULL`,
  );

  return {
    /** Whether these are exactly the translations that have something live, those of the other locales aside. */
    areAllLive(
      articleId: string,
      variants: readonly RepublishedTranslation[],
      otherLocales: readonly string[] = [],
    ): boolean {
      const rows = (live.all(articleId) as LiveRow[]).filter(({ locale }) => !otherLocales.includes(locale));
      const seen = new Map(variants.map(({ translationId, revision }) => [translationId, revision]));
      return rows.length === seen.size && rows.every((row) => seen.get(row.translationId) === row.revision);
    },

    /** `refresh` afterwards: it says whether they are stale, and where they stand. */
    republish(workspaceId: string, articleId: string, variants: readonly RepublishedTranslation[]): void {
      const rows = new Map((live.all(articleId) as LiveRow[]).map((row) => [row.translationId, row]));
      for (const { translationId, revision, indexed } of variants) {
        const sourceRevision = rows.get(translationId)!.sourceRevision;
        writePassage(db, workspaceId, {
          ...indexed,
          articleId,
          translationId,
          revision,
          sourceRevision,
          stale: false,
        });
      }
    },

    /** After the published source changed: which translations are stale now, and the address of those without an own one. */
    refresh(
      workspaceId: string,
      articleId: string,
      source: { contentHash: string; url: string | undefined },
    ) {
      const { contentHash, url = null } = source;
      refresh.run({ workspaceId, articleId, contentHash, url });
    },
  };
}
