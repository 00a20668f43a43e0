/** Compares retrieval with FTS5 and MiniSearch: quality on XQuAD, then latency by size, then learned dictionaries. */
import { parseArgs } from 'node:util';
import { openModel } from '../model/index.ts';
import { WORDS_THRESHOLD } from '../server/knowledge/search/confidence.ts';
import {
  type Baseline,
  fts5,
  guidepostByMeaning,
  guidepostByWords,
  miniSearch,
} from './retrieval/baselines.ts';
import { openVectorCache } from './retrieval/compare-in-memory.ts';
import {
  type CrossLanguage,
  type Learning,
  measureCrossLanguage,
  measureLearning,
} from './retrieval/dictionary.ts';
import { type Latency, measureManyWorkspaces, measureOneWorkspace } from './retrieval/latency.ts';
import {
  averageRows,
  findThresholdFor90,
  measureOutcomes,
  type Outcome,
  type Row,
  toRow,
} from './retrieval/quality.ts';
import { getXquadFolder, type Language, locales, readLanguage } from './retrieval/xquad.ts';

const help = `Measures retrieval. The table goes to stdout, progress to stderr.

  node bench/retrieval.ts [--quick] [--json] [--only quality|latency|dictionary]

  --quick   asks every fifth question; latency up to 10,000 articles and with 20 workspaces
  --json    prints one JSON object instead of tables
  --only    measures only one part
  --help    shows this help

Reads XQuAD from XQUAD_DIR (default: ../shared/data/xquad next to the project).
`;

