import { expect, it } from 'vitest';
import { canonicalizeLocale, canonicalizeLocales } from '../../client/locale.ts';

it.each([
  ['en-US@posix', 'en-US'],
  ['de_CH.UTF-8', 'de-CH'],
  ['de_DE@euro', 'de-DE'],
  ['ZH-hant-tw', 'zh-Hant-TW'],
  ['sr-Latn-RS', 'sr-Latn-RS'],
])('canonicalizeLocale() turns %s into %s, which Intl accepts', (tag, locale) => {
  expect(canonicalizeLocale(tag)).toBe(locale);
  expect(() => new Intl.DateTimeFormat(locale)).not.toThrow();
});

it.each([
  'C',
  'C.UTF-8',
  '',
  '@posix',
  '*',
  'en-',
  '-',
  'english (US)',
  'de;q=0.8',
  '<b>',
  null,
  undefined,
  7,
])('canonicalizeLocale() rejects %j, and canonicalizeLocales() leaves it out', (tag) => {
  expect(canonicalizeLocale(tag)).toBeUndefined();
  expect(canonicalizeLocales([tag, 'fr', tag, 'FR'])).toEqual(['fr']);
});
