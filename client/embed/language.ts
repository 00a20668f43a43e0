import type { BootReply } from '../../generated/types.ts';
import type english from '../../languages/guide/en.json';
import { canonicalizeLocales } from '../locale.ts';
import type { LAUNCHER_TEXTS, OPTIONAL_TEXTS } from './optional-texts.ts';

/** All texts of the panel. Braces are placeholders. Every language has the keys of the English one. */
export type AllTexts = (typeof english)['panel']['texts'];
type OptionalTexts = typeof OPTIONAL_TEXTS;
/** The texts that a file loaded on demand needs in addition to those of the panel. */
export type TextsOf<File extends keyof OptionalTexts> = Pick<AllTexts, OptionalTexts[File][number]>;
export type LauncherTexts = Pick<AllTexts, (typeof LAUNCHER_TEXTS)[number]>;
export type Texts = Omit<AllTexts, OptionalTexts[keyof OptionalTexts][number]>;

/** The texts of the consent prompt and of the AI disclosure. */
export type Wording = {
  copy: BootReply['config']['consent']['copy'];
  disclosure: BootReply['consent_directive']['ai_disclosure'];
};

/** The language of the panel. */
export type Localization = {
  /** The visitor's language, with the region if the browser names one. */
  locale: string;
  direction: 'ltr' | 'rtl';
  /** Names the files with the texts. */
  file: string;
  texts: Texts;
  wording: Wording;
};

/** Replaces `{name}` with its value. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/**
 * Returns the name of a language in the visitor's language, such as "German" for `de`; the tag when there is no name.
 */
export function getLanguageName(locale: string, visitorLocale: string): string {
  try {
    return new Intl.DisplayNames([visitorLocale], { type: 'language' }).of(locale) ?? locale;
  } catch {
    return locale;
  }
}

/** Set by the build: the languages of the guide, as tags without likely subtags, such as `de` or `pt-PT`. */
declare const GUIDE_LANGUAGES: readonly string[];

/** Set by the build: languages whose readers read another one. */
declare const READ_AS: Readonly<Record<string, string>>;

/** A language as the launcher knows it. The other texts are loaded with the panel. */
export type LauncherLanguage = {
  /** The visitor's language, with the region if the browser names one. */
  locale: string;
  direction: 'ltr' | 'rtl';
  file: string;
};

/** Returns the first of these languages that is supported, else English. */
export function selectLanguage(preferred: readonly string[]): LauncherLanguage {
  for (const locale of preferred) {
    try {
      // Match the script too: traditional and simplified Chinese are separate languages.
      const { language, script = '', region } = new Intl.Locale(locale).maximize();
      const base = READ_AS[language] ?? language;
      for (const tag of [`${base}-${script}-${region}`, `${base}-${script}`]) {
        const file = new Intl.Locale(tag).minimize().baseName;
        if (GUIDE_LANGUAGES.includes(file)) {
          const direction = /^(Arab|Hebr|Syrc|Thaa|Nkoo|Adlm)$/.test(script) ? 'rtl' : 'ltr';
          return { locale, direction, file };
        }
      }
    } catch {}
  }
  return { locale: 'en', direction: 'ltr', file: 'en' };
}

/**
 * Lists the visitor's languages, best first: the one chosen on the page, the page's own if the browser has it too, then
 * the other languages of the browser and of the page.
 */
export function listLanguages(
  chosen: string | undefined,
  page: string,
  /** Some browsers inside of apps report none. */
  browser: readonly (string | undefined)[],
): readonly string[] {
  const toBase = (language: string | undefined) => language?.toLowerCase().split(/[-_]/)[0];
  // Prefer the browser's regional variant: it formats times as the visitor expects.
  const variants = page ? browser.filter((language) => toBase(language) === toBase(page)) : [];
  return canonicalizeLocales([chosen, ...variants, ...browser, page]);
}

/** Lists as many languages as fit into a header that needs no CORS preflight. */
export function buildAcceptLanguage(languages: readonly string[]): string {
  const ranges = languages
    .slice(0, 9)
    .map((language, rank) => (rank ? `${language};q=0.${10 - rank}` : language));
  while (ranges.join().length > 128) ranges.pop();
  return ranges.join();
}
