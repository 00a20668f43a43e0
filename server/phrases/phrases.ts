/** The guide's own sentences, in each of its languages. Everything else that it says comes from articles or a model. */
import { ar } from './ar.ts';
import { bn } from './bn.ts';
import { cs } from './cs.ts';
import { da } from './da.ts';
import { de } from './de.ts';
import { el } from './el.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fa } from './fa.ts';
import { fi } from './fi.ts';
import { fr } from './fr.ts';
import { he } from './he.ts';
import { hi } from './hi.ts';
import { hu } from './hu.ts';
import { id } from './id.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import type { Phrases } from './language.ts';
import { nb } from './nb.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { ro } from './ro.ts';
import { ru } from './ru.ts';
import { sv } from './sv.ts';
import { th } from './th.ts';
import { tr } from './tr.ts';
import { uk } from './uk.ts';
import { vi } from './vi.ts';
import { zh } from './zh.ts';
import { zhHant } from './zh-hant.ts';

const LANGUAGES: Readonly<Record<string, Phrases>> = {
  ar,
  bn,
  cs,
  da,
  de,
  el,
  en,
  es,
  fa,
  fi,
  fr,
  he,
  hi,
  hu,
  id,
  it,
  ja,
  ko,
  nb,
  nl,
  pl,
  pt,
  ro,
  ru,
  sv,
  th,
  tr,
  uk,
  vi,
  zh,
  'zh-Hant': zhHant,
};

export const PHRASE_LANGUAGES = Object.keys(LANGUAGES);

/** The language of the sentences that a visitor of this locale reads. */
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
