import type { Database } from 'better-sqlite3';
import { HOLDING_KINDS, type Holding, type Holdings } from '../holdings.ts';
import type { EventWrites } from '../sql/events.ts';
import { lazy } from '../sql/lazy.ts';
import type { Connections } from './connections.ts';
import { prepareConversationRemoval, runWithinJobTime } from './erasure.ts';

export function sqliteHoldings(
  { reader, writer, read, write, wal }: Connections,
  events: EventWrites,
): (workspaceId: string) => Holdings {
  const oldest = writer.$client
    .prepare(
      'SELECT id FROM conversations WHERE workspace_id = ? AND started_at < ? ORDER BY started_at LIMIT 1',
    )
    .pluck();
  const { deletePart, deleteRow } = prepareConversationRemoval(writer);
  const scans = lazy(() => SOURCES.map((source) => prepareScan(reader.$client, source)));

  return (workspaceId) => ({
    deleteOlder: ({ conversationsBeforeMillis, eventsBeforeMillis }) =>
      write(async (tx) => {
        const deleted = { conversations: 0, events: 0 };
        const more = await runWithinJobTime(async () => {
          const id = oldest.get(workspaceId, conversationsBeforeMillis) as string | undefined;
          if (id !== undefined) {
            if (deletePart(workspaceId, id)) return true;
            deleted.conversations += deleteRow(workspaceId, id);
            return true;
          }
          const rows = await events.deleteSomeBefore(tx, workspaceId, eventsBeforeMillis);
          deleted.events += rows;
          return rows > 0;
        });
        if (deleted.conversations + deleted.events > 0 || more) wal.containsDeletedRows = true;
        return { ...deleted, more };
      }),

    async measure(pause) {
      const sums = new Map(HOLDING_KINDS.map((kind) => [kind, { rows: 0, bytes: 0, oldest: Infinity }]));
      for (const { kind, isCounted, next } of scans()) {
        const sum = sums.get(kind)!;
        for (let after: Place | undefined; ; await pause()) {
          const rows = await read(() => next(workspaceId, after));
          for (const [bytes, atMillis] of rows) {
            sum.bytes += bytes;
            if (atMillis !== null && atMillis < sum.oldest) sum.oldest = atMillis;
          }
          if (isCounted) sum.rows += rows.length;
          if (rows.length < ROWS_A_STEP) break;
          after = rows.at(-1)!.slice(2) as Place;
        }
      }
      return [...sums].map(
        ([kind, { oldest, ...sum }]): Holding => ({
          kind,
          ...sum,
          ...(Number.isFinite(oldest) && { oldestAtMillis: oldest }),
        }),
      );
    },
  });
}

export function sqliteUsedBytes({ reader: { $client: db }, read }: Connections): () => Promise<number> {
  const number = (pragma: string) => db.pragma(pragma, { simple: true }) as number;
  return () => read(() => (number('page_count') - number('freelist_count')) * number('page_size'));
}

/** Takes about a millisecond. */
const ROWS_A_STEP = 500;

/** The key of the last row that was read. */
type Place = readonly (string | number)[];
type Measured = readonly [bytes: number, atMillis: number | null, ...place: Place];

/** Rows of a workspace in the order of a key that an index has. */
type Source = {
  readonly kind: Holding['kind'];
  /** The table whose rows are measured; named `row` in `from`. */
  readonly table: string;
  /** With `@workspaceId`; the table itself when absent. */
  readonly from?: string;
  readonly key: readonly string[];
  readonly at?: string;
  /** Average size of a row's index entries and unused page space, beside its columns; measured with dbstat. */
  readonly overhead: number;
  /** Rows that belong to another one are measured but not counted. */
  readonly isPart?: true;
};