type Scores = {
  baseline: string;
  title: string;
  /** Rows by language, then the mean: for the test split, and for all questions. */
  test: Readonly<Record<string, Row>>;
  all: Readonly<Record<string, Row>>;
};

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
async function main(): Promise<void> {
  const folder = getXquadFolder();
  const languages = locales.map((locale) => readLanguage(folder, locale));
  const scores: Scores[] = [];
  if (isWanted('quality')) {
    const model = openModel();
    const byMeaning = guidepostByMeaning(model.id, openVectorCache(model));
    for (const baseline of [byMeaning, guidepostByWords, fts5, miniSearch])
      scores.push(await measureQuality(baseline, languages));
    model.close();
  }
  const latencies = isWanted('latency') ? await measureLatency(languages[0]!) : [];
  const dictionary = isWanted('dictionary') ? await measureDictionary(languages) : undefined;
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ quality: scores, latency: latencies, dictionary }, undefined, 2)}\n`,
    );
    return;
  }
  for (const part of ['test', 'all'] as const) {
    if (scores.length > 0) process.stdout.write(qualityTable(part, scores));
  }
  if (latencies.length > 0) process.stdout.write(latencyTable(latencies));
  if (dictionary) process.stdout.write(dictionaryTables(dictionary));
}

const isWanted = (part: string) => options.only === undefined || options.only === part;

type DictionaryFigures = { crossLanguage: readonly CrossLanguage[]; learning: Learning };

async function measureDictionary(languages: readonly Language[]): Promise<DictionaryFigures> {
  progress('dictionaries learned from translations');
  const crossLanguage = measureCrossLanguage(languages);
  return { crossLanguage, learning: await measureLearning(languages, options.quick ? 1_000 : 10_000) };
}

async function measureQuality(baseline: Baseline, languages: readonly Language[]): Promise<Scores> {
  const outcomes: Outcome[] = [];
  for (const language of languages) {
    progress(`${baseline.name} ${language.locale}`);
    outcomes.push(...(await measureOutcomes(baseline, language, options.quick ? 5 : 1)));
  }
  if (baseline === guidepostByWords) reportShippedThreshold(outcomes);
  const test = outcomes.filter(({ split }) => split === 'test');
  const thresholds = baseline.hasOneThreshold
    ? 'one threshold for all languages'
    : 'a threshold for each language';
  const title = `${baseline.name} (%; wrong at 90 % kept, ${thresholds})`;
  return {
    baseline: baseline.name,
    title,
    test: toRows(baseline, test),
    all: toRows(baseline, outcomes),
  };
}

/** Scores of other engines are not comparable between languages, so each language gets its own threshold. */
function toRows({ hasOneThreshold }: Baseline, outcomes: readonly Outcome[]): Record<string, Row> {
  const rows: [string, Row][] = locales.map((locale) => {
    const localeOutcomes = outcomes.filter((outcome) => outcome.locale === locale);
    return [locale, toRow(localeOutcomes, findThresholdFor90(hasOneThreshold ? outcomes : localeOutcomes))];
  });
  return { ...Object.fromEntries(rows), mean: averageRows(rows.map(([, row]) => row)) };
}

function reportShippedThreshold(outcomes: readonly Outcome[]): void {
  const { answerableKept, unanswerableAnswered } = toRow(outcomes, WORDS_THRESHOLD);
  progress(
    `at the shipped threshold ${WORDS_THRESHOLD}: ${answerableKept.toFixed(1)} % of the answerable questions kept, ` +
      `${unanswerableAnswered.toFixed(1)} % of the unanswerable questions answered`,
  );
}

async function measureLatency(language: Language): Promise<Latency[]> {
  const latencies: Latency[] = [];
  for (const articles of options.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000]) {
    progress(`latency with ${articles} articles`);
    latencies.push(await measureOneWorkspace(language, articles));
  }
  progress('latency with many workspaces');
  latencies.push(await measureManyWorkspaces(language, options.quick ? 20 : 200, 1_000));
  return latencies;
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

const columns: readonly [string, keyof Row][] = [
  ['R@1', 'recallAt1'],
  ['R@5', 'recallAt5'],
  ['MRR@10', 'mrrAt10'],
  ['nDCG@10', 'ndcgAt10'],
  ['gold in 2', 'goldInTwoSentences'],
  ['chars', 'quotedCharacters'],
  ['kept', 'answerableKept'],
  ['wrong', 'unanswerableAnswered'],
];

function qualityTable(part: 'test' | 'all', scores: readonly Scores[]): string {
  const title =
    part === 'test' ? 'XQuAD, test split (nothing was tuned on it)' : 'XQuAD, all questions (dev and test)';
  const head = ['', ...columns.map(([name]) => name)];
  const lines = [`\n${title}`];
  for (const score of scores) {
    const rows = Object.entries(score[part]).map(([locale, row]) => [
      locale,
      ...columns.map(([, key]) => (key === 'quotedCharacters' ? row[key].toFixed(0) : row[key].toFixed(1))),
    ]);
    lines.push('', score.title, ...alignColumns([head, ...rows]));
  }
  return `${lines.join('\n')}\n`;
}

function latencyTable(latencies: readonly Latency[]): string {
  const head = ['', 'p50 ms', 'p99 ms', 'found first %', 'MB', 'index s'];
  const rows = latencies.map((latency) => [
    latency.setup,
    latency.p50Millis.toFixed(2),
    latency.p99Millis.toFixed(2),
    latency.foundFirst.toFixed(1),
    latency.megabytes.toFixed(1),
    latency.indexSeconds.toFixed(1),
  ]);
  return `\nSearch with ranking, quotes and loading (300 questions, the median of three rounds each)\n${alignColumns([head, ...rows]).join('\n')}\n`;
}

function dictionaryTables({ crossLanguage, learning }: DictionaryFigures): string {
  const qualityRows = crossLanguage.map(({ locale, lexical, learned }) => [
    locale,
    ...[lexical.at1, lexical.at5, learned.at1, learned.at5].map((share) => share.toFixed(0)),
  ]);
  const head = ['', 'R@1', 'R@5', 'learned R@1', 'R@5'];
  const { articles, locales: languages, seconds, blockedMillis, storedMegabytes, loadMillis } = learning;
  const cost = [
    ['', 's', 'event loop blocked ms', 'stored MB', 'load ms', 'process MB'],
    [
      `${articles.toLocaleString('en')} articles in ${languages} languages`,
      seconds.toFixed(1),
      blockedMillis.toFixed(0),
      storedMegabytes.toFixed(1),
      loadMillis.toFixed(0),
      learning.processMegabytes.toFixed(0),
    ],
  ];
  return [
    '\nQuestions in other languages about English paragraphs, 70 % of the others translated (BM25 over words alone)',
    ...alignColumns([head, ...qualityRows]),
    '\nLearning dictionaries from generated articles',
    ...alignColumns(cost),
    '',
  ].join('\n');
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]! + 2))).join(''),
  );
}

if (options.help) {
  process.stdout.write(help);
} else {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
