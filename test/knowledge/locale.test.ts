import { describe, expect, it } from 'vitest';
import languages from '../../node_modules/language-subtag-registry/data/json/language.json' with {
  type: 'json',
};
import {
  canonicalizeLocale,
  getLocaleChain,
  parseAcceptLanguage,
  selectLocale,
  toPreference,
} from '../../server/base/locale.ts';
import { parseContentLocale } from '../../server/base/locale-registry.ts';
import { fc } from '../support/seeded-random.ts';

function served(header: string, available: readonly string[], source: string | undefined) {
  const found = selectLocale(parseAcceptLanguage(header), available, source);
  if (!found) return 'nothing';
  const { requestedLocale, contentLocale, fallbackReason } = found;
  return [requestedLocale, contentLocale, ...(fallbackReason ? [fallbackReason] : [])].join(' ');
}

describe('canonicalizing a locale', () => {
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
  ])('turns %s into %s', (tag, canonical) => {
    expect(canonicalizeLocale(tag)).toBe(canonical);
  });

  it.each(['', '*', 'en_US', 'x-foo', 'i-klingon', 'zh-min-nan', 'en-GB-oed', 'not a tag', 'a'])(
    'rejects "%s"',
    (tag) => {
      expect(canonicalizeLocale(tag)).toBeUndefined();
    },
  );
});

describe('the locale of a text', () => {
  it('may be any registered language except the four special codes', () => {
    const codes = Object.keys(languages).filter((code) => !code.includes('..'));
    expect(codes.length).toBeGreaterThan(8000);
    const rejected = codes.filter((code) => parseContentLocale(code) === undefined);
    expect(rejected).toEqual(['mis', 'mul', 'und', 'zxx']);
  });

  it('may have any script and region that Intl can name, except private ones', () => {
    const names = (type: 'script' | 'region') => new Intl.DisplayNames('en', { type, fallback: 'none' });
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const named = letters
      .flatMap((one) => letters.map((other) => one + other))
      .filter((code) => names('region').of(code) && parseContentLocale(`de-${code}`) === undefined);
    expect(named).toEqual(['QO', 'XA', 'XB', 'XK', 'ZZ']);
    expect(names('script').of('Deva') && parseContentLocale('sa-Deva')).toBe('sa-Deva');
  });
});

describe('parsing Accept-Language', () => {
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
  ])('parses "%s" as %j', (header, wanted) => {
    expect(parseAcceptLanguage(header).wanted).toEqual(wanted);
  });

  it('reads whole ranges within the first 1,024 characters only', () => {
    expect(parseAcceptLanguage(`de,${' '.repeat(1_100)}`).wanted).toEqual(['de']);
    expect(parseAcceptLanguage(`de,${'x'.repeat(1_021)},fr`).wanted).toEqual(['de']);
    expect(parseAcceptLanguage('x'.repeat(2_000)).wanted).toEqual([]);
  });

  it('reads 32 ranges at most', () => {
    const header = [...Array.from({ length: 32 }, (_, at) => `en-${100 + at}`), 'de'].join(',');
    expect(parseAcceptLanguage(header).wanted).toHaveLength(32);
    expect(parseAcceptLanguage(header).wanted).not.toContain('de');
  });

  it('never throws and returns canonical locales only', () => {
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

describe('variant served to a visitor', () => {
  it.each<[string, string, readonly string[], string | undefined, string]>([
    ['the exact translation', 'pt-BR', ['pt-BR', 'pt'], 'en', 'pt-BR pt-BR'],
    ['the base language', 'pt-BR', ['pt', 'de'], 'en', 'pt-BR pt base_language'],
    ['the source if nothing matches', 'pt-BR', ['de'], 'en', 'pt-BR en source_article'],
    ['never a sibling of the preferred locale', 'fr-CA', ['fr-FR'], 'en', 'fr-CA en source_article'],
    ['never a region of a plain language', 'fr', ['fr-CA'], 'en', 'fr en source_article'],
    ['the source if it is preferred', 'en, fr;q=0.5', ['fr'], 'en', 'en en'],
    ['the source as base language', 'en-GB, fr', ['fr'], 'en', 'en-GB en'],
    ['the second preference before the source', 'it, fr;q=0.5', ['fr'], 'en', 'it fr'],
    [
      'any fallback of the first preference before the second',
      'de-AT, fr',
      ['de', 'fr'],
      'en',
      'de-AT de base_language',
    ],
    ['the longest matching prefix', 'de-CH-1996', ['de', 'de-CH'], 'en', 'de-CH-1996 de-CH base_language'],
    [
      'independent of the order of available locales',
      'sr-Latn-RS',
      ['sr', 'sr-Latn'],
      'en',
      'sr-Latn-RS sr-Latn base_language',
    ],
    ['traditional script for Taiwan', 'zh-TW', ['zh', 'zh-Hant'], 'en', 'zh-TW zh-Hant base_language'],
    [
      'the same region without its script',
      'zh-Hant-TW',
      ['zh-TW', 'zh'],
      'en',
      'zh-Hant-TW zh-TW base_language',
    ],
    ['simplified script for China', 'zh-CN', ['zh-Hans', 'zh-Hant'], 'en', 'zh-CN zh-Hans base_language'],
    ['the source in another script', 'zh-TW', ['de'], 'zh', 'zh-TW zh base_language'],
    ['plain Chinese as the last fallback', 'zh-TW', ['zh'], 'en', 'zh-TW zh base_language'],
    ['Norwegian under its other code', 'nb-NO', ['no'], 'en', 'nb-NO no base_language'],
    ['never an excluded locale', 'de-AT, de;q=0', ['de'], 'en', 'de-AT en source_article'],
    ['the source without a preference', '', ['de'], 'en', 'und en'],
    ['the source for a wildcard', '*', ['de'], 'en', 'und en'],
    ['the source after the preferences', 'it, *;q=0.1, de;q=0.05', ['de'], 'en', 'it en source_article'],
    ['a translation if the source is not live', 'de', ['de'], undefined, 'de de'],
    ['nothing if the source is not live', 'it', ['de'], undefined, 'nothing'],
  ])('is %s', (_, header, available, source, expected) => {
    expect(served(header, available, source)).toBe(expected);
  });

  it('is the same for a locale and for a header with this locale', () => {
    expect(selectLocale(toPreference('PT-br'), ['pt'], 'en')).toEqual({
      requestedLocale: 'pt-BR',
      contentLocale: 'pt',
      fallbackReason: 'base_language',
    });
    expect(toPreference('no such tag!').wanted).toEqual([]);
  });

  it('is always published, and without a fallback reason the source or in a requested locale', () => {
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
        expect(found!.requestedLocale).toBe(wishes[0] ?? 'und');
        if (wishes.length > 0 && found!.fallbackReason === undefined) {
          expect([...wishes, source]).toContain(found!.contentLocale);
        }
      }),
    );
  });
});
