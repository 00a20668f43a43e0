/**
 * Fits the confidence of search on the development half of the turns: logistic regressions of whether the first article
 * answers a question, and of whether a message continues the conversation. Writes them for the embedding model to
 * server/knowledge/search/confidence.json, and prints what both halves get.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import {
  createComparison,
  type Deps,
  openVectorCache,
  readBackground,
} from '../bench/retrieval/compare-in-memory.ts';
import { type Corpus, openCorpus } from '../bench/retrieval/corpus.ts';
import { learnDictionary } from '../bench/retrieval/dictionary.ts';
import { openModel } from '../model/index.ts';
import { CHAT_TAGS } from '../server/base/guide-languages.ts';
import { parseAcceptLanguage } from '../server/base/locale.ts';
import { multiply } from '../server/base/vector.ts';
import { detectLanguage } from '../server/chat/intent/detect-language.ts';
import { getFeatures, getFittedThreshold } from '../server/knowledge/search/confidence.ts';
import { type Ranking, rankArticles, rankByWords } from '../server/knowledge/search/rank-articles.ts';
import { chooseReading, getReadingFeatures, joinTexts } from '../server/knowledge/search/readings.ts';
import { addOtherLanguages, searchByWords } from '../server/knowledge/search/search-words.ts';
import type { Seed } from '../test/support/seeds.ts';
import { CORPORA, type CorpusName, hash, readArticles } from './corpora.ts';
import { fitPage } from './fit-page.ts';
import { fitRegression, predict, type Regression, type Row } from './regression.ts';
import { type Conversation, type Half, readConversations, type Turn } from './turns.ts';

const FILE = new URL('../server/knowledge/search/confidence.json', import.meta.url);

/** A message, and the question before it. */
type Asked = Pick<Conversation, 'half' | 'locale'> & {
  turn: Turn;
  before?: Turn | undefined;
};

/** What is kept of a ranking, because all rankings together would take gigabytes. */
type Reading = Pick<Ranking, 'confidence' | 'threshold'> & {
  matches: readonly { articleId: string }[];
  /** Absent without a comparison by meaning. */
  evidence?: { isNative: boolean; features: Row['features'] };
};

type Example = Asked & {
  language: string;
  alone: Reading;
  inContext?: Reading;
  /** Cosine of the message and the question before. */
  similar?: number;
};

type Fit = { native: Regression; foreign: Regression; continues: Regression };

/** A follow-up counts as several changes of subject, of which there are more. */
const CONTINUATION_WEIGHT = 10;
/** Of the calibration error. */
const BINS = 10;

const { values } = parseArgs({ options: { weights: { type: 'string' } } });
const model = openModel(values.weights === undefined ? undefined : pathToFileURL(`${values.weights}/`));
const cache = openVectorCache(model);
const corpus = openCorpus();
const byMeaning: Example[] = [];
const byWords: Example[] = [];
try {
  const deps = { model: model.id, embed: cache.embed, background: readBackground() };
  for (const name of CORPORA) {
    put(corpus, name);
    byMeaning.push(...(await askAll(corpus, name, deps)));
    byWords.push(...(await askAll(corpus, name, undefined)));
    cache.save();
  }
  fitPage(model.id, cache.embed);
} finally {
  corpus.close();
  model.close();
}
const { native, foreign } = fitConfidence(byMeaning);
const judged = byMeaning.map((example) => judge(example, { native, foreign }));
const fit: Fit = { native, foreign, continues: fitContinuation(judged) };
const words = { continues: fitContinuation(byWords) };
const { models } = JSON.parse(readFileSync(FILE, 'utf8')) as { models: Record<string, Fit> };
writeFileSync(FILE, `${JSON.stringify({ words, models: { ...models, [model.id]: fit } }, null, 2)}\n`);
for (const half of ['development', 'test'] as const) {
  report(`by words and meaning, ${half}`, half, judged, fit.continues);
  report(`by words alone, ${half}`, half, byWords, words.continues);
}

