import type {
  Dictionaries,
  DictionaryBuilds,
  LocalePair,
  ParallelArticle,
  ParallelText,
} from '../dictionaries.ts';
import type { SqlDatabase } from './database.ts';
import { dictionaries } from './schema.ts';
import { db, matches, statement, textStatement } from './statements.ts';

export function sqlDictionaries({ read, write }: SqlDatabase): (workspaceId: string) => Dictionaries {
  return (workspaceId) => ({
    list: () => read(workspaceId, (tx) => tx.all(pairs, { workspaceId })),
    find: (fromLocale, toLocale) =>
      read(
        workspaceId,
        async (tx) => (await tx.get(content, { workspaceId, fromLocale, toLocale }))?.content,
      ),
    findSpellings: (locale) =>
      read(workspaceId, async (tx) => {
        const row = await tx.get(spellings, { workspaceId, fromLocale: locale, toLocale: locale });
        return row?.spellings ?? undefined;
      }),
    put: (dictionary) =>
      write(workspaceId, async (tx) => {
        await tx.run(put, { workspaceId, ...dictionary });
      }),
    finish: (build, kept) =>
      write(workspaceId, async (tx) => {
        const keys = new Set(kept.map(toKey));
        const dropped = (await tx.all(pairs, { workspaceId })).filter((pair) => !keys.has(toKey(pair)));
        await Promise.all([
          ...dropped.map(({ from, to }) => tx.run(remove, { workspaceId, fromLocale: from, toLocale: to })),
          tx.run(putBuild, { workspaceId, ...build }),
        ]);
      }),
    articleIds: (limit, afterId = '') =>
      read(workspaceId, async (tx) =>
        (await tx.all(articleIds, { workspaceId, afterId, limit })).map(({ id }) => id),
      ),
    parallelArticles: (ids) =>
      read(workspaceId, async (tx) =>
        toParallelArticles(await tx.all(texts, { workspaceId, ids: JSON.stringify(ids) })),
      ),
  });
}

const toKey = ({ from, to }: LocalePair) => `${from} ${to}`;

export function sqlDictionaryBuilds({ read }: SqlDatabase): DictionaryBuilds {
  return { outdated: (version) => read(undefined, (tx) => tx.all(outdated, { version })) };
}

const pairs = statement(() =>
  db
    .select({ from: dictionaries.fromLocale, to: dictionaries.toLocale })
    .from(dictionaries)
    .where(matches(dictionaries.workspaceId)),
);
const ofPair = matches(dictionaries.workspaceId, dictionaries.fromLocale, dictionaries.toLocale);
const content = statement(() =>
  db.select({ content: dictionaries.content }).from(dictionaries).where(ofPair),
);
const spellings = statement(() =>
  db.select({ spellings: dictionaries.spellings }).from(dictionaries).where(ofPair),
);
const remove = statement(() => db.delete(dictionaries).where(ofPair));

/** The workspace may be removed during a build, and no purge would find rows that are inserted afterwards. */
const IF_WORKSPACE_EXISTS = 'FROM workspaces WHERE id = @workspaceId AND removed_at IS NULL';
const put = textStatement(
  `INSERT INTO dictionaries (workspace_id, from_locale, to_locale, content, spellings)
   SELECT id, @from, @to, @content, @spellings ${IF_WORKSPACE_EXISTS}
   ON CONFLICT (workspace_id, from_locale, to_locale)
   DO UPDATE SET content = excluded.content, spellings = excluded.spellings`,
);
const putBuild = textStatement(
  `INSERT INTO dictionary_builds (workspace_id, fingerprint, version)
   SELECT id, @fingerprint, @version ${IF_WORKSPACE_EXISTS}
   ON CONFLICT (workspace_id) DO UPDATE SET fingerprint = excluded.fingerprint, version = excluded.version`,
);

const articleIds = textStatement<{ id: string }>(
  `SELECT DISTINCT article_id FROM passages WHERE workspace_id = +@workspaceId AND article_id > +@afterId
   ORDER BY article_id LIMIT +@limit`,
  'id',
);
const texts = textStatement<TextRow>(
  `SELECT article_id, translation_id IS NULL, locale, title, answer, aliases FROM passages
   WHERE workspace_id = +@workspaceId AND article_id IN (SELECT value FROM json_each(+@ids)) AND stale = 0
   ORDER BY article_id, locale`,
  'articleId',
  'isSource',
  'locale',
  'title',
  'answer',
  'aliases',
);
const outdated = textStatement<Awaited<ReturnType<DictionaryBuilds['outdated']>>[number]>(
  `WITH states AS (
     SELECT workspace_id, group_concat(state, ' ') AS fingerprint, count(*) AS locales FROM (
       SELECT workspace_id, concat_ws(':', locale, articles, sources, sentences, words, ngrams) AS state
       FROM passage_partitions ORDER BY workspace_id, locale) AS partitions
     GROUP BY workspace_id)
   SELECT workspaces.id, coalesce(states.fingerprint, ''), coalesce(locales, 0)
   FROM workspaces
   LEFT JOIN states ON states.workspace_id = workspaces.id
   LEFT JOIN dictionary_builds AS builds ON builds.workspace_id = workspaces.id
   WHERE removed_at IS NULL
     AND (locales > 1 OR builds.workspace_id IS NOT NULL)
     AND (builds.version IS DISTINCT FROM @version
       OR builds.fingerprint IS DISTINCT FROM coalesce(states.fingerprint, ''))`,
  'workspaceId',
  'fingerprint',
  'locales',
);

type TextRow = {
  articleId: string;
  isSource: 0 | 1;
  locale: string;
  title: string;
  answer: string;
  aliases: string;
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
