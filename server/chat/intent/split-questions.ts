/** Where a message may hold two questions: at the end of a sentence, and at a conjunction. */

import { hasUnspacedLetters } from '../../base/text.ts';
import { splitSentences } from '../../knowledge/search/tokenize.ts';

export type TwoQuestions = readonly [string, string];

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

const toSet = (words: string) => new Set(words.split(' '));

const CONJUNCTIONS = toSet(
  'and also und et y e en och og ja i oraz a și és ve dan и і та й και ו و और এবং và',
);
/** Conjunctions that are other words in English. */
const ENGLISH_WORDS = toSet('a i');
const QUESTION_WORDS = toSet(
  'how what where when why which who wie was wo wann warum wer welche comment quoi où quand pourquoi quel quelle ' +
    'cómo qué dónde cuándo cuánto cuál come cosa dove quando quanto perché como onde qual hoe wat waar wanneer ' +
    'waarom hur vad var när varför hvordan hvad hvor hvornår hvorfor hva når miten mitä missä milloin miksi kuinka ' +
    'jak co gdzie kiedy dlaczego kde kdy proč cum ce unde când hogyan hol mikor miért mennyi nasıl nerede neden kaç ' +
    'bagaimana apa kapan mengapa berapa как что где когда почему сколько як що де коли чому скільки πώς πού πότε τι ' +
    'كيف أين متى چگونه چطور کجا איך איפה מתי',
);

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
