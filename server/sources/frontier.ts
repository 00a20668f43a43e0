import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { LIMITS } from '../../contract/limits.ts';
import type { FrontierRow, SourceRun, SourceSummary } from '../storage/source-rows.ts';
import type { SourceRuns } from '../storage/source-runs.ts';
import type { Frontier } from './document.ts';

const URLS_PER_STEP = 200;

/** Hands out the stored addresses of a run, each once per process. */
export function createFrontier(
  run: Pick<SourceRun, 'id'>,
  { id: sourceId, website }: Pick<SourceSummary, 'id' | 'website'>,
  runs: SourceRuns,
): Frontier {
  const urlsMax = website?.pagesMax ?? LIMITS.sourcePagesMax;
  let waiting: FrontierRow[] = [];
  let lastPosition = -1;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    waiting = [...(await runs.listUrls(run.id, lastPosition, URLS_PER_STEP))];
    lastPosition = waiting.at(-1)?.position ?? lastPosition;
  }

  return {
    async add(urls) {
      for (let at = 0; at < urls.length; at += URLS_PER_STEP) {
        const firstOverLimit = await runs.addUrls(run.id, urls.slice(at, at + URLS_PER_STEP), urlsMax);
        if (firstOverLimit !== undefined) return firstOverLimit;
        await yieldToEventLoop();
      }
      return undefined;
    },

    async next() {
      if (waiting.length === 0) {
        loading ??= load().finally(() => {
          loading = undefined;
        });
        await loading;
      }
      const row = waiting.shift();
      if (!row) return undefined;
      const { position: _, ...entry } = row;
      return entry;
    },

    async listKnown() {
      const urls: string[] = [];
      for (let after = ''; ; ) {
        const page = await runs.listKnownUrls(sourceId, URLS_PER_STEP, after);
        urls.push(...page);
        if (page.length < URLS_PER_STEP) return urls;
        after = page.at(-1)!;
      }
    },
  };
}
