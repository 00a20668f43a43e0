import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../log.ts';
import type { PassageIndex } from '../../storage/passages.ts';
import type { Indexing } from './indexing.ts';
import { tokenizerVersion } from './tokenize.ts';

/** What one step writes holds others up for a few milliseconds. */
const PASSAGES_A_STEP = 10;
const PAUSE_MILLIS = 20;

export type RebuildDeps = {
  readonly passageIndex: PassageIndex;
  readonly indexing: Indexing;
  readonly log: Log;
  readonly signal?: AbortSignal;
  readonly tokenizer?: string;
};

/** Before the first passage is written: an index that is still empty is the running analyser's, and needs no renewal later. */
export async function initializeIndex(passageIndex: PassageIndex): Promise<void> {
  const { tokenizer } = await passageIndex.state();
  if (tokenizer !== undefined || (await passageIndex.before(Number.MAX_SAFE_INTEGER, 1)).length > 0) return;
  await passageIndex.finish(tokenizerVersion);
}

/**
 * Questions are matched in the form that the running analyser gives them, so an index of another one (an older version, another ICU)
 * finds less. Writes it anew while everything goes on, from the newest passage down; what is published meanwhile is written by the
 * running analyser already. Broken off, it goes on where it was.
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
    const some = await passageIndex.before(downTo, PASSAGES_A_STEP);
    const last = some.at(-1);
    if (!last) {
      await passageIndex.finish(tokenizer);
      if (passages > 0)
        log.info({ passages, from: writtenBy, to: tokenizer }, 'the search index was renewed');
      return;
    }
    const renewed = [];
    for (const { passageId, variant } of some) {
      const { titles, chunks } = await indexing.indexed(variant.slug, variant.locale, variant);
      renewed.push({ passageId, titles, chunks });
    }
    downTo = last.passageId;
    await passageIndex.renew(renewed, { tokenizer, downTo });
    passages += some.length;
    await pause(PAUSE_MILLIS);
  }
}
