import { accessSync, constants, existsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { listBackups } from '../backup/kept-backups.ts';
import { openStore } from '../backup/open-store.ts';
import { getSystemErrorText } from '../base/log.ts';
import { VERSION_TEXT } from '../base/version.ts';
import { type Config, ConfigError, findUnknownSettings, readConfig } from '../settings/config.ts';
import { findPendingMigration, readBackupRingId } from '../storage/sqlite/backup.ts';
import { examineSqlite } from '../storage/sqlite/examine.ts';
import type { Store } from '../storage/store.ts';
import { keyFileIn, REMEDY, readKeyRingId } from '../tokens/key-ring.ts';
import { openGeoDatabase } from '../visitors/consent/geo-database.ts';
import { judgeClock, judgePublicAddress, judgeServer } from './doctor-network.ts';
import { judgePostgres } from './doctor-postgres.ts';
import { judgeEmbeddings, judgeModel, judgeSpeech } from './doctor-providers.ts';
import type { Finding, Judge } from './finding.ts';
import { findConfigWarnings } from './server.ts';
import { addCommand, CommandFailed, print, type Terminal } from './terminal.ts';

export function addDoctor(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    'doctor',
    'Check the installation and say what to repair: settings, files, clock, address, model, speech, backups.',
  )
    .addHelpText(
      'after',
      '\nChanges nothing, and works while servers run. Fails when there is a problem; warnings are no failure.' +
        '\nAsks PUBLIC_URL, and sends a few words to the model, the embedding model and the speech providers.',
    )
    .action((options: { json?: boolean }) => examine(terminal, options));
}

async function examine(terminal: Terminal, options: { json?: boolean }): Promise<void> {
  const findings: Finding[] = [];
  const judge: Judge = (check, message, status = 'ok') => void findings.push({ check, status, message });
  const config = judgeSettings(terminal, judge);
  if (config) await judgeInstallation(config, terminal, judge);
  const problems = findings.filter(({ status }) => status === 'problem').length;
  const lines = findings.map(
    ({ check, status, message }) => `${status.padEnd(8)} ${check.padEnd(12)} ${message}`,
  );
  print(terminal, options, { ok: problems === 0, findings }, lines.join('\n'));
  if (problems > 0)
    throw new CommandFailed(problems === 1 ? 'There is a problem.' : `There are ${problems} problems.`);
}

/** Runs all checks. A check that throws must not hide the findings of the others. */
async function judgeInstallation(config: Config, terminal: Terminal, judge: Judge): Promise<void> {
  const { postgres } = config.database;
  const checks: readonly [string, () => unknown][] = [
    ['folder', () => judgeFolder(config, judge)],
    ['database', () => (postgres ? judgePostgres(postgres, judge) : judgeFile(config, judge))],
    ['keys', () => judgeKeys(config, judge)],
    ['settings', () => judgeNames(config, terminal, judge)],
    ['backup', () => judgeBackups(config, terminal.clock.now(), judge)],
    ['redis', () => judgeRedis(config, judge)],
    ['clock', () => judgeClock(config, terminal.clock.now, judge)],
    ['server', () => judgeServer(config, judge)],
    ['address', () => judgePublicAddress(config, terminal.clock.now, judge)],
    ['model', () => judgeModel(config, judge)],
    ['embeddings', async () => judgeIndex(config, await judgeEmbeddings(config, judge), judge)],
    ['speech', () => judgeSpeech(config, terminal.clock, judge)],
  ];
  for (const [name, check] of checks) {
    try {
      await check();
    } catch (error) {
      judge(name, `The check failed: ${getSystemErrorText(error) ?? (error as Error).message}.`, 'problem');
    }
  }
}

/** Returns undefined when a setting is invalid, because nothing else can be checked then. */
function judgeSettings({ env }: Terminal, judge: Judge): Config | undefined {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.message.split('\n'))
      judge('settings', `Correct the setting ${line}.`, 'problem');
    return undefined;
  }
  const unknown = findUnknownSettings(env);
  for (const { name, suggestion } of unknown)
    judge(
      'settings',
      `${name} is no setting${suggestion ? `: did you mean ${suggestion}` : ', and has no effect'}.`,
      'warning',
    );
  if (config.killSwitch)
    judge('settings', 'KILL_SWITCH=on keeps the guide off: remove it to turn the guide on.', 'warning');
  if (unknown.length === 0) judge('settings', `All settings are valid. This is Guidepost ${VERSION_TEXT}.`);
  return config;
}

