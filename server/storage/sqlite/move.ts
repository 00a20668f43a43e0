import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { IncompatibleDatabase, readMigrations } from '../migrations.ts';
import {
  type Cell,
  type Copied,
  MoveRefused,
  type MoveSource,
  type MoveTable,
  type MoveTarget,
  quote,
  type Row,
  toPageQuery,
} from '../move.ts';
import { replaceFile } from './backup.ts';
import { removeMark } from './commit-mark.ts';
import { checkMigrations, MIGRATIONS_FOLDER, migrate, readAppliedMigration } from './migrate.ts';
import { toTerms, toToken } from './passages.ts';

/** Rows per page: few, so that a page of large rows takes little memory. */
const PAGE_ROWS = 500;
const PAGE_ROWS_WITH_BYTES = 20;

/**
 * Lists the tables to move; a table comes after the tables that its rows refer to. The word index is not among them,
 * because it is written with the chunks that it is made from.
 */
function listTables(db: Database): readonly MoveTable[] {
  const names = db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND name NOT LIKE 'passage\\_index%' ESCAPE '\\' AND name NOT LIKE 'move\\_%' ESCAPE '\\'
         AND name NOT IN ('migrations', 'write_probe') ORDER BY rowid`,
    )
    .pluck()
    .all() as string[];
  return names.map((name) => {
    const columns = db.pragma(`table_info(${quote(name)})`) as { name: string; type: string; pk: number }[];
    const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
    const hasBytes = columns.some(({ type }) => type === 'BLOB');
    return {
      name,
      columns: columns.map((column) => column.name),
      key: key.map((column) => column.name),
      pageRows: hasBytes ? PAGE_ROWS_WITH_BYTES : PAGE_ROWS,
    };
  });
}

type SqliteSide<Side> = Side & { tables: readonly MoveTable[] };

/** @throws IncompatibleDatabase unless this version wrote the file. */
export function openSqliteSource(file: string): SqliteSide<MoveSource> {
  const db = new SqliteDatabase(file, { fileMustExist: true });
  try {
    checkMigrations(db);
    const newest = readMigrations(MIGRATIONS_FOLDER, '.sql').at(-1)!.name;
    if (readAppliedMigration(db) !== newest) {
      throw new IncompatibleDatabase(
        `${file} was last used by an older version: start the server once with this one`,
      );
    }
    // All pages come from one snapshot.
    db.exec('BEGIN');
    return {
      tables: listTables(db),
      read: createRead(db),
      async counters() {
        const rows = db.prepare('SELECT name, seq FROM sqlite_sequence').raw().all() as [string, number][];
        return new Map(rows);
      },
      async close() {
        db.close();
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens `FILE.moving`, which becomes the file in the end.
 * @throws MoveRefused when the file exists, or another move writes it.
 */
export function openSqliteTarget(file: string): SqliteSide<MoveTarget> {
  if (existsSync(file)) throw new MoveRefused(`${file} exists already`);
  const partial = `${file}.moving`;
  closeSync(openSync(partial, 'a', 0o600));
  let db = open(partial);
  try {
    if (!isUnderWay(db)) {
      // The file is new, or its move was interrupted at the beginning or the very end.
      db.close();
      removeFiles(partial);
      closeSync(openSync(partial, 'ax', 0o600));
      db = open(partial);
      migrate(db);
      removeTriggers(db);
    }
    db.pragma('foreign_keys = OFF');
    return {
      tables: listTables(db),
      read: createRead(db),
      ...createWrites(db),
      async finish(counters) {
        restoreTriggers(db, counters);
        db.pragma('journal_mode = DELETE');
        db.close();
        removeMark(file);
        replaceFile(partial, file);
      },
      async close() {
        db.close();
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function open(file: string): Database {
  const db = new SqliteDatabase(file, { timeout: 0 });
  try {
    // Prevents a second move until this one ends.
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    db.exec('BEGIN EXCLUSIVE; COMMIT');
    return db;
  } catch (error) {
    db.close();
    throw new MoveRefused(`${file} is in use by another move`, { cause: error });
  }
}

function removeFiles(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}

function isUnderWay(db: Database): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'move_progress'`).get() !== undefined;
}

