import { and, asc, eq, getTableColumns, ne, sql } from 'drizzle-orm';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, Tx } from './database.ts';
import { answerTestRuns, answerTests, articles } from './schema/index.ts';
import {
  bound,
  db,
  input,
  insertInto,
  matches,
  putInto,
  rawStatement,
  type Stored,
  statement,
  withoutNulls,
} from './statements.ts';

/** Questions with the article that is expected to answer them, and the results of their last run. */

export type AnswerTest = Omit<Stored<typeof answerTests>, 'workspaceId'>;

export type NewAnswerTest = Pick<
  AnswerTest,
  'id' | 'question' | 'locale' | 'articleId' | 'createdAt' | 'createdBy'
>;

type AnswerTestResult = Pick<AnswerTest, 'id' | 'question' | 'locale' | 'articleId'> &
  Required<Pick<AnswerTest, 'ranAt' | 'outcome' | 'passages'>>;

export function sqlAnswerTests({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Lists all tests, oldest first. */
    list: () => read(workspaceId, async (tx) => (await tx.all(all, { workspaceId })).map(withoutNulls)),

    /**
     * Adds tests, or changes those whose ids exist, and lets them run. A test with the same question and language as one of
     * these is replaced. Changes nothing when there would be more than `testsMax`, or an article is not of this workspace.
     */
    put: (tests: readonly NewAnswerTest[], testsMax: number, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if (!(await areArticlesHere(tx, workspaceId, tests))) return 'no_article';
        for (const test of tests) {
          const row = { ...test, workspaceId, waiting: true };
          await tx.run(removeSame, row);
          if ((await tx.run(change, row)) === 0) await tx.run(insert, row);
        }
        if ((await tx.get(count, { workspaceId }))!.count > testsMax) throw new TooMany();
        await insertAudit(tx, workspaceId, audit);
        return 'put' as const;
      }).catch((error) => {
        if (error instanceof TooMany) return 'too_many' as const;
        throw error;
      }),

    remove: (id: string, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if ((await tx.run(remove, { workspaceId, id })) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'removed';
      }),

    /** Lists titles and aliases of published texts, in the order of their articles. */
    titles: async (limit: number, after = { articleId: '', locale: '' }) => {
      const rows = await read(workspaceId, (tx) => tx.all(titles, { workspaceId, limit, ...after }));
      return rows.map(({ aliases, ...row }) => ({ ...row, aliases: JSON.parse(aliases) as string[] }));
    },

    /** Lets this test run, or all. */
    enqueue: (id?: string) =>
      write(workspaceId, async (tx) => {
        await (id === undefined
          ? tx.run(enqueueAll, { workspaceId })
          : tx.run(enqueueOne, { workspaceId, id }));
      }),

    /** Lists tests that are to run, oldest first. */
    waiting: (limit: number) =>
      read(workspaceId, async (tx) => (await tx.all(waiting, { workspaceId, limit })).map(withoutNulls)),

    /** Stores results, except of tests that were changed while they ran. */
    record: (results: readonly AnswerTestResult[]) =>
      write(workspaceId, async (tx) => {
        await Promise.all(results.map((result) => tx.run(record, { workspaceId, ...result })));
      }),

    /** Lets all tests run against the state that the fingerprint describes. */
    begin: (fingerprint: string) =>
      write(workspaceId, async (tx) => {
        // The purge of a removed workspace would not find a row that is added afterwards.
        if (!(await tx.get(anyTest, { workspaceId }))) return;
        await tx.run(enqueueAll, { workspaceId });
        await tx.run(putRun, { workspaceId, fingerprint });
      }),
  });
}

/** Across workspaces, for the job that runs tests. */
export function sqlAllAnswerTests({ read }: SqlDatabase) {
  return {
    /** Lists workspaces in which something that answers depend on has changed since all tests were last to run. */
    outdated: () => read(undefined, (tx) => tx.all(outdated)),
    /** Lists workspaces with tests that are to run. */
    listWaiting: () =>
      read(undefined, async (tx) => (await tx.all(withWaiting)).map(({ workspaceId }) => workspaceId)),
  };
}

/** Rolls the new tests back. */
class TooMany extends Error {}

async function areArticlesHere(
  tx: Tx,
  workspaceId: string,
  tests: readonly Pick<AnswerTest, 'articleId'>[],
): Promise<boolean> {
  const ids = new Set(tests.flatMap(({ articleId }) => articleId ?? []));
  return (await tx.get(countArticles, { workspaceId, ids: JSON.stringify([...ids]) }))!.count === ids.size;
}

