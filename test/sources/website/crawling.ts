import type { WebsiteSettings } from '../../../contract/sources.ts';
import type { CrawlStep, SourceDocument } from '../../../server/sources/document.ts';
import type { UrlQueue } from '../../../server/sources/url-queue.ts';
import { type CrawlOptions, crawl } from '../../../server/sources/website/crawl.ts';
import { createFetcher, type FetcherSettings } from '../../../server/sources/website/fetch.ts';
import { createPageReader } from '../../../server/sources/website/page-reader.ts';
import type { QueuedUrl } from '../../../server/storage/source-rows.ts';

/** Results of earlier runs, by address. */
type Delivered = ReadonlyMap<string, Omit<QueuedUrl, 'position' | 'url'>>;

/** Keeps addresses in memory, as the store does in a table. */
export function createUrlQueue(
  delivered: Delivered = new Map(),
  urlsMax = Number.POSITIVE_INFINITY,
): UrlQueue {
  const urls = new Set<string>();
  let at = 0;
  return {
    async add(added) {
      for (const url of added) {
        if (urls.size >= urlsMax && !urls.has(url)) return url;
        urls.add(url);
      }
      return undefined;
    },
    async next() {
      const url = [...urls][at];
      if (url === undefined) return undefined;
      at += 1;
      return { url, ...delivered.get(url) };
    },
    listKnown: async () => [...delivered.keys()],
  };
}

type Crawled = {
  documents: readonly SourceDocument[];
  /** `path: reason detail` */
  refusals: readonly string[];
  gone: readonly string[];
  unchanged: readonly string[];
  /** The state for the next run. */
  delivered: Delivered;
};

type Setup = Partial<Omit<CrawlOptions, 'settings'>> & {
  settings: WebsiteSettings;
  fetching?: Partial<FetcherSettings>;
  earlier?: Crawled;
};

const reader = createPageReader();

/** Runs a crawl to its end. */
export async function crawlAll({ settings, fetching, earlier, ...options }: Setup): Promise<Crawled> {
  const fetcher = createFetcher({ networks: ['127.0.0.0/8'], secondsMax: 5, ...fetching });
  const origins = settings.startUrls.map((url) => new URL(url).origin);
  const steps: CrawlStep[] = [];
  try {
    for await (const step of crawl({
      settings,
      sourceLocale: 'en',
      nowMillis: Date.now(),
      isProved: (origin) => origins.includes(origin),
      queue: createUrlQueue(earlier?.delivered, settings.pagesMax),
      fetcher,
      reader,
      signal: new AbortController().signal,
      intervalMillis: 0,
      ...options,
    })) {
      steps.push(step);
    }
  } finally {
    fetcher.close();
  }
  return toCrawled(steps, earlier?.delivered ?? new Map());
}

function toCrawled(steps: readonly CrawlStep[], before: Delivered): Crawled {
  const delivered = new Map(before);
  for (const step of steps) {
    if (step.kind === 'document') delivered.set(step.url, { place: step.document.place, ...step.validators });
    if (step.kind === 'gone') delivered.delete(step.url);
  }
  const placesOf = (kind: 'gone' | 'unchanged') =>
    steps.flatMap((step) => (step.kind === kind ? [new URL(step.place).pathname] : []));
  return {
    documents: steps.flatMap((step) => (step.kind === 'document' ? [step.document] : [])),
    refusals: steps.flatMap((step) => {
      if (step.kind !== 'skipped') return [];
      const { place, reason, detail } = step.skipped;
      const { pathname, search } = new URL(place);
      return [`${pathname}${search}: ${reason}${detail === undefined ? '' : ` ${detail}`}`];
    }),
    gone: placesOf('gone'),
    unchanged: placesOf('unchanged'),
    delivered,
  };
}
