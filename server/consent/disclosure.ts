import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import { type CopyText, copyTexts } from './copy-texts.ts';
import { disclosureTexts } from './disclosure-texts.ts';

/** Tells the visitor that an AI answers; part of every directive, in every region. */
export type AiDisclosure = {
  readonly required: true;
  readonly text: string;
  /** The locale that the text is in, which may be another than the one wanted. */
  readonly locale: string;
  /** Names this wording in this language; derived from the text. */
  readonly version: string;
  readonly show: 'before_first_message';
};

/** The wording of the consent prompt. `copyVersion` comes back with the decision and goes into the evidence. */
export type ConsentCopy = CopyText & {
  readonly locale: string;
  readonly copyVersion: string;
  readonly direction: 'ltr' | 'rtl';
};

/** One wish (`pt-BR`) or several, best first. */
export type LocaleWanted = string | readonly string[] | undefined;

/** The disclosure in the wanted language: the exact locale, else the base language, else English. */
export function aiDisclosure(localeWanted: LocaleWanted): AiDisclosure {
  return chosen(disclosures, localeWanted);
}

/** The consent prompt's copy in the wanted language: the exact locale, else the base language, else English. */
export function consentCopy(localeWanted: LocaleWanted): ConsentCopy {
  return chosen(copies, localeWanted);
}

/** Every version of the consent copy that this service shows, with its locale: a decision may name no other. */
export function findCopyLocale(copyVersion: string): string | undefined {
  return localesByCopyVersion.get(copyVersion);
}

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'fa', 'he']);

const disclosures: ReadonlyMap<string, AiDisclosure> = new Map(
  Object.entries(disclosureTexts).map(([locale, text]) => [
    locale,
    { required: true, text, locale, version: versionOf(locale, text), show: 'before_first_message' },
  ]),
);

const copies: ReadonlyMap<string, ConsentCopy> = new Map(
  Object.entries(copyTexts).map(([locale, text]) => [
    locale,
    {
      ...text,
      locale,
      copyVersion: versionOf(locale, text),
      direction: RIGHT_TO_LEFT.has(locale) ? 'rtl' : 'ltr',
    },
  ]),
);

const localesByCopyVersion: ReadonlyMap<string, string> = new Map(
  Array.from(copies.values(), (copy) => [copy.copyVersion, copy.locale]),
);

function versionOf(locale: string, text: unknown): string {
  return `${locale}+${hash('sha256', canonicalJson(text)).slice(0, 12)}`;
}

/** The base languages whose text stands under a region, and the macrolanguage of Bokmål. */
const BASE_LANGUAGES: { readonly [language: string]: string } = { no: 'nb', pt: 'pt-BR', zh: 'zh-CN' };

function chosen<Text>(texts: ReadonlyMap<string, Text>, wanted: LocaleWanted): Text {
  const wishes = wanted === undefined ? [] : typeof wanted === 'string' ? [wanted] : wanted;
  for (const wish of wishes) {
    const text = closest(texts, wish);
    if (text !== undefined) return text;
  }
  return texts.get('en') as Text;
}

function closest<Text>(texts: ReadonlyMap<string, Text>, wish: string): Text | undefined {
  const named = texts.get(wish);
  if (named !== undefined) return named;
  const locale = localeOf(wish);
  if (locale === undefined) return undefined;
  const exact = texts.get(locale.baseName);
  if (exact !== undefined) return exact;
  // Readers of Traditional Chinese are served by script: zh-Hant and zh-HK are not zh-CN.
  if (locale.language === 'zh' && locale.maximize().script === 'Hant') return texts.get('zh-TW');
  return texts.get(locale.language) ?? texts.get(BASE_LANGUAGES[locale.language] ?? '');
}

function localeOf(wish: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(wish);
  } catch {
    return undefined;
  }
}
