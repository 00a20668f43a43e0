import { and, count, eq } from 'drizzle-orm';
import type { Articles } from '../articles.ts';
import { articleRevisions, articles, translationRevisions, translations } from '../schema.ts';
import { sqliteImport } from './article-import.ts';
import { articleReads, contentOf } from './article-rows.ts';
import { articleSteps } from './article-steps.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections } from './connections.ts';
import { placeholder } from './statements.ts';

export function sqliteArticles(
  connections: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => Articles {
  const { read, write } = connections;
  const queries = prepareQueries(connections);
  const reads = articleReads(connections);
  const steps = articleSteps(connections.writer, insertAudit);
  const importArticles = sqliteImport(connections.writer, insertAudit);

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
        return { ...rest, content: contentOf({ title, answer, aliases, url }) };
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

function prepareQueries({ reader }: Connections) {
  const rows = count();
  const ofArticles = eq(articles.workspaceId, placeholder('workspaceId'));
  const ofTranslations = eq(translations.workspaceId, placeholder('workspaceId'));
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
      .where(and(ofArticles, eq(articles.slug, placeholder('slug'))))
      .prepare(),
    counts: {
      articles: reader.select({ rows }).from(articles).where(ofArticles).prepare(),
      translations: reader.select({ rows }).from(translations).where(ofTranslations).prepare(),
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
        .where(ofTranslations)
        .prepare(),
    },
  };
}
