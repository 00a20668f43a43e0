import { getLanguageName } from '../embed/language.ts';
import type { Messages } from './locales/en.ts';

/** The languages of the interface: a catalog each, fetched when it is the reader's. */
const CATALOGS = {
  en: async () => (await import('./locales/en.ts')).en,
  de: async () => (await import('./locales/de.ts')).de,
} satisfies Record<string, () => Promise<Messages>>;

export type Language = keyof typeof CATALOGS;
export const LANGUAGES = Object.keys(CATALOGS) as Language[];

const CHOSEN = 'guidepost-language';

export type LocaleSettings = {
  readonly language: Language;
  /** The reader's language with the region that the browser names, for dates and numbers. */
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  readonly messages: Messages;
};

/** The texts that the person chose, else in the first language of the browser that there are texts for. */
export async function loadLocale(): Promise<LocaleSettings> {
  const wanted = [localStorage.getItem(CHOSEN), ...navigator.languages].filter((each) => each !== null);
  const locale = wanted.find((each) => matchLanguage(each) !== undefined) ?? 'en';
  const language = matchLanguage(locale) ?? 'en';
  // A person who chose a language gets the form of it that the browser names, if it names one.
  const regional = navigator.languages.find((each) => matchLanguage(each) === language) ?? locale;
  return {
    language,
    locale: regional,
    direction: getDirection(language),
    messages: await CATALOGS[language](),
  };
}

export function setLanguage(language: Language): void {
  localStorage.setItem(CHOSEN, language);
  location.reload();
}

function matchLanguage(locale: string): Language | undefined {
  const [base = ''] = locale.toLowerCase().split('-');
  return LANGUAGES.find((each) => each === base);
}

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur', 'yi', 'ps', 'sd', 'ug', 'ckb', 'dv']);

/** How text of a language runs: for the interface as for what is written in it. */
export function getDirection(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(locale.toLowerCase().split('-')[0] ?? '') ? 'rtl' : 'ltr';
}

/** Languages by their names in the reader's language. */
export function languageNames(locale: string): (tag: string) => string {
  const names = new Intl.DisplayNames([locale], { type: 'language', languageDisplay: 'standard' });
  return (tag) => {
    try {
      return names.of(tag) ?? tag;
    } catch {
      return tag;
    }
  };
}

/** Languages that sites are written in; the API takes any other tag. */
const TAGS =
  'af am ar az be bg bn bs ca cs cy da de el en en-GB en-US es es-MX et eu fa fi fil fr fr-CA ga gl gu he hi hr hu hy id is it ja ka kk km ' +
  'kn ko lo lt lv mk ml mn mr ms my nb ne nl nn pa pl pt pt-BR pt-PT ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh-Hans zh-Hant zu';

export type Choice = { readonly value: string; readonly label: string };

/** By their names in the reader's language, in the order that the reader expects. */
export function languageChoices(locale: string): Choice[] {
  const { compare } = new Intl.Collator(locale);
  return TAGS.split(' ')
    .map((value) => ({ value, label: getLanguageName(value, locale) }))
    .sort((one, other) => compare(one.label, other.label));
}

declare module 'use-intl' {
  /** Keys are checked against the English catalog. */
  interface AppConfig {
    Messages: Messages;
  }
}
