/** Quotes a variant in another language than the one that was searched: the same parts of the article. */
import { alignUnits } from './align.ts';
import { findPart, parseStructure } from './blocks.ts';
import { type Evidence, findBest, gatherEvidence, type QuoteRequest } from './evidence.ts';
import type { Span } from './lines.ts';
import { selectByEvidence } from './select-quotes.ts';
import type { Unit } from './units.ts';

export type ShownVariant = {
  readonly title: string;
  readonly answer: string;
  readonly sentences: readonly Span[];
};

/** Quotes in the order of the shown text. */
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
  const scores = new Float64Array(sentences.length);
  const before = locateSentences(evidence.structure.units, evidence.sentences);
  const after = locateSentences(structure.units, sentences);
  before.forEach((own, unit) => {
    const theirs = after[aligned[unit] ?? 0] ?? [];
    own.forEach((sentence, index) => {
      const counterpart = theirs[Math.round((index * (theirs.length - 1)) / Math.max(1, own.length - 1))];
      if (counterpart !== undefined) {
        scores[counterpart] = Math.max(scores[counterpart]!, evidence.scores[sentence] ?? 0);
      }
    });
  });
  return { ...evidence, structure, headings, sentences, scores: [...scores] };
}

/** The indices of the sentences in each unit. */
function locateSentences(units: readonly Unit[], sentences: readonly Span[]): number[][] {
  const located: number[][] = units.map(() => []);
  let unit = 0;
  sentences.forEach(({ start }, index) => {
    while (unit < units.length - 1 && units[unit]!.end <= start) unit += 1;
    located[unit]?.push(index);
  });
  return located;
}
