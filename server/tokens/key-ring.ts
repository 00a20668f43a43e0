import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';

/** A key that signs visitor tokens. */
export type RingKey = { readonly kid: string; readonly key: KeyObject };

export type KeyRing = {
  /** The key that signs now. */
  signing(nowMillis: number): RingKey;
  /** The key with this id; undefined after it has retired. */
  find(kid: string, nowMillis: number): RingKey | undefined;
  /** Authenticates visitor ids. Never rotated, because visitors outlive tokens. */
  readonly visitorIdKey: KeyObject;
  /** Names the ring without revealing it. Stays the same when a key is added. */
  readonly id: string;
  /** Rereads the key file if it has changed. */
  refresh(): void;
};

/** The keys are missing, are another database's, or may have been read by others. */
export class KeyRingRefused extends Error {
  override readonly name = 'KeyRingRefused';
}

const SECRET_BYTES = 32;
/** A new key signs only after every process on the same folder has read it. */
const SETTLE_MILLIS = 5_000;
/** An old key verifies for longer than any token lives. */
const OVERLAP_MILLIS = (LIMITS.visitorTokenSeconds + 5 * 60) * 1000;

const keyFile = z.strictObject({
  visitorIdSecret: z.string(),
  keys: z
    .array(
      z.strictObject({
        kid: z.string().regex(/^[0-9A-Za-z_-]{1,32}$/),
        secret: z.string(),
        notBeforeMillis: z.int(),
        retireAtMillis: z.int().optional(),
      }),
    )
    .min(1),
});
type KeyFile = z.infer<typeof keyFile>;

export const keyFileIn = (dataDir: string) => join(dataDir, 'visitor-token-keys.json');

/**
 * Opens the key ring. Configured keys (newest first) replace those of the file, which is created on
 * first use. `expectedId` is that of the ring that the database was used with.
 * @throws KeyRingRefused when that ring is not there, or the file can be read by other users.
 */
export function openKeyRing(
  dataDir: string,
  configured: readonly { kid: string; secret: Buffer }[],
  nowMillis: number,
  expectedId?: string,
): KeyRing {
  mkdirSync(dataDir, { recursive: true });
  const path = keyFileIn(dataDir);
  if (!existsSync(path)) {
    if (expectedId !== undefined)
      throw new KeyRingRefused(`the keys of this database are missing: ${path}. ${REMEDY}`);
    createKeyFile(path, firstKeyFile(nowMillis));
  }
  let seenMillis = statSync(path).mtimeMs;
  let file = readKeyFile(path);
  const id = idOf(file);
  if (expectedId !== undefined && id !== expectedId)
    throw new KeyRingRefused(`${path} holds the keys of another database. ${REMEDY}`);
  let keys = new Map(file.keys.map((entry) => [entry.kid, ringKey(entry.kid, entry.secret)]));
  const given = configured.map(({ kid, secret }) => ({ kid, key: createSecretKey(secret) }));
  return {
    signing(now) {
      if (given[0]) return given[0];
      const ready = file.keys.filter((entry) => entry.notBeforeMillis <= now);
      const newest = ready.at(-1) ?? file.keys[0]!;
      return keys.get(newest.kid)!;
    },
    find(kid, now) {
      if (given.length > 0) return given.find((entry) => entry.kid === kid);
      const entry = file.keys.find((candidate) => candidate.kid === kid);
      if (!entry || (entry.retireAtMillis !== undefined && entry.retireAtMillis <= now)) return undefined;
      return keys.get(kid);
    },
    id,
    visitorIdKey: createSecretKey(Buffer.from(file.visitorIdSecret, 'base64url')),
    refresh() {
      const changedMillis = statSync(path).mtimeMs;
      if (changedMillis === seenMillis) return;
      file = readKeyFile(path);
      keys = new Map(file.keys.map((entry) => [entry.kid, ringKey(entry.kid, entry.secret)]));
      seenMillis = changedMillis;
    },
  };
}

