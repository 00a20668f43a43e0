import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import { isAllowedOrigin } from '../../visitors/allowed-origin.ts';
import { RunFailed, type SkipCause } from '../document.ts';
import { createReaderThread } from '../reader-thread.ts';
import type { PageTask, ParsedPage, ParsedSitemap, SitemapTask } from '../reader-worker.ts';
import { getTokenPath, listOrigins } from '../records.ts';
import type { ReadWebsite } from '../runs.ts';
import { crawl } from './crawl.ts';
import { createFetcher, type Fetcher, type FetcherSettings, getFollowing } from './fetch.ts';

/** Reads the websites of sources, each with connections and a thread of its own. */
export function createWebsiteReader(settings: FetcherSettings): ReadWebsite {
  return async function* readWebsite({ source, sourceLocale, allowedOrigins, queue, signal }) {
    if (!source.website) throw new RunFailed('internal');
    const fetcher = createFetcher(settings);
    const reader = createPageReader();
    const proof = { token: source.token, path: getTokenPath(source.token) };
    const provedOrigins = new Set<string>();
    const isProved = (origin: string) => provedOrigins.has(origin) || isAllowedOrigin(origin, allowedOrigins);
    try {
      for (const origin of listOrigins(source.website)) {
        if (!isProved(origin) && !(await servesTokenFile(fetcher, origin, proof, signal)))
          throw new RunFailed('origin_not_proved', origin);
        provedOrigins.add(origin);
      }
      yield* crawl({ settings: source.website, sourceLocale, isProved, queue, fetcher, reader, signal });
    } finally {
      fetcher.close();
      reader.close();
    }
  };
}

const TOKEN_FILE_BYTES_MAX = 1024;

/** Whether an origin serves the token file, which only its owner can put there. Redirects may not leave the origin. */
export async function servesTokenFile(
  fetcher: Fetcher,
  origin: string,
  { token, path }: { token: string; path: string },
  signal: AbortSignal,
): Promise<boolean> {
  const fetched = await getFollowing(fetcher, `${origin}${path}`, {
    signal,
    bytesMax: TOKEN_FILE_BYTES_MAX,
    permits: (url) => new URL(url).origin === origin,
  });
  return fetched.kind === 'ok' && new TextDecoder().decode(fetched.bytes).trim() === token;
}

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
