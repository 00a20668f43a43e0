import { sql } from 'drizzle-orm';
import type { SqlDatabase } from './database.ts';
import { dictionaries } from './schema/index.ts';
import { db, input, matches, rawStatement, statement } from './statements.ts';

/**
 * Dictionaries learned from a workspace's published translations, and the texts to learn from.
 * They are derived data: exports leave them out, and they are learned again when they are missing.
 */

/** Maps words of one locale to words of another, or to synonyms if both locales are the same. */
export type StoredDictionary = {
  from: string;
  to: string;
  /** Opaque to the store. */
  content: Uint8Array;
  /** How synonyms are spelled; opaque to the store. */
  spellings?: string;
};

export type LocalePair = Pick<StoredDictionary, 'from' | 'to'>;

export type ParallelText = {
  locale: string;
  title: string;
  answer: string;
  aliases: readonly string[];
};

export type ParallelArticle = {
  source: ParallelText;
  /** Translations of exactly this source. */
  translations: readonly ParallelText[];
};

/** The texts from which dictionaries were learned, and the version of the algorithm. */
type DictionaryBuild = {
  /** Describes the passages of the workspace; changes with practically every publication. */
  fingerprint: string;
  version: string;
};

export function sqlDictionaries({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    list: () => read(workspaceId, (tx) => tx.all(pairs, { workspaceId })),
    find: (fromLocale: string, toLocale: string) =>
      read(
        workspaceId,
        async (tx) => (await tx.get(content, { workspaceId, fromLocale, toLocale }))?.content,
      ),
    findSpellings: (locale: string) =>
      read(workspaceId, async (tx) => {
        const row = await tx.get(spellings, { workspaceId, fromLocale: locale, toLocale: locale });
        return row?.spellings ?? undefined;
      }),
    /** Adds or replaces a dictionary. Does nothing once the workspace is removed. */
    put: (dictionary: StoredDictionary) =>
      write(workspaceId, async (tx) => {
        await tx.run(put, { workspaceId, ...dictionary });
      }),
    /** Records the build, and removes all dictionaries except those of `keptPairs`. */
    finish: (build: DictionaryBuild, kept: readonly LocalePair[]) =>
      write(workspaceId, async (tx) => {
        const keys = new Set(kept.map(toKey));
        const dropped = (await tx.all(pairs, { workspaceId })).filter((pair) => !keys.has(toKey(pair)));
        await Promise.all([
          ...dropped.map(({ from, to }) => tx.run(remove, { workspaceId, fromLocale: from, toLocale: to })),
          tx.run(putBuild, { workspaceId, ...build }),
        ]);
      }),
    /** Lists the ids of published articles in ascending order, starting after `afterId`. */
    articleIds: (limit: number, afterId: string = '') =>
      read(workspaceId, async (tx) =>
        (await tx.all(articleIds, { workspaceId, afterId, limit })).map(({ id }) => id),
      ),
    /** Returns the given articles that have published translations which are not stale. */
    parallelArticles: (ids: readonly string[]) =>
      read(workspaceId, async (tx) =>
        toParallelArticles(await tx.all(texts, { workspaceId, ids: JSON.stringify(ids) })),
      ),
  });
}

const toKey = ({ from, to }: LocalePair) => `${from} ${to}`;

export function sqlDictionaryBuilds({ read }: SqlDatabase) {
  return {
    /** Lists workspaces whose passages have changed since their last build, or whose build is of another version. */
    outdated: (version: string) => read(undefined, (tx) => tx.all(outdated, { version })),
  };
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
const IF_WORKSPACE_EXISTS = sql`FROM workspaces WHERE id = ${input('workspaceId')} AND removed_at IS NULL`;
const put = rawStatement(
  sql`INSERT INTO dictionaries (workspace_id, from_locale, to_locale, content, spellings)
   SELECT id, ${input('from')}, ${input('to')}, ${input('content')}, ${input('spellings')} ${IF_WORKSPACE_EXISTS}
   ON CONFLICT (workspace_id, from_locale, to_locale)
   DO UPDATE SET content = excluded.content, spellings = excluded.spellings`,
);
const putBuild = rawStatement(
  sql`INSERT INTO dictionary_builds (workspace_id, fingerprint, version)
   SELECT id, ${input('fingerprint')}, ${input('version')} ${IF_WORKSPACE_EXISTS}
   ON CONFLICT (workspace_id) DO UPDATE SET fingerprint = excluded.fingerprint, version = excluded.version`,
);

const articleIds = rawStatement<{ id: string }>(
  sql`SELECT DISTINCT article_id FROM passages WHERE workspace_id = ${input('workspaceId')}
    AND article_id > ${input('afterId')}
   ORDER BY article_id LIMIT ${input('limit')}`,
  'id',
);
const texts = rawStatement<TextRow>(
  sql`SELECT article_id, translation_id IS NULL, locale, title, answer, aliases FROM passages
   WHERE workspace_id = ${input('workspaceId')}
   AND article_id IN (SELECT value FROM json_each(${input('ids')})) AND stale = 0
   ORDER BY article_id, locale`,
  'articleId',
  'isSource',
  'locale',
  'title',
  'answer',
  'aliases',
);
const outdated = rawStatement<OutdatedBuild>(
  sql`WITH states AS (
     SELECT workspace_id, string_agg(state, ' ') AS fingerprint, count(*) AS locales FROM (
       SELECT workspace_id, concat_ws(':', locale, articles, sources, sentences, words, ngrams) AS state
       FROM passage_partitions ORDER BY workspace_id, locale) AS partitions
     GROUP BY workspace_id)
   SELECT workspaces.id, coalesce(states.fingerprint, ''), coalesce(locales, 0)
   FROM workspaces
   LEFT JOIN states ON states.workspace_id = workspaces.id
   LEFT JOIN dictionary_builds AS builds ON builds.workspace_id = workspaces.id
   WHERE removed_at IS NULL
     AND (locales > 1 OR builds.workspace_id IS NOT NULL)
     AND (builds.version IS DISTINCT FROM ${input('version')}
       OR builds.fingerprint IS DISTINCT FROM coalesce(states.fingerprint, ''))`,
  'workspaceId',
  'fingerprint',
  'locales',
);

type OutdatedBuild = {
  workspaceId: string;
  fingerprint: string;
  /** The number of locales in which the workspace has passages. */
  locales: number;
};

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

/** The dictionaries of one workspace. */
export type Dictionaries = ReturnType<ReturnType<typeof sqlDictionaries>>;
