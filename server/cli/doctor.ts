import { accessSync, constants, existsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { listBackups } from '../backup/kept-backups.ts';
import { openStore } from '../backup/open-store.ts';
import type { Clock } from '../base/clock.ts';
import { describeOpenFile, isOpenToOthers } from '../base/files.ts';
import { getSystemErrorText } from '../base/log.ts';
import { VERSION_TEXT } from '../base/version.ts';
import { type Config, ConfigError, findUnknownSettings, readConfig } from '../settings/config.ts';
import { findPendingMigration, readBackupRingId } from '../storage/sqlite/backup.ts';
import { examineSqlite } from '../storage/sqlite/examine.ts';
import type { Store } from '../storage/store.ts';
import { keyFileIn, REMEDY, readKeyRingId } from '../tokens/key-ring.ts';
import { openGeoDatabase } from '../visitors/consent/geo-database.ts';
import { checkMail } from './doctor-mail.ts';
import { checkClock, checkOutgoing, checkPublicAddress, checkServer } from './doctor-network.ts';
import { checkPostgres, isMigrated } from './doctor-postgres.ts';
import { checkEmbeddings, checkModel, checkSpeech } from './doctor-providers.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { findConfigWarnings } from './serve.ts';
import { addCommand, CommandFailed, print, type Terminal } from './terminal.ts';

export function addDoctor(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    'doctor',
    'Check the installation and say what to repair: settings, files, clock, address, mail, sign-in, model, speech, backups.',
  )
    .option('--page <address>', 'read a page of a customer instead, and say what hinders the guide there')
    .option('--mail-to <address>', 'also send a test mail to this address')
    .addHelpText(
      'after',
      '\nChanges nothing, and works while servers run. Fails when there is a problem; warnings are no failure.' +
        '\nAsks PUBLIC_URL, asks the language model three questions, and sends a few words to the embedding model and the speech providers.',
    )
    .action((options: DoctorOptions) => examine(terminal, options));
}

type DoctorOptions = { json?: boolean; page?: string; mailTo?: string };

async function examine(terminal: Terminal, options: DoctorOptions): Promise<void> {
  const findings: Finding[] = [];
  const checks =
    options.page === undefined ? checkAll(terminal, options.mailTo) : checkPageOnly(terminal, options.page);
  for await (const finding of checks) findings.push(finding);
  const problems = findings.filter(({ status }) => status === 'problem').length;
  const lines = findings.map(
    ({ check, status, message }) => `${status.padEnd(8)} ${check.padEnd(12)} ${message}`,
  );
  print(terminal, options, { ok: problems === 0, findings }, lines.join('\n'));
  if (problems > 0)
    throw new CommandFailed(problems === 1 ? 'There is a problem.' : `There are ${problems} problems.`);
}

type Findings = Iterable<Finding> | AsyncIterable<Finding>;

/** Runs all checks. A check that throws must not hide the findings of the others. */
async function* checkAll({ env, clock }: Terminal, mailTo: string | undefined): AsyncGenerator<Finding> {
  const config = yield* checkSettings(env);
  if (!config) return;
  const { postgres } = config.database;
  const checks: Readonly<Record<string, () => Findings>> = {
    memory: () => checkHeap(env.NODE_OPTIONS),
    folder: () => checkFolder(config),
    database: () => (postgres ? checkPostgres(postgres) : checkFile(config)),
    keys: () => [checkKeys(config)],
    settings: () => checkNames(config, clock.now()),
    backup: () => (postgres ? [] : [checkBackups(config, clock.now())]),
    redis: () => checkRedis(config),
    clock: async function* () {
      yield await checkClock(config, clock.now);
    },
    outgoing: () => checkOutgoing(config),
    server: () => checkServer(config),
    address: () => checkPublicAddress(config, clock.now),
    mail: () => checkMail(config, mailTo, clock.now),
    model: () => checkModel(config, clock.now),
    embeddings: () => checkIndex(config),
    speech: () => checkSpeech(config, clock),
    'sign-in': () => checkProviders(config, clock),
  };
  for (const [name, run] of Object.entries(checks)) {
    try {
      yield* run();
    } catch (error) {
      yield problem`${name}: The check failed: ${getSystemErrorText(error) ?? (error as Error).message}.`;
    }
  }
}

/** Checks a page from outside. Reading it needs a parser, which no other check does. */
async function* checkPageOnly({ env }: Terminal, address: string): AsyncGenerator<Finding> {
  const config = readConfig(env);
  const { examinePage } = await import('./doctor-page.ts');
  const store = config.database.postgres
    ? await openStore(config.database, { info() {}, error() {} })
    : await openExisting(config);
  try {
    yield* examinePage(address, config.sourceNetworks, store?.workspaces);
  } finally {
    await store?.close();
  }
}

