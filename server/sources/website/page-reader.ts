import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import type { SkipCause } from '../document.ts';
import { createReaderThread } from '../reader-thread.ts';
import type { PageTask, ParsedPage, ParsedSitemap, SitemapTask } from '../reader-worker.ts';

const READ_LIMITS = {
  millisMax: SOURCE_LIMITS.pageReadSecondsMax * 1000,
  memoryBytesMax: SOURCE_LIMITS.readMemoryBytesMax,
};

/** A sitemap may be ten times as large as a page, and a sitemap that cannot be read ends the run. */
const SITEMAP_MILLIS_MAX = SOURCE_LIMITS.readSecondsMax * 1000;

export type PageReader = ReturnType<typeof createPageReader>;

/** Parses pages and sitemaps in a worker thread. */
export function createPageReader({ millisMax, memoryBytesMax } = READ_LIMITS) {
  const { run, close } = createReaderThread(memoryBytesMax);
  return {
    async readPage(task: PageTask, signal: AbortSignal): Promise<ParsedPage> {
      const page = await run<ParsedPage>({ kind: 'page', ...task }, { signal, millisMax });
      return 'links' in page ? page : { ...page, links: [], alternates: [] };
    },
    readSitemap: (task: SitemapTask, signal: AbortSignal): Promise<ParsedSitemap | SkipCause> =>
      run<ParsedSitemap>({ kind: 'sitemap', ...task }, { signal, millisMax: SITEMAP_MILLIS_MAX }),
    close,
  };
}
