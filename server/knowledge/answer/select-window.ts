/** Selects contiguous sentences of a paragraph within a budget of characters. */
import { splitSentences } from '../search/tokenize.ts';
import type { Block, Structure } from './blocks.ts';
import type { Evidence } from './evidence.ts';
import type { Span } from './lines.ts';

type ScoredSpan = Span & { readonly score: number };

/** The best run of sentences around the best sentence of a block, at most `charsMax` long. */
export function selectWindow(answer: string, evidence: Evidence, block: Block, charsMax: number): Span[] {
  const pieces = readPieces(answer, evidence, block, charsMax);
  let best = -1;
  pieces.forEach(({ score }, index) => {
    if (best < 0 || score > pieces[best]!.score) best = index;
  });
  if (best < 0) return [];
  const { from, to } = findBestRun(pieces, best, charsMax);
  const [start, end] = [pieces[from]!.start, pieces[to]!.end];
  const isWhole = from === 0 && to === pieces.length - 1;
  return [
    { start, end: isWhole ? extendShort(evidence.structure, block.to, { start, end }, charsMax) : end },
  ];
}

/** What is shorter than this says little alone: most often it is the summary of an article. */
const SHORT_CHARS = 200;

/** Adds the text that follows, whole paragraphs at a time. */
function extendShort({ units }: Structure, next: number, { start, end }: Span, charsMax: number): number {
  let [to, safe] = [end, end];
  for (let at = next; at < units.length && to - start < SHORT_CHARS; at += 1) {
    const unit = units[at]!;
    if (unit.kind === 'heading' || unit.kind === 'note' || unit.end - start > charsMax) break;
    to = unit.end;
    // Nothing ends with the announcement of what is not there.
    if (!unit.isLeadIn) safe = to;
  }
  return safe;
}

/** The sentences of a block; those longer than the budget in parts. */
function readPieces(
  answer: string,
  { structure, sentences, scores }: Evidence,
  block: Block,
  charsMax: number,
): ScoredSpan[] {
  const pieces: ScoredSpan[] = [];
  let next = 0;
  // An announcement says nothing without what it announces.
  for (let at = block.itemsFrom; at < block.to; at += 1) {
    const unit = structure.units[at]!;
    if (unit.kind === 'note') continue;
    while (next < sentences.length && sentences[next]!.end <= unit.start) next += 1;
    const count = pieces.length;
    for (; next < sentences.length && sentences[next]!.start < unit.end; next += 1) {
      const { start, end } = sentences[next]!;
      // A list marker is no sentence, and text that was cut ends with its unit.
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

/** The run around the best piece with the highest sum of scores within the budget. */
function findBestRun(
  pieces: readonly ScoredSpan[],
  best: number,
  charsMax: number,
): { from: number; to: number } {
  let found = { from: best, to: best };
  let most = -1;
  let to = best;
  while (to + 1 < pieces.length && pieces[to + 1]!.end - pieces[best]!.start <= charsMax) to += 1;
  // Each start has one longest run; scores are never negative.
  for (let from = best; from >= 0; from -= 1) {
    while (to > best && pieces[to]!.end - pieces[from]!.start > charsMax) to -= 1;
    if (pieces[to]!.end - pieces[from]!.start > charsMax) break;
    let sum = 0;
    for (let at = from; at <= to; at += 1) sum += pieces[at]!.score;
    if (sum > most) {
      most = sum;
      found = { from, to };
    }
  }
  return found;
}
