import { describe, expect, it } from 'vitest';
import {
  canonicalizeLocale,
  getLocaleChain,
  parseAcceptLanguage,
  selectLocale,
  toPreference,
} from '../../server/knowledge/locale.ts';
import { fc } from '../fixtures/seeded-random.ts';

function served(header: string, available: readonly string[], source: string | undefined) {
  const found = selectLocale(parseAcceptLanguage(header), available, source);
  if (!found) return 'nothing';
  const { requestedLocale, contentLocale, fallbackReason } = found;
  return [requestedLocale, contentLocale, ...(fallbackReason ? [fallbackReason] : [])].join(' ');
}

describe('a locale tag', () => {
  it.each([
    ['EN-us', 'en-US'],
    ['iw', 'he'],
    ['in', 'id'],
    ['tl', 'fil'],
    ['sh', 'sr-Latn'],
    ['mo', 'ro'],
    ['cmn', 'zh'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['nb', 'nb'],
    ['no', 'no'],
  ])('%s is kept as %s', (tag, canonical) => {
    expect(canonicalizeLocale(tag)).toBe(canonical);
  });

  it.each(['', '*', 'en_US', 'x-foo', 'i-klingon', 'zh-min-nan', 'en-GB-oed', 'not a tag', 'a'])(
    'rejects "%s"',
    (tag) => {
      expect(canonicalizeLocale(tag)).toBeUndefined();
    },
  );
});

describe('Accept-Language', () => {
  it.each([
    ['', []],
    ['de', ['de']],
    ['de-AT, en;q=0.8, fr;q=0.9', ['de-AT', 'fr', 'en']],
    ['en;q=0.5, de;q=0.5', ['en', 'de']],
    ['en , de ; q=0.7', ['en', 'de']],
    ['en;Q=0.3,de;q=0.4', ['de', 'en']],
    ['en;q=1.1, de', ['de']],
    ['en;q=0.1234, de', ['de']],
    ['en;q=x, de', ['de']],
    ['en;level=1, de', ['de']],
    ['en_US, de', ['de']],
    ['iw', ['he']],
    ['de-u-co-phonebk', ['de']],
    ['en-x-twain', ['en']],
    ['de, *, fr', ['de']],
    ['de, *;q=0.5, fr;q=0.3', ['de']],
    ['*', []],
    ['de;q=0', []],
    [',,,', []],
  ])('"%s" wishes %j', (header, wanted) => {
    expect(parseAcceptLanguage(header).wanted).toEqual(wanted);
  });

  it('is read up to its last whole range within 1,024 characters', () => {
    expect(parseAcceptLanguage(`de,${' '.repeat(1_100)}`).wanted).toEqual(['de']);
    expect(parseAcceptLanguage(`de,${'x'.repeat(1_021)},fr`).wanted).toEqual(['de']);
    expect(parseAcceptLanguage('x'.repeat(2_000)).wanted).toEqual([]);
  });

  it('is read up to its 32nd range', () => {
    const header = [...Array.from({ length: 32 }, (_, at) => `en-${100 + at}`), 'de'].join(',');
    expect(parseAcceptLanguage(header).wanted).toHaveLength(32);
    expect(parseAcceptLanguage(header).wanted).not.toContain('de');
  });

  it('never throws, and whatever it wishes is canonical', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('en', 'de-AT', '*', ';q=', 'q=0', ',', '-', 'zh-Hant', 'x-a', '0.5', 'en-a-b', ' '),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.array(part), (parts, tags) => {
        const preference = parseAcceptLanguage(parts.join(''));
        for (const locale of preference.wanted) expect(canonicalizeLocale(locale)).toBe(locale);
        getLocaleChain(preference);
        selectLocale(preference, tags, 'en');
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the variant that a visitor reads', () => {
  it.each<[string, string, readonly string[], string | undefined, string]>([
    ['the exact translation', 'pt-BR', ['pt-BR', 'pt'], 'en', 'pt-BR pt-BR'],
    ['the base language', 'pt-BR', ['pt', 'de'], 'en', 'pt-BR pt base_language'],
    ['the source where nothing fits', 'pt-BR', ['de'], 'en', 'pt-BR en source_article'],
    ['never a sibling of the wish', 'fr-CA', ['fr-FR'], 'en', 'fr-CA en source_article'],
    ['never a region of a plain wish', 'fr', ['fr-CA'], 'en', 'fr en source_article'],
    ['the source when it is the better wish', 'en, fr;q=0.5', ['fr'], 'en', 'en en'],
    ['the source as base language', 'en-GB, fr', ['fr'], 'en', 'en-GB en base_language'],
    ['the second wish before the source', 'it, fr;q=0.5', ['fr'], 'en', 'fr fr'],
    [
      'the first wish, however far, before the second',
      'de-AT, fr',
      ['de', 'fr'],
      'en',
      'de-AT de base_language',
    ],
    ['shortened step by step', 'de-CH-1996', ['de', 'de-CH'], 'en', 'de-CH-1996 de-CH base_language'],
    [
      'in any order of what there is',
      'sr-Latn-RS',
      ['sr', 'sr-Latn'],
      'en',
      'sr-Latn-RS sr-Latn base_language',
    ],
    ['traditional script for Taiwan', 'zh-TW', ['zh', 'zh-Hant'], 'en', 'zh-TW zh-Hant base_language'],
    [
      'the same place without its script',
      'zh-Hant-TW',
      ['zh-TW', 'zh'],
      'en',
      'zh-Hant-TW zh-TW base_language',
    ],
    ['simplified script for China', 'zh-CN', ['zh-Hans', 'zh-Hant'], 'en', 'zh-CN zh-Hans base_language'],
    ['plain Chinese as the last step', 'zh-TW', ['zh'], 'en', 'zh-TW zh base_language'],
    ['Norwegian under its other name', 'nb-NO', ['no'], 'en', 'nb-NO no base_language'],
    ['not what is excluded', 'de-AT, de;q=0', ['de'], 'en', 'de-AT en source_article'],
    ['the source without any wish', '', ['de'], 'en', 'und en'],
    ['the source for anything', '*', ['de'], 'en', 'und en'],
    ['the source after the wishes', 'it, *;q=0.1, de;q=0.05', ['de'], 'en', 'it en source_article'],
    ['a translation while the source is not live', 'de', ['de'], undefined, 'de de'],
    ['nothing while the source is not live', 'it', ['de'], undefined, 'nothing'],
  ])('is %s', (_, header, available, source, expected) => {
    expect(served(header, available, source)).toBe(expected);
  });

  it('is the same for a named locale as for a header that says it', () => {
    expect(selectLocale(toPreference('PT-br'), ['pt'], 'en')).toEqual({
      requestedLocale: 'pt-BR',
      contentLocale: 'pt',
      fallbackReason: 'base_language',
    });
    expect(toPreference('no such tag!').wanted).toEqual([]);
  });

  it('is always live, and exact exactly when no reason is given', () => {
    const locale = fc.constantFrom(
      'en',
      'en-GB',
      'de',
      'de-AT',
      'zh-TW',
      'zh-Hant',
      'zh',
      'nb',
      'no',
      'sr-Latn',
    );
    fc.assert(
      fc.property(fc.array(locale), fc.array(locale), locale, (wishes, available, source) => {
        const found = selectLocale({ wanted: wishes, excluded: [] }, available, source);
        expect([...available, source]).toContain(found?.contentLocale);
        const exact = wishes.length === 0 || found?.requestedLocale === found?.contentLocale;
        expect(found?.fallbackReason === undefined).toBe(exact);
      }),
    );
  });
});
