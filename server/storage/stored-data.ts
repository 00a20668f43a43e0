import { getTableColumns, getTableName, is, type SQL, sql } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { SqlDatabase, Tx } from './database.ts';
import { deleteOlder, type RetentionCutoffs } from './erasure.ts';
import type { EventWrites } from './events.ts';
import * as tables from './schema/index.ts';
import { input, rawStatement } from './statements.ts';

/** Stored data, by kind. `knowledge` is every revision of articles and translations; `search` is derived from them. */
const STORED_KINDS = [
  'conversations',
  'turns',
  'events',
  'consent',
  'audit',
  'knowledge',
  'images',
  'search',
] as const;

export type StoredKind = {
  kind: (typeof STORED_KINDS)[number];
  rows: number;
  /** Estimated size in the file, with indexes. */
  bytes: number;
  /** When the oldest row was made. Absent without rows, and for rows without a time. */
  oldestAtMillis?: number;
};

export function sqlStoredData(
  { read, write, jobMillis }: SqlDatabase,
  events: EventWrites,
  chunks: ChunkStorage,
) {
  const scans = [...MEASURED_TABLES, toMeasuredChunks(chunks)].map(createScan);

  return (workspaceId: string) => ({
    /**
     * Deletes a bounded part of the data older than the cutoffs, oldest first; call again while `more`. A
     * conversation may lose its turns over several calls.
     */
    deleteOlder: (cutoffs: RetentionCutoffs) =>
      write(workspaceId, (tx) => deleteOlder(tx, workspaceId, cutoffs, events, jobMillis)),

    /** Reads every row, in steps with a pause between them, and returns one entry for each kind. */
    async measure(pause: () => Promise<unknown>) {
      const sums = new Map(STORED_KINDS.map((kind) => [kind, { rows: 0, bytes: 0, oldest: Infinity }]));
      for (const { kind, isCounted, next } of scans) {
        const sum = sums.get(kind)!;
        for (let after: Measured | undefined; ; await pause()) {
          const rows = await read(workspaceId, (tx) => next(tx, workspaceId, after));
          for (const { bytes, atMillis } of rows) {
            sum.bytes += bytes;
            if (atMillis !== null && atMillis < sum.oldest) sum.oldest = atMillis;
          }
          if (isCounted) sum.rows += rows.length;
          if (rows.length < ROWS_PER_STEP) break;
          after = rows.at(-1)!;
        }
      }
      return [...sums].map(
        ([kind, { oldest, ...sum }]): StoredKind => ({
          kind,
          ...sum,
          ...(Number.isFinite(oldest) && { oldestAtMillis: oldest }),
        }),
      );
    },
  });
}

/** The rows that one step measures, in about a millisecond. */
const ROWS_PER_STEP = 500;

/** The size of a row, with the columns of its key as k0, k1 and so on. */
type Measured = {
  bytes: number;
  atMillis: number | null;
  [key: `k${number}`]: unknown;
};

/** `texts` are columns whose length SQLite knows without reading them, `numbers` the others, which are short. */
type Columns = {
  name: string;
  texts: readonly string[];
  numbers: readonly string[];
};

/** The columns of `passage_chunks`, which engines store differently. */
export type ChunkStorage = Omit<Columns, 'name'> & Pick<MeasuredTable, 'overhead'>;

/** A table whose rows of a workspace are measured, in the order of a key that an index has. */
type MeasuredTable = {
  kind: StoredKind['kind'];
  /** The table whose rows are measured; named `item` in `from`. */
  table: SQLiteTable | Columns;
  /** What to select from, with a condition on the workspace; the table itself when absent. */
  from?: SQL;
  key: readonly string[];
  at?: string;
  /** Average size of a row's index entries and unused page space, beside its columns; measured with dbstat. */
  overhead: number;
  /** The bytes of these rows are measured, but they do not count as rows of the kind. */
  isPart?: true;
};

