import { z } from 'zod';
import { locale, moment, typeId, unixMillis } from './fields.ts';

/**
 * Fields of the lines of an archive. What an import accepts is stored as it is and answered with for good, so that it has to be
 * something that the service could have stored itself.
 */

export const line = <const T extends string>(type: T) => z.literal(type).describe('What the line is about.');

export const word = (what: string, example: string) =>
  z.string().min(1).max(128).describe(what).meta({ example });

/** A TypeID with this prefix. */
export const idOf = (prefix: string, what: string) =>
  z
    .string()
    .regex(typeId(prefix))
    .max(prefix.length + 27)
    .describe(`${what}: a TypeID with the prefix ${prefix}.`)
    .meta({ example: `${prefix}_01kakv2fxse7wtg6x5r0h8rjbm` });

/** One that can be told in milliseconds and in seconds as well. */
export const keptMoment = moment.refine(
  (text) => unixMillis.safeParse(Date.parse(text)).success,
  'expected a moment of the years 1970 to 2286',
);

export const keptLocale = locale.refine(
  (tag) => succeeds(() => Intl.getCanonicalLocales(tag)),
  'expected a language tag such as de or pt-BR',
);

export const isTimeZone = (name: string) =>
  /^[A-Za-z]/.test(name) && succeeds(() => new Intl.DateTimeFormat('en', { timeZone: name }));

function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/** Deeper than anything that the service writes, and far from what would exhaust the stack of whoever walks through it. */
const LEVELS_MAX = 32;

/** The value of a JSON text in the very form in which the service writes it; undefined for any other text. */
export function writtenValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWithin(LEVELS_MAX, value) && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isWithin(levels - 1, part));
}

const isWrittenObject = (text: string) => {
  const value = writtenValue(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
};

/** Other spellings are refused: two readers of a member that is there twice, or of a number without end, need not agree. */
export const writtenObject = (charsMax: number, what: string, example: string) =>
  z
    .string()
    .max(charsMax)
    .refine(isWrittenObject, {
      error: 'expected a JSON object as text, as the service writes it',
      abort: true,
    })
    .describe(what)
    .meta({ example });
