/** Where a message may hold two questions: at the end of a sentence, and at a conjunction. */

import { CHAT_LANGUAGES } from '../../base/guide-languages.ts';
import { hasUnspacedLetters } from '../../base/text.ts';
import { splitSentences } from '../../knowledge/search/tokenize.ts';

type TwoQuestions = readonly [string, string];

const WORDS_MIN = 3;
/** The minimum in scripts where a word is one or two characters. */
const CHARACTERS_MIN = 4;
const QUESTION = /[^?？؟;\n]*(?:[?？؟;]+["'”»)」』]*|[;\n]+|$)/gu;
const QUESTION_MARK = /[?？؟;]["'”»)」』]*$/u;

/** Returns the two questions of a message that consists of two, each with a question mark. */
export function splitAtQuestionMarks(text: string): TwoQuestions | undefined {
  const parts = (text.match(QUESTION) ?? []).map((part) => part.trim()).filter((part) => part !== '');
  const [first, second] = parts;
  const isTwo = parts.length === 2 && parts.every((part) => QUESTION_MARK.test(part) && isLong(part));
  return isTwo ? [first!, withoutConjunction(second!)] : undefined;
}

/** More sentences tell a story with one question in it. */
const SENTENCES_MAX = 3;
/** Each proposal costs two searches. */
const PROPOSALS_MAX = 3;

/** Returns how a message could be split into two questions; search tells whether it has two. */
export function proposeSplits(text: string): readonly TwoQuestions[] {
  const proposals = [...splitAtSentences(text), ...splitAtConjunctions(text)];
  return proposals.filter((parts) => parts.every(isLong)).slice(0, PROPOSALS_MAX);
}

function isLong(part: string): boolean {
  return hasUnspacedLetters(part)
    ? (part.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= CHARACTERS_MIN
    : readWords(part).length >= WORDS_MIN;
}

function splitAtSentences(text: string): TwoQuestions[] {
  const sentences = splitSentences(text, 'und');
  if (sentences.length > SENTENCES_MAX) return [];
  return sentences
    .slice(1)
    .map(({ start }) => [text.slice(0, start).trim(), withoutConjunction(text.slice(start).trim())]);
}

type Word = { text: string; start: number; end: number };

const readWords = (text: string): Word[] =>
  [...text.matchAll(/[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu)].map(({ 0: word, index }) => ({
    ...{ text: word.toLowerCase(), start: index, end: index + word.length },
  }));

/** Collects words of all languages, since a message may be in another language than the visitor's browser. */
const collectWords = (kind: 'conjunctions' | 'questionWords') =>
  new Set([...CHAT_LANGUAGES.values()].flatMap((language) => language[kind]?.split(' ') ?? []));

const CONJUNCTIONS = collectWords('conjunctions');
const QUESTION_WORDS = collectWords('questionWords');
/** Conjunctions that are other words in English. */
const ENGLISH_WORDS = new Set(['a', 'i']);

/** Drops the conjunction that begins a question, which says nothing about what it asks. */
function withoutConjunction(text: string): string {
  const [first, second] = readWords(text);
  return first && second && CONJUNCTIONS.has(first.text) ? text.slice(second.start) : text;
}

/** Splits before a conjunction that follows a comma, or that a question word follows: "how do I … and where is …". */
function splitAtConjunctions(text: string): TwoQuestions[] {
  const words = readWords(text);
  return words.flatMap((word, at): TwoQuestions[] => {
    const [before, next] = [words[at - 1], words[at + 1]];
    if (!CONJUNCTIONS.has(word.text) || !before || !next) return [];
    const isClause = /[,،]/.test(text.slice(before.end, word.start)) && !ENGLISH_WORDS.has(word.text);
    if (!isClause && !QUESTION_WORDS.has(next.text)) return [];
    const mark = QUESTION_MARK.exec(text)?.[0] ?? '';
    return [[text.slice(0, before.end) + mark, text.slice(next.start)]];
  });
}
