import { and, eq } from 'drizzle-orm';
import type { DismissedAlias, DismissedAliases } from '../articles.ts';
import { lazy } from '../sql/lazy.ts';
import { articles } from '../sql/schema.ts';
import type { Connections, Drizzle } from './connections.ts';
import { bound, matches, placeholder } from './statements.ts';

/** The dismissed aliases of an article: a JSON array in its row. */
export function sqliteDismissedAliases({
  reader,
  writer,
  read,
  write,
}: Connections): (workspaceId: string) => DismissedAliases {
  const toRead = lazy(() => prepareFind(reader));
  const toWrite = lazy(() => ({
    find: prepareFind(writer),
    set: writer
      .update(articles)
      .set(bound('dismissedAliases'))
      .where(eq(articles.id, placeholder('articleId')))
      .prepare(),
  }));

  return (workspaceId) => ({
    list: (articleId) => read(() => parse(toRead().get({ workspaceId, articleId })?.dismissedAliases)),
    add: (articleId, dismissed, limit) =>
      write(() => {
        const row = toWrite().find.get({ workspaceId, articleId });
        if (!row) return 'gone';
        const others = parse(row.dismissedAliases).filter(
          ({ alias, locale }) => alias !== dismissed.alias || locale !== dismissed.locale,
        );
        const dismissedAliases = JSON.stringify([...others, dismissed].slice(-limit));
        toWrite().set.run({ articleId, dismissedAliases });
        return 'added';
      }),
  });
}

const parse = (json: string | null | undefined): DismissedAlias[] => (json ? JSON.parse(json) : []);

const prepareFind = (db: Drizzle) =>
  db
    .select({ dismissedAliases: articles.dismissedAliases })
    .from(articles)
    .where(and(matches(articles.workspaceId), eq(articles.id, placeholder('articleId'))))
    .prepare();
