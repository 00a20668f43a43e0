/** Generated numbers and words, the same in every run. */

function createNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
export const number = createNumbers(20260715);
export const digits = (count: number) => Array.from({ length: count }, () => number(10)).join('');
export const oneOf = <T>(list: readonly T[]): T => list[number(list.length)]!;
export const letters = (count: number, from: string) =>
  Array.from({ length: count }, () => from[number(from.length)]).join('');
export const HEX = '0123456789abcdef';
export const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function withLuhn(start: string, length: number): string {
  const body = start + digits(length - 1 - start.length);
  for (let check = 0; check < 10; check++) {
    const all = [...(body + check)].map(Number).reverse();
    let sum = 0;
    for (const [at, digit] of all.entries()) sum += at % 2 ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][digit]! : digit;
    if (sum % 10 === 0) return body + check;
  }
  throw new Error('no check digit');
}

export function iban(country: string, body: string): string {
  const spelled = [...`${body}${country}00`].map((c) => Number.parseInt(c, 36)).join('');
  return country + String(98n - (BigInt(spelled) % 97n)).padStart(2, '0') + body;
}

export const inFours = (text: string) => text.replace(/(.{4})(?=.)/g, '$1 ');
export const inDashes = (text: string) => text.replace(/(.{4})(?=.)/g, '$1-');