const { workspaceId: _, ...columns } = getTableColumns(answerTests);
const inWorkspace = matches(answerTests.workspaceId);
const select = () => db.select(columns).from(answerTests);
const oldestFirst = [asc(answerTests.createdAt), asc(answerTests.id)] as const;
const all = statement(() =>
  select()
    .where(inWorkspace)
    .orderBy(...oldestFirst),
);
const waiting = statement(() =>
  select()
    .where(and(inWorkspace, eq(answerTests.waiting, true)))
    .orderBy(...oldestFirst)
    .limit(input('limit')),
);
const count = rawStatement<{ count: number }>(
  sql`SELECT count(*) FROM answer_tests WHERE workspace_id = ${input('workspaceId')}`,
  'count',
);
const anyTest = statement(() =>
  db.select({ id: answerTests.id }).from(answerTests).where(inWorkspace).limit(1),
);
const countArticles = rawStatement<{ count: number }>(
  sql`SELECT count(*) FROM ${articles} WHERE workspace_id = ${input('workspaceId')}
    AND id IN (SELECT value FROM json_each(${input('ids')}))`,
  'count',
);
const insert = insertInto(answerTests);
/** Results of another question or expectation say nothing. */
const change = statement(() =>
  db
    .update(answerTests)
    .set({
      ...bound('question', 'locale', 'articleId'),
      waiting: true,
      ranAt: null,
      outcome: null,
      passages: null,
    })
    .where(matches(answerTests.workspaceId, answerTests.id)),
);
const removeSame = statement(() =>
  db
    .delete(answerTests)
    .where(
      and(
        matches(answerTests.workspaceId, answerTests.locale, answerTests.question),
        ne(answerTests.id, input('id')),
      ),
    ),
);
const remove = statement(() =>
  db.delete(answerTests).where(matches(answerTests.workspaceId, answerTests.id)),
);
const enqueueAll = statement(() => db.update(answerTests).set({ waiting: true }).where(inWorkspace));
const enqueueOne = statement(() =>
  db.update(answerTests).set({ waiting: true }).where(matches(answerTests.workspaceId, answerTests.id)),
);
const record = statement(() =>
  db
    .update(answerTests)
    .set({ waiting: false, ...bound('ranAt', 'outcome', 'passages') })
    .where(
      and(
        matches(answerTests.workspaceId, answerTests.id, answerTests.question, answerTests.locale),
        sql`${answerTests.articleId} IS NOT DISTINCT FROM ${input('articleId')}`,
      ),
    ),
);
const titles = rawStatement<{ articleId: string; locale: string; title: string; aliases: string }>(
  sql`SELECT article_id, locale, title, aliases FROM passages WHERE workspace_id = ${input('workspaceId')}
    AND (article_id, locale) > (${input('articleId')}, ${input('locale')})
   ORDER BY article_id, locale LIMIT ${input('limit')}`,
  ...(['articleId', 'locale', 'title', 'aliases'] as const),
);
const putRun = putInto(answerTestRuns, answerTestRuns.workspaceId);
const withWaiting = rawStatement<{ workspaceId: string }>(
  sql`SELECT id FROM workspaces WHERE removed_at IS NULL
    AND EXISTS (SELECT 1 FROM answer_tests WHERE workspace_id = workspaces.id AND waiting = 1)`,
  'workspaceId',
);
/** Answers depend on the published texts, their vectors, the learned dictionaries and the source language. */
const outdated = rawStatement<{ workspaceId: string; fingerprint: string }>(
  sql`WITH states AS (
     SELECT id, concat_ws(' ', json_extract(settings, '$.sourceLocale'),
       (SELECT max(id) FROM passages WHERE workspace_id = workspaces.id),
       (SELECT concat_ws(':', sum(articles), sum(sources), sum(words), sum(ngrams)) FROM passage_partitions
         WHERE workspace_id = workspaces.id),
       (SELECT concat_ws(':', count(*), max(passage_id)) FROM embeddings WHERE workspace_id = workspaces.id),
       (SELECT concat_ws(':', version, fingerprint) FROM dictionary_builds WHERE workspace_id = workspaces.id)
     ) AS fingerprint
     FROM workspaces WHERE removed_at IS NULL
     AND EXISTS (SELECT 1 FROM answer_tests WHERE workspace_id = workspaces.id))
   SELECT states.id, states.fingerprint FROM states
   LEFT JOIN answer_test_runs AS runs ON runs.workspace_id = states.id
   WHERE runs.fingerprint IS DISTINCT FROM states.fingerprint`,
  'workspaceId',
  'fingerprint',
);
