import { hasUnspacedLetters } from '../../text.ts';
import { readWords } from './words.ts';

const WORDS_MIN = 3;
/** The minimum in scripts where a word is one character. */
const CHARACTERS_MIN = 4;
const SENTENCE = /[^?？؟;\n]*(?:[?？؟]+["'”»)」』]*|[;\n]+|$)/gu;

/** Returns the two questions of a message that clearly has two; otherwise the message as it is. */
export function splitQuestions(text: string): readonly string[] {
  const parts = splitAtQuestionMarks(text);
  if (parts.length === 2 && parts.every(isWholeQuestion)) return parts;
  return (parts.length === 1 ? splitAtConjunction(text) : undefined) ?? [text];
}

function splitAtQuestionMarks(text: string): string[] {
  return (text.match(SENTENCE) ?? []).map((part) => part.trim()).filter((part) => part !== '');
}

function isWholeQuestion(part: string): boolean {
  return (
    /[?？؟;]/u.test(part) && readWords(part).length >= (hasUnspacedLetters(part) ? CHARACTERS_MIN : WORDS_MIN)
  );
}

const toSet = (words: string) => new Set(readWords(words).map(({ forms }) => forms[0]!));

const CONJUNCTIONS = toSet('and und et y e en och og ja i oraz a și és ve và dan и і та й και و ו और এবং');
const QUESTION_WORDS = toSet(
  'how what where when why which who wie was wo wann warum wer welche comment quoi où quand pourquoi quel quelle ' +
    'cómo qué dónde cuándo cuánto cuál come cosa dove quando quanto perché como onde qual hoe wat waar wanneer ' +
    'waarom hur vad var när varför hvordan hvad hvor hvornår hvorfor hva når miten mitä missä milloin miksi kuinka ' +
    'jak co gdzie kiedy dlaczego kde kdy proč cum ce unde când hogyan hol mikor miért mennyi nasıl nerede neden kaç ' +
    'bagaimana apa kapan mengapa berapa как что где когда почему сколько як що де коли чому скільки πώς πού πότε τι ' +
    'كيف أين متى چگونه چطور کجا איך איפה מתי',
);
/** Minimum words of each question; "and how?" is too short to stand alone. */
const JOINED_WORDS_MIN = 4;

/** Splits two questions that begin with the same question word: "how do I … and how do I …". */
function splitAtConjunction(text: string): readonly [string, string] | undefined {
  const words = readWords(text);
  const opening = words.findIndex(({ forms }) => QUESTION_WORDS.has(forms[0]!));
  if (opening < 0 || opening > 1) return undefined;
  const word = words[opening]!.forms[0];
  const repetitions = words.flatMap(({ forms }, at) => (at > opening && forms[0] === word ? [at] : []));
  const [second] = repetitions;
  if (second === undefined || repetitions.length > 1) return undefined;
  const conjunction = words[second - 1]!;
  const isWhole = second - 1 - opening >= JOINED_WORDS_MIN && words.length - second >= JOINED_WORDS_MIN;
  if (!CONJUNCTIONS.has(conjunction.forms[0]!) || !isWhole) return undefined;
  const first = text.slice(0, conjunction.start).trim().replace(/,$/u, '');
  return [first, text.slice(words[second]!.start).trim()];
}
