import type { HelpCentreSettings } from '../../contract/help-centre.ts';
import { identity, memoize } from '../base/cache.ts';
import { findPanelTag, PANEL_LANGUAGES, type PanelLanguage } from '../base/guide-languages.ts';
import type { Workspace } from '../storage/workspaces.ts';

/** A help centre as a request reads it. */
export type HelpCentre = {
  workspace: Workspace;
  settings: HelpCentreSettings;
  /** The languages with published texts, sorted. */
  locales: readonly string[];
  /** Where its pages begin: `/help/gp_…`, or nothing on a domain of its own. */
  basePath: string;
  /** Where the pages are for readers, such as https://help.example.com. */
  origin: string;
  logo?: { url: string; width?: number | undefined; height?: number | undefined } | undefined;
  /** Where the service is for browsers: it has the images and the guide. */
  serviceUrl: string;
};

/** The texts of a page in the language of its address, or the closest one that the guide speaks. */
export type PageTexts = PanelLanguage['texts'] & PanelLanguage['helpCentre'];
export type PageLanguage = {
  /** The locale of the address. */
  locale: string;
  texts: PageTexts;
  /** The language of the texts, for `lang`. */
  textsLocale: string;
};

// Formatters and locales take longer to make than a page.

export const toPageLanguage = memoize((locale): PageLanguage => {
  const tag = findPanelTag(locale) ?? 'en';
  const { texts, helpCentre } = PANEL_LANGUAGES.get(tag)!;
  return { locale, textsLocale: tag, texts: { ...texts, ...helpCentre } };
}, identity);

/** Replaces `{name}` in a text. */
export const fillIn = (text: string, values: Readonly<Record<string, string | number>>) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));

/** Scripts that are written from right to left (CLDR). */
const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);

export const toDirection = memoize(
  (locale): 'ltr' | 'rtl' => (RIGHT_TO_LEFT.has(maximize(locale).script ?? '') ? 'rtl' : 'ltr'),
  identity,
);

const maximize = memoize((locale) => new Intl.Locale(locale).maximize(), identity);

export const getDateFormat = memoize(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }),
  identity,
);
export const getCollator = memoize((locale) => new Intl.Collator(locale), identity);

/** Names a language in a language; a tag without a name stays as it is. */
export const getLanguageName = (locale: string, displayLocale: string): string =>
  nameLanguage({ locale, displayLocale });

const nameLanguage = memoize(
  ({ locale, displayLocale }: { locale: string; displayLocale: string }) =>
    getLanguageNames(displayLocale).of(locale) ?? locale,
  ({ locale, displayLocale }) => `${locale} ${displayLocale}`,
);

const getLanguageNames = memoize(
  (locale) => new Intl.DisplayNames([locale, 'en'], { type: 'language' }),
  identity,
);

/** Compares language and script: simplified and traditional Chinese differ. */
export function isSameLanguage(one: string, other: string): boolean {
  const [first, second] = [one, other].map(maximize);
  return first!.language === second!.language && first!.script === second!.script;
}
