import { readWords, type Word } from './words.ts';

/**
 * A pattern is a sequence of words with choices: `good (morning|evening) [everyone]` requires one of the words in round brackets and allows one of
 * those in square brackets. Choices nest.
 */
type Pattern = readonly Part[];
type Part = string | { readonly choices: readonly Pattern[]; readonly optional: boolean };

/** Patterns, indexed by the words that they may begin with. */
export type PatternIndex<T> = ReadonlyMap<
  string,
  readonly { readonly pattern: Pattern; readonly value: T }[]
>;

/** Indexes patterns that are separated by slashes. */
export function indexPatterns<T>(sources: Iterable<readonly [value: T, patterns: string]>): PatternIndex<T> {
  const index = new Map<string, { pattern: Pattern; value: T }[]>();
  for (const [value, patterns] of sources) {
    for (const pattern of patterns.split('/').map(parsePattern)) {
      for (const word of getFirstWords(pattern)) {
        const entries = index.get(word);
        if (entries) entries.push({ pattern, value });
        else index.set(word, [{ pattern, value }]);
      }
    }
  }
  return index;
}

const CLOSING = ')]';

function parsePattern(source: string): Pattern {
  const tokens = source.match(/[()[\]|]|[^()[\]|]+/g) ?? [];
  let at = 0;
  const parseChoices = (): Pattern[] => {
    const choices: Part[][] = [[]];
    while (at < tokens.length && !CLOSING.includes(tokens[at]!)) {
      const token = tokens[at]!;
      at += 1;
      if (token === '|') choices.push([]);
      else if (token === '(' || token === '[') {
        choices.at(-1)!.push({ choices: parseChoices(), optional: token === '[' });
        at += 1;
      } else choices.at(-1)!.push(...readWords(token).map(({ forms }) => forms[0]!));
    }
    return choices;
  };
  return [{ choices: parseChoices(), optional: false }];
}

function getFirstWords(pattern: Pattern): Set<string> {
  const first = new Set<string>();
  for (const part of pattern) {
    if (typeof part === 'string') return first.add(part);
    for (const choice of part.choices) for (const word of getFirstWords(choice)) first.add(word);
    if (!canBeEmpty(part)) break;
  }
  return first;
}

const canBeEmpty = (part: Part): boolean =>
  typeof part !== 'string' && (part.optional || part.choices.some((choice) => choice.every(canBeEmpty)));

/** Finds the longest match from word `at`, up to word `to`: its end, and the values of the patterns that end there. */
export function matchLongest<T>(
  index: PatternIndex<T>,
  words: readonly Word[],
  at: number,
  to = words.length,
): { readonly end: number; readonly values: readonly T[] } | undefined {
  const within = 2 ** Math.min(to - at + 1, WORDS_MATCHED_MAX) - 1;
  let end = at;
  let values: T[] = [];
  for (const form of words[at]!.forms) {
    for (const { pattern, value } of index.get(form) ?? []) {
      const ends = matchParts(pattern, words, at, 1) & within;
      const patternEnd = at + 31 - Math.clz32(ends);
      if (ends > 0 && patternEnd > end) [end, values] = [patternEnd, [value]];
      else if (ends > 0 && patternEnd === end && end > at && !values.includes(value)) values.push(value);
    }
  }
  return end > at ? { end, values } : undefined;
}

/** The maximum length of a pattern: each word is one bit of a 32-bit number. */
const WORDS_MATCHED_MAX = 30;

/** Returns where matches from `starts` may end. Both are bit sets of word positions; the lowest bit is word `at`. */
function matchParts(pattern: Pattern, words: readonly Word[], at: number, starts: number): number {
  let ends = starts;
  for (const part of pattern) {
    if (typeof part === 'string') ends = matchWord(part, words, at, ends);
    else ends = matchChoices(part.choices, words, at, ends) | (part.optional ? ends : 0);
    if (ends === 0) break;
  }
  return ends;
}

function matchChoices(choices: readonly Pattern[], words: readonly Word[], at: number, starts: number) {
  let ends = 0;
  for (const choice of choices) ends |= matchParts(choice, words, at, starts);
  return ends;
}

function matchWord(wanted: string, words: readonly Word[], at: number, starts: number): number {
  let ends = 0;
  for (let remaining = starts; remaining !== 0; remaining &= remaining - 1) {
    const word = 31 - Math.clz32(remaining & -remaining);
    if (word < WORDS_MATCHED_MAX && words[at + word]?.forms.includes(wanted)) ends |= 2 << word;
  }
  return ends;
}

/** Phrases of visitors besides questions, in one language: patterns, separated by slashes. */
export type SmallTalk = {
  readonly greeting: string;
  readonly thanks: string;
  readonly goodbye: string;
  readonly praise: string;
  readonly complaint: string;
  readonly abuse: string;
  readonly identity: string;
  readonly capabilities: string;
  readonly person: string;
  readonly page: string;
  /** How an order to the guide begins; anything may follow. */
  readonly order: string;
  /** Filler words around any of the phrases above. */
  readonly fillers: string;
  /** Follows a request for a person or a complaint and introduces the reason. */
  readonly reasons: string;
  /** How a question begins that follows without punctuation ("hi where is my order"). */
  readonly questionOpeners: string;
};
