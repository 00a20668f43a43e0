import { normalizeForSearch } from '../../knowledge/search/tokenize.ts';
import { toSimplified } from './chinese.ts';

/** A word of a message; a single character in scripts that do not separate words reliably. */
export type Word = {
  /** Normalized spellings; the first is as written, others without repeated letters ("helloooo"). */
  readonly forms: readonly string[];
  /** UTF-16 offsets in the text. */
  readonly start: number;
  readonly end: number;
  /** Whether punctuation or a line break separates it from the word before. */
  readonly startsClause: boolean;
};

/** Longer messages are no small talk; what follows is not read. */
const WORDS_MAX = 400;

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}\u200c]*(?:['’‘ʼ`´][\p{L}\p{M}]+)*/gu;
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々]/u;
const CLAUSE_BREAK = /[.,;:!?…\n\r()。、，．！？；：؟،؛।~～\p{Extended_Pictographic}]|(?:^|\s)[-–—]+\s|—/u;
/** Text in quotation marks is talked about, not said. */
const QUOTED = /["“”„«»「」『』‹›<>/]/u;

export function readWords(text: string): Word[] {
  const words: Word[] = [];
  let before = 0;
  for (const { 0: written, index } of text.matchAll(WORD)) {
    const gap = text.slice(before, index);
    const startsClause = CLAUSE_BREAK.test(gap) && !QUOTED.test(gap);
    before = index + written.length;
    if (words.length >= WORDS_MAX) break;
    if (UNSPACED.test(written)) pushCharacters(words, written, index, startsClause);
    else pushSpaced(words, written, index, startsClause);
  }
  return words;
}

const APOSTROPHES = /['’‘ʼ`´]/g;
const normalize = (written: string) => normalizeForSearch(written.replace(APOSTROPHES, ''), 'und');

/** A joiner separates parts of Persian words, which are often written with a space. */
function pushSpaced(words: Word[], written: string, index: number, startsClause: boolean): void {
  let start = index;
  for (const part of written.split('\u200c')) {
    if (part !== '')
      words.push({
        forms: toForms(normalize(part)),
        start,
        end: start + part.length,
        startsClause: startsClause && start === index,
      });
    start += part.length + 1;
  }
}

const REPEATED = /(\p{L})\1{2,}/gu;

function toForms(word: string): string[] {
  if (!/(\p{L})\1\1/u.test(word)) return [word];
  return [word, word.replace(REPEATED, '$1'), word.replace(REPEATED, '$1$1')];
}

/** A Latin word in between stays whole; a character repeated three times or more counts once. */
function pushCharacters(words: Word[], written: string, index: number, startsClause: boolean): void {
  let [previous, repeats] = ['', 0];
  let start = index;
  for (const part of written.match(UNSPACED_PARTS) ?? []) {
    const form = normalize(part);
    repeats = form === previous ? repeats + 1 : 1;
    previous = form;
    const last = words.at(-1);
    if (repeats >= 3 && last) {
      if (repeats === 3) words.pop();
      const kept = words.pop()!;
      words.push({ ...kept, end: start + part.length });
    } else
      words.push({
        forms: toVariants(form),
        start,
        end: start + part.length,
        startsClause: startsClause && start === index,
      });
    start += part.length;
  }
}

/** Chinese patterns are written in simplified characters. */
function toVariants(character: string): string[] {
  const simplified = toSimplified(character);
  return simplified ? [character, simplified] : [character];
}

const UNSPACED_PARTS = new RegExp(`${UNSPACED.source}|(?:(?!${UNSPACED.source})[^])+`, 'gu');