const MEASURED_TABLES: readonly MeasuredTable[] = [
  {
    kind: 'conversations',
    table: tables.conversations,
    key: ['item.started_at', 'item.id'],
    at: 'item.started_at',
    overhead: 310,
  },
  {
    kind: 'turns',
    table: tables.turns,
    from: sql`turn_positions AS place JOIN turns AS item ON item.message_id = place.message_id WHERE place.workspace_id = ${input('workspaceId')}`,
    key: ['place.at_millis', 'place.message_id'],
    at: 'item.asked_at',
    overhead: 1000,
  },
  {
    kind: 'turns',
    table: tables.feedback,
    key: ['item.at_millis', 'item.message_id'],
    overhead: 250,
    isPart: true,
  },
  {
    kind: 'turns',
    table: tables.inboxQuestions,
    key: ['item.message_id'],
    overhead: 220,
    isPart: true,
  },
  { kind: 'turns', table: tables.conversationNotes, key: ['item.id'], overhead: 200, isPart: true },
  {
    kind: 'turns',
    table: tables.handovers,
    key: ['item.created_at', 'item.id'],
    overhead: 450,
    isPart: true,
  },
  { kind: 'turns', table: tables.handoverReplies, key: ['item.id'], overhead: 200, isPart: true },
  { kind: 'turns', table: tables.handoverNotes, key: ['item.id'], overhead: 200, isPart: true },
  { kind: 'turns', table: tables.inboxGroups, key: ['item.id'], overhead: 240, isPart: true },
  {
    kind: 'turns',
    table: tables.anonymousQuestions,
    key: ['item.asked_at', 'item.id'],
    overhead: 150,
    isPart: true,
  },
  {
    kind: 'events',
    table: tables.events,
    key: ['item.at_millis', 'item.id'],
    at: 'item.at_millis',
    overhead: 185,
  },
  {
    kind: 'events',
    table: tables.webhookEvents,
    key: ['item.created_at', 'item.id'],
    overhead: 200,
    isPart: true,
  },
  {
    kind: 'events',
    table: tables.webhookDeliveries,
    key: ['item.sequence', 'item.id'],
    overhead: 300,
    isPart: true,
  },
  { kind: 'consent', table: tables.consentRecords, key: ['item.position'], overhead: 300 },
  { kind: 'consent', table: tables.consentCurrent, key: ['item.visitor_id'], overhead: 20, isPart: true },
  { kind: 'consent', table: tables.consentSubjects, key: ['item.visitor_id'], overhead: 20, isPart: true },
  { kind: 'audit', table: tables.audit, key: ['item.sequence'], at: 'item.at_millis', overhead: 200 },
  { kind: 'knowledge', table: tables.collections, key: ['item.name'], overhead: 100, isPart: true },
  { kind: 'knowledge', table: tables.articles, key: ['item.id'], overhead: 450, isPart: true },
  {
    kind: 'knowledge',
    table: tables.articleAddresses,
    key: ['item.slug', 'item.locale'],
    overhead: 60,
    isPart: true,
  },
  {
    kind: 'knowledge',
    table: tables.articleRevisions,
    from: sql`articles JOIN article_revisions AS item ON item.article_id = articles.id WHERE articles.workspace_id = ${input('workspaceId')}`,
    key: ['articles.id', 'item.revision'],
    at: 'item.created_at',
    overhead: 600,
  },
  {
    kind: 'knowledge',
    table: tables.translations,
    from: sql`articles JOIN translations AS item ON item.article_id = articles.id WHERE articles.workspace_id = ${input('workspaceId')}`,
    key: ['articles.id', 'item.locale'],
    overhead: 160,
    isPart: true,
  },
  {
    kind: 'knowledge',
    table: tables.translationRevisions,
    from: sql`articles JOIN translations ON translations.article_id = articles.id
      JOIN translation_revisions AS item ON item.translation_id = translations.id
      WHERE articles.workspace_id = ${input('workspaceId')}`,
    key: ['articles.id', 'translations.locale', 'item.revision'],
    at: 'item.created_at',
    overhead: 750,
  },
  { kind: 'knowledge', table: tables.answerTests, key: ['item.id'], overhead: 300, isPart: true },
  { kind: 'knowledge', table: tables.sources, key: ['item.id'], overhead: 150, isPart: true },
  { kind: 'knowledge', table: tables.sourceRuns, key: ['item.id'], overhead: 180, isPart: true },
  {
    kind: 'knowledge',
    table: tables.sourceRunItems,
    key: ['item.run_id', 'item.place'],
    overhead: 200,
    isPart: true,
  },
  {
    kind: 'knowledge',
    table: tables.sourceDocuments,
    key: ['item.source_id', 'item.place'],
    overhead: 250,
    isPart: true,
  },
  {
    kind: 'knowledge',
    table: tables.sourceReadings,
    key: ['item.source_id', 'item.place'],
    overhead: 250,
    isPart: true,
  },
  {
    kind: 'knowledge',
    table: tables.sourceFrontier,
    key: ['item.run_id', 'item.url'],
    overhead: 200,
    isPart: true,
  },
  { kind: 'images', table: tables.images, key: ['item.id'], at: 'item.created_at', overhead: 250 },
  {
    kind: 'search',
    table: {
      name: 'passages',
      texts: [
        ...['workspace_id', 'article_id', 'translation_id', 'slug', 'locale'],
        ...['title', 'answer', 'aliases', 'url', 'titles'],
      ],
      numbers: ['id', 'partition_id', 'revision', 'source_revision', 'stale'],
    },
    key: ['item.article_id', 'item.locale'],
    overhead: 680,
  },
  {
    kind: 'search',
    table: tables.dictionaries,
    key: ['item.from_locale', 'item.to_locale'],
    overhead: 100,
    isPart: true,
  },
  {
    kind: 'search',
    table: tables.embeddings,
    key: ['item.article_id', 'item.locale'],
    overhead: 200,
    isPart: true,
  },
];

