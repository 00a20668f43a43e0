import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '../../contract/limits.ts';
import { guesswork } from './guesswork.ts';
import { inTurn } from './hashing-turns.ts';
import { leakedPasswords } from './leaked-passwords.ts';

/** Passwords of the people who work in the dashboard: which are acceptable, and argon2id over them. */

const CHARS_MIN = LIMITS.passwordCharsMin;
const CHARS_MAX = LIMITS.passwordCharsMax;

/** Fewer guesses than ten to this power are within reach of somebody who holds a stolen hash and has a few days. */
const GUESSWORK_MIN = 9;

/** Argon2id as OWASP and NIST advise for interactive sign-in: about 20 ms on one core. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

export type PasswordProblem = 'too_short' | 'too_long' | 'not_text' | 'repeated' | 'sequential' | 'guessable';

/** What to tell the person who chose the password. */
export const PASSWORD_PROBLEMS: { readonly [problem in PasswordProblem]: string } = {
  too_short: `A password needs at least ${CHARS_MIN} characters; a few unrelated words are easy to keep.`,
  too_long: `A password has at most ${CHARS_MAX} characters.`,
  not_text: 'This password holds control characters or broken text.',
  repeated: 'This password repeats one short piece.',
  sequential: 'This password runs along the alphabet, the digits or the keyboard.',
  guessable: 'This password is made of common words, your address or the name of the workspace.',
};

/**
 * Why a password is not acceptable; undefined when it is. Characters are code points after NFKC.
 * @param known what an attacker would try first: the person's address, the names of the workspace
 */
export async function passwordProblem(
  password: string,
  known: readonly string[],
): Promise<PasswordProblem | undefined> {
  if (!password.isWellFormed() || /\p{Cc}/u.test(password)) return 'not_text';
  const characters = [...normal(password)];
  if (characters.length < CHARS_MIN) return 'too_short';
  if (characters.length > CHARS_MAX) return 'too_long';
  const folded = [...normal(password).toLowerCase()];
  if (repeats(folded)) return 'repeated';
  if (runsAlong(folded.join(''))) return 'sequential';
  return (await isSoonGuessed(folded.join(''), known)) ? 'guessable' : undefined;
}

const normal = (password: string) => password.normalize('NFKC');

/** One piece of up to half the length over and over, or fewer than five different characters. */
function repeats(characters: readonly string[]): boolean {
  if (new Set(characters).size < 5) return true;
  for (let size = 1; size <= Math.ceil(characters.length / 2); size += 1) {
    if (characters.every((character, at) => character === characters[at % size])) return true;
  }
  return false;
}

const RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'йцукенгшщзхъ',
  'фывапролджэ',
  'ячсмитьбю',
];
const TRIPLES = new Set(
  RUNS.flatMap((run) => [run, [...run].reverse().join('')]).flatMap((run) =>
    Array.from({ length: run.length - 2 }, (_, at) => run.slice(at, at + 3)),
  ),
);

/** Most of the password lies on such runs. */
function runsAlong(text: string): boolean {
  let steps = 0;
  for (let at = 0; at + 3 <= text.length; at += 1) if (TRIPLES.has(text.slice(at, at + 3))) steps += 1;
  return steps >= (text.length - 2) * 0.7;
}

/** Common passwords and what is known about the person leave little to guess. */
async function isSoonGuessed(text: string, known: readonly string[]): Promise<boolean> {
  const words = known
    .flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)])
    .map((word) => normal(word).toLowerCase())
    .filter((word) => word.length >= 3);
  return guesswork(text, new Set(words), await leakedPasswords()) < GUESSWORK_MIN;
}

/** The PHC string of a password that `passwordProblem` found nothing against. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const made = await derive(password, {
    salt,
    bytes: HASH_BYTES,
    memory: MEMORY_KIB,
    passes: PASSES,
    lanes: LANES,
  });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(salt)}$${unpadded(made)}`;
}

/**
 * Whether this is the password behind a PHC string, compared in constant time. Without one (an unknown address) it
 * takes as long and answers false.
 */
export async function verifyPassword(password: string, phc: string | undefined): Promise<boolean> {
  const stored = phc === undefined ? undefined : parsePhc(phc);
  const { hash, ...parameters } = stored ?? NOBODY;
  // Nobody can have chosen a longer password, so that a hostile one costs nothing.
  const asked = password.length > CHARS_MAX * 8 ? '' : password;
  const made = await derive(asked, parameters);
  return timingSafeEqual(made, hash) && stored !== undefined;
}

/** True when a password should be hashed again at the next sign-in, because today's parameters are others. */
export function needsRehash(phc: string): boolean {
  const stored = parsePhc(phc);
  return !stored || stored.memory !== MEMORY_KIB || stored.passes !== PASSES || stored.lanes !== LANES;
}

type Parameters = {
  readonly salt: Buffer;
  readonly bytes: number;
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
};

const NOBODY = {
  salt: randomBytes(SALT_BYTES),
  hash: randomBytes(HASH_BYTES),
  bytes: HASH_BYTES,
  memory: MEMORY_KIB,
  passes: PASSES,
  lanes: LANES,
};

function derive(password: string, parameters: Parameters): Promise<Buffer> {
  return inTurn(() => argon2id(password, parameters));
}

function argon2id(password: string, parameters: Parameters): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  argon2(
    'argon2id',
    {
      message: Buffer.from(normal(password), 'utf8'),
      nonce: parameters.salt,
      parallelism: parameters.lanes,
      tagLength: parameters.bytes,
      memory: parameters.memory,
      passes: parameters.passes,
    },
    (error, made) => (error ? reject(error) : resolve(made)),
  );
  return promise;
}

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

function parsePhc(phc: string): (Parameters & { readonly hash: Buffer }) | undefined {
  const match = PHC.exec(phc);
  if (!match) return undefined;
  const [, memory, passes, lanes, salt, hash] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const stored = Buffer.from(hash, 'base64');
  return {
    hash: stored,
    salt: Buffer.from(salt, 'base64'),
    bytes: stored.length,
    memory: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
  };
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