const SOURCES: readonly Source[] = [
  {
    kind: 'conversations',
    table: 'conversations',
    key: ['row.started_at', 'row.id'],
    at: 'row.started_at',
    overhead: 310,
  },
  {
    kind: 'turns',
    table: 'turns',
    from: 'turn_positions AS place JOIN turns AS row ON row.message_id = place.message_id WHERE place.workspace_id = @workspaceId',
    key: ['place.at_millis', 'place.message_id'],
    at: 'row.asked_at',
    overhead: 1000,
  },
  { kind: 'turns', table: 'feedback', key: ['row.at_millis', 'row.message_id'], overhead: 250, isPart: true },
  { kind: 'events', table: 'events', key: ['row.at_millis', 'row.id'], at: 'row.at_millis', overhead: 185 },
  { kind: 'consent', table: 'consent_records', key: ['row.position'], overhead: 300 },
  { kind: 'consent', table: 'consent_current', key: ['row.visitor_id'], overhead: 20, isPart: true },
  { kind: 'consent', table: 'consent_subjects', key: ['row.visitor_id'], overhead: 20, isPart: true },
  { kind: 'audit', table: 'audit', key: ['row.sequence'], at: 'row.at_millis', overhead: 200 },
  { kind: 'knowledge', table: 'articles', key: ['row.id'], overhead: 250, isPart: true },
  {
    kind: 'knowledge',
    table: 'article_revisions',
    from: `articles JOIN article_revisions AS row ON row.article_id = articles.id WHERE articles.workspace_id = @workspaceId`,
    key: ['articles.id', 'row.revision'],
    at: 'row.created_at',
    overhead: 600,
  },
  {
    kind: 'knowledge',
    table: 'translations',
    from: `articles JOIN translations AS row ON row.article_id = articles.id WHERE articles.workspace_id = @workspaceId`,
    key: ['articles.id', 'row.locale'],
    overhead: 160,
    isPart: true,
  },
  {
    kind: 'knowledge',
    table: 'translation_revisions',
    from: `articles JOIN translations ON translations.article_id = articles.id
      JOIN translation_revisions AS row ON row.translation_id = translations.id WHERE articles.workspace_id = @workspaceId`,
    key: ['articles.id', 'translations.locale', 'row.revision'],
    at: 'row.created_at',
    overhead: 750,
  },
  { kind: 'search', table: 'passages', key: ['row.article_id', 'row.locale'], overhead: 680 },
  {
    kind: 'search',
    table: 'passage_chunks',
    from: `passages JOIN passage_chunks AS row ON row.passage_id = passages.id WHERE passages.workspace_id = @workspaceId`,
    key: ['passages.article_id', 'passages.locale', 'row.ordinal'],
    overhead: 1250,
    isPart: true,
  },
  {
    kind: 'search',
    table: 'dictionaries',
    key: ['row.from_locale', 'row.to_locale'],
    overhead: 100,
    isPart: true,
  },
  { kind: 'search', table: 'embeddings', key: ['row.article_id', 'row.locale'], overhead: 200, isPart: true },
];

function prepareScan(db: Database, { kind, table, from, key, at, overhead, isPart }: Source) {
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
  // Reads no text: SQLite knows its length without.
  const bytes = [...columns.map((name) => `ifnull(octet_length(row.${name}), 0)`), overhead].join(' + ');
  const rows = from ?? `${table} AS row WHERE row.workspace_id = @workspaceId`;
  const select = (place: string) =>
    db
      .prepare(
        `SELECT ${bytes}, ${at ?? 'NULL'}, ${key} FROM ${rows} ${place} ORDER BY ${key} LIMIT ${ROWS_A_STEP}`,
      )
      .raw();
  const first = select('');
  const [leading] = key;
  const later = select(`AND ${leading} >= @k0 AND (${key}) > (${key.map((_, index) => `@k${index}`)})`);
  return {
    kind,
    isCounted: !isPart,
    next(workspaceId: string, after: Place | undefined): readonly Measured[] {
      if (!after) return first.all({ workspaceId }) as Measured[];
      const place = Object.fromEntries(after.map((value, index) => [`k${index}`, value]));
      return later.all({ workspaceId, ...place }) as Measured[];
    },
  };
}
