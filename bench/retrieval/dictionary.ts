/** Measures dictionaries learned from translations: questions in other languages, and the time that learning takes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import Database from 'better-sqlite3';
import { createDictionaryBuilder } from '../../server/knowledge/dictionary/builder.ts';
import type { Alternative, Dictionary } from '../../server/knowledge/dictionary/dictionary.ts';
import {
  createLoadedDictionaries,
  decodeWordTable,
  openDictionary,
} from '../../server/knowledge/dictionary/dictionary.ts';
import { createTrainer } from '../../server/knowledge/dictionary/train.ts';
import {
  createTermBuffer,
  hashTerms,
  splitSentences,
  tokenize,
} from '../../server/knowledge/search/tokenize.ts';
import type { ParallelArticle } from '../../server/storage/dictionaries.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { SETTINGS_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { seededRandom } from '../articles.ts';
import type { Article, Language } from './xquad.ts';

export type CrossLanguage = {
  locale: string;
  /** Recall with only the words that both languages share, and with learned translations. */
  lexical: Recall;
  learned: Recall;
};
type Recall = { at1: number; at5: number };

const SOURCE = 'en';
const buffer = createTermBuffer();

function toWords(text: string, locale: string, isQuery = false): number[] {
  const units = tokenize(text, locale, isQuery);
  hashTerms(buffer, units, 0, units.length);
  return [...buffer.words.subarray(0, buffer.wordCount)];
}

/** Whether the article is translated: seven of ten are. The others are asked about, in the other languages. */
const isTranslated = (at: number) => (at * 7_919) % 10 < 7;

export function measureCrossLanguage(languages: readonly Language[]): CrossLanguage[] {
  const source = languages.find(({ locale }) => locale === SOURCE)!;
  const others = languages.filter((language) => language !== source);
  const dictionary = learn(source, others);
  const rank = createRanking(source.articles);
  const untranslated = new Set(source.articles.filter((_, at) => !isTranslated(at)).map(({ id }) => id));
  return others.map(({ locale, questions }) => {
    const asked = questions.filter(({ articleId }) => untranslated.has(articleId));
    const recall = (translate: (word: number) => readonly Alternative[]): Recall => {
      const ranks = asked.map(({ text, articleId }) => {
        const words = [...new Set(toWords(text, locale, true))];
        return rank(words.map(translate)).indexOf(articleId);
      });
      const share = (within: number) =>
        (100 * ranks.filter((at) => at >= 0 && at < within).length) / ranks.length;
      return { at1: share(1), at5: share(5) };
    };
    const keepWord = (word: number) => [{ hash: word, weight: 1 }];
    const translate = (word: number) => {
      const alternatives = dictionary.lookUp(locale, SOURCE, word);
      return alternatives.length > 0 ? alternatives : keepWord(word);
    };
    return { locale, lexical: recall(keepWord), learned: recall(translate) };
  });
}

function learn(source: Language, others: readonly Language[]): Dictionary {
  const toText = (locale: string, answer: string) => ({ locale, title: '', answer, aliases: [] });
  const translated = source.articles.filter((_, at) => isTranslated(at));
  return learnDictionary(
    translated.map(({ id, text }) => ({
      source: toText(SOURCE, text),
      translations: others.map(({ locale, articles }) =>
        toText(locale, articles.find((article) => article.id === id)!.text),
      ),
    })),
  );
}

/** Learns as the service does, but at once. */
export function learnDictionary(articles: readonly ParallelArticle[]): Dictionary {
  const locales = new Set(articles.flatMap(({ translations }) => translations.map(({ locale }) => locale)));
  const trainer = createTrainer(locales.size);
  for (const article of articles) trainer.add(article);
  return openDictionary(
    trainer.finish().map(({ from, to, content }) => ({ from, to, table: decodeWordTable(content) })),
  );
}

/** Ranks by BM25; the counts of a question word are weighted sums over its alternatives (Darwish and Oard 2003). */
function createRanking(articles: readonly Article[]) {
  const documents = articles.map(({ id, text }) => {
    const words = toWords(text, SOURCE);
    const counts = new Map<number, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { id, counts, length: words.length };
  });
  const meanLength = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const frequencies = new Map<number, number>();
  for (const { counts } of documents) {
    for (const word of counts.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  }
  const sum = (alternatives: readonly Alternative[], counts: ReadonlyMap<number, number>) =>
    alternatives.reduce((total, { hash, weight }) => total + weight * (counts.get(hash) ?? 0), 0);

  return (query: readonly (readonly Alternative[])[]): string[] => {
    const scored = documents.map(({ id, counts, length }) => {
      let score = 0;
      for (const alternatives of query) {
        const frequency = sum(alternatives, frequencies);
        const count = sum(alternatives, counts);
        const rarity = Math.log(1 + (documents.length - frequency + 0.5) / (frequency + 0.5));
        score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / meanLength));
      }
      return { id, score };
    });
    return scored.sort((a, b) => b.score - a.score).map(({ id }) => id);
  };
}

