import { getLanguageName } from '../embed/language.ts';
import { canonicalizeLocales } from '../locale.ts';
import { CATALOGS, LANGUAGES, type Language, type Messages } from './catalogs.ts';

const STORAGE_KEY = 'guidepost-language';

type LocaleSettings = {
  language: Language;
  /** With the browser's region, for dates and numbers. */
  locale: string;
  direction: 'ltr' | 'rtl';
  messages: Messages;
};

/** The texts of the user's language; those of further pages once `withFurtherTexts` has resolved. */
const messages = {} as Messages;
let loadFurther: (typeof CATALOGS)[Language]['further'] | undefined;

/** Loads the chosen language, otherwise the first browser language with a catalog. */
export async function loadLocale(): Promise<LocaleSettings> {
  const browser = canonicalizeLocales(navigator.languages ?? [navigator.language]);
  const preferred = [...canonicalizeLocales([localStorage.getItem(STORAGE_KEY)]), ...browser];
  const locale = preferred.find((each) => matchLanguage(each) !== undefined) ?? 'en';
  const language = matchLanguage(locale) ?? 'en';
  // Prefer the browser's regional form of the chosen language.
  const regional = browser.find((each) => matchLanguage(each) === language) ?? locale;
  loadFurther = CATALOGS[language].further;
  addTexts(await CATALOGS[language].first());
  return { language, locale: regional, direction: getDirection(language), messages };
}

/** Loads the texts that the first page does without, beside the module that shows them. */
export async function withFurtherTexts<T>(module: Promise<T>): Promise<T> {
  const [loaded, texts] = await Promise.all([module, loadFurther?.()]);
  if (texts) addTexts(texts);
  return loaded;
}

/** Adds a part of the catalog; some sections are in both parts. */
function addTexts({ default: texts }: { default: Messages }): void {
  for (const [section, some] of Object.entries(texts)) {
    const key = section as 'shell';
    messages[key] = Object.assign(messages[key] ?? {}, some);
  }
}

export function setLanguage(language: string): void {
  localStorage.setItem(STORAGE_KEY, language);
  location.reload();
}

function matchLanguage(locale: string): Language | undefined {
  const [base = ''] = locale.toLowerCase().split('-');
  return LANGUAGES.find((each) => each === base);
}

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur', 'yi', 'ps', 'sd', 'ug', 'ckb', 'dv']);

/** Returns the text direction of a language. */
export function getDirection(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(locale.toLowerCase().split('-')[0] ?? '') ? 'rtl' : 'ltr';
}

/** Returns the language of a locale, without script and region. */
export const toLanguage = (locale: string) => locale.split('-', 1)[0];

/** Returns the language's own name, capitalized as in a heading or a menu. */
export function getOwnName(language: Language): string {
  const name = languageNames(language)(language);
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

/** Names languages in the user's language. */
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

/** Common site languages; the API accepts any tag. */
const TAGS =
  'af am ar az be bg bn bs ca cs cy da de el en en-GB en-US es es-MX et eu fa fi fil fr fr-CA ga gl gu he hi hr hu hy id is it ja ka kk km ' +
  'kn ko lo lt lv mk ml mn mr ms my nb ne nl nn pa pl pt pt-BR pt-PT ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh-Hans zh-Hant zu';

type Choice = { value: string; label: string };

/** Lists languages, sorted by name in the user's language; `chosen`, which may be any other tag, is among them. */
export function languageChoices(locale: string, chosen?: string): Choice[] {
  const { compare } = new Intl.Collator(locale);
  const tags = TAGS.split(' ');
  return [...(chosen && !tags.includes(chosen) ? [chosen] : []), ...tags]
    .map((value) => ({ value, label: getLanguageName(value, locale) }))
    .sort((one, other) => compare(one.label, other.label));
}

/** Formats a list of short texts with the separators of the user's language. */
export const LISTED = { type: 'conjunction', style: 'narrow' } as const;

/** Names countries in the user's language. `Intl` has no names for subdivisions, which are shown by their code. */
export function regionNames(locale: string): (region: string) => string {
  const names = new Intl.DisplayNames([locale], { type: 'region' });
  return (region) => {
    const [country = '', subdivision] = region.toUpperCase().split('-');
    if (!/^[A-Z]{2}$/.test(country)) return region;
    const name = names.of(country) ?? country;
    return subdivision ? `${name} (${country}-${subdivision})` : name;
  };
}

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Codes that Intl names but that are not countries. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);

export function countries(locale: string): readonly string[] {
  const names = new Intl.DisplayNames([locale], { type: 'region', fallback: 'none' });
  return LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
    (code) => !NO_COUNTRIES.has(code) && names.of(code) !== undefined,
  );
}

export const isRegion = (text: string) => /^[a-z]{2}(-[a-z\d]{1,3})?$/i.test(text) && !/^zz/i.test(text);

declare module 'use-intl' {
  /** Keys are checked against the English catalog. */
  interface AppConfig {
    Messages: Messages;
  }
}
