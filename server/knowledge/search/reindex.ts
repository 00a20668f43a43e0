import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../log.ts';
import type { PassageIndex } from '../../storage/passages.ts';
import type { Indexing } from './indexing.ts';
import { tokenizerVersion } from './tokenize.ts';

/** Writing one step blocks the event loop for a few milliseconds. */
const PASSAGES_PER_STEP = 10;
const PAUSE_MILLIS = 20;

export type RebuildDeps = {
  readonly passageIndex: PassageIndex;
  readonly indexing: Indexing;
  readonly log: Log;
  readonly signal?: AbortSignal;
  readonly tokenizer?: string;
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