function toMeasuredChunks({ texts, numbers, overhead }: ChunkStorage): MeasuredTable {
  return {
    kind: 'search',
    table: { name: 'passage_chunks', texts, numbers },
    from: sql`passages JOIN passage_chunks AS item ON item.passage_id = passages.id WHERE passages.workspace_id = ${input('workspaceId')}`,
    key: ['passages.article_id', 'passages.locale', 'item.ordinal'],
    overhead,
    isPart: true,
  };
}

function createScan({ kind, table, from, key, at, overhead, isPart }: MeasuredTable) {
  const { name, texts, numbers } = is(table, SQLiteTable) ? listColumns(table) : table;
  const bytes = [
    ...texts.map((column) => `coalesce(octet_length(item.${column}), 0)`),
    ...numbers.map((column) => `coalesce(octet_length(CAST(item.${column} AS text)), 0)`),
    overhead,
  ].join(' + ');
  const rows = from ?? sql`${sql.raw(name)} AS item WHERE item.workspace_id = ${input('workspaceId')}`;
  const keyNames = key.map((_, index) => `k${index}` as const);
  const [size, time, keys] = [bytes, at ?? 'NULL', key.join()].map(sql.raw);
  const select = (condition?: SQL) =>
    rawStatement<Measured>(
      sql`SELECT ${size}, ${time}, ${keys} FROM ${rows} ${condition} ORDER BY ${keys} LIMIT ${ROWS_PER_STEP}`,
      'bytes',
      'atMillis',
      ...keyNames,
    );
  const firstPage = select();
  const last = sql.join(keyNames.map(input), sql`, `);
  const nextPage = select(sql`AND ${sql.raw(key[0]!)} >= ${input('k0')} AND (${keys}) > (${last})`);
  return {
    kind,
    isCounted: !isPart,
    next: (tx: Tx, workspaceId: string, after: Measured | undefined) =>
      after ? tx.all(nextPage, { ...after, workspaceId }) : tx.all(firstPage, { workspaceId }),
  };
}

function listColumns(table: SQLiteTable): Columns {
  const columns = Object.values(getTableColumns(table));
  const names = (isShort: boolean) =>
    columns
      .filter(({ columnType }) => /Integer|Boolean/.test(columnType) === isShort)
      .map((column) => toSnakeCase(column.name));
  return { name: getTableName(table), texts: names(false), numbers: names(true) };
}
