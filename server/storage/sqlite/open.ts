import { createStore } from '../sql/store.ts';
import type { StorageProblem, Store } from '../store.ts';
import { sqliteBackup } from './backup.ts';
import { type Connections, type DatabaseOptions, openConnections } from './connections.ts';
import { sqliteDamageCheck } from './damage-check.ts';
import type { ProblemObserver } from './file-guard.ts';
import { passageWrites, sqlitePassageIndex, sqlitePassages } from './passages.ts';
import { sqliteReadiness } from './readiness.ts';
import { SEARCH_SOURCES, sqliteUsedBytes } from './stored-data.ts';
import { sqlitePurge } from './workspace-purge.ts';

type SqliteLog = Record<'info' | 'error', (fields: object, message: string) => void>;

export type SqliteOptions = Omit<DatabaseOptions, 'observer'> & { readonly log?: SqliteLog };

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
    passages: (workspaceId) => sqlitePassages(passages, workspaceId),
    passageWrites: passageWrites(connections.writer),
    searchSources: SEARCH_SOURCES,
    purge: () => sqlitePurge(connections, options),
    operation: {
      passageIndex: () => sqlitePassageIndex(connections),
      usedBytes: () => sqliteUsedBytes(connections),
      ready: () => sqliteReadiness(connections),
      problems: () => () => listProblems(connections),
      check: () => check,
      backup: () => sqliteBackup(options),
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

function reportMissingCommits({ missingSince }: Connections, file: string, log: SqliteLog | undefined): void {
  if (!missingSince) return;
  const message =
    `${file} lacks commits that were acknowledged before ${missingSince.at}: its write-ahead log was cut, ` +
    'or an older copy was put in its place. Everything else in it is kept.';
  log?.error({}, message);
}

function listProblems({ guard, missingSince }: Connections): readonly StorageProblem[] {
  return [
    ...(guard.isReplaced ? (['file_replaced'] as const) : []),
    ...(guard.isCorrupt ? (['corrupt'] as const) : []),
    ...(missingSince ? (['commits_missing'] as const) : []),
  ];
}
