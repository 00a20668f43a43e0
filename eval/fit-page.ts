/**
 * Fits what the vectors of messages and labels say about the part of a page that a visitor wants, on examples. Writes it for the
 * embedding model to server/engine/page-fit.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Embed } from '../bench/retrieval/compare-in-memory.ts';
import { packVector } from '../server/base/vector.ts';
import { openComparison, type StoredComparison, type StoredPageFit } from '../server/engine/page-meaning.ts';
import { scoreLabels } from '../server/engine/page-target.ts';
import { readLabelledPages, readPageExamples } from './examples.ts';
import { fitRegression, type Row } from './regression.ts';

const FILE = new URL('../server/engine/page-fit.json', import.meta.url);

type Vector = readonly number[];
type EmbedText = (text: string) => Vector;

/** Directions of the largest spread among messages that want a part of a page: how they ask, and in what language. */
const MANNERS = 16;
const POWER_ROUNDS = 40;

export function fitPage(model: string, embed: Embed): void {
  const embedText: EmbedText = (text) => [...embed('query', text)];
  const comparison = fitComparison(embedText);
  const fit: StoredPageFit = {
    wish: fitWish(embedText),
    comparison,
    choice: fitChoice(comparison, embedText),
  };
  const { models } = JSON.parse(readFileSync(FILE, 'utf8')) as { models: Record<string, StoredPageFit> };
  writeFileSync(FILE, `${JSON.stringify({ models: { ...models, [model]: fit } }, null, 2)}\n`);
}

/** Whether a message wants a part of the page. */
function fitWish(embedText: EmbedText): StoredPageFit['wish'] {
  const toRows = (messages: readonly string[], isTrue: boolean): Row[] =>
    messages.map((message) => ({ features: Object.fromEntries(embedText(message).entries()), isTrue }));
  const asked = readLabelledPages().flatMap(({ asks }) => Object.values(asks).flat());
  const { bias, weights } = fitRegression([
    ...toRows(asked, true),
    ...Object.values(readPageExamples()).flatMap(({ page, information }) => [
      ...toRows(page, true),
      ...toRows(information, false),
    ]),
  ]);
  return { bias, weights: packVector(Object.values(weights)) };
}

function fitComparison(embedText: EmbedText): StoredComparison {
  const messages = Object.values(readPageExamples()).flatMap(({ page }) => page.map(embedText));
  const labels = new Set(readLabelledPages().flatMap((page) => page.labels));
  const messageMean = getMean(messages);
  const deviations = messages.map((message) => subtract(message, messageMean));
  return {
    messageMean: packVector(messageMean),
    labelMean: packVector(getMean([...labels].map(embedText))),
    manners: findDirections(deviations, MANNERS).map(packVector),
  };
}

/** Learns from pages with and without the wanted label. */
function fitChoice(comparison: StoredComparison, embedText: EmbedText): StoredPageFit['choice'] {
  const compareWith = openComparison(comparison);
  const rows = readLabelledPages().flatMap(({ labels, asks }) =>
    Object.entries(asks).flatMap(([wanted, messages]) =>
      messages.flatMap((message) => {
        const compare = compareWith(embedText(message));
        const toRow = (choices: readonly string[]): Row => {
          const scores = scoreLabels(choices.map(embedText).map(compare), message, choices);
          const score = Math.max(...scores);
          return { features: { score }, isTrue: choices[scores.indexOf(score)] === wanted };
        };
        return [toRow(labels), toRow(labels.filter((label) => label !== wanted))];
      }),
    ),
  );
  const { bias, weights } = fitRegression(rows);
  return { bias, weights: { score: weights.score! } };
}

/** Returns the principal directions, by power iteration. */
function findDirections(vectors: readonly Vector[], count: number): Vector[] {
  let rest = vectors;
  return Array.from({ length: count }, (_, number) => {
    let direction: Vector = rest[0]!.map((__, at) => Math.sin((number + 1) * (at + 1)));
    for (let round = 0; round < POWER_ROUNDS; round += 1) {
      const sums = direction.map(() => 0);
      for (const vector of rest) {
        const share = multiply(vector, direction);
        for (const [at, value] of vector.entries()) sums[at]! += share * value;
      }
      const length = Math.hypot(...sums);
      direction = sums.map((sum) => sum / length);
    }
    rest = rest.map((vector) => {
      const share = multiply(vector, direction);
      return vector.map((value, at) => value - share * direction[at]!);
    });
    return direction;
  });
}

const getMean = (vectors: readonly Vector[]): Vector =>
  vectors[0]!.map((_, at) => vectors.reduce((sum, vector) => sum + vector[at]!, 0) / vectors.length);
const subtract = (a: Vector, b: Vector): Vector => a.map((value, at) => value - b[at]!);
const multiply = (a: Vector, b: Vector) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