/** Checks settings that name a file or workspaces. */
async function judgeNames(config: Config, { clock }: Terminal, judge: Judge): Promise<void> {
  if (config.geoDatabaseFile !== undefined) {
    try {
      const { warning } = openGeoDatabase(config.geoDatabaseFile, clock.now());
      if (warning) judge('settings', `${warning}. Download a new one.`, 'warning');
    } catch (error) {
      judge('settings', `Correct GEOIP_DB: ${(error as Error).message}.`, 'problem');
    }
  }
  const store = await openExisting(config);
  if (!store) return;
  try {
    for (const warning of await findConfigWarnings(config, store.workspaces))
      judge('settings', `${warning}.`, 'warning');
    if (await store.featureFlags.isOn('kill_switch'))
      judge(
        'settings',
        'The kill switch is on: run `guidepost killswitch off` to turn the guide on.',
        'warning',
      );
  } finally {
    await store.close();
  }
}

/** @param model that answers; undefined if there is none */
async function judgeIndex(config: Config, model: string | undefined, judge: Judge): Promise<void> {
  const store = model === undefined ? undefined : await openExisting(config);
  if (model === undefined || !store) return;
  try {
    const { passages, embedded } = await store.embeddingIndex.progress(model);
    judge('embeddings', `${embedded} of ${passages} published articles can be found by meaning.`);
  } finally {
    await store.close();
  }
}

/** Skips databases that opening would create or migrate. */
async function openExisting({ database }: Config): Promise<Store | undefined> {
  if (database.postgres || !existsSync(database.file)) return undefined;
  if (findPendingMigration(database.file) !== undefined) return undefined;
  return openStore(database, { info() {}, error() {} }).catch(() => undefined);
}

function judgeFolder({ dataDir }: Config, judge: Judge): void {
  const stats = statSync(dataDir, { throwIfNoEntry: false });
  // The database check says what to do.
  if (!stats) return;
  if (!stats.isDirectory()) {
    judge('folder', `${dataDir} is a file: set DATA_DIR to a folder.`, 'problem');
    return;
  }
  const user = process.getuid?.();
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    judge(
      'folder',
      `The user ${user} may not write into ${dataDir}: run \`chown -R USER ${dataDir}\`.`,
      'problem',
    );
    return;
  }
  if (user === 0 && stats.uid !== 0)
    judge('folder', `${dataDir} belongs to the user ${stats.uid}: run this command as that user.`, 'warning');
  else if ((stats.mode & 0o077) !== 0)
    judge('folder', `Other users may look into ${dataDir}: run \`chmod 700 ${dataDir}\`.`, 'warning');
  else judge('folder', `Only its owner may use ${dataDir}.`);
}

const FREE_BYTES_MIN = 64 * 1024 * 1024;
const toMegabytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`;

function judgeFile({ database: { file } }: Config, judge: Judge): void {
  if (!existsSync(file)) {
    judge(
      'database',
      `There is no database at ${file}: set DATA_DIR to the data folder, or start the server to create one.`,
      'problem',
    );
    return;
  }
  const facts = examineSqlite(file);
  if (facts.damage !== undefined)
    judge(
      'database',
      `${file} is damaged (${facts.damage}): stop the server and restore a backup with \`guidepost restore\`.`,
      'problem',
    );
  else if (facts.unreadable !== undefined)
    judge(
      'database',
      `${file} cannot be read (${facts.unreadable}): make room if the disk is full, and check the folder's owner.`,
      'problem',
    );
  else if (facts.incompatibility !== undefined) judge('database', `${facts.incompatibility}.`, 'problem');
  else judge('database', `${file} is sound (${toMegabytes(facts.bytes)}).`);
  if (facts.lastMissingCommitAt !== undefined)
    judge(
      'commits',
      `The database lacks commits from before ${facts.lastMissingCommitAt}: it is an older copy, or its log was cut. Restore a newer backup, or go on without them.`,
      'problem',
    );
  if (facts.isOpenToOthers)
    judge('permissions', `Other users may read ${file}: run \`chmod 600 ${file}\`.`, 'warning');
  else judge('permissions', 'Only the owner may read the database.');
  const free = `${toMegabytes(facts.freeBytes)} are free on the disk`;
  if (facts.freeBytes < FREE_BYTES_MIN)
    judge('disk', `${free}: writes will fail soon. Make room.`, 'problem');
  else if (facts.freeBytes < facts.bytes)
    judge(
      'disk',
      `${free}, less than the database takes: make room, or write backups to another disk.`,
      'warning',
    );
  else judge('disk', `${free}.`);
}

