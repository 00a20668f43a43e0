import { splitSentences } from '../search/tokenize.ts';
import { type Block, type Structure, toSpan } from './blocks.ts';
import { type Evidence, findBest, gatherEvidence, type QuoteRequest } from './evidence.ts';
import type { Span } from './lines.ts';
import { readTable } from './table-rows.ts';

/**
 * Selects what to quote of an article: the whole procedure, the whole list, or the sentences around
 * the fact that was asked for. Every quote is verbatim.
 */

/** Maximum length of a procedure or list, which is cut after a step. */
export const PROCEDURE_CHARS_MAX = 1_400;
/** Maximum length of the sentences quoted from a paragraph. */
export const FACT_CHARS_MAX = 620;

/** Returns quotes in the order of the text; none only if the answer has no sentence. */
export function selectQuotes(request: QuoteRequest): Span[] {
  return selectByEvidence(request, gatherEvidence(request));
}

/** A block with its scores and those of its section. */
type Candidate = { block: Block; section: number; score: number };

/** Overlap with the title from which a question means the whole article. */
const TITLE_OVERLAP_MIN = 0.75;
/** Shares of the title from which a short question is about the article's subject. */
const TOPIC_REPEATED_MIN = 0.6;
const TOPIC_OVERLAP_MIN = 0.5;

export function selectByEvidence(content: { title: string; answer: string }, evidence: Evidence): Span[] {
  const { structure, questionKind, title } = evidence;
  const isTitle = title.overlap >= TITLE_OVERLAP_MIN;
  const isTopic = title.repeated >= TOPIC_REPEATED_MIN && title.overlap >= TOPIC_OVERLAP_MIN;
  const wantsProcedure = questionKind === 'how' || (questionKind === 'open' && isTopic);
  const units = scoreUnits(evidence);
  const best =
    (wantsProcedure && isTitle ? findTitleProcedure(evidence, units) : undefined) ??
    findBestBlock(evidence, units, wantsProcedure);
  if (!best) return quoteAnything(content.answer, evidence);
  const { block } = best;
  const rows = quoteRows(content.answer, evidence, block);
  if (rows) return rows;
  const isAnnounced = block.itemsFrom > block.from;
  if (
    isAnnounced ||
    (block.kind !== 'paragraph' && (wantsProcedure || block.isCertain || questionKind === 'open'))
  ) {
    const scope = !wantsProcedure ? 'list' : isTitle ? 'article' : 'procedure';
    const range = extendProcedure(structure, best, scope);
    // Many short lines may also be ordinary text.
    const isReached = block.isCertain || findBest(units, block.from, block.to) < range.to;
    const { start, end } = toSpan(structure.units, range.from, range.to);
    if (isReached && end - start <= PROCEDURE_CHARS_MAX) return toQuotes(content, structure, range);
  }
  return selectSentences(content.answer, evidence, block);
}

const EVIDENCE_WEIGHT = 0.5;
const PROCEDURE_BONUS = 0.35;
/** Bonus for steps after a lead-in, which are certainly a procedure. */
const CERTAIN_BONUS = 0.05;
/** Prefers the first of equal blocks, because articles begin with what their titles promise. */
const POSITION_COST = 0.02;

/** Returns the best block by its sentences, by the name of its section, and by what the question asks for. */
function findBestBlock(
  evidence: Evidence,
  units: Float64Array,
  wantsProcedure: boolean,
): Candidate | undefined {
  const { structure } = evidence;
  const maxScore = units[findBest(units, 0, units.length)] || 1;
  const getBest = (from: number, to: number) => units[findBest(units, from, to)]! / maxScore;
  const candidates = structure.sections.flatMap(({ heading, blocks }, section) => {
    const nameScore = getNameOverlap(evidence, heading);
    const last = blocks.at(-1);
    const headingScore = heading === undefined ? 0 : getBest(heading, heading + 1);
    const sectionScore = last ? Math.max(headingScore, getBest(blocks[0]!.from, last.to)) : 0;
    return blocks.map((block, index): Candidate => {
      const before = structure.units[block.from - 1];
      const introductionScore =
        before?.kind === 'text' && block.kind === 'list' ? getBest(block.from - 1, block.from) : 0;
      const isAnnounced = block.itemsFrom > block.from;
      const bonus =
        wantsProcedure && block.kind === 'list' ? PROCEDURE_BONUS + (isAnnounced ? CERTAIN_BONUS : 0) : 0;
      const blockScore = Math.max(introductionScore, getBest(block.from, block.to));
      const score =
        nameScore + EVIDENCE_WEIGHT * (sectionScore + blockScore) + bonus - POSITION_COST * (section + index);
      return { block, section, score };
    });
  });
  return findMaximum(candidates);
}

