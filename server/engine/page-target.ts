import { PAGE_MEANINGS, WHERE_OR_HOW, WHERE_OR_HOW_UNSPACED } from '../phrases/page-words.ts';
import { getLanguage } from '../text.ts';
import type { EngineQuestion, EngineTarget } from './engine.ts';

/**
 * Finds the part of the page that a visitor asks for: by its label, by another word for it, or because the quoted answer
 * names it. Only for questions that ask where or how: a shared word alone proves nothing ("Do you save my card?").
 */
export function findTarget(
  { text, replyLocale, page }: Pick<EngineQuestion, 'text' | 'replyLocale' | 'page'>,
  quotes: readonly string[],
): EngineTarget | undefined {
  if (page.targets.length === 0) return undefined;
  const words = readWords(text);
  const asking = findAskingWords(words, text, replyLocale);
  if (!asking) return undefined;
  const content = words.filter(
    (word) => !asking.includes(word) && !FUNCTION_WORDS.has(word) && !GENERIC_WORDS.has(word),
  );
  const asked = { text, words, content, meanings: findMeanings(words, text), answer: quotes.join('\n') };
  return page.targets
    .map((target) => ({ target, score: scoreLabel(target.name, asked) }))
    .filter(({ score }) => score >= SCORE_MIN)
    .sort((a, b) => b.score - a.score || b.target.confidence - a.target.confidence)[0]?.target;
}

const LABEL_WORDS_MAX = 6;
const SCORE_MIN = 1;
/** The label stands for another word of the question. */
const MEANING_SCORE = 1.2;
/** The question contains the whole label. */
const LABEL_SCORE = 1.1;
/** The quoted answer tells the visitor to use the label. */
const QUOTED_SCORE = 1;
/** A word of the question that the label has too, where the answer names the label. */
const SHARED_WORD_SCORE = 0.3;
/** More words of its own make a question about something else than the single word of a label. */
const OTHER_WORDS_MAX = 1;

type Asked = {
  readonly text: string;
  readonly words: readonly string[];
  /** The question's words without those that ask and those that any question has. */
  readonly content: readonly string[];
  readonly meanings: ReadonlySet<number>;
  readonly answer: string;
};

function scoreLabel(label: string, { text, words, content, meanings, answer }: Asked): number {
  const labelWords = readWords(label);
  if (labelWords.length === 0 || labelWords.length > LABEL_WORDS_MAX) return 0;
  const own = labelWords.filter((word) => !FUNCTION_WORDS.has(word));
  const shared = own.filter((word) => words.some((asked) => isSameWord(asked, word)));
  const isWritten = UNSPACED.test(label) && text.includes(label.trim());
  const isWhole = isWritten || (own.length > 0 && shared.length === own.length);
  const meant = [...findMeanings(labelWords, label)].filter((meaning) => meanings.has(meaning));
  const quoted = isInstruction(answer, label, shared.length > 0) ? QUOTED_SCORE : 0;
  const asked = meant.length > 0 ? MEANING_SCORE : isWhole ? LABEL_SCORE : 0;
  const known = [...own, ...meant.flatMap((meaning) => MEANINGS[meaning]!.flatMap((phrase) => phrase.words))];
  const others = content.filter((word) => !known.some((one) => isSameWord(one, word)));
  const isAboutElse = own.length === 1 && others.length > OTHER_WORDS_MAX && !UNSPACED.test(text);
  if (asked > 0 && quoted === 0 && isAboutElse) return 0;
  const share = isWhole ? 1 : shared.length / (own.length || 1);
  const both = asked > 0 && quoted > 0 ? QUOTED_SCORE / 2 : 0;
  return Math.max(asked, quoted) + both + SHARED_WORD_SCORE * share;
}

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;

/** The words with which the text asks where or how; undefined where it does not. */
function findAskingWords(
  words: readonly string[],
  text: string,
  locale: string,
): readonly string[] | undefined {
  if (UNSPACED.test(text) && WHERE_OR_HOW_UNSPACED.split('|').some((phrase) => text.includes(phrase)))
    return [];
  const language = getLanguage(locale);
  const phrases = WHERE_OR_HOW_PHRASES.get(language) ?? WHERE_OR_HOW_PHRASES.get('en')!;
  return phrases.find((phrase) => phrase.every((word) => words.includes(word)));
}

