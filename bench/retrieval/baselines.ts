/** The search engines under comparison: Guidepost, and SQLite FTS5 and MiniSearch with their defaults. */
import Database from 'better-sqlite3';
import MiniSearch from 'minisearch';
import type { FindSimilar } from '../../server/knowledge/embeddings/similarity.ts';
import { createRetriever } from '../../server/knowledge/search/retrieve.ts';
import { splitSentences } from '../../server/knowledge/search/tokenize.ts';
import { createComparison, type Deps, readBackground, type VectorCache } from './compare-in-memory.ts';
import { openCorpus } from './corpus.ts';
import type { Article } from './xquad.ts';

export type Span = { start: number; end: number };

export type Finding = {
  /** The articles found, best first, at most ten. */
  articleIds: readonly string[];
  /** Confidence in the first result; comparable only within one baseline. */
  confidence: number;
  /** The two best sentences of the first result. */
  quoted: readonly Span[];
};

export type Baseline = {
  name: string;
  /** Whether the confidence is comparable between languages, so that one threshold serves all. */
  hasOneThreshold: boolean;
  open(locale: string, articles: readonly Article[]): SearchIndex;
};

type SearchIndex = {
  search(question: string): Promise<Finding>;
  remove(article: Article): void;
  restore(article: Article): void;
  close(): void;
};

const NO_FINDING: Finding = { articleIds: [], confidence: 0, quoted: [] };

export const guidepostByWords: Baseline = {
  name: 'Guidepost by words',
  hasOneThreshold: true,
  open: (locale, articles) => openGuidepost(locale, articles),
};

/** @param cache has the vectors of the model inside the service */
export const guidepostByMeaning = (model: string, cache: VectorCache): Baseline => ({
  name: 'Guidepost by words and meaning',
  hasOneThreshold: true,
  open(locale, articles) {
    const deps = { model, embed: cache.embed, background: readBackground() };
    const index = openGuidepost(locale, articles, deps);
    return {
      ...index,
      close() {
        index.close();
        cache.save();
      },
    };
  },
});

function openGuidepost(locale: string, articles: readonly Article[], deps?: Deps): SearchIndex {
  const corpus = openCorpus();
  const present = new Map(articles.map((article) => [article.id, article]));
  let compare: Promise<ReturnType<typeof createComparison>> | undefined;

  async function openComparison() {
    const live = await corpus.passages(locale).liveVariants([...present.keys()]);
    return createComparison(
      deps!,
      live.map(({ articleId, passageId }) => ({
        ...{ articleId, passageId, locale, title: '' },
        answer: present.get(articleId)!.text,
      })),
    );
  }

  const findSimilar: FindSimilar = async ({ texts }) => {
    compare ??= openComparison();
    return { similarities: texts.map(await compare) };
  };
  const retriever = createRetriever({ passages: corpus.passages, ...(deps ? { findSimilar } : {}) });
  corpus.put(locale, locale, articles);
  return {
    async search(question) {
      const { results, confidence } = await retriever.retrieve({
        workspaceId: locale,
        question,
        acceptLanguage: locale,
        limit: 10,
      });
      return {
        articleIds: results.map(({ articleId }) => articleId),
        confidence,
        quoted: results[0]?.sentences ?? [],
      };
    },
    remove({ id }) {
      corpus.remove(locale, id);
      present.delete(id);
      compare = undefined;
    },
    restore(article) {
      corpus.put(locale, locale, [article]);
      present.set(article.id, article);
      compare = undefined;
    },
    close: corpus.close,
  };
}

export const fts5: Baseline = {
  name: 'FTS5 unicode61',
  hasOneThreshold: false,
  open(locale, articles) {
    const db = new Database(':memory:');
    db.exec(`CREATE VIRTUAL TABLE words USING fts5 (id UNINDEXED, text, tokenize = 'unicode61')`);
    const insert = db.prepare('INSERT INTO words (id, text) VALUES (?, ?)');
    const remove = db.prepare('DELETE FROM words WHERE id = ?');
    const match = db.prepare(
      'SELECT id, text, -rank AS score FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10',
    );
    for (const { id, text } of articles) insert.run(id, text);
    return {
      async search(question) {
        const words = splitWords(question);
        if (words.length === 0) return NO_FINDING;
        const rows = match.all(words.map((word) => `"${word}"`).join(' OR ')) as {
          id: string;
          text: string;
          score: number;
        }[];
        return {
          articleIds: rows.map(({ id }) => id),
          confidence: rows[0]?.score ?? 0,
          quoted: pickSentences(rows[0]?.text ?? '', locale, words),
        };
      },
      remove: ({ id }) => void remove.run(id),
      restore: ({ id, text }) => void insert.run(id, text),
      close: () => db.close(),
    };
  },
};

export const miniSearch: Baseline = {
  name: 'MiniSearch',
  hasOneThreshold: false,
  open(locale, articles) {
    const index = new MiniSearch<Article>({ fields: ['text'] });
    const texts = new Map(articles.map(({ id, text }) => [id, text]));
    index.addAll(articles);
    return {
      async search(question) {
        const hits = index.search(question).slice(0, 10);
        const first = hits[0];
        if (!first) return NO_FINDING;
        return {
          articleIds: hits.map(({ id }) => id as string),
          confidence: first.score,
          quoted: pickSentences(texts.get(first.id as string)!, locale, splitWords(question)),
        };
      },
      remove: (article) => index.remove(article),
      restore: (article) => index.add(article),
      close: () => index.removeAll(),
    };
  },
};

function splitWords(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])];
}

/** FTS5 and MiniSearch return no sentences, so pick the two that share most words with the question. */
function pickSentences(text: string, locale: string, queries: readonly string[]): Span[] {
  const countShared = ({ start, end }: Span) => {
    const words = new Set(splitWords(text.slice(start, end)));
    return queries.filter((word) => words.has(word)).length;
  };
  return splitSentences(text, locale)
    .map((span) => ({ span, shared: countShared(span) }))
    .sort((a, b) => b.shared - a.shared)
    .slice(0, 2)
    .map(({ span }) => span);
}
