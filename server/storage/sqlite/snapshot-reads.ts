import type { Database, Statement as Prepared } from 'better-sqlite3';
import type { Tx } from '../sql/database.ts';
import { PreparedStatements, Transaction } from './transaction.ts';

type Snapshot = { readonly tx: Transaction; readonly watchdog: NodeJS.Immediate; readers: number };

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
    // Later queries must not see old data because this one awaits something else than its statements.
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
