import type { Database, Statement as Prepared } from 'better-sqlite3';
import type { Statement, Tx, Values, WriteTx } from '../database.ts';

const NO_VALUES: Values = {};
const HINT = /\/\*\+ (.*?) \*\//g;

/** The statements of one connection, each prepared on first use. */
export class PreparedStatements {
  readonly #db: Database;
  readonly #prepared = new Map<object, Prepared>();

  constructor(db: Database) {
    this.#db = db;
  }

  find(statement: Statement<unknown, never>): Prepared {
    const cached = this.#prepared.get(statement);
    if (cached) return cached;
    const prepared = this.#db.prepare(statement.text.replace(HINT, '$1'));
    if (statement.toRow) prepared.raw();
    this.#prepared.set(statement, prepared);
    return prepared;
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
    values: NoInfer<In> = NO_VALUES as In,
  ): Promise<Row | undefined> {
    const cells = this.#find(statement).get(statement.bind(values)) as unknown[] | undefined;
    return cells && statement.toRow!(cells);
  }

  async all<Row, In extends object>(
    statement: Statement<Row, In>,
    values: NoInfer<In> = NO_VALUES as In,
  ): Promise<Row[]> {
    const rows = this.#find(statement).all(statement.bind(values)) as unknown[][];
    return rows.map(statement.toRow!);
  }

  async run<In extends object>(
    statement: Statement<unknown, In>,
    values: NoInfer<In> = NO_VALUES as In,
  ): Promise<number> {
    return this.#find(statement).run(statement.bind(values)).changes;
  }

  /** Does nothing, because only one transaction writes at a time. */
  async lock(): Promise<void> {}

  #find(statement: Statement<unknown, never>): Prepared {
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
