/**
 * Measures how the inbox groups questions of eval/turns that one article answers, while that article is missing; and,
 * with the folder of XQuAD as argument, questions with their translations. `node eval/grouping.ts [FOLDER]`
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findGroup, type Representative, type Signature } from '../server/inbox/grouping.ts';
import { makeSignature } from '../server/inbox/signatures.ts';
import { createLoadedDictionaries } from '../server/knowledge/dictionary/dictionary.ts';
import { createRetriever } from '../server/knowledge/search/retrieve.ts';
import type { Seed } from '../test/fixtures/seeds.ts';
import { openHarness } from '../test/harness.ts';
import { readArticles } from './corpora.ts';
import { type Half, readConversations } from './turns.ts';

export type AskedQuestion = {
  readonly question: string;
  readonly locale: string;
  readonly half: Half;
  /** Two questions with a slug in common belong together. The articles of these slugs are hidden from the search. */
  readonly topics: readonly string[];
};

type GroupingScore = { readonly precision: number; readonly recall: number; readonly groups: number };

async function scoreGrouping(
  seeds: readonly Seed[],
  asked: readonly AskedQuestion[],
): Promise<GroupingScore> {
  const signatures = await signAll(seeds, asked);
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
      const isAlike = asked[before]!.topics.some((topic) => question.topics.includes(topic));
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

async function signAll(seeds: readonly Seed[], asked: readonly AskedQuestion[]): Promise<Signature[]> {
  const { service, clock, logged, workspace, close } = await openHarness({ articles: seeds });
  try {
    for (let round = 0; !logged.some(({ msg }) => msg === 'dictionaries learned') && round < 40; round += 1) {
      clock.advance(6_000);
      await service.tick();
    }
    const passages = (id: string) => service.store.in(id).passages;
    const dictionaries = createLoadedDictionaries(service.store.in).get;
    const retriever = createRetriever({ passages, dictionaries });
    const signatures: Signature[] = [];
    for (const { question, locale, topics } of asked) {
      const withoutAnswer: Pick<typeof retriever, 'retrieve'> = {
        async retrieve(request) {
          const found = await retriever.retrieve(request);
          return { ...found, results: found.results.filter(({ slug }) => !topics.includes(slug)) };
        },
      };
      const deps = { passages, dictionaries, retriever: withoutAnswer };
      signatures.push((await makeSignature(workspace.id, { question, locale }, deps)).signature);
    }
    return signatures;
  } finally {
    await close();
  }
}

/** Standalone questions of eval/turns about one corpus, in a fixed order. */
function readTurns(corpus: 'gnome' | 'store' | 'shop', half: Half): AskedQuestion[] {
  return readConversations().flatMap(({ corpus: questionCorpus, half: ownHalf, locale, turns: [first] }) => {
    if (questionCorpus !== corpus || ownHalf !== half || !first?.gold || first.goldOfSecond || first.page)
      return [];
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

if (import.meta.main) {
  const write = (name: string, count: number, { precision, recall, groups }: GroupingScore) =>
    console.log(
      `${name}: ${count} questions, ${groups} groups, precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}`,
    );
  for (const half of ['development', 'test'] as const) {
    for (const corpus of ['gnome', 'store', 'shop'] as const) {
      const asked = readTurns(corpus, half);
      write(`${corpus} ${half}`, asked.length, await scoreGrouping(readArticles(corpus), asked));
    }
  }
  const [folder] = process.argv.slice(2);
  if (folder) {
    const { seeds, asked } = readXquad(folder);
    write('XQuAD test', asked.length, await scoreGrouping(seeds, asked));
  }
}