const getNameOverlap = ({ title, headings }: Evidence, heading: number | undefined) =>
  heading === undefined ? title.overlap : (headings.get(heading) ?? 0);

/** Returns the candidate with the highest score, the first if there are several. */
function findMaximum(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (one, other) => (one && one.score >= other.score ? one : other),
    undefined,
  );
}

const STEPS_BONUS = 0.2;
const TITLE_EVIDENCE_WEIGHT = 0.1;
const TITLE_POSITION_COST = 0.15;
/** A named section that fits the question is better than the text that leads to it. */
const HEADING_WEIGHT = 0.2;
/** Steps are shorter than explanations. */
const SHORTNESS_WEIGHT = 0.25;
const SHORT_WIDTH = 250;
const STEPS_MIN = 2;
/** Two short lines without a lead-in are more likely a summary and an explanation. */
const UNCERTAIN_STEPS_MIN = 3;

/** Returns the procedure of an article that the question names: the first, unless a heading fits another better. */
function findTitleProcedure(evidence: Evidence, units: Float64Array): Candidate | undefined {
  const { structure, title } = evidence;
  const maxScore = units[findBest(units, 0, units.length)] || 1;
  const candidates: Candidate[] = [];
  structure.sections.forEach(({ heading, blocks }, section) => {
    const headingOverlap = heading === undefined ? 0 : getNameOverlap(evidence, heading);
    const nameScore = Math.max(title.overlap, headingOverlap) + HEADING_WEIGHT * headingOverlap;
    for (const block of blocks) {
      if (!isProcedure(structure, block)) continue;
      const isAnnounced = block.itemsFrom > block.from;
      const score =
        nameScore +
        (TITLE_EVIDENCE_WEIGHT * units[findBest(units, block.from, block.to)]!) / maxScore +
        (isAnnounced || block.isCertain ? CERTAIN_BONUS : 0) +
        STEPS_BONUS * Math.min(1, countSteps(structure, block) / 3) +
        SHORTNESS_WEIGHT * Math.max(0, 1 - measureMeanWidth(structure, block) / SHORT_WIDTH) -
        TITLE_POSITION_COST * candidates.length;
      candidates.push({ block, section, score });
    }
  });
  return findMaximum(candidates);
}

const isProcedure = (structure: Structure, block: Block) =>
  block.kind === 'list' &&
  countSteps(structure, block) >= (block.isCertain ? STEPS_MIN : UNCERTAIN_STEPS_MIN);

/** Counts marked items and lines that end a sentence; 0 if most units are neither, such as the cells of a table. */
function countSteps({ units }: Structure, { itemsFrom, to }: Block): number {
  let count = 0;
  for (let at = itemsFrom; at < to; at += 1)
    if (units[at]!.kind === 'item' || units[at]!.isClosed) count += 1;
  return count * 2 >= to - itemsFrom ? count : 0;
}

function measureMeanWidth({ units }: Structure, { itemsFrom, to }: Block): number {
  let sum = 0;
  for (let at = itemsFrom; at < to; at += 1) sum += units[at]!.width;
  return sum / (to - itemsFrom);
}

/** Returns the score of each unit's best sentence. */
function scoreUnits({ structure, sentences, scores }: Evidence): Float64Array {
  const { units } = structure;
  const best = new Float64Array(units.length);
  let unit = 0;
  sentences.forEach(({ start }, index) => {
    while (unit < units.length - 1 && units[unit]!.end <= start) unit += 1;
    best[unit] = Math.max(best[unit] ?? 0, scores[index] ?? 0);
  });
  return best;
}

/** Quotes the rows that the question names, below the names of their columns; undefined if it names none. */
function quoteRows(answer: string, { structure, rows }: Evidence, { from, to }: Block): Span[] | undefined {
  for (let at = from; at < to; at += 1) {
    const unit = structure.units[at]!;
    if (unit.kind !== 'table') continue;
    const { head, rows: lines } = readTable(answer, unit);
    const { named, of } = rows.get(at) ?? { named: [], of: 0 };
    // A translation may have other rows.
    if (named.length === 0 || of !== lines.length) continue;
    return [...(head ? [head] : []), ...named.map((row) => lines[row]!)].map(toOffsets);
  }
  return undefined;
}