/** Removes the triggers, which would change what is copied, and keeps their text. */
function removeTriggers(db: Database): void {
  db.transaction(() => {
    db.exec(`CREATE TABLE move_triggers AS SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`);
    for (const name of db.prepare('SELECT name FROM move_triggers').pluck().all())
      db.exec(`DROP TRIGGER ${quote(name as string)}`);
    db.exec('DELETE FROM database_marks');
    db.exec('CREATE TABLE move_progress (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, last TEXT NOT NULL)');
  })();
}

function restoreTriggers(db: Database, counters: ReadonlyMap<string, number>): void {
  db.transaction(() => {
    const dangling = db.pragma('foreign_key_check') as { table: string }[];
    if (dangling.length > 0) {
      throw new MoveRefused(`${dangling.length} rows refer to missing ones, as in ${dangling[0]!.table}`);
    }
    for (const sql of db.prepare('SELECT sql FROM move_triggers').pluck().all()) db.exec(sql as string);
    const deleteCounter = db.prepare('DELETE FROM sqlite_sequence WHERE name = ?');
    const insertCounter = db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)');
    for (const [name, last] of counters) {
      deleteCounter.run(name);
      insertCounter.run(name, last);
    }
    db.exec('DROP TABLE move_triggers; DROP TABLE move_progress');
  })();
  const verdict = db.pragma('integrity_check(1)', { simple: true });
  if (verdict !== 'ok') throw new MoveRefused(`the new file is damaged: ${verdict}`);
}

function createRead(db: Database): MoveSource['read'] {
  return async (table, after) => {
    const rows = db
      .prepare(toPageQuery(table, after === undefined, () => '?'))
      .raw()
      .all(...(after ?? [])) as Cell[][];
    const terms = getTermsColumn(table);
    if (terms === -1) return rows;
    return rows.map((row) => row.with(terms, JSON.stringify([...toTerms(row[terms] as Buffer)])));
  };
}

/** Lists of terms travel as JSON, because engines store them differently. */
function getTermsColumn({ name, columns }: MoveTable): number {
  return name === 'passage_chunks' ? columns.indexOf('terms') : -1;
}

function createWrites(db: Database): Pick<MoveTarget, 'copied' | 'write'> {
  const progress = db.prepare('INSERT OR REPLACE INTO move_progress (name, rows, last) VALUES (?, ?, ?)');
  const findPartition = db.prepare('SELECT partition_id FROM passages WHERE id = ?').pluck();
  const insertWords = db.prepare('INSERT INTO passage_index (rowid, terms) VALUES (?, ?)');

  function indexWords(table: MoveTable, row: Row, terms: Int32Array): void {
    const [id, passageId] = ['id', 'passage_id'].map((column) => row[table.columns.indexOf(column)]);
    const partitionId = findPartition.get(passageId) as number;
    insertWords.run(id, Array.from(terms, (term) => toToken(partitionId, term)).join(' '));
  }

  return {
    async copied() {
      const rows = db.prepare('SELECT name, rows, last FROM move_progress').all();
      return new Map(
        (rows as { name: string; rows: number; last: string }[]).map(
          ({ name, rows, last }): [string, Copied] => [name, { rows, last: JSON.parse(last) }],
        ),
      );
    },
    async write(table, rows, { rows: count, last }) {
      const values = table.columns.map(() => '?').join(', ');
      const insert = db.prepare(
        `INSERT INTO ${quote(table.name)} (${table.columns.map(quote).join(', ')}) VALUES (${values})`,
      );
      const column = getTermsColumn(table);
      db.transaction(() => {
        for (const row of rows) {
          if (column === -1) {
            insert.run(...row);
            continue;
          }
          const terms = Int32Array.from(JSON.parse(row[column] as string));
          insert.run(...row.with(column, new Uint8Array(terms.buffer)));
          indexWords(table, row, terms);
        }
        progress.run(table.name, count, JSON.stringify(last));
      })();
    },
  };
}
