import { Worker } from 'node:worker_threads';
import type { ArticleContent, IndexedText } from '../../storage/articles.ts';
import type { IndexedPassage } from '../../storage/passages.ts';
import { indexPassage } from './chunks.ts';

/**
 * A text of 100,000 characters takes up to 60 ms to analyse, in which nobody else would be answered: long texts go to another
 * thread, one after the other. The thread starts with the first of them and never keeps the process alive by itself.
 */

/** Shorter ones are analysed in about 2 ms, for less than the way to the thread and back costs. */
const CHARS_INLINE_MAX = 4_000;

export type Indexing = {
  /** What a text is found by. */
  indexed(slug: string, locale: string, content: ArticleContent): Promise<IndexedText>;
};

export type IndexingTask = { readonly id: number; readonly text: TextToIndex };
export type IndexingResult =
  | { readonly id: number; readonly indexed: Indexed }
  | { readonly id: number; readonly failure: unknown };

type TextToIndex = Pick<IndexedText, 'slug' | 'locale' | 'title' | 'answer' | 'aliases'>;
type Indexed = Pick<IndexedPassage, 'titles' | 'chunks'>;

/** Beside this file, and beside the bundle that this file is packed into. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './indexing-worker.ts' : './indexing-worker.js',
  import.meta.url,
);

export function createIndexing(charsInlineMax = CHARS_INLINE_MAX): Indexing {
  const thread = indexingThread();
  return {
    async indexed(slug, locale, content) {
      if (content.answer.length <= charsInlineMax) return indexContent(slug, locale, content);
      const text = { slug, locale, ...content };
      return { ...text, ...(await thread(text)) };
    },
  };
}

/** The same at once, for a process that has nobody else to answer. */
export function indexContent(slug: string, locale: string, content: ArticleContent): IndexedText {
  const text = { slug, locale, ...content };
  return { ...text, ...indexText(text) };
}

/** The part of indexing that is pure. */
export function indexText({ slug, locale, title, answer, aliases }: TextToIndex): Indexed {
  // The store alone knows which article and revision this becomes; matching does not read them.
  const unpublished = { articleId: '', revision: 0, sourceRevision: 0, stale: false };
  const { titles, chunks } = indexPassage({ slug, locale, title, answer, aliases, ...unpublished });
  return { titles, chunks };
}

type Waiting = {
  readonly resolve: (indexed: Indexed) => void;
  readonly reject: (reason: unknown) => void;
};

function indexingThread(): (text: TextToIndex) => Promise<Indexed> {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(WORKER_FILE);
    started.on('message', (result: IndexingResult) => {
      const asked = waiting.get(result.id);
      waiting.delete(result.id);
      if (waiting.size === 0) started.unref();
      if ('indexed' in result) asked?.resolve(result.indexed);
      else asked?.reject(result.failure);
    });
    // Whoever waits learns of it, and the next text starts another thread.
    const lost = (reason: unknown) => {
      if (worker === started) worker = undefined;
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    };
    started.on('error', lost);
    started.on('exit', () => {
      if (worker === started) lost(new Error('the indexing thread ended'));
    });
    return started;
  }

  return ({ slug, locale, title, answer, aliases }) =>
    new Promise((resolve, reject) => {
      worker ??= start();
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, text: { slug, locale, title, answer, aliases } } satisfies IndexingTask);
    });
}
