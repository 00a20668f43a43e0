import crypto, { randomBytes, timingSafeEqual } from 'node:crypto';
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import pLimit from 'p-limit';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';

const CHARS_MIN = ACCOUNT_LIMITS.passwordCharsMin;
const CHARS_MAX = ACCOUNT_LIMITS.passwordCharsMax;

/**
 * The guesses that a password must withstand, as a power of ten: 15 random characters withstand 10^15, words and the
 * workspace's own names fewer than 10^13.
 */
const GUESSES_LOG10_MIN = 13;

/** zxcvbn's time grows faster than its input: 64 characters take up to 0.1 s, 256 take 1 s. */
const CHARS_ESTIMATED_MAX = 64;

/** Common passwords that zxcvbn's list lacks: other languages, Cyrillic keyboard rows, this product. */
const MORE_PASSWORDS = [
  'guidepost',
  'motdepasse',
  'contraseña',
  'contrasena',
  'passwort',
  'пароль',
  'changemenow',
  'mynameis',
  'йцукенгшщзхъ',
  'фывапролджэ',
  'ячсмитьбю',
];

type PasswordProblem = 'too_short' | 'too_long' | 'not_text' | 'repeated' | 'sequential' | 'guessable';

export const PASSWORD_PROBLEMS: { readonly [problem in PasswordProblem]: string } = {
  too_short: `Use at least ${CHARS_MIN} characters. A few unrelated words are easy to remember.`,
  too_long: `Use at most ${CHARS_MAX} characters.`,
  not_text: 'The password contains control characters or invalid text.',
  repeated: 'The password repeats the same characters.',
  sequential: 'The password follows the alphabet, the digits or the keyboard.',
  guessable: 'The password is easy to guess: it uses common words, your email or the name of the workspace.',
};

/**
 * Throws `request/invalid` with the problem as the code.
 * @param personalWords what an attacker tries first: the user's email, the names of their workspaces
 */
export async function assertStrongPassword(
  password: string,
  personalWords: readonly string[],
  path: string,
): Promise<void> {
  const code = await findPasswordProblem(password, personalWords);
  if (code) throwInvalidRequest({ path, code, message: PASSWORD_PROBLEMS[code] });
}

/** Returns undefined when the password is acceptable. Measures length in code points after NFKC. */
export async function findPasswordProblem(
  password: string,
  personalWords: readonly string[],
): Promise<PasswordProblem | undefined> {
  if (!password.isWellFormed() || /\p{Cc}/u.test(password)) return 'not_text';
  const text = normalizePassword(password);
  const length = [...text].length;
  if (length < CHARS_MIN) return 'too_short';
  if (length > CHARS_MAX) return 'too_long';
  const words = personalWords.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)]);
  const { guessesLog10, sequence } = (await loadEstimator()).check(
    text.toLowerCase(),
    words.map((word) => normalizePassword(word).toLowerCase()).filter((word) => word.length >= 3),
  );
  if (guessesLog10 >= GUESSES_LOG10_MIN) return undefined;
  const isMostly = (...patterns: string[]) => {
    const matched = sequence.filter(({ pattern }) => patterns.includes(pattern));
    return matched.reduce((sum, { token }) => sum + token.length, 0) > text.length / 2;
  };
  if (isMostly('repeat')) return 'repeated';
  return isMostly('sequence', 'spatial') ? 'sequential' : 'guessable';
}

/** Normalizes to NFKC, so that the keyboard that a password was typed on does not matter. */
const normalizePassword = (password: string): string => password.normalize('NFKC');

let estimator: Promise<ZxcvbnFactory> | undefined;

/** Loads zxcvbn on first use: its dictionary takes half a megabyte, and most processes never need it. */
function loadEstimator(): Promise<ZxcvbnFactory> {
  estimator ??= Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]).then(
    ([{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }]) =>
      new ZxcvbnFactory({
        dictionary: { ...dictionary, more: MORE_PASSWORDS },
        graphs: adjacencyGraphs,
        maxLength: CHARS_ESTIMATED_MAX,
      }),
  );
  return estimator;
}

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
  salt: Buffer;
  bytes: number;
  memory: number;
  passes: number;
  lanes: number;
};

/**
 * Returns an Argon2id hash as a PHC string, with the salt of `likePhc`. Accounts with the same address share a salt, so
 * one derivation compares a password with all of them, and its time does not tell how many accounts there are.
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
 * Returns the first PHC string that matches the password. Takes the same time if there are no strings, so that the
 * response does not reveal whether an account exists.
 */
export async function matchPassword(password: string, phcs: readonly string[]): Promise<string | undefined> {
  const stored = phcs.flatMap((phc) => {
    const parsed = parsePhc(phc);
    return parsed ? [{ ...parsed, phc }] : [];
  });
  // Hashing costs grow with the input, and no valid password is this long.
  const candidate = password.length > ACCOUNT_LIMITS.passwordCharsMax * 8 ? '' : password;
  if (stored.length === 0) await deriveKey(candidate, DUMMY_HASH);
  for (const sameKeyHashes of Map.groupBy(stored, toDerivationKey).values()) {
    const derived = await deriveKey(candidate, sameKeyHashes[0]!);
    const match = sameKeyHashes.find(({ hash }) => timingSafeEqual(derived, hash));
    if (match) return match.phc;
  }
  return undefined;
}

/** Returns the same key for hashes with the same salt and parameters, which one derivation can check. */
function toDerivationKey({ salt, bytes, memory, passes, lanes }: Parameters): string {
  return [salt.toString('hex'), bytes, memory, passes, lanes].join(' ');
}

/** Returns true when the hash uses other parameters than today's. */
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

const hashingLimit = pLimit(HASHES_RUNNING_MAX);

/** Throws `server/overloaded` when the queue is full. */
export async function limitHashing<T>(hash: () => Promise<T>): Promise<T> {
  if (hashingLimit.activeCount + hashingLimit.pendingCount >= HASHES_RUNNING_MAX + HASHES_QUEUED_MAX)
    throwApiError('server/overloaded', 'password hashing queue is full', { retryAfterSec: RETRY_SECONDS });
  return hashingLimit(hash);
}

function deriveKey(password: string, parameters: Parameters): Promise<Buffer> {
  const message = Buffer.from(normalizePassword(password), 'utf8');
  // Node 22 has no argon2.
  const derive = crypto.argon2 === undefined ? deriveInWasm : deriveNatively;
  return limitHashing(() => derive(message, parameters));
}

function deriveNatively(
  message: Buffer,
  { salt, bytes, memory, passes, lanes }: Parameters,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  crypto.argon2(
    'argon2id',
    { message, nonce: salt, parallelism: lanes, tagLength: bytes, memory, passes },
    (error, derived) => (error ? reject(error) : resolve(derived)),
  );
  return promise;
}

/** Derives the same hash as `deriveNatively`, but on the main thread: a sign-in delays other requests by 0.05 s. */
export async function deriveInWasm(
  password: Buffer,
  { salt, bytes, memory, passes, lanes }: Parameters,
): Promise<Buffer> {
  const { argon2id } = await import('hash-wasm');
  const options = {
    password,
    salt,
    parallelism: lanes,
    iterations: passes,
    memorySize: memory,
    hashLength: bytes,
  };
  return Buffer.from(await argon2id({ ...options, outputType: 'binary' }));
}

const PHC =
  /^\$argon2id\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,2}),p=(?<lanes>\d{1,2})\$(?<salt>[A-Za-z0-9+/]{11,86})\$(?<hash>[A-Za-z0-9+/]{22,86})$/;

function parsePhc(phc: string): (Parameters & { hash: Buffer }) | undefined {
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
