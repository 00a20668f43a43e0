import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, readConfig } from '../settings/config.ts';
import {
  type MovedTable,
  type MoveProgress,
  type MoveSource,
  type MoveTable,
  type MoveTarget,
  moveRows,
} from '../storage/move.ts';
import { openSqliteSource, openSqliteTarget } from '../storage/sqlite/move.ts';
import { FolderInUse, lockDataFolder } from '../storage/sqlite/server-lock.ts';
import { assertDatabaseExists } from './open-store.ts';
import {
  addCommand,
  assertWritable,
  CommandFailed,
  createProgressLine,
  print,
  type Terminal,
  UsageError,
} from './terminal.ts';

type MoveOptions = { json?: boolean; to: string; owner?: string };

export function addMove(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    'move',
    'Copy everything to another database: users, sessions, keys and logs included. Stop all servers first.',
  )
    .requiredOption('--to <place>', 'postgres://role@host/name, or the path of a new file')
    .option('--owner <url>', 'the same database, with the role that owns the tables, if that is another role')
    .addHelpText(
      'after',
      '\nMoves from the database that the settings name: DATABASE_URL, or the file in DATA_DIR. It stays as it is.' +
        '\nThe target must be empty. After an interruption, the same command goes on where it stopped.' +
        '\nCompares all rows of both databases by their hashes at the end; until then, no server starts on the target.' +
        '\nPasswords may be in PGPASSWORD or ~/.pgpass instead of the address.',
    )
    .action((options: MoveOptions) => move(terminal, options));
}

async function move(terminal: Terminal, options: MoveOptions): Promise<void> {
  const config = readConfig(terminal.env);
  const progress = createProgressLine(terminal);
  const verbs = { copy: 'Copying', verify: 'Verifying' };
  const tables = await moveDatabase(config, options, (step, table, rows) =>
    progress.show(`${verbs[step]} ${table}: ${rows} rows`),
  ).finally(() => progress.end());
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  print(
    terminal,
    options,
    { to: removePassword(options.to), rows, tables },
    `Moved and verified ${rows} rows of ${tables.length} tables. ${describeNextStep(config, options)}`,
  );
}

async function moveDatabase(
  config: Config,
  { to, owner }: MoveOptions,
  onProgress: MoveProgress,
): Promise<readonly MovedTable[]> {
  const { postgres, file } = config.database;
  // Imported here, so that other commands do not load the PostgreSQL driver.
  const { openPostgresSource, openPostgresTarget } = await import('../storage/postgres/move.ts');
  if (isPostgres(to)) {
    if (postgres) {
      throw new UsageError(
        'DATABASE_URL names the database to move from. Unset it to move the file in DATA_DIR',
      );
    }
    assertDatabaseExists(config);
    return withLock(config.dataDir, () =>
      moveBetween(
        async () => openSqliteSource(file),
        () => openPostgresTarget({ url: to, ownerUrl: owner }),
        onProgress,
      ),
    );
  }
  if (!postgres) throw new UsageError('DATABASE_URL: expected the database to move from');
  if (owner !== undefined) throw new UsageError('--owner: a file has no roles');
  const target = resolve(to);
  assertWritable(target);
  return withLock(dirname(target), () =>
    moveBetween(
      () => openPostgresSource(postgres.url),
      async () => openSqliteTarget(target),
      onProgress,
    ),
  );
}

type Opened<Side> = Side & { tables?: readonly MoveTable[] };

/** Moves all rows from the source to the target. One of the two is a file, which lists the tables. */
async function moveBetween(
  openSource: () => Promise<Opened<MoveSource>>,
  openTarget: () => Promise<Opened<MoveTarget>>,
  onProgress: MoveProgress,
): Promise<readonly MovedTable[]> {
  const source = await openSource();
  try {
    const target = await openTarget();
    try {
      return await moveRows((source.tables ?? target.tables)!, source, target, onProgress);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Locks the data folder, so that no server starts on it. */
async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const unlock = lock(folder);
  try {
    return await work();
  } finally {
    unlock();
  }
}

function lock(folder: string): () => void {
  try {
    return lockDataFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    throw new CommandFailed(`A server uses the data folder ${folder}. Stop it first.`, { cause: error });
  }
}

const isPostgres = (place: string) => /^postgres(ql)?:\/\//.test(place);

function removePassword(place: string): string {
  if (!isPostgres(place)) return resolve(place);
  const url = new URL(place);
  url.password = '';
  return url.href;
}

function describeNextStep({ dataDir }: Config, { to }: MoveOptions): string {
  if (!isPostgres(to)) return 'Unset DATABASE_URL and set DATA_DIR to the folder of the new file.';
  return existsSync(dataDir)
    ? `Set DATABASE_URL and GUIDEPOST_SECRET, and start one server with DATA_DIR=${dataDir} first: it seals the visitors' keys in the database.`
    : 'Set DATABASE_URL.';
}
