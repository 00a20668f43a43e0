import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { ExpectedError } from '../base/expected-error.ts';
import { createFolder } from '../base/files.ts';

/** A key that signs visitor tokens. */
export type RingKey = { kid: string; key: KeyObject };

export type KeyRing = {
  /** Returns the key that signs now. */
  signing(nowMillis: number): RingKey;
  /** Returns the key with this id; undefined once the key has retired. */
  find(kid: string, nowMillis: number): RingKey | undefined;
  /** Authenticates visitor ids. Never rotated, because visitors outlive tokens. */
  visitorIdKey: KeyObject;
  /** Names the ring without revealing it. Stays the same when a key is added. */
  id: string;
  /** Reads keys that were added since the last read. */
  refresh(): Promise<void>;
};

/** The keys are missing, are another database's, or may have been read by others. */
export class KeyRingRefused extends ExpectedError {
  override readonly name = 'KeyRingRefused';
}

const SECRET_BYTES = 32;
/** A new key signs only after every process on the same folder has read it. */
const SETTLE_MILLIS = 5_000;
/** An old key verifies for longer than any token lives. */
const OVERLAP_MILLIS = (CHAT_LIMITS.visitorTokenSeconds + 5 * 60) * 1000;

/** The content of a ring, which is kept in a file beside the database or sealed in the database. */
export const ringKeys = z.strictObject({
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
export type RingKeys = z.infer<typeof ringKeys>;

export const keyFileIn = (dataDir: string) => join(dataDir, 'visitor-token-keys.json');

/**
 * Opens the key ring. Configured keys (newest first) replace those of the file, which is created on
 * first use. `expectedId` is the id of the ring that the database was used with.
 * @throws KeyRingRefused when that ring is not there, or the file can be read by other users.
 */
export function openKeyRing(
  dataDir: string,
  configured: readonly { kid: string; secret: Buffer }[],
  nowMillis: number,
  expectedId?: string,
): KeyRing {
  createFolder(dataDir);
  const path = keyFileIn(dataDir);
  if (!existsSync(path)) {
    if (expectedId !== undefined)
      throw new KeyRingRefused(`the keys of this database are missing: ${path}. ${REMEDY}`);
    createKeyFile(path, newRingKeys(nowMillis));
  }
  let lastModifiedMillis = statSync(path).mtimeMs;
  const file = readKeyFile(path);
  if (expectedId !== undefined && getRingId(file) !== expectedId)
    throw new KeyRingRefused(`${path} holds the keys of another database. ${REMEDY}`);
  return createKeyRing(file, configured, async () => {
    const changedMillis = statSync(path).mtimeMs;
    if (changedMillis === lastModifiedMillis) return undefined;
    const changed = readKeyFile(path);
    lastModifiedMillis = changedMillis;
    return changed;
  });
}

/** `reread` resolves to the stored keys if they have changed. Configured keys (newest first) replace stored keys. */
export function createKeyRing(
  stored: RingKeys,
  configured: readonly { kid: string; secret: Buffer }[],
  reread: () => Promise<RingKeys | undefined>,
): KeyRing {
  let entries = stored.keys;
  const readKeys = () => new Map(entries.map((entry) => [entry.kid, toRingKey(entry.kid, entry.secret)]));
  let keys = readKeys();
  const configuredKeys = configured.map(({ kid, secret }) => ({ kid, key: createSecretKey(secret) }));
  return {
    signing(now) {
      if (configuredKeys[0]) return configuredKeys[0];
      const ready = entries.filter((entry) => entry.notBeforeMillis <= now);
      const newest = ready.at(-1) ?? entries[0]!;
      return keys.get(newest.kid)!;
    },
    find(kid, now) {
      if (configuredKeys.length > 0) return configuredKeys.find((entry) => entry.kid === kid);
      const entry = entries.find((candidate) => candidate.kid === kid);
      if (!entry || (entry.retireAtMillis !== undefined && entry.retireAtMillis <= now)) return undefined;
      return keys.get(kid);
    },
    id: getRingId(stored),
    visitorIdKey: createSecretKey(Buffer.from(stored.visitorIdSecret, 'base64url')),
    async refresh() {
      const changed = await reread();
      if (!changed) return;
      entries = changed.keys;
      keys = readKeys();
    },
  };
}

/** Adds a signing key. Old keys verify until the last token that they signed has expired. */
export function rotateKeyRing(dataDir: string, nowMillis: number): AddedKey {
  const path = keyFileIn(dataDir);
  const { keys, added } = addKey(existsSync(path) ? readKeyFile(path) : newRingKeys(nowMillis), nowMillis);
  writeKeyFile(path, keys);
  return added;
}

export type AddedKey = { kid: string; signsFromMillis: number };

export function addKey(ring: RingKeys, nowMillis: number): { keys: RingKeys; added: AddedKey } {
  const signsFromMillis = nowMillis + SETTLE_MILLIS;
  const kept = ring.keys
    .filter((entry) => entry.retireAtMillis === undefined || entry.retireAtMillis > nowMillis)
    .map((entry) => ({ ...entry, retireAtMillis: entry.retireAtMillis ?? signsFromMillis + OVERLAP_MILLIS }));
  const added = createKey(signsFromMillis);
  return { keys: { ...ring, keys: [...kept, added] }, added: { kid: added.kid, signsFromMillis } };
}

/** The advice of errors about missing keys. */
export const REMEDY =
  'Put them back from a backup, or run `guidepost token reset` to make new ones: then every visitor gets a new id, and tokens and export cursors end';

/** Makes a new ring in place of a lost one and returns its id. */
export function resetKeyRing(dataDir: string, nowMillis: number): string {
  const file = newRingKeys(nowMillis);
  replaceKeyFile(keyFileIn(dataDir), file);
  return getRingId(file);
}

/** Returns the id of the ring in a key file; undefined when there is no file. */
export function readKeyRingId(path: string): string | undefined {
  return existsSync(path) ? getRingId(readKeyFile(path)) : undefined;
}

/** Copies a key file, for a backup or from one. */
export function copyKeyFile(from: string, to: string): void {
  replaceKeyFile(to, readKeyFile(from));
}

/** Renames a different ring at the path instead of overwriting it: lost keys cannot be recreated. */
function replaceKeyFile(path: string, file: RingKeys): void {
  if (existsSync(path) && !holdsRing(path, getRingId(file))) renameSync(path, `${path}.replaced`);
  writeKeyFile(path, file);
}

function holdsRing(path: string, id: string): boolean {
  try {
    return readKeyRingId(path) === id;
  } catch {
    return false;
  }
}

export function getRingId({ visitorIdSecret }: RingKeys): string {
  const key = Buffer.from(visitorIdSecret, 'base64url');
  return createHmac('sha256', key).update('key ring id').digest('base64url').slice(0, 22);
}

export function newRingKeys(nowMillis: number): RingKeys {
  return { visitorIdSecret: randomBytes(SECRET_BYTES).toString('base64url'), keys: [createKey(nowMillis)] };
}

function createKey(notBeforeMillis: number): RingKeys['keys'][number] {
  return {
    kid: randomBytes(6).toString('base64url'),
    secret: randomBytes(SECRET_BYTES).toString('base64url'),
    notBeforeMillis,
  };
}

function toRingKey(kid: string, secret: string): RingKey {
  const bytes = Buffer.from(secret, 'base64url');
  if (bytes.length < SECRET_BYTES)
    throw new Error(`the visitor token key ${kid} is shorter than ${SECRET_BYTES} bytes`);
  return { kid, key: createSecretKey(bytes) };
}

const READABLE_BY_OTHERS = 0o004;

function assertNotExposed(path: string): void {
  // Windows has no such modes.
  if (process.platform === 'win32' || (statSync(path).mode & READABLE_BY_OTHERS) === 0) return;
  throw new KeyRingRefused(
    `every user of this machine can read the keys in ${path}. Run \`chmod 600 ${path}\`, and \`guidepost token rotate\` if other users may have read them`,
  );
}

export function readKeyFile(path: string): RingKeys {
  assertNotExposed(path);
  const text = readFileSync(path, 'utf8');
  try {
    return ringKeys.parse(JSON.parse(text));
  } catch {
    // Drop the cause: its message would put the keys into the log.
    throw new Error(`${path} does not hold visitor token keys`);
  }
}

/** Creates the key file. When several processes start on an empty folder, one creates it and the others read it. */
function createKeyFile(path: string, file: RingKeys): void {
  const temporaryFile = writeBeside(path, file);
  try {
    linkSync(temporaryFile, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporaryFile);
  }
}

/** Renames the new file once it is complete, so that a crash leaves either the old ring or the new one. */
function writeKeyFile(path: string, file: RingKeys): void {
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

function writeBeside(path: string, file: RingKeys): string {
  const temporaryFile = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  writeFileSync(temporaryFile, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  chmodSync(temporaryFile, 0o600);
  syncToDisk(temporaryFile);
  return temporaryFile;
}
