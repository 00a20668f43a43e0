import { readWords } from './words.ts';

const WORDS_MIN = 3;
/** In scripts where a word is one character. */
const CHARACTERS_MIN = 4;
const SENTENCE = /[^?？؟;\n]*(?:[?？؟]+["'”»)」』]*|[;\n]+|$)/gu;

/** Returns the two questions of a message that clearly has two; otherwise the message as it is. */
export function splitQuestions(text: string, locale: string): readonly string[] {
  const parts = splitAtQuestionMarks(text);
  return parts.length === 2 && parts.every((part) => isWholeQuestion(part, locale)) ? parts : [text];
}

function splitAtQuestionMarks(text: string): string[] {
  return (text.match(SENTENCE) ?? []).map((part) => part.trim()).filter((part) => part !== '');
}

function isWholeQuestion(part: string, _locale: string): boolean {
  return (
    /[?？؟;]/u.test(part) &&
    readWords(part).length >= (/[\p{sc=Han}\p{sc=Thai}]/u.test(part) ? CHARACTERS_MIN : WORDS_MIN)
  );
}
