import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import { LIMITS } from '../../contract/limits.ts';
import { throwApiError } from '../http/errors.ts';
import { normalizePassword } from './password-strength.ts';

/** Each hash takes a core for about 20 ms and 19 MB. */
export const HASHES_RUNNING_MAX = 4;
export const HASHES_QUEUED_MAX = 32;
const RETRY_SECONDS = 2;

/** The parameters that OWASP recommends for interactive sign-in. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

type Parameters = {
  readonly salt: Buffer;
  readonly bytes: number;
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
};

/**
 * Argon2id as a PHC string. Accounts with the same address share a salt, so one derivation compares a password with all of them, and its
 * time does not tell how many there are.
 */
export async function hashPassword(password: string, likePhc = ''): Promise<string> {
  const salt = parsePhc(likePhc)?.salt ?? randomBytes(SALT_BYTES);
  const hash = await deriveKey(password, {
    salt,
    bytes: HASH_BYTES,
    memory: MEMORY_KIB,
    passes: PASSES,
    lanes: LANES,
  });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${toUnpaddedBase64(salt)}$${toUnpaddedBase64(hash)}`;
}

export async function verifyPassword(password: string, phc: string | undefined): Promise<boolean> {
  return (await matchPassword(password, phc === undefined ? [] : [phc])) !== undefined;
}

/**
 * Returns the first PHC string of the password. Takes the same time without any, so that the response does not reveal whether an account
 * exists.
 */
export async function matchPassword(password: string, phcs: readonly string[]): Promise<string | undefined> {
  const stored = phcs.flatMap((phc) => {
    const parsed = parsePhc(phc);
    return parsed ? [{ ...parsed, phc }] : [];
  });
  // Hashing costs grow with the input, and no valid password is this long.
  const candidate = password.length > LIMITS.passwordCharsMax * 8 ? '' : password;
  if (stored.length === 0) await deriveKey(candidate, DUMMY_HASH);
  for (const sharing of Map.groupBy(stored, toDerivation).values()) {
    const derived = await deriveKey(candidate, sharing[0]!);
    const match = sharing.find(({ hash }) => timingSafeEqual(derived, hash));
    if (match) return match.phc;
  }
  return undefined;
}

/** Passwords with the same salt and parameters are compared with one derivation. */
function toDerivation({ salt, bytes, memory, passes, lanes }: Parameters): string {
  return [salt.toString('hex'), bytes, memory, passes, lanes].join(' ');
}

/** True when the hash uses other parameters than today's. */
export function needsRehash(phc: string): boolean {
  const stored = parsePhc(phc);
  return !stored || stored.memory !== MEMORY_KIB || stored.passes !== PASSES || stored.lanes !== LANES;
}

const DUMMY_HASH = {
  salt: randomBytes(SALT_BYTES),
  bytes: HASH_BYTES,
  memory: MEMORY_KIB,
  passes: PASSES,
  lanes: LANES,
};

const limit = pLimit(HASHES_RUNNING_MAX);

/** Throws `server/overloaded` when the queue is full. */
export async function limitHashing<T>(hash: () => Promise<T>): Promise<T> {
  if (limit.activeCount + limit.pendingCount >= HASHES_RUNNING_MAX + HASHES_QUEUED_MAX)
    throwApiError('server/overloaded', 'password hashing queue is full', { retryAfterSec: RETRY_SECONDS });
  return limit(hash);
}

function deriveKey(password: string, { salt, bytes, memory, passes, lanes }: Parameters): Promise<Buffer> {
  return limitHashing(() => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const message = Buffer.from(normalizePassword(password), 'utf8');
    argon2(
      'argon2id',
      { message, nonce: salt, parallelism: lanes, tagLength: bytes, memory, passes },
      (error, derived) => (error ? reject(error) : resolve(derived)),
    );
    return promise;
  });
}

const PHC =
  /^\$argon2id\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,2}),p=(?<lanes>\d{1,2})\$(?<salt>[A-Za-z0-9+/]{11,86})\$(?<hash>[A-Za-z0-9+/]{22,86})$/;

function parsePhc(phc: string): (Parameters & { readonly hash: Buffer }) | undefined {
  const { memory, passes, lanes, salt, hash: encoded } = PHC.exec(phc)?.groups ?? {};
  if (!salt || !encoded) return undefined;
  const hash = Buffer.from(encoded, 'base64');
  return {
    hash,
    salt: Buffer.from(salt, 'base64'),
    bytes: hash.length,
    memory: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
  };
}

const toUnpaddedBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
