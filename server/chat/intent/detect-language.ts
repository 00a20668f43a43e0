import { CHAT_LANGUAGES, CHAT_TAGS, listFunctionWords } from '../../base/guide-languages.ts';
import { getLanguage, normalizeForSearch } from '../../base/text.ts';

const CHARS_READ_MAX = 2000;

/**
 * Detects which of the candidate locales a text is written in, by its script and by common short words; undefined
 * when unsure.
 * @param expected the locale that the text is probably in, such as the browser's: another one of the same script must be clear
 */
export function detectLanguage(
  text: string,
  candidates: readonly string[],
  expected?: string,
): string | undefined {
  const start = text.slice(0, CHARS_READ_MAX);
  const languages = detectByScript(start) ?? LATIN;
  const fitting = candidates.filter((candidate) => languages.includes(toLanguage(candidate)));
  if (languages.length === 1) return languages[0] === 'zh' ? pickChinese(start, fitting) : fitting[0];
  const home = expected === undefined ? undefined : toLanguage(expected);
  const language =
    home && languages.includes(home)
      ? findClearLanguage(start, languages, home)
      : detectByWords(start, languages);
  return language && fitting.find((candidate) => toLanguage(candidate) === language);
}

function toLanguage(locale: string): string {
  const language = getLanguage(locale);
  return language === 'no' || language === 'nn' ? 'nb' : language;
}

/** The languages that are told apart in each script. */
const LANGUAGES_BY_SCRIPT = Map.groupBy(
  new Set(CHAT_TAGS.map(getLanguage)),
  (language) => new Intl.Locale(language).maximize().script!,
);
const LATIN = LANGUAGES_BY_SCRIPT.get('Latn')!;

const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/gu;
const HAN = /\p{sc=Han}/gu;
/** Unicode has no letters for the names that BCP 47 gives to the scripts of these languages. */
const MIXED_SCRIPTS: Readonly<Record<string, RegExp>> = { Jpan: KANA, Kore: /\p{sc=Hangul}/gu, Hans: HAN };

const OTHER_SCRIPTS: readonly (readonly [RegExp, readonly string[]])[] = [...LANGUAGES_BY_SCRIPT]
  .filter(([script]) => script !== 'Latn')
  .map(([script, languages]) => [MIXED_SCRIPTS[script] ?? new RegExp(`\\p{sc=${script}}`, 'gu'), languages]);
/** Minimum share of a script's letters, so that a name in another script does not change the language. */
const SHARE_MIN = 0.3;

function detectByScript(text: string): readonly string[] | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const kana = text.match(KANA)?.length ?? 0;
  const han = text.match(HAN)?.length ?? 0;
  if (kana > 0 && kana + han > letters * SHARE_MIN) return ['ja'];
  return OTHER_SCRIPTS.find(([script]) => (text.match(script)?.length ?? 0) > letters * SHARE_MIN)?.[1];
}

function pickChinese(text: string, fitting: readonly string[]): string | undefined {
  const isHant = (locale: string) => /-(?:hant|tw|hk|mo)\b/i.test(locale);
  if (hasLettersOf('zh-Hant', text)) return fitting.find(isHant) ?? fitting[0];
  return fitting.find((locale) => !isHant(locale)) ?? fitting[0];
}

/** Letters that only one of several languages of a script uses. */
const LETTERS: ReadonlyMap<string, RegExp> = new Map(
  Array.from(CHAT_LANGUAGES).flatMap(([language, { letters }]) =>
    letters ? [[language, new RegExp(`[${letters}]`, 'u')]] : [],
  ),
);

/** Returns whether a text has letters that no other language of the script has: `zh-Hant` has letters that `zh` lacks. */
export const hasLettersOf = (language: string, text: string) => LETTERS.get(language)?.test(text) ?? false;

const LETTERS_WEIGHT = 1.5;
/** Minimum score: one word of a single language. A word that several languages share counts as a fraction for each. */
const SCORE_MIN = 1;
const MARGIN_MIN = 1.25;

function detectByWords(text: string, languages: readonly string[]): string | undefined {
  const scores = new Map(languages.map((language) => [language, 0]));
  const add = (language: string, weight: number) =>
    void (scores.has(language) && scores.set(language, scores.get(language)! + weight));
  const lower = text.toLowerCase();
  for (const [language, letters] of LETTERS) if (letters.test(lower)) add(language, LETTERS_WEIGHT);
  for (const word of lower.match(/[\p{L}\p{M}]+/gu) ?? []) {
    const exact = getWords().exact.get(word);
    const sharing = exact ?? getWords().folded.get(normalizeForSearch(word, 'und')) ?? [];
    for (const language of sharing) add(language, (exact ? 1 : 0.7) / sharing.length);
  }
  const [best, second] = [...scores].sort((a, b) => b[1] - a[1]);
  if (!best || best[1] < SCORE_MIN || best[1] < (second?.[1] ?? 0) * MARGIN_MIN) return undefined;
  return best[0];
}

/** Minimum share of words of the language, if no more than one of them is unknown to the expected language. */
const CLEAR_SHARE_MIN = 0.5;

/**
 * Returns the language other than the expected one that a text is clearly in. Names and typing errors look like single
 * words of another language, so one word decides only in a text that has others of that language and none of the expected
 * one.
 */
function findClearLanguage(text: string, languages: readonly string[], expected: string): string | undefined {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const ranked = languages
    .filter((language) => language !== expected)
    .map((language) => ({ language, ...countWords(words, language, expected) }))
    .filter(({ own, shared, other }) => {
      const isShort = other === 0 && own > 0 && own + shared >= 2;
      return own >= 2 * other + 2 || (isShort && own + shared >= words.length * CLEAR_SHARE_MIN);
    })
    .sort((a, b) => b.own + b.shared - (a.own + a.shared));
  const [best, ...others] = ranked;
  if (!best) return undefined;
  const tied = others.filter(({ own, shared }) => own + shared === best.own + best.shared);
  const candidates = [best, ...tied].map(({ language }) => language);
  return tied.length > 0 ? detectByWords(text, candidates) : best.language;
}

/** Counts the words of a language that the expected one does not have, that both have, and that only the other has. */
function countWords(words: readonly string[], language: string, expected: string) {
  let [own, shared, other] = [0, 0, 0];
  for (const word of words) {
    const isOwn = isWordOf(language, word.toLowerCase());
    const isExpected = isWordOf(expected, word.toLowerCase());
    if (isOwn && isExpected) shared += 1;
    else if (isExpected) other += 1;
    else if (isOwn) own += 1;
    // A name begins with a capital letter.
    else if (hasLettersOf(language, word.toLowerCase())) own += /^\p{Ll}/u.test(word) ? 2 : 1;
  }
  return { own, shared, other };
}

function isWordOf(language: string, word: string): boolean {
  const languages = getWords().exact.get(word) ?? getWords().folded.get(normalizeForSearch(word, 'und'));
  return languages?.includes(language) ?? false;
}

let words: ReturnType<typeof indexFunctionWords> | undefined;

/** Returns the languages of each word, as written and without accents. The service starts without them. */
const getWords = () => (words ??= indexFunctionWords());

function indexFunctionWords() {
  const exact = new Map<string, string[]>();
  const folded = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, word: string, language: string) => {
    const languages = map.get(word) ?? [];
    if (!languages.includes(language)) map.set(word, [...languages, language]);
  };
  for (const language of [...LANGUAGES_BY_SCRIPT.values()].flat()) {
    for (const word of listFunctionWords(language)) {
      add(exact, word, language);
      add(folded, normalizeForSearch(word, 'und'), language);
    }
  }
  return { exact, folded };
}
