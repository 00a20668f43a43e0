import { getLanguage, normalizeForSearch } from '../../base/text.ts';
import { listFunctionWords } from '../../phrases/function-words.ts';
import { TRADITIONAL_ONLY } from './chinese-scripts.ts';

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

const LATIN = 'en de fr es it pt nl sv da nb fi pl cs ro hu tr vi id'.split(' ');

/** Each script with the languages that are told apart in it. */
const SCRIPTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/[\p{sc=Hiragana}\p{sc=Katakana}]/gu, ['ja']],
  [/\p{sc=Hangul}/gu, ['ko']],
  [/\p{sc=Han}/gu, ['zh']],
  [/\p{sc=Thai}/gu, ['th']],
  [/\p{sc=Devanagari}/gu, ['hi']],
  [/\p{sc=Bengali}/gu, ['bn']],
  [/\p{sc=Hebrew}/gu, ['he']],
  [/\p{sc=Greek}/gu, ['el']],
  [/\p{sc=Cyrillic}/gu, ['ru', 'uk']],
  [/\p{sc=Arabic}/gu, ['ar', 'fa']],
];
/** Minimum share of a script's letters, so that a name in another script does not change the language. */
const SHARE_MIN = 0.3;

function detectByScript(text: string): readonly string[] | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const kana = text.match(SCRIPTS[0]![0])?.length ?? 0;
  const han = text.match(SCRIPTS[2]![0])?.length ?? 0;
  if (kana > 0 && kana + han > letters * SHARE_MIN) return ['ja'];
  return SCRIPTS.find(([script]) => (text.match(script)?.length ?? 0) > letters * SHARE_MIN)?.[1];
}

function pickChinese(text: string, fitting: readonly string[]): string | undefined {
  const isHant = (locale: string) => /-(?:hant|tw|hk|mo)\b/i.test(locale);
  if (TRADITIONAL_ONLY.test(text)) return fitting.find(isHant) ?? fitting[0];
  return fitting.find((locale) => !isHant(locale)) ?? fitting[0];
}

/** Letters that only one of several languages of a script uses. */
const LETTERS: readonly (readonly [string, RegExp])[] = [
  ['de', /ß/],
  ['es', /[ñ¿¡]/],
  ['pt', /[ãõ]/],
  ['pl', /[ąęłńśźż]/],
  ['cs', /[ěřů]/],
  ['ro', /[țţ]/],
  ['hu', /[őű]/],
  ['tr', /[ğış]/],
  ['vi', /[ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/],
  ['ru', /[ыэъё]/],
  ['uk', /[іїєґ]/],
  ['fa', /[پچژگ]/],
  ['ar', /[ةىأإي]/],
];
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
    const exact = WORDS.exact.get(word);
    const sharing = exact ?? WORDS.folded.get(normalizeForSearch(word, 'und')) ?? [];
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
  const [best, second] = languages
    .filter((language) => language !== expected)
    .map((language) => ({ language, ...countWords(words, language, expected) }))
    .filter(({ own, shared, other }) => {
      const isShort = other === 0 && own > 0 && own + shared >= 2;
      return own >= 2 * other + 2 || (isShort && own + shared >= words.length * CLEAR_SHARE_MIN);
    })
    .sort((a, b) => b.own + b.shared - (a.own + a.shared));
  const isTie = second !== undefined && best!.own + best!.shared === second.own + second.shared;
  return isTie ? detectByWords(text, [best!.language, second.language]) : best?.language;
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
    else if (hasLettersOf(language, word)) own += /^\p{Ll}/u.test(word) ? 2 : 1;
  }
  return { own, shared, other };
}

function isWordOf(language: string, word: string): boolean {
  const languages = WORDS.exact.get(word) ?? WORDS.folded.get(normalizeForSearch(word, 'und'));
  return languages?.includes(language) ?? false;
}

const hasLettersOf = (language: string, word: string) =>
  LETTERS.some(([of, letters]) => of === language && letters.test(word.toLowerCase()));

/** The languages of each word, as written and without accents. */
const WORDS = indexFunctionWords();

function indexFunctionWords() {
  const exact = new Map<string, string[]>();
  const folded = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, word: string, language: string) => {
    const languages = map.get(word) ?? [];
    if (!languages.includes(language)) map.set(word, [...languages, language]);
  };
  for (const language of [...LATIN, ...SCRIPTS.flatMap(([, languages]) => languages)]) {
    for (const word of listFunctionWords(language)) {
      add(exact, word, language);
      add(folded, normalizeForSearch(word, 'und'), language);
    }
  }
  return { exact, folded };
}
