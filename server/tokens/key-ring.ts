import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
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
  /** Rereads the key file if it has changed. */
  refresh(): void;
};

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

const fileIn = (dataDir: string) => join(dataDir, 'visitor-token-keys.json');

/**
 * Opens the key ring. Configured keys (newest first) replace those of the file, which is created on
 * first use.
 */
export function openKeyRing(
  dataDir: string,
  configured: readonly { kid: string; secret: Buffer }[],
  nowMillis: number,
): KeyRing {
  mkdirSync(dataDir, { recursive: true });
  const path = fileIn(dataDir);
  if (!existsSync(path)) createKeyFile(path, firstKeyFile(nowMillis));
  let seenMillis = statSync(path).mtimeMs;
  let file = readKeyFile(path);
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
  const path = fileIn(dataDir);
  const file = existsSync(path) ? readKeyFile(path) : firstKeyFile(nowMillis);
  const signsFromMillis = nowMillis + SETTLE_MILLIS;
  const kept = file.keys
    .filter((entry) => entry.retireAtMillis === undefined || entry.retireAtMillis > nowMillis)
    .map((entry) => ({ ...entry, retireAtMillis: entry.retireAtMillis ?? signsFromMillis + OVERLAP_MILLIS }));
  const added = createKey(signsFromMillis);
  writeKeyFile(path, { ...file, keys: [...kept, added] });
  return { kid: added.kid, signsFromMillis };
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

function readKeyFile(path: string): KeyFile {
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
}

function writeBeside(path: string, file: KeyFile): string {
  const beside = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  writeFileSync(beside, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  chmodSync(beside, 0o600);
  return beside;
}
