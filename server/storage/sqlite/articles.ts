/** Article writes. Each runs in a write job. */

import type { Articles, ArticleTransition, NewArticle } from '../articles.ts';
import type { AuditEntry } from '../audit.ts';
import { createArticleImport } from './article-import.ts';
import { createArticleQueries, toContentColumns } from './article-queries.ts';
import { type ArticleDeps, createdBy, prepareArticleWrites, UNPUBLISHED } from './article-writes.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections } from './connections.ts';
import { prepareTranslationPassages, removePassages, writePassage } from './passages.ts';

export function sqliteArticles(
  connections: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => Articles {
  const { writer, write } = connections;
  const reads = createArticleQueries(connections);
  const deps: ArticleDeps = {
    db: writer.$client,
    writes: prepareArticleWrites(writer),
    translationPassages: prepareTranslationPassages(writer),
    insertAudit,
  };
  const importArticles = createArticleImport(deps);

  return (workspaceId) => ({
    ...reads(workspaceId),
    create: (article) => write(() => createArticle(deps, workspaceId, article)),
    apply: (step) => write(() => applyTransition(deps, workspaceId, step)),
    remove: (articleId, audit) => write(() => removeArticle(deps, workspaceId, articleId, audit)),
    import: (imported, by, localesMax) => write(() => importArticles(workspaceId, imported, by, localesMax)),
  });
}

function createArticle(
  { writes, insertAudit }: ArticleDeps,
  workspaceId: string,
  article: NewArticle,
): 'created' | 'slug_taken' {
  const { articleId, slug, locale, authorId: actor, atMillis } = article;
  if (writes.articleBySlug.get({ workspaceId, slug })) return 'slug_taken';
  writes.insertArticle({
    id: articleId,
    workspaceId,
    slug,
    locale,
    status: 'draft',
    revision: 1,
    ...UNPUBLISHED,
    ...createdBy({ actor, atMillis }),
  });
  writes.insertArticleRevision(toRevisionRow(article, { event: 'created', revision: 1, locale }));
  insertAudit(workspaceId, article.audit);
  return 'created';
}

function applyTransition(
  deps: ArticleDeps,
  workspaceId: string,
  step: ArticleTransition,
): Awaited<ReturnType<Articles['apply']>> {
  const { db, writes, translationPassages, insertAudit } = deps;
  const { articleId, authorId: actor, atMillis, event, status } = step;
  const known = writes.articleById.get({ workspaceId, articleId });
  if (!known) return { outcome: 'gone' };
  if (known.revision !== step.baseRevision) {
    const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = known;
    return { outcome: 'conflict', currentRevision, changedBy, changedAt };
  }
  const goesLive = step.live === 'this' && known.liveRevision === null;
  const republished = goesLive ? (step.variants ?? []) : [];
  if (goesLive && !translationPassages.areAllLive(articleId, republished)) return { outcome: 'outdated' };

  const revision = known.revision + 1;
  const { locale } = known;
  writes.insertArticleRevision(toRevisionRow(step, { event, revision, locale }));
  if (step.live === 'this') {
    const { contentHash, content } = step;
    writes.publishArticle.run({ articleId, revision, locale, atMillis, actor });
    const source = { articleId, revision, sourceRevision: revision, stale: false };
    writePassage(db, workspaceId, { ...step.indexed!, ...source });
    translationPassages.republish(workspaceId, articleId, republished);
    translationPassages.refresh(workspaceId, articleId, { contentHash, url: content.url });
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

function removeArticle(
  { db, writes, insertAudit }: ArticleDeps,
  workspaceId: string,
  articleId: string,
  audit: AuditEntry,
): 'removed' | 'gone' {
  if (!writes.articleById.get({ workspaceId, articleId })) return 'gone';
  removePassages(db, workspaceId, articleId);
  // Cascades to revisions, translations and their revisions.
  writes.removeArticle.run({ workspaceId, articleId });
  insertAudit(workspaceId, audit);
  return 'removed';
}

type Revision = Parameters<ArticleDeps['writes']['insertArticleRevision']>[0];

function toRevisionRow(
  { articleId, content, contentHash, searchSummary, authorId, atMillis }: NewArticle | ArticleTransition,
  is: Pick<Revision, 'event' | 'revision' | 'locale'>,
): Revision {
  return {
    ...toContentColumns(content),
    ...is,
    articleId,
    contentHash,
    searchSummary,
    authorId,
    createdAt: atMillis,
  };
}
