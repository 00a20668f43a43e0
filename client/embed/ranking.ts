import type { CaptureTarget } from '../sdk/index.ts';
import { type Candidate, distanceFromView, isCovered, nameTargets, rectOf, targetOf } from './targets.ts';

export const TARGETS_MAX = 50;
/** What the words of a question count beside what the page itself says of a target. */
const WORDS_WEIGHT = 0.6;
const WORD_CHARS_KEPT = 5;
const LOOKED_AT_MAX = 200;

/** The best targets: what the question names, what is in view before what is not, controls before headings, then by distance. */
export function rankTargets(
  candidates: readonly Candidate[],
  question: string,
  locale: string,
): CaptureTarget[] {
  const counts = new Map<string, number>();
  const nameOf = ({ role, name }: Candidate) => `${role} ${name}`;
  for (const candidate of candidates) counts.set(nameOf(candidate), (counts.get(nameOf(candidate)) ?? 0) + 1);
  const asked = stemsOf(question, locale);
  let lookedAt = 0;
  const best = candidates
    .map((candidate) => {
      const rect = rectOf(candidate.element);
      return { candidate, rect, distance: distanceFromView(rect) };
    })
    .filter(({ rect }) => rect.width > 0 && rect.height > 0)
    .map((placed) => {
      const { candidate, rect, distance } = placed;
      let sure = distance === 0 ? 90 : 70;
      if (candidate.role === 'heading') sure -= 10;
      if (counts.get(nameOf(candidate)) !== 1) sure -= 20;
      if (distance === 0 && lookedAt++ < LOOKED_AT_MAX && isCovered(candidate.element, rect)) sure -= 30;
      const confidence = sure / 100;
      return { ...placed, confidence, score: confidence + WORDS_WEIGHT * shareOf(candidate.name, asked) };
    })
    .sort((a, b) => b.score - a.score || a.distance - b.distance)
    .slice(0, TARGETS_MAX);
  const gpIds = nameTargets(
    best.map(({ candidate }) => candidate),
    candidates,
  );
  return best.map(({ candidate, rect, confidence }) =>
    targetOf(candidate, gpIds.get(candidate.element) as string, rect, confidence),
  );
}

/** Beginnings of words: endings differ between a question and a label. Also of scripts that put no spaces between words. */
function stemsOf(question: string, locale: string): readonly string[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  const words = Array.from(segmenter.segment(question.slice(0, 500).toLowerCase()))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment.slice(0, WORD_CHARS_KEPT));
  // One letter of an alphabet is in every name.
  return [...new Set(words)].filter((word) => word.length > 1 || word > '\u2e80');
}

/** How much of a name the question says; one word alone may stand there by chance. */
function shareOf(name: string, asked: readonly string[]): number {
  const lower = name.toLowerCase();
  const said = asked.filter((stem) => lower.includes(stem));
  return Math.min(1, said.join('').length / lower.length) * (1 - 0.5 ** said.length);
}
