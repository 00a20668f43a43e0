import { toVisibleText } from './sanitize/visible-text.ts';

/** Lengths in Unicode code points, as JSON Schema counts them. */

export function hasAtMostCharacters(charsMax: number, text: string): boolean {
  if (text.length <= charsMax) return true;
  return text.length <= charsMax * 2 && [...text].length <= charsMax;
}

/** Never splits a surrogate pair. */
export function truncate(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return [...text.slice(0, charsMax * 2)].slice(0, charsMax).join('');
}

/** U+2800 is the blank Braille cell: it renders as a space but is not matched by \s. */
const CONTROLS = /[^\P{Cc}\n]+/gu;
const BLANKS = /(?:[^\S\n]|\u2800)+/g;
/** Combining marks and variation selectors alone render nothing. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** One line in NFC without invisible characters; undefined when it is empty or too long. */
export function normalizeLine(text: string, charsMax: number): string | undefined {
  return normalizeText(text.replace(/\s+/g, ' '), charsMax);
}

/** Like `normalizeLine`, but keeps line breaks. */
export function normalizeText(text: string, charsMax: number): string | undefined {
  const spaced = text.replace(/\r\n?/g, '\n').replace(CONTROLS, ' ');
  const normalized = toVisibleText(spaced).replace(BLANKS, ' ').trim();
  return hasAtMostCharacters(charsMax, normalized) && VISIBLE.test(normalized) ? normalized : undefined;
}

/** The language of a locale: "sr" for "sr-Latn-RS". */
export const getLanguage = (locale: string) => locale.split('-', 1)[0]!.toLowerCase();

/** Letters of Chinese, Japanese and Korean, for a character class: each is a syllable or a word. */
export const CJK_LETTERS = '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}';

/** Letters of scripts whose words do not reliably have spaces between them, for a character class. */
export const UNSPACED_LETTERS = `${CJK_LETTERS}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}ー々`;

const UNSPACED = new RegExp(`[${UNSPACED_LETTERS}]`, 'u');

export const hasUnspacedLetters = (text: string) => UNSPACED.test(text);
