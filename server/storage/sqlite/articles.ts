import { and, count, eq } from 'drizzle-orm';
import type { Articles } from '../articles.ts';
import { sqliteImport } from './article-import.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections } from './connections.ts';
import { articleRevisions, articles, translationRevisions, translations } from './schema.ts';
import { given, withoutNulls } from './statements.ts';

export function sqliteArticles(
  connections: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => Articles {
  const { read, write } = connections;
  const queries = prepareQueries(connections);
  const importArticle = sqliteImport(connections.writer, insertAudit);

  return (workspaceId) => ({
    import: (imported, by) => write(() => imported.map((article) => importArticle(workspaceId, article, by))),

    findLive: (slug) =>
      read(() => {
        const row = queries.live.get({ workspaceId, slug });
        if (!row) return undefined;
        const { title, answer, aliases, url, ...rest } = row;
        return {
          ...rest,
          content: { ...withoutNulls({ title, answer, url }), aliases: JSON.parse(aliases) },
        };
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
  const ofArticles = eq(articles.workspaceId, given('workspaceId'));
  const ofTranslations = eq(translations.workspaceId, given('workspaceId'));
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
      .where(and(ofArticles, eq(articles.slug, given('slug'))))
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
