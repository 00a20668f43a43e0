/**
 * Fits the weights of server/knowledge/search/confidence.ts: logistic regression of whether the first article answers the question. Asks the
 * development turns of eval/, and titles, summaries and questions of help articles and XQuAD in workspaces that hold only some of the
 * articles, so that many questions have no answer. Short questions of visitors, paraphrases, near misses, other subjects and small talk are
 * in short-questions.txt. Prints the weights, the expected calibration error and what each threshold answers.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CORPORA, type CorpusName, hash, readArticles } from '../../eval/corpora.ts';
import { readConversations } from '../../eval/turns.ts';
import { parseAcceptLanguage } from '../../server/knowledge/locale.ts';
import { type Features, getFeatures } from '../../server/knowledge/search/confidence.ts';
import { searchByWords } from '../../server/knowledge/search/search-languages.ts';
import type { Seed } from '../../test/fixtures/seeds.ts';
import { openCorpus } from './corpus.ts';
import { getXquadFolder, locales, readLanguage } from './xquad.ts';

type Example = {
  readonly values: readonly number[];
  readonly isRight: boolean;
  readonly isAnswerable: boolean;
  /** Turns weigh more, because there are few of them. */
  readonly weight: number;
};

const NAMES: readonly (keyof Features)[] = [
  'title',
  'score',
  'lead',
  'gapToThird',
  'content',
  'information',
  'size',
];
/** Regularization, in examples: keeps weights small where data is scarce. */
const REGULARIZATION = 3;
const ROUNDS = 1_500;
const FOLDS = 5;

/** `<language>.jsonl` of the GNOME help; `GNOME_HELP_DIR` overrides the default. */
const helpFolder = resolve(
  process.env.GNOME_HELP_DIR ?? join(import.meta.dirname, '../../../shared/data/gnome-help'),
);
const FEW_LANGUAGES = ['en', 'de', 'ru', 'zh-CN'];
const MANY_LANGUAGES = 'cs de en es fa fr he hi it ja ko nl pl pt-BR ru sv tr uk zh-CN'.split(' ');
/** Questions for each workspace of help articles: some that its articles answer, some that they do not. */
const HELD_MAX = 150;
const MISSING_MAX = 40;

const corpus = openCorpus();
const examples: Example[] = [];
try {
  for (const name of CORPORA) await askTurns(name);
  for (const size of [4, 8, 50]) for (const locale of FEW_LANGUAGES) await askSummaries(size, [locale]);
  await askSummaries(300, ['en', 'fr']);
  await askSummaries(3_000, MANY_LANGUAGES);
  await askShortQuestions();
  for (const locale of locales) await askParagraphs(locale);
} finally {
  corpus.close();
}
report();

async function ask(
  workspaceId: string,
  locale: string,
  question: string,
  gold: readonly string[],
  weight: number,
) {
  const { matches } = await searchByWords(corpus.passages(workspaceId), {
    question,
    articleIds: [],
    preference: parseAcceptLanguage(locale),
    dictionary: undefined,
  });
  const features = getFeatures(matches);
  if (!features) return;
  const isRight = gold.includes(matches[0]!.articleId);
  examples.push({
    values: NAMES.map((name) => features[name]),
    isRight,
    isAnswerable: gold.length > 0,
    weight,
  });
}

function put(workspaceId: string, articles: readonly Seed[]): void {
  for (const { slug, locale, title, answer, aliases, translations } of articles) {
    corpus.put(workspaceId, locale, [{ id: slug, title, text: answer, aliases: aliases ?? [] }]);
    for (const variant of translations ?? []) {
      const translation = { title: variant.title, text: variant.answer, aliases: variant.aliases ?? [] };
      corpus.put(workspaceId, variant.locale, [
        { id: slug, translationId: `${slug}-${variant.locale}`, ...translation },
      ]);
    }
  }
}

async function askTurns(name: CorpusName): Promise<void> {
  put(name, readArticles(name));
  for (const { half, locale, turns, ...conversation } of readConversations()) {
    const first = turns[0];
    if (!first || conversation.corpus !== name || half !== 'development') continue;
    if (first.category !== 'small-talk') await ask(name, locale, first.asks, first.gold ?? [], 2.5);
  }
}

/** Asks for the summaries of help articles, in a workspace with `size` of them whose summaries were removed. */
async function askSummaries(size: number, languages: readonly string[]): Promise<void> {
  const topics = languages.flatMap(readTopics).toSorted((a, b) => hash(a.id) - hash(b.id));
  const held = topics.filter(({ topic }) => !isMissing(topic)).slice(0, size);
  if (held.length < size) throw new Error(`${helpFolder} has ${held.length} articles of ${size}.`);
  const workspaceId = `summaries-${size}-${languages.join('-')}`;
  for (const { id, locale, title, text } of held) corpus.put(workspaceId, locale, [{ id, title, text }]);
  const missing = topics.filter(({ topic }) => isMissing(topic));
  for (const { topic, locale, summary } of [...held.slice(0, HELD_MAX), ...missing.slice(0, MISSING_MAX)]) {
    const gold = held.filter((article) => article.topic === topic).map(({ id }) => id);
    await ask(workspaceId, locale, summary, gold, 0.4);
  }
}

/** Whether the topic is in no workspace, in any language: a tenth of the topics. */
function isMissing(topic: string): boolean {
  return hash(topic) % 10 === 0;
}

type Topic = {
  readonly id: string;
  readonly topic: string;
  readonly locale: string;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
};

