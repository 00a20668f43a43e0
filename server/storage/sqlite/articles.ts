/** Article reads and writes. Each write runs in a write job. */

import { and, count, eq } from 'drizzle-orm';
import type { Articles, ArticleTransition, NewArticle } from '../articles.ts';
import type { AuditEntry } from '../audit.ts';
import { articleRevisions, articles, translationRevisions, translations } from '../schema.ts';
import { createArticleImport } from './article-import.ts';
import { createArticleQueries, toContent, toContentColumns } from './article-queries.ts';
import { prepareArticleWrites } from './article-writes.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections, Drizzle } from './connections.ts';
import { prepareTranslationPassages, removePassages, writePassage } from './passages.ts';
import { matches } from './statements.ts';

export function sqliteArticles(
  connections: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => Articles {
  const { read, write } = connections;
  const queries = prepareLiveQueries(connections);
  const reads = createArticleQueries(connections);
  const steps = createArticleWrites(connections.writer, insertAudit);
  const importArticles = createArticleImport(connections.writer, insertAudit);

  return (workspaceId) => ({
    create: (article) => write(() => steps.create(workspaceId, article)),
    find: (articleId) => read(() => reads.find(workspaceId, articleId)),
    findId: (slug) => read(() => reads.findId(workspaceId, slug)),
    list: (limit, beforeId) => read(() => reads.list(workspaceId, limit, beforeId)),
    liveTexts: (articleId) => read(() => reads.liveTexts(workspaceId, articleId)),
    revisions: (articleId, limit, beforeRevision) =>
      read(() => reads.revisions(workspaceId, articleId, limit, beforeRevision)),
    apply: (step) => write(() => steps.apply(workspaceId, step)),
    remove: (articleId, audit) => write(() => steps.remove(workspaceId, articleId, audit)),
    import: (imported, by, localesMax) => write(() => importArticles(workspaceId, imported, by, localesMax)),

    findLive: (slug) =>
      read(() => {
        const row = queries.live.get({ workspaceId, slug });
        if (!row) return undefined;
        const { title, answer, aliases, url, ...rest } = row;
        return { ...rest, content: toContent({ title, answer, aliases, url }) };
      }),

    count: () =>
      read(() => {
        const of = (query: keyof typeof queries.counts) =>
          queries.counts[query].get({ workspaceId })?.rows ?? 0;
        return {
          articles: of('articles'),
          translations: of('translations'),
          revisions: of('articleRevisions') + of('translationRevisions'),
        };
      }),
  });
}

function prepareLiveQueries({ reader }: Connections) {
  const rows = count();
  const ofArticles = matches(articles.workspaceId);
  const translationPassages = matches(translations.workspaceId);
  return {
    live: reader
      .select({
        articleId: articles.id,
        slug: articles.slug,
        locale: articleRevisions.locale,
        revision: articleRevisions.revision,
        contentHash: articleRevisions.contentHash,
        title: articleRevisions.title,
        answer: articleRevisions.answer,
        aliases: articleRevisions.aliases,
        url: articleRevisions.url,
      })
      .from(articles)
      .innerJoin(
        articleRevisions,
        and(
          eq(articleRevisions.articleId, articles.id),
          eq(articleRevisions.revision, articles.liveRevision),
        ),
      )
      .where(and(ofArticles, matches(articles.slug)))
      .prepare(),
    counts: {
      articles: reader.select({ rows }).from(articles).where(ofArticles).prepare(),
      translations: reader.select({ rows }).from(translations).where(translationPassages).prepare(),
      articleRevisions: reader
        .select({ rows })
        .from(articles)
        .innerJoin(articleRevisions, eq(articleRevisions.articleId, articles.id))
        .where(ofArticles)
        .prepare(),
      translationRevisions: reader
        .select({ rows })
        .from(translations)
        .innerJoin(translationRevisions, eq(translationRevisions.translationId, translations.id))
        .where(translationPassages)
        .prepare(),
    },
  };
}

type Outcome = Awaited<ReturnType<Articles['apply']>>;
type Revision = Parameters<ReturnType<typeof prepareArticleWrites>['insertArticleRevision']>[0];

export function createArticleWrites(writer: Drizzle, insertAudit: InsertAudit) {
  const db = writer.$client;
  const writes = prepareArticleWrites(writer);
  const translationPassages = prepareTranslationPassages(writer);

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
    writes.insertArticleRevision(toRevisionRow(article, { event: 'created', revision: 1, locale }));
    insertAudit(workspaceId, article.audit);
    return 'created';
  }

  function apply(workspaceId: string, step: ArticleTransition): Outcome {
    const { articleId, authorId: actor, atMillis, event, status } = step;
    const known = writes.articleById.get({ workspaceId, articleId });
    if (!known) return { outcome: 'gone' };
    if (known.revision !== step.baseRevision) {
      const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = known;
      return { outcome: 'conflict', currentRevision, changedBy, changedAt };
    }
    const wasLive = known.liveRevision !== null;
    const republished = wasLive || step.live !== 'this' ? [] : (step.variants ?? []);
    if (step.live === 'this' && !wasLive && !translationPassages.areAllLive(articleId, republished)) {
      return { outcome: 'outdated' };
    }

    const revision = known.revision + 1;
    const { locale } = known;
    writes.insertArticleRevision(toRevisionRow(step, { event, revision, locale }));
    if (step.live === 'this') {
      writes.publishArticle.run({ articleId, revision, locale, atMillis, actor });
      writePassage(db, workspaceId, {
        ...step.indexed!,
        articleId,
        revision,
        sourceRevision: revision,
        stale: false,
      });
      translationPassages.republish(workspaceId, articleId, republished);
      translationPassages.refresh(workspaceId, articleId, {
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
    // Cascades to revisions, translations and their revisions.
    writes.removeArticle.run({ workspaceId, articleId });
    insertAudit(workspaceId, audit);
    return 'removed';
  }

  return { create, apply, remove };
}

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
