/** Measures search time, ranking and loading included, in workspaces of growing size. */

import { createRetriever } from '../../server/knowledge/search/retrieve.ts';
import { splitSentences } from '../../server/knowledge/search/tokenize.ts';
import { seededRandom } from '../articles.ts';
import { type Corpus, type CorpusArticle, openCorpus } from './corpus.ts';
import type { Language } from './xquad.ts';

export type Latency = {
  setup: string;
  articles: number;
  p50Millis: number;
  p99Millis: number;
  foundFirst: number;
  megabytes: number;
  indexSeconds: number;
};

type Query = { workspaceId: string; question: string; articleId: string };

const PLANTED_MAX = 120;
const QUESTIONS_MAX = 300;
const BATCH_SIZE = 500;
/** Each question counts with its median time, to filter out disturbances. */
const ROUNDS = 3;

/** Measures one workspace with this many English articles, including real test paragraphs. */
export async function measureOneWorkspace(language: Language, articles: number): Promise<Latency> {
  return measure(`1 workspace x ${articles.toLocaleString('en')}`, articles, async (corpus, write) => {
    const planted = pickPlanted(language);
    await write(corpus, 'w1', [...planted, ...generateArticles(language, articles - planted.length, 1)]);
    return toQueries(language, planted, () => 'w1');
  });
}

/** Measures many workspaces in one database, with the questions spread over them. */
export async function measureManyWorkspaces(
  language: Language,
  workspaces: number,
  articles: number,
): Promise<Latency> {
  const setup = `${workspaces} workspaces x ${articles.toLocaleString('en')}`;
  return measure(setup, workspaces * articles, async (corpus, write) => {
    const planted = pickPlanted(language);
    for (let at = 0; at < workspaces; at += 1) {
      await write(corpus, `w${at}`, [
        ...planted,
        ...generateArticles(language, articles - planted.length, at + 1),
      ]);
    }
    let next = 0;
    return toQueries(language, planted, () => `w${(next++ * 37) % workspaces}`);
  });
}

type Write = (corpus: Corpus, workspaceId: string, articles: Iterable<CorpusArticle>) => Promise<void>;

async function measure(
  setup: string,
  articles: number,
  fill: (corpus: Corpus, write: Write) => Promise<readonly Query[]>,
): Promise<Latency> {
  const corpus = openCorpus();
  try {
    const started = performance.now();
    const queries = await fill(corpus, writeInBatches);
    const indexSeconds = (performance.now() - started) / 1_000;
    const retriever = createRetriever(corpus);
    const search = ({ workspaceId, question }: Query) =>
      retriever.retrieve({ workspaceId, question, acceptLanguage: 'en' });
    let foundFirst = 0;
    for (const query of queries) {
      const { results } = await search(query);
      if (results[0]?.articleId === query.articleId) foundFirst += 1;
    }
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push([]);
      for (const query of queries) {
        const startedAt = performance.now();
        await search(query);
        rounds[round]!.push(performance.now() - startedAt);
      }
    }
    const times = queries.map((_, at) => rounds.map((round) => round[at]!).sort((a, b) => a - b)[1]!);
    times.sort((a, b) => a - b);
    return {
      setup,
      articles,
      p50Millis: times[Math.floor(times.length * 0.5)]!,
      p99Millis: times[Math.floor(times.length * 0.99)]!,
      foundFirst: (100 * foundFirst) / queries.length,
      megabytes: corpus.bytes() / 1e6,
      indexSeconds,
    };
  } finally {
    corpus.close();
  }
}

async function writeInBatches(
  corpus: Corpus,
  workspaceId: string,
  articles: Iterable<CorpusArticle>,
): Promise<void> {
  let batch: CorpusArticle[] = [];
  for (const article of articles) {
    batch.push(article);
    if (batch.length < BATCH_SIZE) continue;
    corpus.put(workspaceId, 'en', batch);
    batch = [];
  }
  corpus.put(workspaceId, 'en', batch);
}

function pickPlanted({ articles }: Language): CorpusArticle[] {
  return articles.filter(({ split }) => split === 'test').slice(0, PLANTED_MAX);
}

function toQueries(
  { questions }: Language,
  planted: readonly CorpusArticle[],
  workspaceId: () => string,
): Query[] {
  const ids = new Set(planted.map(({ id }) => id));
  return questions
    .filter(({ articleId }) => ids.has(articleId))
    .slice(0, QUESTIONS_MAX)
    .map(({ text, articleId }) => ({ workspaceId: workspaceId(), question: text, articleId }));
}

/** Articles of five real sentences from the dev split; 8 % of the longer words are altered to make them rare. */
function* generateArticles({ articles }: Language, count: number, seed: number): Generator<CorpusArticle> {
  const random = seededRandom(seed);
  const sentences = articles
    .filter(({ split }) => split === 'dev')
    .flatMap(({ text }) => splitSentences(text, 'en').map(({ start, end }) => text.slice(start, end)));
  for (let at = 0; at < count; at += 1) {
    const text = Array.from({ length: 5 }, () => sentences[Math.floor(random() * sentences.length)]!)
      .join(' ')
      .replace(/\p{L}{6,}/gu, (word) => (random() < 0.08 ? makeRarer(word, random) : word));
    yield { id: `s${seed}-${at}`, text };
  }
}

function makeRarer(word: string, random: () => number): string {
  const letter = String.fromCharCode(97 + Math.floor(random() * 26));
  const at = 1 + Math.floor(random() * 4);
  return word.slice(0, at) + letter + word.slice(at + 1);
}