/** Adds a signing key. Old keys verify until the last token that they signed has expired. */
export function rotateKeyRing(dataDir: string, nowMillis: number): { kid: string; signsFromMillis: number } {
  const path = keyFileIn(dataDir);
  const file = existsSync(path) ? readKeyFile(path) : firstKeyFile(nowMillis);
  const signsFromMillis = nowMillis + SETTLE_MILLIS;
  const kept = file.keys
    .filter((entry) => entry.retireAtMillis === undefined || entry.retireAtMillis > nowMillis)
    .map((entry) => ({ ...entry, retireAtMillis: entry.retireAtMillis ?? signsFromMillis + OVERLAP_MILLIS }));
  const added = createKey(signsFromMillis);
  writeKeyFile(path, { ...file, keys: [...kept, added] });
  return { kid: added.kid, signsFromMillis };
}

const REMEDY =
  'Put them back from a backup, or run `guidepost token reset` to make new ones: then every visitor gets a new id, and tokens and export cursors end';

/** Makes a new ring in place of a lost one and returns its id. */
export function resetKeyRing(dataDir: string, nowMillis: number): string {
  const file = firstKeyFile(nowMillis);
  replaceKeyFile(keyFileIn(dataDir), file);
  return idOf(file);
}

/** The id of the ring in a key file; undefined when there is none. */
export function readKeyRingId(path: string): string | undefined {
  return existsSync(path) ? idOf(readKeyFile(path)) : undefined;
}

/** Copies a key file, for a backup or from one. */
export function copyKeyFile(from: string, to: string): void {
  replaceKeyFile(to, readKeyFile(from));
}

/** Renames a different ring at the path instead of overwriting it: lost keys cannot be recreated. */
function replaceKeyFile(path: string, file: KeyFile): void {
  if (existsSync(path) && !holdsRing(path, idOf(file))) renameSync(path, `${path}.replaced`);
  writeKeyFile(path, file);
}

function holdsRing(path: string, id: string): boolean {
  try {
    return readKeyRingId(path) === id;
  } catch {
    return false;
  }
}

function idOf({ visitorIdSecret }: KeyFile): string {
  const key = Buffer.from(visitorIdSecret, 'base64url');
  return createHmac('sha256', key).update('key ring id').digest('base64url').slice(0, 22);
}

function firstKeyFile(nowMillis: number): KeyFile {
  return { visitorIdSecret: randomBytes(SECRET_BYTES).toString('base64url'), keys: [createKey(nowMillis)] };
}

function createKey(notBeforeMillis: number): KeyFile['keys'][number] {
  return {
    kid: randomBytes(6).toString('base64url'),
    secret: randomBytes(SECRET_BYTES).toString('base64url'),
    notBeforeMillis,
  };
}

function ringKey(kid: string, secret: string): RingKey {
  const bytes = Buffer.from(secret, 'base64url');
  if (bytes.length < SECRET_BYTES)
    throw new Error(`the visitor token key ${kid} is shorter than ${SECRET_BYTES} bytes`);
  return { kid, key: createSecretKey(bytes) };
}

const READABLE_BY_OTHERS = 0o004;

function refuseExposed(path: string): void {
  // Windows has no such modes.
  if (process.platform === 'win32' || (statSync(path).mode & READABLE_BY_OTHERS) === 0) return;
  throw new KeyRingRefused(
    `every user of this machine can read the keys in ${path}. Run \`chmod 600 ${path}\`, and \`guidepost token rotate\` if somebody may have read them`,
  );
}

function readKeyFile(path: string): KeyFile {
  refuseExposed(path);
  const text = readFileSync(path, 'utf8');
  try {
    return keyFile.parse(JSON.parse(text));
  } catch {
    // Drop the cause: its message would put the keys into the log.
    throw new Error(`${path} does not hold visitor token keys`);
  }
}

/** When several processes start on an empty folder, one creates the file and the others read it. */
function createKeyFile(path: string, file: KeyFile): void {
  const beside = writeBeside(path, file);
  try {
    linkSync(beside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(beside);
  }
}

/** Renamed when complete, so a crash leaves either the old ring or the new one. */
function writeKeyFile(path: string, file: KeyFile): void {
  renameSync(writeBeside(path, file), path);
  syncToDisk(dirname(path));
}

function syncToDisk(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function writeBeside(path: string, file: KeyFile): string {
  const beside = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  writeFileSync(beside, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  chmodSync(beside, 0o600);
  syncToDisk(beside);
  return beside;
}
