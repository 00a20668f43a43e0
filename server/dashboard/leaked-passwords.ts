import { dictionary } from '@zxcvbn-ts/language-common';

/** What people choose: about 49,000 passwords of leaked collections, the most common first, and what this service adds. */

/** As common as the first hundred, in other languages or for this service. */
const OWN = [
  'guidepost',
  'motdepasse',
  'contraseña',
  'contrasena',
  'passwort',
  'пароль',
  'changemenow',
  'mynameis',
];
const OWN_RANK = 100;

let ranks: ReadonlyMap<string, number> | undefined;

/** How early somebody who guesses would try this text, in lower case; undefined where it is not on the list. */
export function rankOfLeaked(text: string): number | undefined {
  ranks ??= new Map([
    ...OWN.map((word) => [word, OWN_RANK] as const),
    ...dictionary['passwords-common'].map((word, at) => [word, at + 1] as const),
  ]);
  return ranks.get(text);
}
