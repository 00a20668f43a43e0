/** Measures search time, ranking and loading included, in workspaces of growing size. */

import { createRetriever } from '../../server/knowledge/search/retrieve.ts';
import { splitSentences } from '../../server/knowledge/search/tokenize.ts';
import { openShelf, type Shelf, type Shelved } from './corpus.ts';
import type { Language } from './xquad.ts';

export type Latency = {
  readonly setup: string;
  readonly articles: number;
  readonly p50Millis: number;
  readonly p99Millis: number;
  readonly foundFirst: number;
  readonly megabytes: number;
  readonly indexSeconds: number;
};

type HandlerInput = { readonly workspaceId: string; readonly question: string; readonly articleId: string };

const plantedMax = 120;
const questionsMax = 300;
const putAtOnce = 500;
/** Each question counts with its middle time, so that what else the machine did for a moment does not. */
const roundsMeasured = 3;

/** One workspace with this many English articles, real test paragraphs among them. */
export async function oneWorkspace(language: Language, articles: number): Promise<Latency> {
  return measured(`1 workspace x ${articles.toLocaleString('en')}`, articles, async (shelf, write) => {
    const planted = plantedOf(language);
    await write(shelf, 'w1', [...planted, ...synthetic(language, articles - planted.length, 1)]);
    return questionsFor(language, planted, () => 'w1');
  });
}

/** Many workspaces in one file, the questions spread over them. */
export async function manyWorkspaces(
  language: Language,
  workspaces: number,
  articles: number,
): Promise<Latency> {
  const setup = `${workspaces} workspaces x ${articles.toLocaleString('en')}`;
  return measured(setup, workspaces * articles, async (shelf, write) => {
    const planted = plantedOf(language);
    for (let at = 0; at < workspaces; at += 1) {
      await write(shelf, `w${at}`, [...planted, ...synthetic(language, articles - planted.length, at + 1)]);
    }
    let next = 0;
    return questionsFor(language, planted, () => `w${(next++ * 37) % workspaces}`);
  });
}

type Write = (shelf: Shelf, workspaceId: string, articles: Iterable<Shelved>) => Promise<void>;

async function measured(
  setup: string,
  articles: number,
  fill: (shelf: Shelf, write: Write) => Promise<readonly HandlerInput[]>,
): Promise<Latency> {
  const shelf = openShelf();
  try {
    const started = performance.now();
    const asked = await fill(shelf, writeInBatches);
    const indexSeconds = (performance.now() - started) / 1_000;
    const retriever = createRetriever(shelf);
    const search = ({ workspaceId, question }: HandlerInput) =>
      retriever.retrieve({ workspaceId, question, acceptLanguage: 'en' });
    let first = 0;
    for (const one of asked) {
      const { results } = await search(one);
      if (results[0]?.articleId === one.articleId) first += 1;
    }
    const rounds: number[][] = [];
    for (let round = 0; round < roundsMeasured; round += 1) {
      rounds.push([]);
      for (const one of asked) {
        const begun = performance.now();
        await search(one);
        rounds[round]!.push(performance.now() - begun);
      }
    }
    const times = asked.map((_, at) => rounds.map((round) => round[at]!).sort((a, b) => a - b)[1]!);
    times.sort((a, b) => a - b);
    return {
      setup,
      articles,
      p50Millis: times[Math.floor(times.length * 0.5)]!,
      p99Millis: times[Math.floor(times.length * 0.99)]!,
      foundFirst: (100 * first) / asked.length,
      megabytes: shelf.bytes() / 1e6,
      indexSeconds,
    };
  } finally {
    shelf.close();
  }
}

async function writeInBatches(shelf: Shelf, workspaceId: string, articles: Iterable<Shelved>): Promise<void> {
  let batch: Shelved[] = [];
  for (const article of articles) {
    batch.push(article);
    if (batch.length < putAtOnce) continue;
    shelf.put(workspaceId, 'en', batch);
    batch = [];
  }
  shelf.put(workspaceId, 'en', batch);
}

function plantedOf({ articles }: Language): Shelved[] {
  return articles.filter(({ split }) => split === 'test').slice(0, plantedMax);
}

function questionsFor(
  { questions }: Language,
  planted: readonly Shelved[],
  workspaceId: () => string,
): HandlerInput[] {
  const ids = new Set(planted.map(({ id }) => id));
  return questions
    .filter(({ articleId }) => ids.has(articleId))
    .slice(0, questionsMax)
    .map(({ text, articleId }) => ({ workspaceId: workspaceId(), question: text, articleId }));
}

/** Five real sentences each, from the other paragraphs, a twelfth of the longer words made rarer. */
function* synthetic({ articles }: Language, count: number, seed: number): Generator<Shelved> {
  const random = randomFrom(seed);
  const sentences = articles
    .filter(({ split }) => split === 'dev')
    .flatMap(({ text }) => splitSentences(text, 'en').map(({ start, end }) => text.slice(start, end)));
  for (let at = 0; at < count; at += 1) {
    const text = Array.from({ length: 5 }, () => sentences[Math.floor(random() * sentences.length)]!)
      .join(' ')
      .replace(/\p{L}{6,}/gu, (word) => (random() < 0.08 ? rarer(word, random) : word));
    yield { id: `s${seed}-${at}`, text };
  }
}

function rarer(word: string, random: () => number): string {
  const letter = String.fromCharCode(97 + Math.floor(random() * 26));
  const at = 1 + Math.floor(random() * 4);
  return word.slice(0, at) + letter + word.slice(at + 1);
}

/** The same numbers in every run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