function put({ put: publish }: Corpus, name: CorpusName): void {
  for (const { slug, locale, title, answer, aliases, translations = [] } of readArticles(name)) {
    publish(name, locale, [{ id: slug, title, text: answer, aliases: aliases ?? [] }]);
    for (const variant of translations) {
      const { title: translatedTitle, answer: text, aliases: translated = [] } = variant;
      publish(name, variant.locale, [
        {
          ...{ id: slug, translationId: `${slug}-${variant.locale}` },
          ...{ title: translatedTitle, text, aliases: translated },
        },
      ]);
    }
  }
}

async function askAll(from: Corpus, name: CorpusName, deps: Deps | undefined): Promise<Example[]> {
  const passages = from.passages(name);
  const seeds = readArticles(name);
  const dictionary = learnDictionary(seeds.map(toParallelArticle));
  const partitions = await passages.partitions();
  const live = await passages.liveVariants(seeds.map(({ slug }) => slug));
  const sources = new Map(
    live.filter(({ source }) => source).map(({ articleId, passageId }) => [articleId, passageId]),
  );
  const compare =
    deps &&
    createComparison(
      deps,
      seeds.map((seed) => ({ ...seed, articleId: seed.slug, passageId: sources.get(seed.slug)! })),
    );

  async function search({ turn, locale }: Asked, before?: Turn) {
    const request = {
      question: turn.asks,
      articleIds: before?.gold ?? [],
      preference: parseAcceptLanguage(locale),
      partitions,
      dictionary,
      detected: detectLanguage(turn.asks, CHAT_TAGS, locale),
      ...(before ? { context: before.asks } : {}),
    };
    const found = await addOtherLanguages(passages, request, await searchByWords(passages, request));
    const similarity = compare?.(before ? joinTexts(before.asks, turn.asks) : turn.asks);
    const ranking = similarity
      ? await rankArticles(passages, found, similarity)
      : rankByWords(found, request);
    return { reading: toReading(ranking), language: found.language };
  }

  const conversations = readConversations().filter(({ corpus: about }) => about === name);
  const examples: Example[] = [];
  for (const asked of [...listTurns(conversations), ...listChangesOfSubject(conversations)]) {
    if (asked.turn.category === 'small-talk') continue;
    const { reading: alone, language } = await search(asked);
    const { before } = asked;
    const inContext = before ? (await search(asked, before)).reading : undefined;
    const toVector = ({ asks }: Turn) => [...deps!.embed('query', asks)];
    const similar = before && deps ? multiply(toVector(asked.turn), toVector(before)) : undefined;
    examples.push({
      ...{ ...asked, language, alone },
      ...(inContext ? { inContext } : {}),
      ...(similar === undefined ? {} : { similar }),
    });
  }
  return examples;
}

function toParallelArticle({ translations = [], ...source }: Seed) {
  type Text = Pick<Seed, 'locale' | 'title' | 'answer' | 'aliases'>;
  const toText = ({ locale, title, answer, aliases = [] }: Text) => ({ locale, title, answer, aliases });
  return { source: toText(source), translations: translations.map(toText) };
}

function toReading({ matches, confidence, threshold, evidence }: Ranking): Reading {
  const features = evidence && { isNative: evidence.isNative, features: { ...getFeatures(evidence) } };
  return {
    ...{ confidence, matches: matches.slice(0, 1).map(({ articleId }) => ({ articleId })) },
    threshold: evidence ? getFittedThreshold(evidence) : threshold,
    ...(features ? { evidence: features } : {}),
  };
}

function listTurns(conversations: readonly Conversation[]): Asked[] {
  return conversations.flatMap(({ half, locale, turns }) =>
    turns.map((turn, at) => ({
      ...{ half, locale, turn },
      before: turns.slice(0, at).findLast(({ category }) => category !== 'small-talk'),
    })),
  );
}

/** Lists turns that stand alone, each after a question about another article. */
function listChangesOfSubject(conversations: readonly Conversation[]): Asked[] {
  const single = conversations.filter(({ turns }) => turns.length === 1);
  return single.flatMap(({ half, locale, turns: [turn] }) => {
    const others = single.filter(
      ({ turns: [other], ...one }) =>
        one.half === half &&
        one.locale === locale &&
        other!.gold &&
        !other!.gold.some((slug) => turn!.gold?.includes(slug)),
    );
    const before = others[hash(turn!.asks) % others.length]?.turns[0];
    return before ? [{ half, locale, turn: turn!, before }] : [];
  });
}

