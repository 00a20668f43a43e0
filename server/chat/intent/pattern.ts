import { readWords, type Word } from './words.ts';

/**
 * A pattern is a row of words with choices: `good (morning|evening) [everyone]` has one of the words
 * in round brackets, and may have one of those in square brackets. Choices nest.
 */
type Pattern = readonly Part[];
type Part = string | { readonly choices: readonly Pattern[]; readonly optional: boolean };

/** Patterns by the words that they may begin with. */
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

/** The longest match at a word and before word `to`: where it ends, and the values of the patterns that end there. */
export function matchLongest<T>(
  index: PatternIndex<T>,
  words: readonly Word[],
  at: number,
  to = words.length,
): { readonly end: number; readonly values: readonly T[] } | undefined {
  let end = at;
  let values: T[] = [];
  for (const form of words[at]!.forms) {
    for (const { pattern, value } of index.get(form) ?? []) {
      const patternEnd = Math.max(
        ...[...matchParts(pattern, words, new Set([at]))].filter((each) => each <= to),
      );
      if (patternEnd > end) [end, values] = [patternEnd, [value]];
      else if (patternEnd === end && end > at && !values.includes(value)) values.push(value);
    }
  }
  return end > at ? { end, values } : undefined;
}

/** All words at which a match may end; a pattern has few, however long the text is. */
function matchParts(pattern: Pattern, words: readonly Word[], starts: ReadonlySet<number>): Set<number> {
  let ends = new Set(starts);
  for (const part of pattern) {
    const next = new Set<number>();
    if (typeof part === 'string') {
      for (const end of ends) if (words[end]?.forms.includes(part)) next.add(end + 1);
    } else {
      for (const choice of part.choices) for (const end of matchParts(choice, words, ends)) next.add(end);
      if (part.optional) for (const end of ends) next.add(end);
    }
    if (next.size === 0) return next;
    ends = next;
  }
  return ends;
}