export type Learning = {
  articles: number;
  locales: number;
  seconds: number;
  /** The longest time that the event loop was blocked. */
  blockedMillis: number;
  storedMegabytes: number;
  /** The time to load the workspace's stored dictionaries. */
  loadMillis: number;
  processMegabytes: number;
};

/** Simulates more languages than there are texts: the texts of `TEXT_LOCALES` stand for a second language. */
const LOCALES = ['de', 'es', 'ru', 'ar', 'zh', 'nl', 'pt', 'uk', 'fa'];
const TEXT_LOCALES: Readonly<Record<string, string>> = { nl: 'de', pt: 'es', uk: 'ru', fa: 'ar' };
const SENTENCES_PER_ARTICLE = 12;
const WORKSPACE = 'ws_bench';

/** Builds the dictionaries of a workspace with generated articles, as the service does in the background. */
export async function measureLearning(languages: readonly Language[], articles: number): Promise<Learning> {
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
  const file = join(folder, 'dictionary.db');
  const store = openSqlite({ file });
  try {
    await store.workspaces.create({
      ...{ id: WORKSPACE, appId: 'gp_bench', name: 'Bench', enabled: true, version: 1 },
      settings: { ...SETTINGS_DEFAULTS, sourceLocale: SOURCE },
      ...{ createdAt: 0, updatedAt: 0 },
    } as never);
    insertPassages(file, languages, articles);
    let now = 0;
    const clock = { now: () => (now += 60_000) };
    const log = { info() {}, warn: ({ err }: { err: unknown }) => console.error(err) };
    const builder = createDictionaryBuilder({ store, clock, log: log as never, onBuilt() {} });
    await builder.tick();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startedAt = performance.now();
    await builder.tick();
    const seconds = (performance.now() - startedAt) / 1_000;
    delay.disable();
    const processMegabytes = process.resourceUsage().maxRSS / 1_024;
    const loadingAt = performance.now();
    await createLoadedDictionaries(store.in).get(WORKSPACE);
    const loadMillis = performance.now() - loadingAt;
    let bytes = 0;
    for (const { from, to } of await store.in(WORKSPACE).dictionaries.list()) {
      bytes += (await store.in(WORKSPACE).dictionaries.find(from, to))!.byteLength;
    }
    return {
      ...{ articles, locales: LOCALES.length + 1, seconds, loadMillis, processMegabytes },
      blockedMillis: delay.max / 1e6,
      storedMegabytes: bytes / 1e6,
    };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Stores only what learning reads, because indexing a hundred thousand texts takes far longer than learning from them. */
function insertPassages(file: string, languages: readonly Language[], articles: number): void {
  const db = new Database(file);
  const insert = db.prepare(
    `INSERT INTO passages (partition_id, workspace_id, article_id, translation_id, slug, locale, revision, source_revision,
       title, answer, aliases, stale, titles) VALUES (1, '${WORKSPACE}', ?, ?, ?, ?, 1, 1, ?, ?, '[]', 0, x'')`,
  );
  const partition = db.prepare(
    `INSERT INTO passage_partitions (workspace_id, locale, articles) VALUES ('${WORKSPACE}', ?, ?)`,
  );
  const pool = collectSentences(languages);
  const random = seededRandom(1);
  db.transaction(() => {
    for (const locale of [SOURCE, ...LOCALES]) partition.run(locale, articles);
    for (let at = 0; at < articles; at += 1) {
      const picked = Array.from({ length: SENTENCES_PER_ARTICLE }, () => Math.floor(random() * pool.length));
      for (const locale of [SOURCE, ...LOCALES]) {
        const lines = picked.map((index) => pool[index]![TEXT_LOCALES[locale] ?? locale]!);
        const id = `art_${at}`;
        insert.run(id, locale === SOURCE ? null : `tr_${at}`, id, locale, lines[0], lines.join('\n'));
      }
    }
  })();
  db.close();
}

/** Sentences by locale, from paragraphs with the same number of sentences in each language. */
function collectSentences(languages: readonly Language[]): Record<string, string>[] {
  const [source] = languages;
  return source!.articles.flatMap(({ id }) => {
    const variants = languages.map(({ locale, articles }) => {
      const { text } = articles.find((article) => article.id === id)!;
      return {
        locale,
        sentences: splitSentences(text, locale).map(({ start, end }) => text.slice(start, end)),
      };
    });
    const [{ sentences }] = variants as [(typeof variants)[number]];
    if (variants.some((variant) => variant.sentences.length !== sentences.length)) return [];
    return sentences.map((_, at) =>
      Object.fromEntries(variants.map((variant) => [variant.locale, variant.sentences[at]!])),
    );
  });
}
