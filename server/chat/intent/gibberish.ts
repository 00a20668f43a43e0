/** Recognizes messages without words: emoji, punctuation, and keys hit at random. */

type Unspoken = 'thanks' | 'praise' | 'greeting' | 'goodbye' | 'complaint' | 'gibberish';

const EMOJI: readonly (readonly [Unspoken, RegExp])[] = [
  ['thanks', /[🙏👍👌🤝💐]/u],
  ['greeting', /[👋🖐🤚]/u],
  ['praise', /[😀-😊😍😎🙂🤗🤩🥰😘☺♥❤💙💚💛💜🧡🖤💕💖💯🎉🎊👏🙌🔥⭐🌟✨✅✔💪🥳😄😁😇]/u],
  ['complaint', /[👎😠😡🤬😤😢😭😞😒🙄😩😫😖😣🤮💩🖕☹🙁😟😕😔👿😾💔]/u],
];
const SMILE = /^[\s]*(?:[:;=8x][-^o']?[)\]d3*p>]+|<3+|\^_*\^|\(:|[:;]d)[\s!.]*$/iu;
const FROWN = /^[\s]*(?:[:;=][-']?[([/\\|<]+|>:\(|\):|-_+-)[\s!.]*$/iu;

const CHARS_READ_MAX = 400;

/** Undefined for anything that may be a word, a name, a number or a code. */
export function recognizeGibberish(message: string): Unspoken | undefined {
  const text = message.slice(0, CHARS_READ_MAX).trim();
  if (text === '') return undefined;
  if (SMILE.test(text)) return 'praise';
  if (FROWN.test(text)) return 'complaint';
  if (/\p{N}/u.test(text) && !/^[\p{Extended_Pictographic}\p{P}\s]+$/u.test(text)) return undefined;
  if (!/\p{L}/u.test(text)) return EMOJI.find(([, emoji]) => emoji.test(text))?.[0] ?? 'gibberish';
  if (/[@/\\_#]|\p{L}\.\p{L}/u.test(text)) return undefined;
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  return words.every(isKeysAtRandom) ? 'gibberish' : undefined;
}

function isKeysAtRandom(word: string): boolean {
  const lower = word.normalize('NFC').toLowerCase();
  return isOneLetter(lower) || isKeyboardRun(lower) || isWithoutVowels(word) || isMash(lower);
}

const isOneLetter = (word: string) => /^(\p{L})\1{3,}$/u.test(word);

const ROWS = [
  'qwertyuiop',
  'qwertzuiopü',
  'azertyuiop',
  'asdfghjkl',
  'asdfghjklöä',
  'qsdfghjklm',
  'zxcvbnm',
  'yxcvbnm',
  'wxcvbn',
  'йцукенгшщзхъ',
  'йцукенгшщзхї',
  'фывапролджэ',
  'фівапролджє',
  'ячсмитьбю',
  'ςερτυθιοπ',
  'ασδφγηξκλ',
  'ζχψωβνμ',
  'ضصثقفغعهخحجد',
  'شسيبلاتنمكط',
  'شسیبلاتنمکگ',
  'שדגכעיחלךף',
  'קראטוןםפ',
  'ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ',
  'ㅁㄴㅇㄹㅎㅗㅓㅏㅣ',
  'ㅋㅌㅊㅍㅠㅜㅡ',
  'ฟหกดเ้่าสวง',
];
const NEIGHBOURS = new Set(
  ROWS.flatMap((row) => {
    const keys = [...row];
    return keys.slice(1).flatMap((key, at) => [`${keys[at]}${key}`, `${key}${keys[at]}`]);
  }),
);
const HOME_ROW =
  /^(?:[asdfghjkl]{4}|[фывапролджэ]{4}|[ㅁㄴㅇㄹ]{4}|[ฟหกด]{4}|[ασδφ]{4}|[شسيب]{4}|[שדגכ]{4})$/u;
/** Names of keyboard layouts. */
const LAYOUTS = new Set(['qwerty', 'qwertz', 'azerty', 'йцукен', 'фывап']);
const RUN_MIN = 3;

/** Whether the word consists of neighbouring keys, in runs of at least three. */
function isKeyboardRun(word: string): boolean {
  const keys = [...word];
  if (LAYOUTS.has(word) || keys.length < 4) return false;
  if (keys.length === 4 && !HOME_ROW.test(word)) return false;
  let run = 1;
  let direction = 0;
  for (let at = 1; at <= keys.length; at += 1) {
    const step = at < keys.length ? getStep(keys[at - 1]!, keys[at]!) : 0;
    if (step !== 0 && (direction === 0 || step === direction)) {
      run += 1;
      direction = step;
      continue;
    }
    if (run < RUN_MIN) return false;
    [run, direction] = [1, 0];
  }
  return true;
}

/** Returns 1 when the second key is right of the first, -1 when it is left of it, else 0. */
function getStep(from: string, to: string): number {
  if (!NEIGHBOURS.has(from + to)) return 0;
  return ROWS.some((row) => row.includes(from + to)) ? 1 : -1;
}

const LATIN = /^[a-z]+$/;
const NO_VOWELS_MIN = 6;

/** Whether a word has no vowels, which include l, r, w and y in some languages. Words in capitals are abbreviations. */
function isWithoutVowels(word: string): boolean {
  const lower = word.toLowerCase();
  return (
    LATIN.test(lower) &&
    word !== word.toUpperCase() &&
    !/[aeiouyrlw]/.test(lower) &&
    word.length >= NO_VOWELS_MIN
  );
}

/** Neighbouring keys whose letters rarely follow each other in words. */
const UNLIKELY =
  /kj|jf|jh|fj|jk|fd|gf|hj|jg|hg|fg|jl|lkj|dsf|sdf|dfg|xc|zx|vb|bv|qw|wq|xz|cx|fq|qd|jd|dj|kf|fk/g;
const MASH_MIN = 6;

/** Whether the word has runs of four or more consonants with at least two unlikely sequences in them. */
function isMash(word: string): boolean {
  if (!LATIN.test(word) || word.length < MASH_MIN) return false;
  const cluster = word.match(/[^aeiouy]{4,}/g)?.join(' ') ?? '';
  return (cluster.match(UNLIKELY)?.length ?? 0) >= 2;
}
