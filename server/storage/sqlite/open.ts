import { sql } from 'drizzle-orm';
import { type StorageProblem, StorageUnavailable } from '../availability.ts';
import { input, rawStatement } from '../statements.ts';
import type { Store } from '../store.ts';
import { createStore } from '../store.ts';
import { sqliteBackup } from './backup.ts';
import { type Connections, type DatabaseOptions, openConnections } from './connections.ts';
import { sqliteDamageCheck } from './damage-check.ts';
import type { ProblemObserver } from './file-guard.ts';
import { CHUNK_STORAGE, passageWrites, sqlitePassageIndex, sqlitePassages } from './passages.ts';
import { sqlitePurge } from './workspace-purge.ts';

type SqliteLog = Record<'info' | 'error', (fields: object, message: string) => void>;

export type SqliteOptions = Omit<DatabaseOptions, 'observer'> & { log?: SqliteLog };

/**
 * Opens or creates a database file. Several processes may do so at once.
 * @throws IncompatibleDatabase when another version wrote the file, or a table is missing.
 * @throws StorageUnavailable when the file cannot be written.
 */
export function openSqlite({ log, ...options }: SqliteOptions): Store {
  const connections = openConnections({ ...options, ...(log ? { observer: logProblems(log) } : {}) });
  for (const migration of connections.applied) log?.info({ migration }, 'database migrated');
  reportMissingCommits(connections, options.file, log);
  const { check, stopCheck } = sqliteDamageCheck(connections, options.file);
  // Searches read from the writing connection: on another one, each commit would empty the page
  // cache that they use.
  const passages = { db: connections.writer, read: connections.readOnWriter };
  return createStore({
    database: connections.database,
    passages: (workspaceId, reader) => sqlitePassages(passages, workspaceId, reader),
    passageWrites: passageWrites(connections.writer),
    chunkStorage: CHUNK_STORAGE,
    purge: () => sqlitePurge(connections, options),
    operation: {
      passageIndex: () => sqlitePassageIndex(connections),
      usedBytes: () => () => readUsedBytes(connections),
      ready: () => sqliteReadiness(connections),
      problems: () => () => listProblems(connections),
      check: () => check,
      backup: () => sqliteBackup(options, openSqlite),
      close: () => async () => {
        await stopCheck();
        await connections.close();
      },
    },
  });
}

function logProblems(log: SqliteLog): ProblemObserver {
  return {
    began: (message) => log.error({}, message),
    ended: (message) => log.info({}, message),
  };
}

function reportMissingCommits(
  { missingCommitsMark }: Connections,
  file: string,
  log: SqliteLog | undefined,
): void {
  if (!missingCommitsMark) return;
  const message =
    `${file} lacks commits that were acknowledged before ${missingCommitsMark.at}: its write-ahead log was cut, ` +
    'or an older copy was put in its place. Everything else in it is kept.';
  log?.error({}, message);
}

function listProblems({ guard, missingCommitsMark }: Connections): readonly StorageProblem[] {
  return [
    ...(guard.isReplaced ? (['file_replaced'] as const) : []),
    ...(guard.isCorrupt ? (['corrupt'] as const) : []),
    ...(missingCommitsMark ? (['commits_missing'] as const) : []),
  ];
}

function readUsedBytes({ reader: db, read }: Connections): Promise<number> {
  const readPragma = (pragma: string) => db.pragma(pragma, { simple: true }) as number;
  return read(() => (readPragma('page_count') - readPragma('freelist_count')) * readPragma('page_size'));
}

/** Larger than a page, so that a full disk shows. */
const FILLER = Buffer.alloc(16_384);

const anyWorkspace = rawStatement<{ one: number }>(sql`SELECT 1 FROM workspaces LIMIT 1`, 'one');
const insertFiller = rawStatement(sql`INSERT INTO write_probe (filler) VALUES (${input('filler')})`);
const deleteFiller = rawStatement(sql`DELETE FROM write_probe`);

function sqliteReadiness({ database, isLastWriteStored, migration }: Connections): Store['ready'] {
  return async () => {
    await database.read(undefined, (tx) => tx.get(anyWorkspace));
    if (isLastWriteStored()) return { migration, writable: true };
    try {
      await database.write(undefined, async (tx) => {
        await tx.run(insertFiller, { filler: FILLER });
        await tx.run(deleteFiller);
      });
      return { migration, writable: true };
    } catch (error) {
      if (error instanceof StorageUnavailable) return { migration, writable: false };
      throw error;
    }
  };
}
