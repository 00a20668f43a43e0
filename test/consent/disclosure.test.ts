import { expect, it } from 'vitest';
import { copyTexts, disclosureTexts } from '../../server/consent/copy-texts.ts';
import { aiDisclosure, consentCopy, findCopyLocale } from '../../server/consent/disclosure.ts';

const wanted = 'en de es fr it nl pl pt-BR ru uk cs sv tr ja ko zh-CN fa he hi ar'.split(' ');

// How each language writes "AI"; detects a text in the wrong language or without the term.
const words: Record<string, RegExp> = {
  en: /\bAI\b/,
  de: /\bKI-/,
  es: /inteligencia artificial/,
  fr: /intelligence artificielle/,
  it: /intelligenza artificiale/,
  nl: /\bAI-/,
  pl: /sztucznej inteligencji/,
  'pt-BR': /inteligência artificial/,
  ru: /искусственного интеллекта/,
  uk: /штучного інтелекту/,
  cs: /umělou inteligencí/,
  sv: /\bAI-/,
  tr: /yapay zekâ/,
  ja: /AI/,
  ko: /AI/,
  'zh-CN': /人工智能/,
  fa: /هوش مصنوعی/,
  he: /בינה מלאכותית/,
  hi: /एआई/,
  ar: /بالذكاء الاصطناعي/,
};

it.each(wanted)('returns the text in %s', (locale) => {
  const disclosure = aiDisclosure(locale);
  expect(disclosure).toMatchObject({ required: true, locale, show: 'before_first_message' });
  expect(disclosure.text).toMatch(words[locale]!);
  expect(consentCopy(locale).locale).toBe(locale);
});

it('has disclosure and consent copy in the same languages, unique and within their limits', () => {
  expect(Object.keys(copyTexts)).toEqual(Object.keys(disclosureTexts));
  const texts = Object.values(copyTexts);
  for (const member of ['title', 'text', 'notice'] as const) {
    expect(new Set(texts.map((copy) => copy[member])).size).toBe(texts.length);
  }
  for (const copy of texts) {
    expect(copy.title.length).toBeLessThanOrEqual(300);
    expect(Math.max(copy.accept.length, copy.deny.length)).toBeLessThanOrEqual(30);
    expect(copy.text).toMatch(/24|۲۴/);
    expect(copy.gpcNotice).toMatch(/Global Privacy Control|GPC/);
  }
});

it.each<[string | string[] | undefined, string]>([
  ['de-AT', 'de'],
  ['DE', 'de'],
  ['pt', 'pt-BR'],
  ['pt-PT', 'pt-PT'],
  ['zh', 'zh-CN'],
  ['zh-SG', 'zh-CN'],
  ['zh-HK', 'zh-TW'],
  ['zh-Hant', 'zh-TW'],
  ['zh-Hans-CN', 'zh-CN'],
  ['iw', 'he'],
  ['no', 'nb'],
  ['en-GB', 'en'],
  ['xx', 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['not a locale', 'en'],
  [undefined, 'en'],
  [[], 'en'],
  [['tlh', 'fr-CA', 'en'], 'fr'],
])('resolves %j to %s', (locale, served) => {
  expect(aiDisclosure(locale).locale).toBe(served);
  expect(consentCopy(locale).locale).toBe(served);
});

it('gives every text a unique version that can be looked up', () => {
  const versions = wanted.map((locale) => consentCopy(locale).copyVersion);
  expect(new Set(versions).size).toBe(wanted.length);
  for (const [index, version] of versions.entries()) expect(findCopyLocale(version)).toBe(wanted[index]);
  expect(findCopyLocale('2020-01-01.1')).toBeUndefined();
  expect(aiDisclosure('de').version).not.toBe(aiDisclosure('en').version);
});

it('returns the text direction', () => {
  expect(['ar', 'fa', 'he'].map((locale) => consentCopy(locale).direction)).toEqual(['rtl', 'rtl', 'rtl']);
  expect(consentCopy('de').direction).toBe('ltr');
});