function judgeKeys(config: Config, judge: Judge): void {
  const { dataDir, secrets, redisUrl } = config;
  const { postgres } = config.database;
  const file = keyFileIn(dataDir);
  const { file: database } = config.database;
  const ringId = !postgres && existsSync(database) ? readBackupRingId(database) : undefined;
  if (postgres && secrets.length === 0) {
    judge(
      'keys',
      'The keys of visitors are in DATA_DIR, so every node has its own: set the same GUIDEPOST_SECRET on all nodes.',
      // Without Redis there is one node.
      redisUrl === undefined ? 'warning' : 'problem',
    );
  } else if (secrets.length === 0 && ringId !== undefined && !existsSync(file)) {
    judge('keys', `The keys of this database are missing: ${file}. ${REMEDY}.`, 'problem');
  } else if (secrets.length === 0 && !existsSync(file)) {
    judge('keys', 'There are no keys of visitors yet: the first start makes them.');
  } else if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) {
    judge('keys', `Other users may read the keys of visitors: run \`chmod 600 ${file}\`.`, 'problem');
  } else if (secrets.length === 0 && ringId !== undefined && readKeyRingId(file) !== ringId) {
    judge('keys', `${file} holds the keys of another database. ${REMEDY}.`, 'problem');
  } else
    judge(
      'keys',
      secrets.length > 0
        ? 'The keys of visitors are sealed in the database.'
        : 'Only the owner may read the keys of visitors.',
    );
}

function judgeBackups({ database, dataDir }: Config, now: number, judge: Judge): void {
  const { backups, postgres } = database;
  if (postgres) return;
  if (backups.everyMillis === undefined) {
    judge(
      'backup',
      'No backups are written regularly: set BACKUP_DIR to a folder, best on another disk.',
      'warning',
    );
    return;
  }
  const { folder, everyMillis } = backups;
  const newest = listBackups(folder).find(({ kind }) => kind === 'regular');
  if (!newest) {
    const message = statSync(folder, { throwIfNoEntry: false })?.isDirectory()
      ? `There is no backup in ${folder} yet: start the server; if it runs for a minute, look at its log.`
      : `${folder} is no folder yet: create it for the user of the server, or correct BACKUP_DIR.`;
    judge('backup', message, 'warning');
    return;
  }
  const age = `The newest backup is ${Math.round((now - newest.atMillis) / 3_600_000)} h old`;
  if (now - newest.atMillis > 2 * everyMillis)
    judge('backup', `${age}: look for "could not write a backup" in the server's log.`, 'problem');
  else if (!isUndamaged(newest.file))
    judge(
      'backup',
      `${newest.file} is damaged: check the disk, and run \`guidepost backup FILE\`.`,
      'problem',
    );
  else if (statSync(folder).dev === statSync(dataDir, { throwIfNoEntry: false })?.dev)
    judge('backup', `${age}, and on the same disk as the database: copy it elsewhere too.`, 'warning');
  else judge('backup', `${age}.`);
}

const isUndamaged = (file: string) => examineSqlite(file).damage === undefined;

async function judgeRedis({ redisUrl }: Config, judge: Judge): Promise<void> {
  if (redisUrl === undefined) return;
  const { examineRedis } = await import('../coordination/redis/examine.ts');
  try {
    const { version, isPrimary, eviction } = await examineRedis(redisUrl);
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major < 6 || (major === 6 && minor < 2))
      judge('redis', `Redis ${version} is too old: update it to 6.2 or later.`, 'problem');
    else if (!isPrimary)
      judge('redis', 'REDIS_URL leads to a replica, which accepts no writes: name the primary.', 'problem');
    else if (eviction !== undefined && eviction !== 'noeviction')
      judge(
        'redis',
        `Redis removes keys when its memory is full (${eviction}), and limits with them: set maxmemory-policy to noeviction.`,
        'warning',
      );
    else judge('redis', `Redis ${version}.`);
  } catch (error) {
    judge(
      'redis',
      `Redis cannot be used: ${(error as Error).message}. Limits and answers are those of each node meanwhile; check REDIS_URL.`,
      'problem',
    );
  }
}
