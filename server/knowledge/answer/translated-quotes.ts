import { findPart, parseStructure } from './blocks.ts';
import { type Evidence, findBest, gatherEvidence, type QuoteRequest } from './evidence.ts';
import type { Span } from './lines.ts';
import { selectByEvidence } from './select-quotes.ts';
import type { Unit } from './units.ts';

/** Quotes the corresponding parts of a variant in another language than the one that was searched. */

type ShownVariant = {
  title: string;
  answer: string;
  sentences: readonly Span[];
};

/** Returns quotes in the order of the shown text. */
export function selectTranslatedQuotes(request: QuoteRequest, shown: ShownVariant): Span[] {
  return selectByEvidence(shown, translateEvidence(gatherEvidence(request), request.answer.length, shown));
}

function translateEvidence(
  evidence: Evidence,
  charsBefore: number,
  { title, answer, sentences: all }: ShownVariant,
): Evidence {
  const best = evidence.sentences[findBest(evidence.scores, 0, evidence.scores.length)]?.start ?? 0;
  const part = findPart(answer, Math.round((best * answer.length) / Math.max(1, charsBefore)));
  const sentences = all.filter(({ start, end }) => start >= part.start && end <= part.end);
  const structure = parseStructure(answer, title, part);
  const aligned = alignUnits(evidence.structure.units, structure.units);
  const headings = new Map<number, number>();
  for (const [unit, score] of evidence.headings) {
    const counterpart = aligned[unit] ?? 0;
    headings.set(counterpart, Math.max(score, headings.get(counterpart) ?? 0));
  }
  const rows = new Map([...evidence.rows].map(([unit, named]) => [aligned[unit] ?? 0, named]));
  const scores = new Float64Array(sentences.length);
  const sentencesByUnit = locateSentences(evidence.structure.units, evidence.sentences);
  const shownSentencesByUnit = locateSentences(structure.units, sentences);
  sentencesByUnit.forEach((own, unit) => {
    const counterparts = shownSentencesByUnit[aligned[unit] ?? 0] ?? [];
    own.forEach((sentence, index) => {
      const counterpart =
        counterparts[Math.round((index * (counterparts.length - 1)) / Math.max(1, own.length - 1))];
      if (counterpart !== undefined) {
        scores[counterpart] = Math.max(scores[counterpart]!, evidence.scores[sentence] ?? 0);
      }
    });
  });
  return { ...evidence, structure, headings, rows, sentences, scores: [...scores] };
}

/** Returns the indices of the sentences in each unit. */
function locateSentences(units: readonly Unit[], sentences: readonly Span[]): number[][] {
  const located: number[][] = units.map(() => []);
  let unit = 0;
  sentences.forEach(({ start }, index) => {
    while (unit < units.length - 1 && units[unit]!.end <= start) unit += 1;
    located[unit]?.push(index);
  });
  return located;
}

/** Aligns the units of an article with those of its translation by order, kind and length; units may be missing. */

/** Longer articles are aligned by position, because the cost table would take too long. */
const UNITS_MAX = 300;
/** The cost of leaving a unit without a counterpart. */
const SKIP_COST = 1;
const KIND_COST = 1.2;
const LENGTH_COST = 0.5;

/** Returns the index of each unit's counterpart. */
function alignUnits(from: readonly Unit[], to: readonly Unit[]): Int32Array {
  if (from.length > UNITS_MAX || to.length > UNITS_MAX || to.length === 0)
    return alignByPosition(from.length, to.length);
  return traceBack(fillCosts(from, to), from.length, to.length);
}

function alignByPosition(from: number, to: number): Int32Array {
  return Int32Array.from({ length: from }, (_, at) =>
    from === to ? at : Math.max(0, Math.round((at * (to - 1)) / Math.max(1, from - 1))),
  );
}

/** Finds the cheapest last move to align the first i with the first j units: 0 pairs, 1 skips in `from`, 2 in `to`. */
function fillCosts(from: readonly Unit[], to: readonly Unit[]): Uint8Array {
  const width = to.length + 1;
  const moves = new Uint8Array((from.length + 1) * width);
  let above = Float64Array.from({ length: width }, (_, j) => j * SKIP_COST);
  moves.fill(2, 1, width);
  // Languages differ in length; only proportions within the article count.
  const scale = sumWidths(from) / (sumWidths(to) || 1);
  for (let i = 1; i <= from.length; i += 1) {
    const row = new Float64Array(width);
    row[0] = i * SKIP_COST;
    moves[i * width] = 1;
    for (let j = 1; j < width; j += 1) {
      const pair = above[j - 1]! + getPairCost(from[i - 1]!, to[j - 1]!, scale);
      const skipFrom = above[j]! + SKIP_COST;
      const skipTo = row[j - 1]! + SKIP_COST;
      row[j] = Math.min(pair, skipFrom, skipTo);
      moves[i * width + j] = row[j] === pair ? 0 : row[j] === skipFrom ? 1 : 2;
    }
    above = row;
  }
  return moves;
}

const sumWidths = (units: readonly Unit[]) => units.reduce((sum, { width }) => sum + width, 0);

function getPairCost(one: Unit, other: Unit, scale: number): number {
  const kinds = one.kind === other.kind && one.isLeadIn === other.isLeadIn ? 0 : KIND_COST;
  return kinds + LENGTH_COST * Math.abs(Math.log((one.width + 10) / (other.width * scale + 10)));
}

/** Follows the moves back. A unit without a counterpart gets that of the next unit, or the last unit. */
function traceBack(moves: Uint8Array, fromCount: number, toCount: number): Int32Array {
  const aligned = new Int32Array(fromCount);
  let [i, j] = [fromCount, toCount];
  while (i > 0) {
    const move = moves[i * (toCount + 1) + j]!;
    if (move !== 2) {
      i -= 1;
      if (move === 0) j -= 1;
      aligned[i] = Math.min(j, toCount - 1);
    } else j -= 1;
  }
  return aligned;
}