const toOffsets = ({ start, end }: Span): Span => ({ start, end });

type Range = { from: number; to: number };

/** Text of at most this length before a procedure introduces it. */
const INTRODUCTION_CHARS_MAX = 500;
/** Lines without a lead-in are steps if their average length is at most this. */
const STEP_WIDTH_MEAN_MAX = 120;

/** Adds the text before a procedure and, if the question means the whole article, the procedures after it. */
function extendProcedure(
  structure: Structure,
  { block, section }: Candidate,
  scope: 'list' | 'procedure' | 'article',
): Range {
  const { units, sections } = structure;
  const measure = (from: number, to: number) => {
    const { start, end } = toSpan(units, from, to);
    return end - start;
  };
  const { blocks } = sections[section]!;
  let { from, to } = block;
  while (to > block.itemsFrom + 1 && measure(from, to) > PROCEDURE_CHARS_MAX) to -= 1;
  const before = blocks[blocks.indexOf(block) - 1];
  const isIntroduced =
    before &&
    (scope !== 'list' || block.itemsFrom === from) &&
    (before.kind === 'paragraph' || !isProcedure(structure, before)) &&
    before.to === from &&
    measure(before.from, before.to) <= INTRODUCTION_CHARS_MAX;
  if (isIntroduced && measure(before.from, to) <= PROCEDURE_CHARS_MAX) from = before.from;
  if (scope !== 'article' || to < block.to) return { from, to };
  for (const next of findNextProcedures(structure, block, section)) {
    if (measure(to - 1, next.from) - measure(to - 1, to) > INTRODUCTION_CHARS_MAX) break;
    let end = next.to;
    while (end > next.itemsFrom && measure(from, end) > PROCEDURE_CHARS_MAX) end -= 1;
    const isHalf = (end - next.itemsFrom) * 2 >= next.to - next.itemsFrom;
    if (isHalf && end > next.itemsFrom) to = end;
    if (to < next.to) break;
  }
  return { from, to };
}

function findNextProcedures(structure: Structure, block: Block, section: number): Block[] {
  const { sections } = structure;
  const { blocks } = sections[section]!;
  const after = [
    ...blocks.slice(blocks.indexOf(block) + 1),
    ...sections.slice(section + 1).flatMap((next) => next.blocks),
  ];
  return after.filter(
    (next) =>
      isProcedure(structure, next) &&
      (next.isCertain || measureMeanWidth(structure, next) <= STEP_WIDTH_MEAN_MAX),
  );
}

/** Quotes the units of a range without notes, repetitions, and headings at its ends. */
function toQuotes(
  { title, answer }: { title: string; answer: string },
  { units }: Structure,
  { from, to }: Range,
): Span[] {
  const isQuotable = (at: number) => {
    const unit = units[at]!;
    const previous = units[at - 1];
    const words = answer.slice(unit.wordsStart, unit.end);
    return (
      unit.kind !== 'note' &&
      words !== title &&
      !(previous && unit.kind === 'text' && answer.slice(previous.wordsStart, previous.end) === words)
    );
  };
  let [first, last] = [from, to - 1];
  while (first <= last && units[first]!.kind === 'heading') first += 1;
  while (last >= first && (units[last]!.kind === 'heading' || !isQuotable(last))) last -= 1;
  const spans: { start: number; end: number }[] = [];
  let isOpen = false;
  for (let at = first; at <= last; at += 1) {
    if (!isQuotable(at)) {
      isOpen = false;
      continue;
    }
    const { start, end } = units[at]!;
    if (isOpen) spans.at(-1)!.end = end;
    else spans.push({ start, end });
    isOpen = true;
  }
  return spans;
}

/** Quotes the best sentence of an answer that consists only of headings and notes, rather than nothing. */
function quoteAnything(answer: string, { sentences, scores }: Evidence): Span[] {
  const best = findBest(scores, 0, scores.length);
  const bestSentence = sentences[best] ?? splitSentences(answer.slice(0, FACT_CHARS_MAX), 'und')[0];
  return bestSentence ? [{ start: bestSentence.start, end: bestSentence.end }] : [];
}

type ScoredSpan = Span & { score: number };

/** Length up to which further sentences are quoted beside the two best. */
const SENTENCES_CHARS_MAX = 475;
const NEIGHBOUR_WEIGHT = 0.6;

