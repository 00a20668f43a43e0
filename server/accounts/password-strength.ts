import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { LIMITS } from '../../contract/limits.ts';
import { throwInvalidRequest } from '../http/errors.ts';

const CHARS_MIN = LIMITS.passwordCharsMin;
const CHARS_MAX = LIMITS.passwordCharsMax;

/**
 * A power of ten: 15 random characters reach 15, a word list with the names of the workspace stays below 13.
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

export type PasswordProblem = 'too_short' | 'too_long' | 'not_text' | 'repeated' | 'sequential' | 'guessable';

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

/** Undefined when the password is acceptable. Lengths are code points after NFKC. */
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

/** NFKC, so that the keyboard that a password was typed on does not matter. */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

let estimator: Promise<ZxcvbnFactory> | undefined;

/** Loaded on first use: the dictionary takes half a megabyte, and most processes never need it. */
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
