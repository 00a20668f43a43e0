import type { Database, Statement as Prepared } from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import type { IndexHint, Statement, Tx, WriteTx } from '../database.ts';
import { toBinder } from '../statements.ts';

/**
 * Writes parameters with a unary plus: where the plan depends on the value of a bare parameter, SQLite prepares the
 * statement again on each run, and the plus hides the value from the planner.
 */
class StablePlans extends SQLiteSyncDialect {
  override escapeParam(): string {
    return '+?';
  }
}

const dialect = new StablePlans({ casing: 'snake_case' });
const indexedBy: IndexHint = (index) => sql.raw(`INDEXED BY ${index}`);

type Compiled = { text: string; bind: (values: object) => unknown[] };

/** Shared by all connections: reader and writer run many of the same statements. */
const byStatement = new WeakMap<object, Compiled>();

function compile(statement: Statement<unknown, never>): Compiled {
  const cached = byStatement.get(statement);
  if (cached) return cached;
  const query = dialect.sqlToQuery(statement.query(indexedBy));
  const compiled = { text: query.sql, bind: toBinder(query) };
  byStatement.set(statement, compiled);
  return compiled;
}

type Runnable = Pick<Compiled, 'bind'> & { prepared: Prepared };

/** The statements of one connection, each prepared on first use. */
export class PreparedStatements {
  readonly #db: Database;
  readonly #prepared = new Map<object, Runnable>();

  constructor(db: Database) {
    this.#db = db;
  }

  find(statement: Statement<unknown, never>): Runnable {
    const cached = this.#prepared.get(statement);
    if (cached) return cached;
    const { text, bind } = compile(statement);
    const prepared = this.#db.prepare(text);
    if (statement.toRow) prepared.raw();
    const found = { prepared, bind };
    this.#prepared.set(statement, found);
    return found;
  }
}

/**
 * Runs each statement at once. A job that awaits nothing else never leaves the microtask queue, so no other code sees
 * half of its transaction.
 */
export class Transaction implements WriteTx {
  readonly #statements: PreparedStatements;
  readonly noteErasure: () => void;
  isOver = false;

  constructor(statements: PreparedStatements, noteErasure = () => {}) {
    this.#statements = statements;
    this.noteErasure = noteErasure;
  }

  async get<Row, In extends object>(
    statement: Statement<Row, In>,
    values: NoInfer<In> = {} as In,
  ): Promise<Row | undefined> {
    const { prepared, bind } = this.#find(statement);
    const cells = prepared.get(bind(values)) as unknown[] | undefined;
    return cells && statement.toRow!(cells);
  }

  async all<Row, In extends object>(
    statement: Statement<Row, In>,
    values: NoInfer<In> = {} as In,
  ): Promise<Row[]> {
    const { prepared, bind } = this.#find(statement);
    const rows = prepared.all(bind(values)) as unknown[][];
    return rows.map(statement.toRow!);
  }

  async run<In extends object>(
    statement: Statement<unknown, In>,
    values: NoInfer<In> = {} as In,
  ): Promise<number> {
    const { prepared, bind } = this.#find(statement);
    return prepared.run(bind(values)).changes;
  }

  /** Does nothing, because only one transaction writes at a time. */
  async lock(): Promise<void> {}

  #find(statement: Statement<unknown, never>): Runnable {
    if (this.isOver)
      throw new TypeError('the transaction is over: only its own statements may be awaited inside');
    return this.#statements.find(statement);
  }
}

type Snapshot = { tx: Transaction; watchdog: NodeJS.Immediate; readers: number };

/** Queries on the reading connection. */
export class SnapshotReads {
  /** Each statement sees the commits so far. */
  readonly latest: Tx;
  readonly #statements: PreparedStatements;
  readonly #begin: Prepared;
  readonly #commit: Prepared;
  #snapshot: Snapshot | undefined;

  constructor(reader: Database) {
    this.#statements = new PreparedStatements(reader);
    this.latest = new Transaction(this.#statements);
    this.#begin = reader.prepare('BEGIN');
    this.#commit = reader.prepare('COMMIT');
  }

  /** All statements of the query see the same snapshot, which queries of one run of the microtask queue share. */
  async read<T>(query: (tx: Tx) => Promise<T>): Promise<T> {
    const snapshot = this.#snapshot ?? this.#open();
    snapshot.readers += 1;
    try {
      return await query(snapshot.tx);
    } finally {
      snapshot.readers -= 1;
      if (snapshot.readers === 0) this.#close(snapshot);
    }
  }

  #open(): Snapshot {
    this.#begin.run();
    // Otherwise, later queries would see old data while a query awaits something other than its statements.
    const watchdog = setImmediate(() => this.#close(snapshot));
    const snapshot = { tx: new Transaction(this.#statements), watchdog, readers: 0 };
    this.#snapshot = snapshot;
    return snapshot;
  }

  #close({ tx, watchdog }: Snapshot): void {
    if (tx.isOver) return;
    tx.isOver = true;
    clearImmediate(watchdog);
    this.#snapshot = undefined;
    this.#commit.run();
  }
}
