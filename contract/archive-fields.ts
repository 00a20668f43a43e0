import { z } from 'zod';
import { locale, moment, text, unixMillis } from './fields.ts';

/** Fields that several lines of an archive have. */

/** Increases when older versions of the service cannot read what a newer version writes. */
export const ARCHIVE_FORMAT = 1;

export const lineType = <const T extends string>(type: T) => z.literal(type).describe('Type of the line.');

export const shortText = (description: string, example: string) => text(128).meta({ description, example });

/** A time that is valid both as milliseconds and as seconds since 1970. */
export const storedTime = moment.refine(
  (text) => unixMillis.safeParse(Date.parse(text)).success,
  'expected a time between the years 1970 and 2286',
);

export const canonicalLocale = locale.refine(
  (tag) => succeeds(() => Intl.getCanonicalLocales(tag)),
  'expected a language tag such as de or pt-BR',
);

export function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
