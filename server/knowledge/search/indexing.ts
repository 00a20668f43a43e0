import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import { createTaskThread } from '../../base/task-thread.ts';
import { getWorkerFile } from '../../base/worker-file.ts';
import type { ArticleContent, IndexedPassage, IndexedText, PassageIndex } from '../../storage/passages.ts';
import { indexPassage } from './chunks.ts';
import { tokenizerVersion } from './tokenize.ts';

/**
 * Indexing 100,000 characters takes up to 60 ms, which would block the event loop. Long texts
 * therefore go to a worker thread, one at a time. The worker starts with the first long text and
 * does not keep the process alive.
 */

/** Shorter texts take about 2 ms, less than a round trip to the thread. */
const CHARS_INLINE_MAX = 4_000;

export type Indexing = {
  /** Builds the search index entry of a text. */
  index(slug: string, locale: string, content: ArticleContent): Promise<IndexedText>;
};

type TextToIndex = Pick<IndexedText, 'slug' | 'locale' | 'title' | 'answer' | 'aliases'>;
type Indexed = Pick<IndexedPassage, 'titles' | 'chunks'>;

const WORKER_FILE = getWorkerFile('indexing-worker', import.meta.url);

export function createIndexing(charsInlineMax = CHARS_INLINE_MAX): Indexing {
  const thread = createTaskThread<TextToIndex, Indexed>(WORKER_FILE);
  return {
    async index(slug, locale, content) {
      if (content.answer.length <= charsInlineMax) return indexContent(slug, locale, content);
      const { title, answer, aliases } = content;
      const indexed = await thread.run({ slug, locale, title, answer, aliases });
      return { slug, locale, ...content, ...indexed };
    },
  };
}

/** Indexes synchronously, for processes that serve no requests. */
export function indexContent(slug: string, locale: string, content: ArticleContent): IndexedText {
  const text = { slug, locale, ...content };
  return { ...text, ...indexText(text) };
}

export function indexText({ slug, locale, title, answer, aliases }: TextToIndex): Indexed {
  // Placeholders: the store fills in article and revision, which indexing does not read.
  const unpublished = { articleId: '', revision: 0, sourceRevision: 0, stale: false };
  const { titles, chunks } = indexPassage({ slug, locale, title, answer, aliases, ...unpublished });
  return { titles, chunks };
}

/** Passages rebuilt per step; writing them blocks the event loop for a few milliseconds. */
const PASSAGES_PER_STEP = 10;
const PAUSE_MILLIS = 20;

type RebuildDeps = {
  passageIndex: PassageIndex;
  indexing: Indexing;
  log: Log;
  signal?: AbortSignal;
  tokenizer?: string;
};

/**
 * Marks an empty index as written by the current tokenizer, so that it is not rebuilt later. Call
 * before the first passage is written.
 */
export async function initializeIndex(passageIndex: PassageIndex): Promise<void> {
  const { tokenizer } = await passageIndex.state();
  if (tokenizer !== undefined || (await passageIndex.before(Number.MAX_SAFE_INTEGER, 1)).length > 0) return;
  await passageIndex.finish(tokenizerVersion);
}

/**
 * Rebuilds the index when it was written by another tokenizer or ICU version, whose terms would not
 * match. Runs in the background from the newest passage down; new passages already use the current
 * tokenizer. Resumes after an interruption.
 */
export async function rebuildIndex({
  passageIndex,
  indexing,
  log,
  signal,
  tokenizer = tokenizerVersion,
}: RebuildDeps): Promise<void> {
  const { tokenizer: writtenBy, renewal } = await passageIndex.state();
  if (writtenBy === tokenizer) return;
  let downTo = renewal?.tokenizer === tokenizer ? renewal.downTo : Number.MAX_SAFE_INTEGER;
  let passages = 0;
  while (!signal?.aborted) {
    const some = await passageIndex.before(downTo, PASSAGES_PER_STEP);
    const last = some.at(-1);
    if (!last) {
      await passageIndex.finish(tokenizer);
      if (passages > 0) log.info({ passages, from: writtenBy, to: tokenizer }, 'search index rebuilt');
      return;
    }
    const renewed = [];
    for (const { passageId, variant } of some) {
      const { titles, chunks } = await indexing.index(variant.slug, variant.locale, variant);
      renewed.push({ passageId, titles, chunks });
    }
    downTo = last.passageId;
    await passageIndex.renew(renewed, { tokenizer, downTo });
    passages += some.length;
    await pause(PAUSE_MILLIS);
  }
}
