/** What owners and admins do to an article, each within a write job. */
import type { ArticleStep, Articles, NewArticle } from '../articles.ts';
import type { AuditEntry } from '../audit.ts';
import { contentColumns } from './article-rows.ts';
import { articleWrites } from './article-writes.ts';
import type { InsertAudit } from './audit.ts';
import type { Drizzle } from './connections.ts';
import { removePassages, writePassage } from './passages.ts';
import { translationPassages } from './translation-passages.ts';

type Outcome = Awaited<ReturnType<Articles['apply']>>;
type Revision = Parameters<ReturnType<typeof articleWrites>['insertArticleRevision']>[0];

export function articleSteps(writer: Drizzle, insertAudit: InsertAudit) {
  const db = writer.$client;
  const writes = articleWrites(writer);
  const ofTranslations = translationPassages(writer);

  function create(workspaceId: string, article: NewArticle): 'created' | 'slug_taken' {
    const { articleId, slug, locale, authorId, atMillis } = article;
    if (writes.article.get({ workspaceId, slug })) return 'slug_taken';
    writes.insertArticle({
      id: articleId,
      workspaceId,
      slug,
      locale,
      status: 'draft',
      revision: 1,
      liveRevision: null,
      livePublishedAt: null,
      livePublishedBy: null,
      createdAt: atMillis,
      createdBy: authorId,
      updatedAt: atMillis,
      updatedBy: authorId,
    });
    writes.insertArticleRevision(revisionOf(article, { event: 'created', revision: 1, locale }));
    insertAudit(workspaceId, article.audit);
    return 'created';
  }

  function apply(workspaceId: string, step: ArticleStep): Outcome {
    const { articleId, authorId: actor, atMillis, event, status } = step;
    const known = writes.articleById.get({ workspaceId, articleId });
    if (!known) return { outcome: 'gone' };
    if (known.revision !== step.baseRevision) {
      const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = known;
      return { outcome: 'conflict', currentRevision, changedBy, changedAt };
    }
    const wasLive = known.liveRevision !== null;
    const republished = wasLive || step.live !== 'this' ? [] : (step.variants ?? []);
    if (step.live === 'this' && !wasLive && !ofTranslations.areAllLive(articleId, republished)) {
      return { outcome: 'outdated' };
    }

    const revision = known.revision + 1;
    const { locale } = known;
    writes.insertArticleRevision(revisionOf(step, { event, revision, locale }));
    if (step.live === 'this') {
      writes.publishArticle.run({ articleId, revision, locale, atMillis, actor });
      writePassage(db, workspaceId, {
        ...step.indexed!,
        articleId,
        revision,
        sourceRevision: revision,
        stale: false,
      });
      ofTranslations.republish(workspaceId, articleId, republished);
      ofTranslations.refresh(workspaceId, articleId, {
        contentHash: step.contentHash,
        url: step.content.url,
      });
    } else {
      writes.reviseArticle.run({ articleId, status, revision, atMillis, actor });
    }
    if (step.live === 'none') {
      writes.takeArticleDown.run({ articleId });
      removePassages(db, workspaceId, articleId);
    }
    insertAudit(workspaceId, step.audit);
    return { outcome: 'applied' };
  }

  function remove(workspaceId: string, articleId: string, audit: AuditEntry): 'removed' | 'gone' {
    if (!writes.articleById.get({ workspaceId, articleId })) return 'gone';
    removePassages(db, workspaceId, articleId);
    // Takes revisions, translations and their revisions with it.
    writes.removeArticle.run({ workspaceId, articleId });
    insertAudit(workspaceId, audit);
    return 'removed';
  }

  return { create, apply, remove };
}

function revisionOf(
  { articleId, content, contentHash, searchSummary, authorId, atMillis }: NewArticle | ArticleStep,
  is: Pick<Revision, 'event' | 'revision' | 'locale'>,
): Revision {
  return {
    ...contentColumns(content),
    ...is,
    articleId,
    contentHash,
    searchSummary,
    authorId,
    createdAt: atMillis,
  };
}
