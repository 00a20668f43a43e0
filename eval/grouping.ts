/**
 * Measures how the inbox groups questions of eval/turns that one article answers, while that article is missing, by
 * meaning and by words alone; and, with the folder of XQuAD as argument, questions with their translations. With
 * `--fit`, first fits the weights of the groups on the development half: `node eval/grouping.ts [--fit] [FOLDER]`.
 * A fit counts in the report of the next run.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createComparison,
  type Deps as Meaning,
  openVectorCache,
  readBackground,
} from '../bench/retrieval/compare-in-memory.ts';
import { openModel } from '../model/index.ts';
import {
  findGroup,
  measureSimilarities,
  type Representative,
  type Signature,
} from '../server/insights/grouping.ts';
import { makeSignature } from '../server/insights/signatures.ts';
import { createLoadedDictionaries } from '../server/knowledge/dictionary/dictionary.ts';
import type { FindSimilar } from '../server/knowledge/embeddings/similarity.ts';
import { createRetriever } from '../server/knowledge/search/retrieve.ts';
import type { WorkspaceStore } from '../server/storage/store.ts';
import { openHarness } from '../test/support/harness.ts';
import type { Seed } from '../test/support/seeds.ts';
import { readArticles } from './corpora.ts';
import { fitRegression, type Row } from './regression.ts';
import { type Half, readConversations } from './turns.ts';

type AskedQuestion = {
  question: string;
  locale: string;
  half: Half;
  /** Two questions with a slug in common belong together. The articles of these slugs are hidden from the search. */
  topics: readonly string[];
};

const ARTICLES_MAX = 1_000;
const FILE = new URL('../server/insights/grouping.json', import.meta.url);

type Signed = { asked: readonly AskedQuestion[]; signatures: readonly Signature[] };

type GroupingScore = { precision: number; recall: number; groups: number };

function scoreGrouping({ asked, signatures }: Signed): GroupingScore {
  const representatives: Representative[] = [];
  const groups = signatures.map((signature, at) => {
    const groupId = findGroup(signature, representatives) ?? String(at);
    if (representatives.filter((question) => question.groupId === groupId).length < 3)
      representatives.push({ groupId, signature });
    return groupId;
  });
  let [correct, together, sameTopic] = [0, 0, 0];
  for (const [at, question] of asked.entries()) {
    for (let before = 0; before < at; before += 1) {
      const isAlike = haveCommonTopic(asked[before]!, question);
      const isTogether = groups[at] === groups[before];
      if (isAlike) sameTopic += 1;
      if (isTogether) together += 1;
      if (isAlike && isTogether) correct += 1;
    }
  }
  return {
    precision: correct / (together || 1),
    recall: correct / (sameTopic || 1),
    groups: new Set(groups).size,
  };
}

const haveCommonTopic = (a: AskedQuestion, b: AskedQuestion) =>
  a.topics.some((topic) => b.topics.includes(topic));

/** Compares all pairs of questions about the same corpus. */
const toRows = ({ asked, signatures }: Signed): Row[] =>
  signatures.flatMap((signature, at) =>
    signatures.slice(0, at).map((other, before) => ({
      features: measureSimilarities(signature, other),
      isTrue: haveCommonTopic(asked[at]!, asked[before]!),
    })),
  );

function writeFit(byMeaning: readonly Signed[], byWords: readonly Signed[], model: string): void {
  const fitPairs = (signed: readonly Signed[]) => {
    const { bias, weights } = fitRegression(signed.flatMap(toRows));
    return { bias, ...weights };
  };
  const { models } = JSON.parse(readFileSync(FILE, 'utf8')) as { models: Record<string, unknown> };
  const fitted = { words: fitPairs(byWords), models: { ...models, [model]: fitPairs(byMeaning) } };
  writeFileSync(FILE, `${JSON.stringify(fitted, null, 2)}\n`);
}

async function signAll(
  seeds: readonly Seed[],
  asked: readonly AskedQuestion[],
  meaning: Meaning | undefined,
): Promise<Signature[]> {
  const { service, clock, logged, workspace, close } = await openHarness({ articles: seeds });
  try {
    for (let round = 0; !logged.some(({ msg }) => msg === 'dictionaries learned') && round < 40; round += 1) {
      clock.advance(6_000);
      await service.tick();
    }
    const passages = (id: string) => service.store.in(id).passages;
    const dictionaries = createLoadedDictionaries(service.store.in).get;
    const findSimilar = meaning && (await compareByMeaning(service.store.in(workspace.id), seeds, meaning));
    const retriever = createRetriever({ passages, dictionaries, findSimilar });
    const embedQuestion =
      meaning &&
      (async (question: string) => ({ model: meaning.model, vector: [...meaning.embed('query', question)] }));
    const signatures: Signature[] = [];
    for (const { question, locale, topics } of asked) {
      const withoutAnswer: Pick<typeof retriever, 'retrieve'> = {
        async retrieve(request) {
          const found = await retriever.retrieve(request);
          return { ...found, results: found.results.filter(({ slug }) => !topics.includes(slug)) };
        },
      };
      const deps = { passages, dictionaries, retriever: withoutAnswer, embedQuestion };
      signatures.push((await makeSignature(workspace.id, { question, locale }, deps)).signature);
    }
    return signatures;
  } finally {
    await close();
  }
}

