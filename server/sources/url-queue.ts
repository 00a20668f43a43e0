import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import type { QueuedUrl, SourceRun, SourceSummary } from '../storage/source-rows.ts';
import type { SourceRuns } from '../storage/source-runs.ts';

const URLS_PER_STEP = 200;

/** The addresses that a run still has to read. They are stored, so that the run can resume after a crash. */
export type UrlQueue = ReturnType<typeof createUrlQueue>;

export function createUrlQueue(
  run: Pick<SourceRun, 'id'>,
  { id: sourceId, type, website }: Pick<SourceSummary, 'id' | 'type' | 'website'>,
  runs: SourceRuns,
) {
  // Of Zendesk, the addresses are those of lists.
  const urlsMax =
    type === 'zendesk' ? SOURCE_LIMITS.listPagesMax : (website?.pagesMax ?? SOURCE_LIMITS.sourcePagesMax);
  let waiting: QueuedUrl[] = [];
  let lastPosition = -1;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    waiting = [...(await runs.listUrls(run.id, lastPosition, URLS_PER_STEP))];
    lastPosition = waiting.at(-1)?.position ?? lastPosition;
  }

  return {
    /** Adds each address once per run, up to the source's maximum. Returns the first one beyond the maximum. */
    async add(urls: readonly string[]): Promise<string | undefined> {
      for (let at = 0; at < urls.length; at += URLS_PER_STEP) {
        const firstOverLimit = await runs.addUrls(run.id, urls.slice(at, at + URLS_PER_STEP), urlsMax);
        if (firstOverLimit !== undefined) return firstOverLimit;
        await yieldToEventLoop();
      }
      return undefined;
    },

    /**
     * Returns the next address without a stored step, in the order in which they were added, each once per process;
     * undefined when there is none at the moment. Several may be under way at once. The consumer of the generator
     * stores each step before it asks for the next one.
     */
    async next(): Promise<Omit<QueuedUrl, 'position'> | undefined> {
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

    /** Returns addresses from which earlier runs read documents: a 304 response contains no links to find them by. */
    async listKnown(): Promise<readonly string[]> {
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
