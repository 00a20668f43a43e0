/**
 * Fits the weights of server/knowledge/search/search-partition.ts: logistic regression over the dev split of all languages together,
 * each question once as it is and once with its article removed. Prints the weights and the threshold that keeps 90 of
 * 100 answerable questions of the dev split. Run it when scoring changes.
 */
import {
  getConfidenceInput,
  getFeatures,
  prepareQueries,
  searchPartition,
} from '../../server/knowledge/search/search-partition.ts';
import { openCorpus } from './corpus.ts';
import { type Language, locales, type Question, readLanguage, xquadFolder } from './xquad.ts';

type Example = { readonly values: readonly number[]; readonly answerable: boolean };

const corpus = openCorpus();
const examples: Example[] = [];
let names: string[] = [];
try {
  for (const locale of locales) {
    await collect(readLanguage(xquadFolder(), locale));
    process.stderr.write(`${locale} `);
  }
} finally {
  corpus.close();
}
process.stderr.write('\n');
report(fit(examples));

async function collect({ locale, articles, questions }: Language): Promise<void> {
  corpus.put(locale, locale, articles);
  for (const article of articles.filter(({ split }) => split === 'dev')) {
    const own = questions.filter(({ articleId }) => articleId === article.id);
    for (const question of own) await example(locale, question, true);
    corpus.remove(locale, article.id);
    for (const question of own) await example(locale, question, false);
    corpus.put(locale, locale, [article]);
  }
}

async function example(locale: string, { text }: Question, answerable: boolean): Promise<void> {
  const passages = corpus.passages(locale);
  const [known] = await prepareQueries(passages, text, await passages.partitions());
  const { found } = await searchPartition(passages, known!);
  const values = getFeatures(getConfidenceInput(found));
  names = Object.keys(values);
  examples.push({ values: Object.values(values), answerable });
}

type Weights = { readonly bias: number; readonly weights: readonly number[] };

function fit(rows: readonly Example[]): Weights {
  const width = rows[0]!.values.length;
  const columns = Array.from({ length: width }, (_, at) => rows.map(({ values }) => values[at]!));
  const means = columns.map(mean);
  const spreads = columns.map((column, at) => Math.sqrt(mean(column.map((x) => (x - means[at]!) ** 2))));
  const scaled = rows.map(({ values }) => values.map((x, at) => (x - means[at]!) / spreads[at]!));
  const weights = new Array<number>(width).fill(0);
  let bias = 0;
  for (let round = 0; round < 2_000; round += 1) {
    const slope = new Array<number>(width).fill(0);
    let biasSlope = 0;
    scaled.forEach((values, row) => {
      const sum = values.reduce((total, x, at) => total + x * weights[at]!, bias);
      const error = 1 / (1 + Math.exp(-sum)) - (rows[row]!.answerable ? 1 : 0);
      values.forEach((x, at) => {
        slope[at]! += error * x;
      });
      biasSlope += error;
    });
    slope.forEach((total, at) => {
      weights[at]! -= (1.5 * total) / rows.length;
    });
    bias -= (1.5 * biasSlope) / rows.length;
  }
  const raw = weights.map((weight, at) => weight / spreads[at]!);
  return { weights: raw, bias: raw.reduce((sum, weight, at) => sum - weight * means[at]!, bias) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}

function report({ weights, bias }: Weights): void {
  const confidence = ({ values }: Example) =>
    1 / (1 + Math.exp(-values.reduce((sum, x, at) => sum + x * weights[at]!, bias)));
  const kept = examples.filter(({ answerable }) => answerable).map(confidence);
  kept.sort((a, b) => a - b);
  const threshold = kept[Math.floor(kept.length * 0.1)]!;
  const wrong = examples.filter((one) => !one.answerable && confidence(one) >= threshold).length;
  const parts = names.map((name, at) => `${name}: ${weights[at]!.toFixed(2)}`);
  process.stdout.write(`{ bias: ${bias.toFixed(2)}, ${parts.join(', ')} }\n`);
  process.stdout.write(
    `threshold ${threshold.toFixed(3)}, wrong on dev ${(200 * wrong) / examples.length} %\n`,
  );
}
