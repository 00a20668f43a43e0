import { toVisibleText } from './visible-text.ts';

/** Counts Unicode code points, as JSON Schema does. */

export function hasAtMostCharacters(charsMax: number, text: string): boolean {
  if (text.length <= charsMax) return true;
  return text.length <= charsMax * 2 && [...text].length <= charsMax;
}

/** Truncates to `charsMax` code points, so that no surrogate pair is split. */
export function truncate(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return [...text.slice(0, charsMax * 2)].slice(0, charsMax).join('');
}

/** The form in which e-mail addresses are stored and compared. */
export const normalizeEmail = (email: string) => email.normalize('NFC').toLowerCase();

/** Escapes text for a regular expression that matches it letter by letter. */
export const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Replaces what a database cannot store or another program cannot read: U+0000 and unpaired surrogates. */
export const toStorableText = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** U+2800 is the blank Braille cell: it renders as a space but is not matched by \s. */
const CONTROLS = /[^\P{Cc}\n]+/gu;
const BLANKS = /(?:[^\S\n]|\u2800)+/g;
/** Combining marks and variation selectors alone render nothing. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Returns one line in NFC without invisible characters; undefined when it is empty or too long. */
export function normalizeLine(text: string, charsMax: number): string | undefined {
  return normalizeText(text.replace(/\s+/g, ' '), charsMax);
}

/** Normalizes like `normalizeLine`, but keeps line breaks. */
export function normalizeText(text: string, charsMax: number): string | undefined {
  const spaced = text.replace(/\r\n?/g, '\n').replace(CONTROLS, ' ');
  const normalized = toVisibleText(spaced).replace(BLANKS, ' ').trim();
  return hasAtMostCharacters(charsMax, normalized) && VISIBLE.test(normalized) ? normalized : undefined;
}

/** Returns the language of a locale: "sr" for "sr-Latn-RS". */
export const getLanguage = (locale: string) => locale.split('-', 1)[0]!.toLowerCase();

/** Letters of Chinese, Japanese and Korean, for a character class: each is a syllable or a word. */
export const CJK_LETTERS = '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}';

/** Letters of scripts whose words do not reliably have spaces between them, for a character class. */
export const UNSPACED_LETTERS = `${CJK_LETTERS}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}ー々`;

const UNSPACED = new RegExp(`[${UNSPACED_LETTERS}]`, 'u');

export const hasUnspacedLetters = (text: string) => UNSPACED.test(text);

export const ASCII_ONLY = /^[\0-\x7f]*$/;
/**
 * The lookahead skips the slow lookbehind for most characters. Matching runs of marks keeps the
 * cost linear.
 */
const MARKS_ON_LETTERS = /(?=\p{M})(?<=[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}])\p{M}+/gu;
const SPACING_MARKS = /[\p{Mc}\p{Me}]+/gu;
const LETTER_FOLDS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
};
const FOLDABLE_LETTERS = new RegExp(`[${Object.keys(LETTER_FOLDS).join('')}]|\u0640`, 'gu');

const ARABIC_DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** Folds case, compatibility forms, and diacritics in scripts where they are not letters. */
export function normalizeForSearch(text: string, locale: string): string {
  const lang = getLanguage(locale);
  const lower =
    lang === 'tr' || lang === 'az' || lang === 'lt'
      ? text.normalize('NFKC').toLocaleLowerCase(lang)
      : text.normalize('NFKC').toLowerCase();
  return ASCII_ONLY.test(lower) ? lower : stripMarks(lower);
}

export function stripMarks(text: string): string {
  return text
    .normalize('NFD')
    .replace(MARKS_ON_LETTERS, (marks) => marks.match(SPACING_MARKS)?.join('') ?? '')
    .normalize('NFC')
    .replace(FOLDABLE_LETTERS, (letter) => LETTER_FOLDS[letter] ?? '')
    .replace(ARABIC_DIGITS, (digit) =>
      String((digit.charCodeAt(0) - (digit < '\u06f0' ? 0x660 : 0x6f0)) & 15),
    );
}

/** Titles that agree in this many characters are sorted by id. */
const TITLE_KEY_CHARS_MAX = 60;

/** Returns the sort key of an article in lists. */
export const toTitleKey = (title: string) => truncate(normalizeForSearch(title, 'und'), TITLE_KEY_CHARS_MAX);

/** Returns the text in which lists of articles are searched. */
export const toSearchText = (texts: readonly string[]) => normalizeForSearch(texts.join('\n'), 'und');