async function compareByMeaning(
  { articles, passages }: WorkspaceStore,
  seeds: readonly Seed[],
  meaning: Meaning,
): Promise<FindSimilar> {
  const bySlug = new Map(seeds.map((seed) => [seed.slug, seed]));
  const found = await articles.list(ARTICLES_MAX);
  const sources = (await passages.liveVariants(found.map(({ id }) => id))).filter(({ source }) => source);
  const slugs = new Map(found.map(({ id, slug }) => [id, slug]));
  const compare = createComparison(
    meaning,
    sources.map(({ articleId, passageId }) => ({
      ...bySlug.get(slugs.get(articleId)!)!,
      ...{ articleId, passageId },
    })),
  );
  return async ({ texts }) => ({ similarities: texts.map((text) => compare(text.slice(-1_000))) });
}

/** Standalone questions of eval/turns about one corpus, in a fixed order. */
function readTurns(corpus: 'gnome' | 'store' | 'shop'): AskedQuestion[] {
  return readConversations().flatMap(({ corpus: ownCorpus, half, locale, turns: [first] }) => {
    if (ownCorpus !== corpus || !first?.gold || first.goldOfSecond || first.page) return [];
    return [{ question: first.asks, locale, half, topics: first.gold }];
  });
}

const XQUAD_LOCALES = ['en', 'de', 'es', 'ru', 'zh', 'ar'];
/** Takes every n-th question, in all languages. */
const XQUAD_STEP = 6;

type Line = { t: string; id: string; a: string; q: string; split: string; context: string; d: string };

function readXquad(folder: string): { seeds: Seed[]; asked: AskedQuestion[] } {
  const lines = new Map(
    XQUAD_LOCALES.map((locale) => [
      locale,
      readFileSync(join(folder, `${locale}.jsonl`), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line),
    ]),
  );
  const paragraphs = (locale: string) => lines.get(locale)!.filter(({ t }) => t === 'a');
  const split = new Map(paragraphs('en').map((paragraph) => [paragraph.id, paragraph.split]));
  const seeds = paragraphs('en').map(({ id, d, context }, at) => ({
    ...{ slug: id, locale: 'en', title: d.replaceAll('_', ' '), answer: context },
    translations: XQUAD_LOCALES.slice(1).map((locale) => ({
      ...{ locale, title: d.replaceAll('_', ' '), answer: paragraphs(locale)[at]!.context },
    })),
  }));
  const asked = XQUAD_LOCALES.flatMap((locale) =>
    lines
      .get(locale)!
      .filter(({ t, a }) => t === 'q' && split.get(a) === 'test')
      .filter((_, at) => at % XQUAD_STEP === 0)
      .map(({ id, q }) => ({ question: q, locale, half: 'test' as const, topics: [`question ${id}`] })),
  );
  return { seeds, asked };
}

const { values, positionals } = parseArgs({ options: { fit: { type: 'boolean' } }, allowPositionals: true });
const model = openModel();
const cache = openVectorCache(model);
const meaning = { model: model.id, embed: cache.embed, background: readBackground() };
const signed = new Map<string, Signed>();

async function sign(name: string, seeds: readonly Seed[], asked: readonly AskedQuestion[]): Promise<void> {
  for (const kind of ['meaning', 'words'] as const) {
    const signatures = await signAll(seeds, asked, kind === 'meaning' ? meaning : undefined);
    for (const half of ['development', 'test'] as const) {
      const isOfHalf = (_: unknown, at: number) => asked[at]!.half === half;
      signed.set(`${name} ${half} by ${kind}`, {
        asked: asked.filter(isOfHalf),
        signatures: signatures.filter(isOfHalf),
      });
    }
  }
  cache.save();
}

for (const corpus of ['gnome', 'store', 'shop'] as const)
  await sign(corpus, readArticles(corpus), readTurns(corpus));
const [folder] = positionals;
if (folder) {
  const { seeds, asked } = readXquad(folder);
  await sign('XQuAD', seeds, asked);
}
model.close();
if (values.fit) {
  const read = (kind: string) =>
    [...signed].filter(([name]) => name.endsWith(`development by ${kind}`)).map(([, each]) => each);
  writeFit(read('meaning'), read('words'), model.id);
}
for (const [name, each] of signed) {
  if (each.asked.length === 0) continue;
  const { precision, recall, groups } = scoreGrouping(each);
  console.log(
    `${name}: ${each.asked.length} questions, ${groups} groups, precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}`,
  );
}
