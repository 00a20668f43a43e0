/**
 * The interface between the resources, which are the same for every engine, and an engine, which runs
 * their statements on its connections.
 */

import type { SQL } from 'drizzle-orm';

export type Values = Readonly<Record<string, unknown>>;

/** Returns the hint behind a table's name to search it by this index; empty where the planner needs none. */
export type IndexHint = (index: string) => SQL;

/** One SQL statement of Drizzle, with a placeholder for each value of `In`; each engine prepares it on first use. */
export type Statement<Row = never, In extends object = Values> = {
  query: (indexedBy: IndexHint) => SQL;
  /** The row of a result's cells; undefined for statements that return none. */
  toRow: ((cells: readonly unknown[]) => Row) | undefined;
  /** Only a type: the values of the placeholders. Absent ones are NULL. */
  in?: (values: In) => void;
};

/** Runs statements one by one, in the order of the calls. */
export type Tx = {
  /** Returns the first row. */
  get<Row, In extends object>(statement: Statement<Row, In>, values?: NoInfer<In>): Promise<Row | undefined>;
  all<Row, In extends object>(statement: Statement<Row, In>, values?: NoInfer<In>): Promise<Row[]>;
  /** Returns the number of changed rows. */
  run<In extends object>(statement: Statement<unknown, In>, values?: NoInfer<In>): Promise<number>;
};

/** A write transaction. While it is open, it stays the same object, and no other transaction writes the same rows. */
export type WriteTx = Tx & {
  /** Tells the engine that the job deletes personal data, so that it also removes traces in logs where it can. */
  noteErasure(): void;
  /**
   * Keeps other transactions from writing rows of the workspace until this one ends; for jobs across workspaces.
   * Locking a workspace again costs nothing.
   */
  lock(workspaceId: string): Promise<void>;
};

/**
 * `workspaceId` names the workspace whose rows are read or written; undefined across workspaces (sign-in, sweeps).
 * Every method rejects with StorageUnavailable while the database cannot be used.
 */
export type SqlDatabase = {
  /** How long a job of many small steps may go on, so that other jobs run in between. */
  jobMillis: number;
  /** Runs the query; with `atOnce`, all its statements see the same snapshot. Only `tx` may be awaited inside. */
  read<T>(workspaceId: string | undefined, query: (tx: Tx) => Promise<T>, mode?: 'atOnce'): Promise<T>;
  /** Like `read`, but first waits for the deferred writes of this process so far. */
  readAll<T>(workspaceId: string | undefined, query: (tx: Tx) => Promise<T>, mode?: 'atOnce'): Promise<T>;
  /**
   * Runs the job in a transaction, one at a time for each workspace, and resolves with its result once
   * the commit is durable. Only `tx` may be awaited inside. The job may run more than once, so it must
   * change only the database.
   */
  write<T>(workspaceId: string | undefined, job: (tx: WriteTx) => Promise<T>): Promise<T>;
  /** Like `write`, but runs just before the next write or after 50 ms. The job is lost if the process dies first. */
  writeDeferred<T>(workspaceId: string | undefined, job: (tx: WriteTx) => Promise<T>): Promise<T>;
};
