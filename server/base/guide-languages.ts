import { readdirSync, readFileSync } from 'node:fs';
import readAs from '../../languages/read-as.json' with { type: 'json' };
import { identity, memoize, once } from './cache.ts';
import type { GuideLanguage } from './guide-language-schema.ts';
import { PACKAGE_ROOT } from './package-root.ts';
import { getLanguage, normalizeForSearch } from './text.ts';

const FOLDER = new URL('languages/guide/', PACKAGE_ROOT);

/** What the panel says in a language. */
export type PanelLanguage = NonNullable<GuideLanguage['panel']>;
/** What the guide says and understands in a language. */
export type ChatLanguage = NonNullable<GuideLanguage['chat']>;

const languages = readdirSync(FOLDER)
  .sort()
  .map((name) => ({
    tag: name.slice(0, -'.json'.length),
    // Checked by a test rather than at each start, which it would delay.
    language: readFile(name),
  }));

/** The languages of the panel by locale, such as `de` or `pt-BR`. */
export const PANEL_LANGUAGES: ReadonlyMap<string, PanelLanguage> = new Map(
  languages.flatMap(({ tag, language: { panel } }) => (panel ? [[tag, panel]] : [])),
);

/** The first text of each language: Brazilian for Portuguese. */
const panelTagsByLanguage: ReadonlyMap<string, string> = new Map(
  [...PANEL_LANGUAGES.keys()].reverse().map((tag) => [toLanguageAndScript(tag), tag]),
);

/** Returns the locale of the panel that a visitor of this locale reads. */
export function findPanelTag(requested: string): string | undefined {
  const locale = toReadLocale(requested);
  if (locale === undefined) return undefined;
  const { language, region } = locale;
  const exact = `${language}-${region}`;
  return PANEL_LANGUAGES.has(exact) ? exact : panelTagsByLanguage.get(toLanguageAndScript(locale));
}

/** The languages that the guide talks in. */
export const CHAT_LANGUAGES: ReadonlyMap<string, ChatLanguage> = new Map(
  languages.flatMap(({ tag, language: { chat } }) => (chat ? [[toLanguageAndScript(tag), chat]] : [])),
);

export const CHAT_TAGS: readonly string[] = [...CHAT_LANGUAGES.keys()];

const functionWords: ReadonlyMap<string, readonly string[]> = new Map(
  languages.flatMap(({ tag, language }) =>
    language.functionWords ? [[getLanguage(tag), language.functionWords.split(' ')]] : [],
  ),
);

/** Languages whose readers read another one that the guide has (CLDR, languageMatching). */
const READ_AS: Readonly<Record<string, string>> = readAs;

/**
 * Returns words that say nothing about a subject, as people write them: articles, pronouns, prepositions, auxiliaries,
 * question words, and what requests start with. Empty for a language without such a list. A workspace has too few articles
 * to show which words are rare in the language; without them, "my" would count as much as "parcel".
 */
export function listFunctionWords(locale: string): readonly string[] {
  const language = getLanguage(locale);
  return functionWords.get(READ_AS[language] ?? language) ?? [];
}

const getAllFunctionWords = once(
  () => new Set([...functionWords.values()].flat().map((word) => normalizeForSearch(word, 'und'))),
);

/** Whether a normalized word is a function word in any language. */
export const isFunctionWord = (word: string): boolean => getAllFunctionWords().has(word);

/** Returns the locale in which a visitor of this locale reads the guide's texts; undefined for an invalid one. */
const toReadLocale = memoize((locale: string): Intl.Locale | undefined => {
  try {
    // The script tells traditional from simplified Chinese.
    const { language, script, region } = new Intl.Locale(locale).maximize();
    return new Intl.Locale(READ_AS[language] ?? language, { script, region });
  } catch {
    return undefined;
  }
}, identity);

/** Returns the language in which the guide talks to a visitor of this locale. */
export function toChatLanguage(locale: string): string {
  const read = toReadLocale(locale);
  const named = read ? [toLanguageAndScript(read), read.language] : [];
  return named.find((language) => CHAT_LANGUAGES.has(language)) ?? 'en';
}

/** Returns the guide's own sentences for a visitor of this locale. All its other text comes from articles or a model. */
export function getPhrases(locale: string): ChatLanguage['phrases'] {
  return CHAT_LANGUAGES.get(toChatLanguage(locale))!.phrases;
}

/** Adds the name of its language to a title in another language than the reply. */
export function markLanguage(title: string, locale: string | undefined, replyLocale: string): string {
  if (locale === undefined || getLanguage(locale) === getLanguage(replyLocale)) return title;
  const name = getLanguageNames(replyLocale).of(getLanguage(locale));
  return name === undefined ? title : `${title} (${name})`;
}

const getLanguageNames = memoize(
  (locale: string) => new Intl.DisplayNames([locale, 'en'], { type: 'language', fallback: 'none' }),
  identity,
);

/** `pt`, `zh` or `zh-Hant`: the script only if it is not the usual one. */
function toLanguageAndScript(tag: string | Intl.Locale): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  return script === new Intl.Locale(language).maximize().script ? language : `${language}-${script}`;
}

function readFile(name: string): GuideLanguage {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
}
