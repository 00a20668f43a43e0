import { readdirSync, readFileSync } from 'node:fs';
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

/** The languages that the guide talks in by language and, if it is not the usual one, script: `pt`, `zh` or `zh-Hant`. */
export const CHAT_LANGUAGES: ReadonlyMap<string, ChatLanguage> = new Map(
  languages.flatMap(({ tag, language: { chat } }) => (chat ? [[toLanguageAndScript(tag), chat]] : [])),
);

export const CHAT_TAGS: readonly string[] = [...CHAT_LANGUAGES.keys()];

const functionWords: ReadonlyMap<string, readonly string[]> = new Map(
  languages.flatMap(({ tag, language }) =>
    language.functionWords ? [[getLanguage(tag), language.functionWords.split(' ')]] : [],
  ),
);

/** Former codes, variants of Norwegian, and languages that share most words with another. */
const RENAMED: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', iw: 'he', in: 'id' };
const SAME_WORDS: Readonly<Record<string, string>> = { ...RENAMED, ms: 'id', bs: 'hr' };

/**
 * Returns words that say nothing about a subject, as people write them: articles, pronouns, prepositions, auxiliaries,
 * question words, and what requests start with. Empty for a language without such a list. A workspace has too few articles
 * to show which words are rare in the language; without them, "my" would count as much as "parcel".
 */
export function listFunctionWords(locale: string): readonly string[] {
  const language = getLanguage(locale);
  return functionWords.get(SAME_WORDS[language] ?? language) ?? [];
}

const getAllFunctionWords = once(
  () => new Set([...functionWords.values()].flat().map((word) => normalizeForSearch(word, 'und'))),
);

/** Whether a normalized word is a function word in any language. */
export const isFunctionWord = (word: string): boolean => getAllFunctionWords().has(word);

const TRADITIONAL = new Set(['hant', 'tw', 'hk', 'mo']);

/** Returns the language in which the guide talks to a visitor of this locale. */
export function toChatLanguage(locale: string): string {
  const [base = '', ...subtags] = locale.toLowerCase().split('-');
  if (base === 'zh') return subtags.some((subtag) => TRADITIONAL.has(subtag)) ? 'zh-Hant' : 'zh';
  const language = RENAMED[base] ?? base;
  return CHAT_LANGUAGES.has(language) ? language : 'en';
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

function toLanguageAndScript(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  return script === new Intl.Locale(language).maximize().script ? language : `${language}-${script}`;
}

function readFile(name: string): GuideLanguage {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
}