/** Returns undefined when a setting is invalid, because nothing else can be checked then. */
function* checkSettings(env: Terminal['env']): Generator<Finding, Config | undefined> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.message.split('\n')) yield problem`settings: Correct the setting ${line}.`;
    return undefined;
  }
  const unknown = findUnknownSettings(env);
  for (const { name, suggestion } of unknown)
    yield warning`settings: ${name} is no setting${suggestion ? `: did you mean ${suggestion}` : ', and has no effect'}.`;
  if (config.killSwitch)
    yield warning`settings: KILL_SWITCH=on keeps the guide off: remove it to turn the guide on.`;
  if (unknown.length === 0) yield ok`settings: All settings are valid. This is Guidepost ${VERSION_TEXT}.`;
  return config;
}

/** Checks settings that name a file or workspaces. */
async function* checkNames(config: Config, now: number): AsyncGenerator<Finding> {
  if (config.geoDatabaseFile !== undefined) {
    try {
      const { warning: age } = openGeoDatabase(config.geoDatabaseFile, now);
      if (age) yield warning`settings: ${age}. Download a new one.`;
    } catch (error) {
      yield problem`settings: Correct GEOIP_DB: ${(error as Error).message}.`;
    }
  }
  const store = await openExisting(config);
  if (!store) return;
  try {
    for (const text of await findConfigWarnings(config, store.workspaces)) yield warning`settings: ${text}.`;
    if (await store.featureFlags.isOn('kill_switch'))
      yield warning`settings: The kill switch is on: run \`guidepost killswitch off\` to turn the guide on.`;
  } finally {
    await store.close();
  }
}

async function* checkProviders(config: Config, clock: Clock): AsyncGenerator<Finding> {
  const { checkSignIn } = await import('./doctor-sign-in.ts');
  const store = await openExisting(config);
  try {
    yield* checkSignIn(config, store, clock);
  } finally {
    await store?.close();
  }
}

/** Tries the embedding model and, if it answers, counts the articles that it has embedded. */
async function* checkIndex(config: Config): AsyncGenerator<Finding> {
  const model = yield* checkEmbeddings(config);
  const store = model === undefined ? undefined : await openExisting(config);
  if (model === undefined || !store) return;
  try {
    const { passages, embedded } = await store.embeddingIndex.progress(model);
    yield ok`embeddings: ${embedded} of ${passages} published articles can be found by meaning.`;
  } finally {
    await store.close();
  }
}

/** Skips databases that opening would create or migrate. */
async function openExisting({ database }: Config): Promise<Store | undefined> {
  const isReady = database.postgres
    ? await isMigrated(database.postgres)
    : existsSync(database.file) && findPendingMigration(database.file) === undefined;
  if (!isReady) return undefined;
  return openStore(database, { info() {}, error() {} }).catch(() => undefined);
}

/** The smallest heap of objects with which eight visitors at a time were served. */
const HEAP_MEGABYTES_MIN = 64;

function* checkHeap(options = ''): Generator<Finding> {
  const megabytes = /--max[-_]old[-_]space[-_]size[= ](\d+)/.exec(options)?.[1];
  if (megabytes !== undefined && Number(megabytes) < HEAP_MEGABYTES_MIN)
    yield warning`memory: NODE_OPTIONS allows a heap of ${megabytes} MB, and the service may end when several visitors ask: set --max-old-space-size to ${HEAP_MEGABYTES_MIN} or more.`;
}

/** Finds nothing without a folder: the check of the database says what to do. */
function* checkFolder({ dataDir }: Config): Generator<Finding> {
  const stats = statSync(dataDir, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isDirectory()) return yield problem`folder: ${dataDir} is a file: set DATA_DIR to a folder.`;
  const user = process.getuid?.();
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return yield problem`folder: The user ${user} may not write into ${dataDir}: run \`chown -R USER ${dataDir}\`.`;
  }
  if (user === 0 && stats.uid !== 0)
    yield warning`folder: ${dataDir} belongs to the user ${stats.uid}: run this command as that user.`;
  else if (isOpenToOthers(stats))
    yield warning`folder: Other users may look into ${dataDir}: run \`chmod 700 ${dataDir}\`.`;
  else yield ok`folder: Only its owner may use ${dataDir}.`;
}

