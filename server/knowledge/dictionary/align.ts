/** Pairs the sentences of a text with those of its translation, by position and length. */

export type Sentence = {
  /** Length in UTF-16 code units. */
  readonly units: number;
  /** Word hashes, in order. */
  readonly words: readonly number[];
};

/** The words of a sentence or two, and of their translation. */
export type AlignedWords = readonly [source: readonly number[], translation: readonly number[]];

/** Longer texts whose lines do not correspond are left out. */
const CELLS_MAX = 2_000_000;

/** How sentences are paired, with -log of Gale and Church's frequencies (1993). */
const BEADS = [
  { source: 1, translation: 1, cost: 0.12 },
  { source: 1, translation: 0, cost: 5.3 },
  { source: 0, translation: 1, cost: 5.3 },
  { source: 2, translation: 1, cost: 3.1 },
  { source: 1, translation: 2, cost: 3.1 },
] as const;

/** Variance of the length of a translation per character of the source, from the same paper. */
const LENGTH_VARIANCE = 6.8;

/**
 * Aligns texts given as lines of sentences: line by line if there are equally many lines, else over
 * the whole text.
 */
export function alignSentences(
  source: readonly (readonly Sentence[])[],
  translation: readonly (readonly Sentence[])[],
): AlignedWords[] {
  if (source.length !== translation.length) return alignByLength(source.flat(), translation.flat());
  return source.flatMap((line, at) => {
    const other = translation[at]!;
    if (line.length !== other.length) return alignByLength(line, other);
    return line.map((sentence, index): AlignedWords => [sentence.words, other[index]!.words]);
  });
}

/** Finds the cheapest path through both lists of sentences. */
function alignByLength(source: readonly Sentence[], translation: readonly Sentence[]): AlignedWords[] {
  const columns = translation.length + 1;
  if ((source.length + 1) * columns > CELLS_MAX) return [];
  const ratio = measure(translation, 0, translation.length) / Math.max(1, measure(source, 0, source.length));
  const costs = new Float64Array((source.length + 1) * columns).fill(Number.POSITIVE_INFINITY);
  const steps = new Uint8Array(costs.length);
  costs[0] = 0;
  for (let cell = 1; cell < costs.length; cell += 1) {
    const i = Math.floor(cell / columns);
    const j = cell % columns;
    for (const [step, bead] of BEADS.entries()) {
      if (bead.source > i || bead.translation > j) continue;
      const before = costs[cell - bead.source * columns - bead.translation]!;
      const expected = measure(source, i - bead.source, i) * ratio;
      const cost =
        before + bead.cost + compareLengths(expected, measure(translation, j - bead.translation, j));
      if (cost >= costs[cell]!) continue;
      costs[cell] = cost;
      steps[cell] = step;
    }
  }
  return followSteps(source, translation, steps);
}

function measure(sentences: readonly Sentence[], from: number, to: number): number {
  let units = 0;
  for (let at = from; at < to; at += 1) units += sentences[at]!.units;
  return units;
}

/** -log of the normal density of the standardized difference, without its constant. */
function compareLengths(expected: number, actual: number): number {
  if (expected === 0 || actual === 0) return 0;
  return (actual - expected) ** 2 / (LENGTH_VARIANCE * (expected + actual));
}

function followSteps(
  source: readonly Sentence[],
  translation: readonly Sentence[],
  steps: Uint8Array,
): AlignedWords[] {
  const pairs: AlignedWords[] = [];
  let i = source.length;
  let j = translation.length;
  while (i > 0 || j > 0) {
    const bead = BEADS[steps[i * (translation.length + 1) + j]!]!;
    const ours = source.slice(i - bead.source, i);
    const theirs = translation.slice(j - bead.translation, j);
    if (ours.length > 0 && theirs.length > 0) pairs.push([joinWords(ours), joinWords(theirs)]);
    i -= bead.source;
    j -= bead.translation;
  }
  return pairs.reverse();
}

const joinWords = (sentences: readonly Sentence[]) => sentences.flatMap(({ words }) => words);
