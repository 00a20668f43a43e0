import type {
  Dictionaries,
  DictionaryBuilds,
  LocalePair,
  ParallelArticle,
  ParallelText,
} from '../dictionaries.ts';
import { lazy } from '../sql/lazy.ts';
import { dictionaries } from '../sql/schema.ts';
import type { Connections } from './connections.ts';
import { matches } from './statements.ts';

export function sqliteDictionaries(connections: Connections): (workspaceId: string) => Dictionaries {
  const { read, write } = connections;
  const reads = prepareReads(connections);
  const passages = prepareTrainingReads(connections);
  const writes = lazy(() => prepareWrites(connections));

  return (workspaceId) => ({
    list: () => read(() => reads.list.all({ workspaceId })),
    find: (fromLocale, toLocale) =>
      read(() => reads.content.get({ workspaceId, fromLocale, toLocale })?.content),
    findSpellings: (locale) =>
      read(
        () =>
          reads.spellings.get({ workspaceId, fromLocale: locale, toLocale: locale })?.spellings ?? undefined,
      ),
    put: ({ from, to, content, spellings }) =>
      write(() => {
        writes().put.run({ workspaceId, from, to, content, spellings: spellings ?? null });
      }),
    finish: ({ fingerprint, version }, put) =>
      write(() => {
        const kept = new Set(put.map(toKey));
        for (const { from, to } of writes().list.all({ workspaceId })) {
          if (!kept.has(toKey({ from, to })))
            writes().remove.run({ workspaceId, fromLocale: from, toLocale: to });
        }
        writes().finish.run({ workspaceId, fingerprint, version });
      }),
    articleIds: (limit, afterId = '') =>
      read(() => passages.articleIds.all(workspaceId, afterId, limit) as string[]),
    parallelArticles: (articleIds) =>
      read(() =>
        toParallelArticles(passages.texts.all(JSON.stringify(articleIds), workspaceId) as TextRow[]),
      ),
  });
}

const toKey = ({ from, to }: LocalePair) => `${from} ${to}`;

export function sqliteDictionaryBuilds({ reader, read }: Connections): DictionaryBuilds {
  const outdated = reader.$client.prepare(
    `WITH states AS (
       SELECT workspace_id, group_concat(state, ' ') AS fingerprint, count(*) AS locales FROM (
         SELECT workspace_id, concat_ws(':', locale, articles, sources, sentences, words, ngrams) AS state
         FROM passage_partitions ORDER BY workspace_id, locale)
       GROUP BY workspace_id)
     SELECT workspaces.id AS workspaceId, coalesce(states.fingerprint, '') AS fingerprint,
       coalesce(locales, 0) AS locales
     FROM workspaces
     LEFT JOIN states ON states.workspace_id = workspaces.id
     LEFT JOIN dictionary_builds AS builds ON builds.workspace_id = workspaces.id
     WHERE removed_at IS NULL
       AND (locales > 1 OR builds.workspace_id IS NOT NULL)
       AND (builds.version IS NOT ? OR builds.fingerprint IS NOT coalesce(states.fingerprint, ''))`,
  );
  return {
    outdated: (version) =>
      read(() => outdated.all(version) as Awaited<ReturnType<DictionaryBuilds['outdated']>>[number][]),
  };
}

type TextRow = {
  readonly articleId: string;
  readonly isSource: 0 | 1;
  readonly locale: string;
  readonly title: string;
  readonly answer: string;
  readonly aliases: string;
};

function toParallelArticles(rows: readonly TextRow[]): ParallelArticle[] {
  return [...Map.groupBy(rows, ({ articleId }) => articleId).values()].flatMap((variants) => {
    const source = variants.find(({ isSource }) => isSource);
    const translations = variants.filter(({ isSource }) => !isSource);
    if (!source || translations.length === 0) return [];
    return [{ source: toText(source), translations: translations.map(toText) }];
  });
}

const toText = ({ locale, title, answer, aliases }: TextRow): ParallelText => ({
  locale,
  title,
  answer,
  aliases: JSON.parse(aliases),
});

function prepareReads({ reader }: Connections) {
  return {
    list: prepareList(reader),
    content: reader
      .select({ content: dictionaries.content })
      .from(dictionaries)
      .where(matches(dictionaries.workspaceId, dictionaries.fromLocale, dictionaries.toLocale))
      .prepare(),
    spellings: reader
      .select({ spellings: dictionaries.spellings })
      .from(dictionaries)
      .where(matches(dictionaries.workspaceId, dictionaries.fromLocale, dictionaries.toLocale))
      .prepare(),
  };
}

const prepareList = (db: Connections['reader']) =>
  db
    .select({ from: dictionaries.fromLocale, to: dictionaries.toLocale })
    .from(dictionaries)
    .where(matches(dictionaries.workspaceId))
    .prepare();

function prepareTrainingReads({ reader }: Connections) {
  return {
    articleIds: reader.$client
      .prepare(
        `SELECT DISTINCT article_id FROM passages WHERE workspace_id = +? AND article_id > +? ORDER BY article_id LIMIT +?`,
      )
      .pluck(),
    texts: reader.$client.prepare(
      `SELECT article_id AS articleId, translation_id IS NULL AS isSource, locale, title, answer, aliases
       FROM json_each(+?) AS wanted CROSS JOIN passages ON workspace_id = +? AND article_id = wanted.value
       WHERE NOT stale
       ORDER BY wanted.key, locale`,
    ),
  };
}

/** Rows of a workspace that was removed during a build would be found by no purge. */
const IF_WORKSPACE_EXISTS = 'FROM workspaces WHERE id = @workspaceId AND removed_at IS NULL';

function prepareWrites({ writer }: Connections) {
  const db = writer.$client;
  return {
    list: prepareList(writer),
    put: db.prepare(
      `INSERT OR REPLACE INTO dictionaries (workspace_id, from_locale, to_locale, content, spellings)
       SELECT @workspaceId, @from, @to, @content, @spellings ${IF_WORKSPACE_EXISTS}`,
    ),
    finish: db.prepare(
      `INSERT OR REPLACE INTO dictionary_builds (workspace_id, fingerprint, version)
       SELECT @workspaceId, @fingerprint, @version ${IF_WORKSPACE_EXISTS}`,
    ),
    remove: writer
      .delete(dictionaries)
      .where(matches(dictionaries.workspaceId, dictionaries.fromLocale, dictionaries.toLocale))
      .prepare(),
  };
}