const FREE_BYTES_MIN = 64 * 1024 * 1024;
const toMegabytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`;

function* checkFile({ database: { file } }: Config): Generator<Finding> {
  if (!existsSync(file))
    return yield problem`database: There is no database at ${file}: set DATA_DIR to the data folder, or start the server to create one.`;
  const facts = examineSqlite(file);
  if (facts.damage !== undefined)
    yield problem`database: ${file} is damaged (${facts.damage}): stop the server and restore a backup with \`guidepost restore\`.`;
  else if (facts.unreadable !== undefined)
    yield problem`database: ${file} cannot be read (${facts.unreadable}): make room if the disk is full, and check the folder's owner.`;
  else if (facts.incompatibility !== undefined) yield problem`database: ${facts.incompatibility}.`;
  else yield ok`database: ${file} is sound (${toMegabytes(facts.bytes)}).`;
  if (facts.lastMissingCommitAt !== undefined)
    yield problem`commits: The database lacks commits from before ${facts.lastMissingCommitAt}: it is an older copy, or its log was cut. Restore a newer backup, or go on without them.`;
  const exposure = describeOpenFile(file);
  if (exposure !== undefined) yield warning`permissions: ${exposure}`;
  else yield ok`permissions: Only the owner may read the database.`;
  const free = `${toMegabytes(facts.freeBytes)} are free on the disk`;
  if (facts.freeBytes < FREE_BYTES_MIN) yield problem`disk: ${free}: writes will fail soon. Make room.`;
  else if (facts.freeBytes < facts.bytes)
    yield warning`disk: ${free}, less than the database takes: make room, or write backups to another disk.`;
  else yield ok`disk: ${free}.`;
}

function checkKeys({ dataDir, secrets, redisUrl, database }: Config): Finding {
  const file = keyFileIn(dataDir);
  const isSealed = secrets.length > 0;
  if (database.postgres && !isSealed) {
    // Without Redis there is one node.
    const write = redisUrl === undefined ? warning : problem;
    return write`keys: The keys of visitors are in DATA_DIR, so every node has its own: set the same GUIDEPOST_SECRET on all nodes.`;
  }
  const hasRing = !database.postgres && !isSealed && existsSync(database.file);
  const ringId = hasRing ? readBackupRingId(database.file) : undefined;
  const stats = statSync(file, { throwIfNoEntry: false });
  if (ringId !== undefined && !stats)
    return problem`keys: The keys of this database are missing: ${file}. ${REMEDY}.`;
  if (!isSealed && !stats) return ok`keys: There are no keys of visitors yet: the first start makes them.`;
  if (stats && isOpenToOthers(stats))
    return problem`keys: Other users may read the keys of visitors: run \`chmod 600 ${file}\`.`;
  if (ringId !== undefined && readKeyRingId(file) !== ringId)
    return problem`keys: ${file} holds the keys of another database. ${REMEDY}.`;
  return isSealed
    ? ok`keys: The keys of visitors are sealed in the database.`
    : ok`keys: Only the owner may read the keys of visitors.`;
}

function checkBackups({ database: { backups }, dataDir }: Config, now: number): Finding {
  const { folder, everyMillis } = backups;
  if (everyMillis === undefined)
    return warning`backup: No backups are written regularly: set BACKUP_DIR to a folder, best on another disk.`;
  const newest = listBackups(folder).find(({ kind }) => kind === 'regular');
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!newest)
    return stats?.isDirectory()
      ? warning`backup: There is no backup in ${folder} yet: start the server; if it runs for a minute, look at its log.`
      : warning`backup: ${folder} is no folder yet: create it for the user of the server, or correct BACKUP_DIR.`;
  const age = `The newest backup is ${Math.round((now - newest.atMillis) / 3_600_000)} h old`;
  if (now - newest.atMillis > 2 * everyMillis)
    return problem`backup: ${age}: look for "could not write a backup" in the server's log.`;
  if (examineSqlite(newest.file).damage !== undefined)
    return problem`backup: ${newest.file} is damaged: check the disk, and run \`guidepost backup FILE\`.`;
  if (stats?.dev === statSync(dataDir, { throwIfNoEntry: false })?.dev)
    return warning`backup: ${age}, and on the same disk as the database: copy it elsewhere too.`;
  return ok`backup: ${age}.`;
}

async function* checkRedis({ redisUrl }: Config): AsyncGenerator<Finding> {
  if (redisUrl === undefined) return;
  const { examineRedis } = await import('../coordination/redis/examine.ts');
  try {
    const { version, isPrimary, eviction } = await examineRedis(redisUrl);
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major < 6 || (major === 6 && minor < 2))
      yield problem`redis: Redis ${version} is too old: update it to 6.2 or later.`;
    else if (!isPrimary)
      yield problem`redis: REDIS_URL leads to a replica, which accepts no writes: name the primary.`;
    else if (eviction !== undefined && eviction !== 'noeviction')
      yield warning`redis: Redis removes keys when its memory is full (${eviction}), and limits with them: set maxmemory-policy to noeviction.`;
    else yield ok`redis: Redis ${version}.`;
  } catch (error) {
    yield problem`redis: Redis cannot be used: ${(error as Error).message}. Limits and answers are those of each node meanwhile; check REDIS_URL.`;
  }
}