/** Returns the topics of the help centre that are translated to a language. */
function readTopics(locale: string): Topic[] {
  const english = new Set(locale === 'en' ? [] : readTopics('en').map(({ summary }) => summary));
  return readFileSync(join(helpFolder, `${locale}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { t: string; id: string; title: string; summary: string; body: string },
    )
    .filter(({ t, summary }) => t === 'a' && summary !== '' && !english.has(summary))
    .map(({ id, title, summary, body }) => ({
      ...{ id: `${id}-${locale}`, topic: id, locale },
      ...{ title, summary, text: body },
    }));
}

/** Asks visitors' short questions over all help articles, and over a few. */
async function askShortQuestions(): Promise<void> {
  const held = readArticles('gnome').toSorted((a, b) => hash(b.slug) - hash(a.slug));
  const few = held.slice(0, 50);
  put('short', few);
  const lines = readFileSync(join(import.meta.dirname, 'short-questions.txt'), 'utf8')
    .trim()
    .split('\n');
  for (const line of lines) {
    const [locale, question, slugs] = line.split('|') as [string, string, string];
    const gold = slugs === '' ? [] : slugs.split(',');
    await ask('gnome', locale, question, gold, 1);
    const goldInShort = gold.filter((slug) => few.some((article) => article.slug === slug));
    await ask('short', locale, question, goldInShort, goldInShort.length > 0 ? 1 : 0.3);
  }
}

/** Asks about all paragraphs of the dev split, of which a third is missing. */
async function askParagraphs(locale: string): Promise<void> {
  const { articles, questions } = readLanguage(getXquadFolder(), locale);
  const held = articles.filter(({ id, split }) => split === 'dev' && hash(id) % 3 > 0);
  corpus.put(`xquad-${locale}`, locale, held);
  const ids = new Set(held.map(({ id }) => id));
  for (const [at, { articleId, split, text }] of questions.entries()) {
    if (split !== 'dev' || at % 10 > 0) continue;
    await ask(`xquad-${locale}`, locale, text, ids.has(articleId) ? [articleId] : [], 0.4);
  }
}

type Fit = { readonly bias: number; readonly weights: readonly number[] };

function fit(rows: readonly Example[]): Fit {
  const columns = NAMES.map((_, at) => rows.map(({ values }) => values[at]!));
  const means = columns.map(getMean);
  const spreads = columns.map(
    (column, at) => Math.sqrt(getMean(column.map((x) => (x - means[at]!) ** 2))) || 1,
  );
  const scaled = rows.map(({ values }) => values.map((x, at) => (x - means[at]!) / spreads[at]!));
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const weights = NAMES.map(() => 0);
  let bias = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const slopes = weights.map((weight) => REGULARIZATION * weight);
    let biasSlope = 0;
    for (const [row, values] of scaled.entries()) {
      const { isRight, weight } = rows[row]!;
      const error = weight * (predict({ bias, weights }, values) - (isRight ? 1 : 0));
      for (const [at, x] of values.entries()) slopes[at]! += error * x;
      biasSlope += error;
    }
    for (const [at, slope] of slopes.entries()) weights[at]! -= slope / total;
    bias -= biasSlope / total;
  }
  const raw = weights.map((weight, at) => weight / spreads[at]!);
  return { weights: raw, bias: raw.reduce((sum, weight, at) => sum - weight * means[at]!, bias) };
}

function predict({ bias, weights }: Fit, values: readonly number[]): number {
  return 1 / (1 + Math.exp(-values.reduce((sum, x, at) => sum + x * weights[at]!, bias)));
}

function getMean(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}

type Judged = Example & { readonly confidence: number };

/** Judges each example by weights that were fitted without it. */
function crossValidate(): Judged[] {
  return Array.from({ length: FOLDS }, (_, fold) => {
    const fitted = fit(examples.filter((_, at) => at % FOLDS !== fold));
    const heldOut = examples.filter((_, at) => at % FOLDS === fold);
    return heldOut.map((example) => ({ ...example, confidence: predict(fitted, example.values) }));
  }).flat();
}

function sum(rows: readonly Judged[], value: (row: Judged) => number): number {
  return rows.reduce((total, row) => total + row.weight * value(row), 0);
}

function getCalibrationError(rows: readonly Judged[]): number {
  const bins = Map.groupBy(rows, ({ confidence }) => Math.floor(confidence * 10));
  const errors = [...bins.values()].map((bin) =>
    Math.abs(sum(bin, ({ confidence, isRight }) => confidence - (isRight ? 1 : 0))),
  );
  return errors.reduce((total, error) => total + error, 0) / sum(rows, () => 1);
}

function report(): void {
  const { bias, weights } = fit(examples);
  const parts = NAMES.map((name, at) => `${name}: ${weights[at]!.toFixed(2)}`);
  const judged = crossValidate();
  process.stdout.write(`${examples.length} questions\n{ ${parts.join(', ')} }, bias ${bias.toFixed(2)}\n`);
  process.stdout.write(`expected calibration error ${(100 * getCalibrationError(judged)).toFixed(1)} %\n`);
  const isAnswerable = judged.filter((row) => row.isAnswerable);
  const others = judged.filter((row) => !row.isAnswerable);
  for (const threshold of [0.2, 0.3, 0.4, 0.5, 0.6]) {
    const share = (rows: readonly Judged[], isCounted: (row: Judged) => boolean) =>
      (100 * sum(rows, (row) => (row.confidence >= threshold && isCounted(row) ? 1 : 0))) /
      sum(rows, () => 1);
    const isRight = share(isAnswerable, (row) => row.isRight).toFixed(0);
    const wrong = share(isAnswerable, (row) => !row.isRight).toFixed(0);
    const answered = share(others, () => true).toFixed(0);
    process.stdout.write(
      `threshold ${threshold}: right ${isRight} %, wrong ${wrong} %; unanswerable answered ${answered} %\n`,
    );
  }
}