function isRight({ turn: { gold = [], goldOfSecond = [] } }: Asked, { matches: [best] }: Reading): boolean {
  return best !== undefined && [...gold, ...goldOfSecond].includes(best.articleId);
}

function fitConfidence(examples: readonly Example[]): Pick<Fit, 'native' | 'foreign'> {
  const rows = examples.flatMap((example) => {
    const { evidence } = example.alone;
    if (example.before || example.half !== 'development' || !evidence) return [];
    // They ask for a part of the page, which an article may happen to describe.
    if (example.turn.category === 'page') return [];
    const { isNative } = evidence;
    return [{ isNative, features: evidence.features, isTrue: isRight(example, example.alone) }];
  });
  return {
    native: fitRegression(rows.filter(({ isNative }) => isNative)),
    foreign: fitRegression(rows.filter(({ isNative }) => !isNative)),
  };
}

/** Computes the confidences with regressions that are not in the file yet. */
function judge(example: Example, fitted: Pick<Fit, 'native' | 'foreign'>): Example {
  const withConfidence = (reading: Reading): Reading => {
    const { evidence } = reading;
    if (!evidence) return reading;
    const confidence = predict(evidence.isNative ? fitted.native : fitted.foreign, evidence.features);
    return { ...reading, confidence };
  };
  const { alone, inContext } = example;
  return {
    ...example,
    alone: withConfidence(alone),
    ...(inContext ? { inContext: withConfidence(inContext) } : {}),
  };
}

function fitContinuation(examples: readonly Example[]): Regression {
  return fitRegression(
    examples.flatMap((example) => {
      const { alone, inContext, half, turn, language, similar } = example;
      if (!inContext || half !== 'development') return [];
      const isTrue = turn.category === 'follow-up';
      const features = getReadingFeatures(turn.asks, language, alone, inContext, similar);
      return [{ features, isTrue, weight: isTrue ? CONTINUATION_WEIGHT : 1 }];
    }),
  );
}

type Outcome = {
  group: string;
  confidence: number;
  right: boolean;
  isQuoted: boolean;
};

function report(title: string, half: Half, examples: readonly Example[], continues: Regression): void {
  const outcomes = examples
    .filter((example) => example.half === half)
    .map((example): Outcome => {
      const { alone, inContext, turn, language, similar } = example;
      const ranking = inContext
        ? chooseReading(
            predict(continues, getReadingFeatures(turn.asks, language, alone, inContext, similar)),
            alone,
            inContext,
          )
        : alone;
      const isChange = inContext !== undefined && turn.category !== 'follow-up';
      return {
        group: isChange
          ? `${turn.gold ? 'any question' : turn.category} after another subject`
          : turn.category,
        confidence: ranking.confidence,
        right: isRight(example, ranking),
        isQuoted: ranking.matches.length > 0 && ranking.confidence >= ranking.threshold,
      };
    });
  process.stdout.write(`\n${title}: calibration error ${formatShare(getCalibrationError(outcomes))}\n`);
  for (const [group, rows] of Map.groupBy(outcomes, (outcome) => outcome.group)) {
    const count = (isCounted: (outcome: Outcome) => boolean) =>
      formatShare(rows.filter(isCounted).length / rows.length);
    process.stdout.write(
      `  ${group.padEnd(36)} ${String(rows.length).padStart(4)}  first ${count(({ right }) => right)}  right ${count(
        ({ right, isQuoted }) => right && isQuoted,
      )}  wrong ${count(({ right, isQuoted }) => !right && isQuoted)}\n`,
    );
  }
}

function formatShare(share: number): string {
  return `${(100 * share).toFixed(1).padStart(5)} %`;
}

function getCalibrationError(outcomes: readonly Outcome[]): number {
  const bins = Map.groupBy(outcomes, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
  const errors = [...bins.values()].map((bin) =>
    Math.abs(bin.reduce((sum, { confidence, right }) => sum + confidence - (right ? 1 : 0), 0)),
  );
  return errors.reduce((sum, error) => sum + error, 0) / outcomes.length;
}