/** Lower case words without accents. */
function readWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<=[\p{sc=Latn}\p{sc=Grek}])\p{M}+/gu, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
}

const WHERE_OR_HOW_PHRASES = new Map(
  Object.entries(WHERE_OR_HOW).map(([language, phrases]) => [language, phrases.split('|').map(readWords)]),
);
const MEANINGS = PAGE_MEANINGS.map((line, meaning) =>
  line.split('|').map((phrase) => ({ meaning, text: phrase, words: readWords(phrase) })),
);

/** Words that say nothing about the part of a page that is meant. */
const FUNCTION_WORDS = new Set(
  readWords(
    'a an the my your our of to in on at for and or with this that it is are be do does can could i me we you from by here now please just again ' +
      'der die das den dem ein eine einen mein meine meinen dein ihr zu im in am auf mit und oder ich mich mir wir sie es ist kann hier bitte jetzt ' +
      'le la les l un une des du de mon ma mes votre vos à au en et ou je me nous vous est puis peux ici ' +
      'el los las lo una unos mi mis su tu al del y o yo se es puedo aquí il gli uno mio mia di da con e io si è posso qui ' +
      'o os as um uma meu minha do da no na eu posso aqui het een mijn van op ik kan hier',
  ),
);
/** Verbs that any part of a page goes with. */
const GENERIC_WORDS = new Set(
  readWords(
    'where how which what find see show open click press use change set choose pick select enter type put go get start turn switch look add manage view need want ' +
      'button link menu page field box wo wie welche finde sehe öffne klicke drücke ändere ändern stelle einstellen ein gebe eingeben wähle ' +
      'où comment trouver voir ouvrir cliquer changer régler choisir entrer saisir dónde cómo encuentro ver abrir cambiar cambio escribo poner pongo elegir ' +
      'dove come trovo vedere aprire cambiare onde como ver abrir mudar waar hoe vind zie open wijzig',
  ),
);

const STEM_CHARS_MIN = 4;
const ENDING_CHARS_MAX = 3;

/** The same word, or an inflected form of it. */
function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const stem = short.length > STEM_CHARS_MIN ? short.slice(0, -1) : short;
  return (
    short.length >= STEM_CHARS_MIN && long.length - short.length <= ENDING_CHARS_MAX && long.startsWith(stem)
  );
}

/** Words that may be the same begin alike. */
const getStart = (word: string) => word.slice(0, STEM_CHARS_MIN);

const PHRASES = MEANINGS.flat();
const UNSPACED_PHRASES = PHRASES.filter(({ text }) => UNSPACED.test(text));
/** Looked up by the first word: comparing all phrases with every label takes milliseconds. */
const SPACED_PHRASES = Map.groupBy(
  PHRASES.filter(({ text, words }) => words.length > 0 && !UNSPACED.test(text)),
  ({ words }) => getStart(words[0]!),
);

function findMeanings(words: readonly string[], text: string): ReadonlySet<number> {
  const likely = [...new Set(words.map(getStart))].flatMap((start) => SPACED_PHRASES.get(start) ?? []);
  const spaced = likely.filter((phrase) =>
    phrase.words.every((word) => words.some((one) => isSameWord(one, word))),
  );
  const unspaced = UNSPACED.test(text) ? UNSPACED_PHRASES.filter((phrase) => text.includes(phrase.text)) : [];
  return new Set([...spaced, ...unspaced].map(({ meaning }) => meaning));
}

/**
 * Whether the answer names the label as something to use: emphasized or in quotation marks, or written as on the page. A single
 * word also needs a capital letter inside a sentence, unless the question has the word too.
 */
function isInstruction(answer: string, label: string, isAskedFor: boolean): boolean {
  const name = label.trim();
  for (let at = answer.indexOf(name); at >= 0; at = answer.indexOf(name, at + 1)) {
    const before = answer.slice(Math.max(0, at - 2), at);
    const after = answer.slice(at + name.length, at + name.length + 1);
    if (!UNSPACED.test(name) && (/[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after))) continue;
    if (/["“„«»‘'`*_「『]$/u.test(before)) return true;
    const isInSentence = !/(?:^|[.!?:\n]\s?)$/u.test(before);
    if (isInSentence && (/\s/.test(name) || /^\p{Lu}/u.test(name) || isAskedFor)) return true;
  }
  return false;
}
