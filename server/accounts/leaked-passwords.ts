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

/** How early somebody who guesses would try a text in lower case; undefined where it is not on the list. */
export type RankOfLeaked = (text: string) => number | undefined;

let ranks: Promise<ReadonlyMap<string, number>> | undefined;

/** Half a megabyte that hardly any start of the program needs: it is unpacked when the first password is chosen. */
export async function leakedPasswords(): Promise<RankOfLeaked> {
  ranks ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) =>
      new Map([
        ...OWN.map((word) => [word, OWN_RANK] as const),
        ...dictionary['passwords-common'].map((word, at) => [word, at + 1] as const),
      ]),
  );
  const known = await ranks;
  return (text) => known.get(text);
}
