/** The guide's own sentences, in each of its languages. All its other text comes from articles or a model. */
import type { Phrases } from './language.ts';
import { LATIN } from './latin.ts';
import { OTHER_SCRIPTS } from './other-scripts.ts';

const LANGUAGES: Readonly<Record<string, Phrases>> = { ...LATIN, ...OTHER_SCRIPTS };

export const PHRASE_LANGUAGES = Object.keys(LANGUAGES);

/** Returns the language of the guide's sentences for a visitor of this locale. */
export function toPhraseLanguage(locale: string): string {
  const [base = '', ...subtags] = locale.toLowerCase().split('-');
  if (base === 'zh') return subtags.some((subtag) => TRADITIONAL.has(subtag)) ? 'zh-Hant' : 'zh';
  const language = RENAMED[base] ?? base;
  return Object.hasOwn(LANGUAGES, language) ? language : 'en';
}

const TRADITIONAL = new Set(['hant', 'tw', 'hk', 'mo']);
const RENAMED: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', iw: 'he', in: 'id' };

export function getPhrases(locale: string): Phrases {
  return LANGUAGES[toPhraseLanguage(locale)]!;
}