/** Selects the two best sentences of a block, each whole, if they fit; and further ones while they are short. */
function selectSentences(answer: string, evidence: Evidence, block: Block): Span[] {
  const pieces = readPieces(answer, evidence, block, FACT_CHARS_MAX);
  const withNeighbours = pieces.map(
    ({ score }, at) =>
      score + NEIGHBOUR_WEIGHT * Math.max(pieces[at - 1]?.score ?? 0, pieces[at + 1]?.score ?? 0),
  );
  const best = findBest(withNeighbours, 0, pieces.length);
  const inOrder = [...pieces.keys()].sort(
    (a, b) => withNeighbours[b]! - withNeighbours[a]! || Math.abs(a - best) - Math.abs(b - best),
  );
  const selected: number[] = [];
  let chars = 0;
  for (const at of inOrder) {
    const { start, end } = pieces[at]!;
    chars += end - start;
    if (selected.length > 0 && chars > (selected.length === 1 ? FACT_CHARS_MAX : SENTENCES_CHARS_MAX)) break;
    selected.push(at);
  }
  const spans = joinNeighbours(pieces, selected);
  const isWhole = selected.length === pieces.length;
  return spans.map((span) => ({
    start: span.start,
    end: isWhole ? extendShort(evidence.structure, block.to, span, FACT_CHARS_MAX) : span.end,
  }));
}

/** Joins pieces that follow each other. */
function joinNeighbours(pieces: readonly Span[], selected: readonly number[]): Span[] {
  const spans: { start: number; end: number }[] = [];
  let last = -1;
  for (const at of selected.toSorted((a, b) => a - b)) {
    if (spans.length > 0 && last === at - 1) spans.at(-1)!.end = pieces[at]!.end;
    else spans.push({ start: pieces[at]!.start, end: pieces[at]!.end });
    last = at;
  }
  return spans;
}

/** Quotes of fewer characters are mostly the summary of an article, and are extended. */
const SHORT_CHARS = 200;

/** Adds the text that follows, whole paragraphs at a time. */
function extendShort({ units }: Structure, next: number, { start, end }: Span, charsMax: number): number {
  let [to, safe] = [end, end];
  for (let at = next; at < units.length && to - start < SHORT_CHARS; at += 1) {
    const unit = units[at]!;
    if (unit.kind === 'heading' || unit.kind === 'note' || unit.end - start > charsMax) break;
    to = unit.end;
    // A quote must not end with a lead-in to something that is missing.
    if (!unit.isLeadIn) safe = to;
  }
  return safe;
}

/** Returns the sentences of a block; splits those longer than `charsMax`. */
function readPieces(
  answer: string,
  { structure, sentences, scores }: Evidence,
  block: Block,
  charsMax: number,
): ScoredSpan[] {
  const pieces: ScoredSpan[] = [];
  let next = 0;
  // Starts after the lead-in, which is useless without what follows it.
  for (let at = block.itemsFrom; at < block.to; at += 1) {
    const unit = structure.units[at]!;
    if (unit.kind === 'note') continue;
    while (next < sentences.length && sentences[next]!.end <= unit.start) next += 1;
    const count = pieces.length;
    for (; next < sentences.length && sentences[next]!.start < unit.end; next += 1) {
      const { start, end } = sentences[next]!;
      // A sentence can begin before its unit or end after it; the piece must not.
      const piece = {
        start: Math.max(start, unit.start),
        end: Math.min(end, unit.end),
        score: scores[next] ?? 0,
      };
      pieces.push(...splitLong(answer, piece, charsMax));
    }
    if (pieces.length === count) {
      for (const { start, end } of splitSentences(answer.slice(unit.start, unit.end), 'und')) {
        pieces.push(
          ...splitLong(answer, { start: unit.start + start, end: unit.start + end, score: 0 }, charsMax),
        );
      }
    }
  }
  return pieces;
}

const CLAUSE_END = /[,;:，、；：،؛]\s*|\s+/gu;

/** Cuts at the last clause or space that fits. */
function splitLong(answer: string, { start, end, score }: ScoredSpan, charsMax: number): ScoredSpan[] {
  const pieces: ScoredSpan[] = [];
  let from = start;
  while (end - from > charsMax) {
    const part = answer.slice(from, from + charsMax);
    let cut = 0;
    for (const match of part.matchAll(CLAUSE_END)) cut = match.index + match[0].length;
    if (cut === 0) cut = /[\ud800-\udbff]$/.test(part) ? part.length - 1 : part.length;
    pieces.push({ start: from, end: from + part.slice(0, cut).trimEnd().length, score });
    from += cut;
  }
  if (from < end) pieces.push({ start: from, end, score });
  return pieces;
}
