import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import type { QueuedUrl, WebsiteRules } from '../../storage/source-rows.ts';
import { type CrawlStep, RunFailed, type SkipCause, type Validators } from '../document.ts';
import { createThrottle, waitFor } from '../throttle.ts';
import type { UrlQueue } from '../url-queue.ts';
import { type Fetched, type Fetcher, getFollowing } from './fetch.ts';
import type { PageReader } from './page-reader.ts';
import { fetchRobots, type Robots } from './robots.ts';
import { createUrlFilter, getOrigin, isTooLong, toCanonicalUrl } from './urls.ts';

/**
 * Reads a website: the pages of its sitemaps, or its start pages and those that they lead to. Each
 * address of the queue has one outcome. A redirect or a canonical link adds its target to the
 * queue, so that every address is checked by the same rules.
 */

export type CrawlOptions = {
  settings: WebsiteRules;
  sourceLocale: string;
  nowMillis: number;
  /** Whether the workspace owns an origin. */
  isProved: (origin: string) => boolean;
  queue: UrlQueue;
  fetcher: Fetcher;
  reader: PageReader;
  signal: AbortSignal;
  /** Pause between two requests to an origin that asks for no delay. */
  intervalMillis?: number;
};

type Entry = Omit<QueuedUrl, 'position'>;

/** Pages that are read at the same time, so that a slow response holds up no other. */
const PAGES_AT_ONCE = 4;
const REDIRECTS_MAX = 5;
const SITEMAPS_MAX = 500;
/** How long to compare addresses with rules before yielding: many long rules take milliseconds per address. */
const COMPARING_MILLIS = 5;

/** Throws `RunFailed` when the whole run fails, or the reason of an abort. */
export async function* crawl(options: CrawlOptions): AsyncGenerator<CrawlStep> {
  const crawlEnd = new AbortController();
  const run = createRun({ ...options, signal: AbortSignal.any([options.signal, crawlEnd.signal]) });
  const { collector, queue } = run;
  const urlsByTextHash = new Map<string, string>();
  const inFlight: Promise<Outcome>[] = [];
  try {
    await start(run);
    let hasAddedEarlierPages = !run.followsLinks && !run.lacksPages;
    for (;;) {
      while (inFlight.length < PAGES_AT_ONCE) {
        const entry = await queue.next();
        if (!entry) break;
        const outcome = readEntry(run, entry);
        // Prevents an unhandled rejection: outcomes are awaited later, in the order of the queue.
        outcome.catch(() => undefined);
        inFlight.push(outcome);
      }
      const next = inFlight.shift();
      const outcome = await next;
      yield* collector.takeNotices();
      // In the order of the queue, so that the first of two pages with the same text is kept.
      if (outcome) yield skipDuplicate(outcome, urlsByTextHash);
      else if (hasAddedEarlierPages) return;
      else {
        // The pages that link to pages of earlier runs may have failed this time.
        hasAddedEarlierPages = true;
        await collector.add(await queue.listKnown());
      }
    }
  } finally {
    crawlEnd.abort(new Error('the crawl ended'));
    await Promise.allSettled(inFlight);
  }
}

/** A step with the hash of the page's text. */
type Outcome = { step: CrawlStep; textHash?: string };

function skipDuplicate({ step, textHash }: Outcome, urlsByTextHash: Map<string, string>): CrawlStep {
  const earlierUrl = textHash && urlsByTextHash.get(textHash);
  if (earlierUrl && earlierUrl !== step.url)
    return skip({ url: step.url }, { reason: 'duplicate', detail: earlierUrl }).step;
  if (textHash) urlsByTextHash.set(textHash, step.url);
  return step;
}

/** The state of one run that its steps share. */
type Run = ReturnType<typeof createRun>;

function createRun(options: CrawlOptions) {
  const { settings, isProved, fetcher, signal, intervalMillis = SOURCE_LIMITS.crawlIntervalMillis } = options;
  const startPages: string[] = [];
  const sitemaps: string[] = [];
  return {
    ...options,
    starts: settings.startUrls.flatMap((url) => toCanonicalUrl(url) ?? []),
    startPages,
    sitemaps,
    /** Whether to follow links; false if all start addresses are sitemaps. */
    get followsLinks() {
      return startPages.length > 0;
    },
    /** Pages among the start addresses that were fetched to tell what they are. */
    fetched: new Map<string, Extract<Fetched, { kind: 'ok' }>>(),
    collector: createCollector(options, startPages),
    waitForOrigin: createThrottle(intervalMillis, signal),
    getRobots: createRobotsCache(fetcher, isProved, signal),
    /** The page in the source locale of each translated page, from sitemaps. Without it, the translation is an article of its own. */
    originals: new Map<string, string>(),
    /** Whether a sitemap of an index could not be read. */
    lacksPages: false,
    /** How many redirects led to an address. */
    redirects: new Map<string, number>(),
  };
}

async function start(run: Run): Promise<void> {
  for (const url of run.starts) {
    const origin = getOrigin(url);
    if (!run.isProved(origin)) throw new RunFailed('origin_not_proved', origin);
    const robots = await run.getRobots(origin);
    const isList = isNamedAsSitemap(url) || (robots.isAllowed(url) && (await isSitemap(run, url, robots)));
    (isList ? run.sitemaps : run.startPages).push(url);
  }
  await run.collector.add(run.startPages);
  await readSitemaps(run);
}

/** Tells a sitemap by its content: its address may be any, such as `/sitemap`. Keeps the response if it is a page. */
async function isSitemap(run: Run, url: string, { delaySeconds }: Robots): Promise<boolean> {
  if (delaySeconds > SOURCE_LIMITS.crawlDelaySecondsMax) return false;
  const { fetcher, reader, sourceLocale, signal, isProved } = run;
  const options = { signal, bytesMax: SOURCE_LIMITS.sitemapBytesMax };
  await run.waitForOrigin(getOrigin(url), delaySeconds);
  const first = await fetcher.get(url, options);
  const permits = (to: string) => isProved(getOrigin(to));
  // A run that has nothing else to read tells its owner where the website is.
  if (first.kind === 'moved' && !permits(first.to) && run.starts.length === 1 && (await isFirstRun(run)))
    throw new RunFailed('moved', getOrigin(first.to));
  const fetched =
    first.kind === 'moved' && permits(first.to)
      ? await getFollowing(fetcher, first.to, { ...options, permits })
      : first;
  if (fetched.kind !== 'ok') return false;
  const { bytes, headers } = fetched;
  const { contentType } = headers;
  if (!('reason' in (await reader.readSitemap({ bytes, url, contentType, sourceLocale }, signal))))
    return true;
  if (fetched === first && isHtml(contentType) && bytes.length <= SOURCE_LIMITS.pageBytesMax)
    run.fetched.set(url, fetched);
  return false;
}

const isFirstRun = async ({ queue }: Run) => (await queue.listKnown()).length === 0;

/** Adds addresses to the queue if the run wants them, and keeps notices of those that it leaves out. */
function createCollector({ settings, isProved, queue }: CrawlOptions, startPages: readonly string[]) {
  const isIncluded = createUrlFilter(settings);
  const added = new Set<string>();
  const notedOrigins = new Set<string>();
  const notices: CrawlStep[] = [];
  let isFull = false;
  let isLimitNoted = false;

  const isWanted = (url: string) =>
    !isTooLong(url) && isProved(getOrigin(url)) && (isIncluded(url) || startPages.includes(url));

  function noteLimit(url: string): void {
    if (!isLimitNoted) notices.push(skip({ url }, { reason: 'too_many_pages' }).step);
    isLimitNoted = true;
  }

  return {
    isIncluded,
    isWanted,
    isFull: () => isFull,
    hasAdded: (url: string) => added.has(url),
    noteLimit,
    note: (url: string, cause: SkipCause) => notices.push(skip({ url }, cause).step),
    takeNotices: () => notices.splice(0),

    /** Adds the wanted addresses, until the run has as many as it may read. */
    async add(urls: readonly string[]): Promise<void> {
      if (isFull) return;
      const newUrls = await filterInTurns(urls, (url) => !added.has(url) && isWanted(url));
      if (newUrls.length === 0) return;
      const firstOverLimit = await queue.add(newUrls);
      isFull ||= firstOverLimit !== undefined;
      for (const url of newUrls) {
        if (url === firstOverLimit) return noteLimit(url);
        added.add(url);
      }
    },

    /** Adds one notice for all pages of other sites in a sitemap. */
    noteOtherSites(urls: readonly string[]): void {
      for (const url of urls) {
        const origin = getOrigin(url);
        if (isProved(origin) || notedOrigins.has(origin) || notedOrigins.size >= SOURCE_LIMITS.startUrlsMax)
          continue;
        notedOrigins.add(origin);
        notices.push(skip({ url }, { reason: 'not_proved', detail: origin }).step);
      }
    },
  };
}

async function filterInTurns(urls: readonly string[], isWanted: (url: string) => boolean): Promise<string[]> {
  const kept: string[] = [];
  let startedAt = performance.now();
  for (const url of urls) {
    if (performance.now() - startedAt > COMPARING_MILLIS) {
      await yieldToEventLoop();
      startedAt = performance.now();
    }
    if (isWanted(url)) kept.push(url);
  }
  return kept;
}

/** Adds the pages of all sitemaps. Fails the run if a start address cannot be read, because all pages would seem to be gone. */
async function readSitemaps(run: Run): Promise<void> {
  const { sitemaps, collector, isProved, originals, fetcher, reader, sourceLocale, signal } = run;
  const permits = (url: string) => isProved(getOrigin(url));
  const found = new Set(sitemaps);
  // The loop also reads the sitemaps that are added to the set meanwhile.
  for (const url of found) {
    if (collector.isFull()) return;
    await run.waitForOrigin(getOrigin(url), 0);
    const fetched = await getFollowing(fetcher, url, {
      signal,
      bytesMax: SOURCE_LIMITS.sitemapBytesMax,
      permits,
    });
    const sitemap =
      fetched.kind === 'ok'
        ? await reader.readSitemap(
            { bytes: fetched.bytes, url, contentType: fetched.headers.contentType, sourceLocale },
            signal,
          )
        : fetched.kind === 'failed'
          ? fetched
          : { reason: 'http_status' as const, detail: '404' };
    if ('reason' in sitemap) {
      if (sitemaps.includes(url)) throw toFailure(url, sitemap);
      collector.note(url, sitemap);
      // Its pages of earlier runs are read again by their own addresses.
      run.lacksPages ||= fetched.kind !== 'gone';
      continue;
    }
    if (sitemap.unusable > 0)
      collector.note(url, {
        reason: 'invalid_url',
        detail: `entries without an address: ${sitemap.unusable}`,
      });
    collector.noteOtherSites(sitemap.pages);
    await collector.add(sitemap.pages);
    for (const [page, original] of sitemap.originals) {
      if (originals.size === SOURCE_LIMITS.sourcePagesMax) break;
      if (collector.hasAdded(page) && collector.hasAdded(original)) originals.set(page, original);
    }
    if (sitemap.isTruncated) collector.noteLimit(url);
    for (const next of sitemap.sitemaps.filter(permits)) if (found.size < SITEMAPS_MAX) found.add(next);
  }
}

async function readEntry(run: Run, entry: Entry): Promise<Outcome> {
  const { url, place } = entry;
  const origin = getOrigin(url);
  if (isTooLong(url)) return skip(entry, { reason: 'place_too_long' });
  if (!run.isProved(origin)) return skip(entry, { reason: 'not_proved', detail: origin });
  const robots = await run.getRobots(origin).catch((error: unknown) => {
    if (error instanceof RunFailed) return error;
    throw error;
  });
  if (robots instanceof RunFailed)
    return robots.reason === 'private_address'
      ? skip(entry, { reason: 'private_address', detail: robots.detail })
      : skip(entry, { reason: 'robots', detail: robots.message });
  if (!robots.isAllowed(url)) return skip(entry, { reason: 'robots' });
  if (robots.delaySeconds > SOURCE_LIMITS.crawlDelaySecondsMax) {
    return skip(entry, { reason: 'robots', detail: `crawl-delay: ${robots.delaySeconds}` });
  }
  const fetched = await fetchPage(run, entry, robots.delaySeconds);
  switch (fetched.kind) {
    case 'ok':
      return await readPage(run, entry, fetched);
    case 'unchanged':
      return {
        step: { kind: 'unchanged', url, place: place ?? url },
        textHash: unpackValidators(entry).textHash,
      };
    case 'gone':
      // An address that never delivered an article is only wrong.
      return place === undefined
        ? skip(entry, { reason: 'http_status', detail: '404' })
        : { step: { kind: 'gone', url, place } };
    case 'moved':
      return await followRedirect(run, entry, fetched.to);
    default:
      return skip(entry, fetched);
  }
}

/** Fetches a page; asks an overloaded site, or one that asks to wait, once more. */
async function fetchPage(run: Run, entry: Entry, delaySeconds: number): Promise<Fetched> {
  const { fetcher, signal } = run;
  // A 304 response has no links, so no validators are sent when links are followed.
  const validators = entry.place === undefined || run.followsLinks ? {} : unpackValidators(entry);
  const known = run.fetched.get(entry.url);
  run.fetched.delete(entry.url);
  if (known) return known;
  const get = async () => {
    await run.waitForOrigin(getOrigin(entry.url), delaySeconds);
    return fetcher.get(entry.url, {
      signal,
      validators,
      bytesMax: SOURCE_LIMITS.pageBytesMax,
      accepts: isHtml,
    });
  };
  const fetched = await get();
  if (fetched.kind !== 'failed' || (fetched.status !== 429 && fetched.status !== 503)) return fetched;
  const seconds = fetched.retryAfterSeconds ?? 0;
  if (seconds > SOURCE_LIMITS.crawlDelaySecondsMax) return fetched;
  await waitFor(seconds * 1000, signal);
  return await get();
}

async function followRedirect(
  { collector, isProved, redirects }: Run,
  entry: Entry,
  location: string,
): Promise<Outcome> {
  const to = toCanonicalUrl(location);
  if (to === undefined) return skip(entry, { reason: 'invalid_url', detail: location.slice(0, 200) });
  const count = (redirects.get(entry.url) ?? 0) + 1;
  if (to === entry.url || count > REDIRECTS_MAX) return skip(entry, { reason: 'redirect_loop' });
  if (!isProved(getOrigin(to))) return skip(entry, { reason: 'off_site', detail: to.slice(0, 200) });
  // If two addresses redirect to each other, the second is already in the queue.
  if (!redirects.has(to)) redirects.set(to, count);
  await collector.add([to]);
  return skip(entry, { reason: 'duplicate', detail: to.slice(0, 200) });
}

async function readPage(
  run: Run,
  entry: Entry,
  { bytes, headers, validators }: Extract<Fetched, { kind: 'ok' }>,
): Promise<Outcome> {
  const { url } = entry;
  const { collector, reader, sourceLocale, nowMillis, signal } = run;
  const page = await reader.readPage({ bytes, url, headers, sourceLocale, nowMillis }, signal);
  if (run.followsLinks) await collector.add(page.links);
  if ('reason' in page && page.redirect !== undefined) return await followRedirect(run, entry, page.redirect);
  const { canonical } = page;
  if (canonical !== undefined && canonical !== url) {
    const detail = canonical.slice(0, 200);
    if (!run.isProved(getOrigin(canonical))) return skip(entry, { reason: 'off_site', detail });
    if (collector.isWanted(canonical)) {
      await collector.add([canonical]);
      return skip(entry, { reason: 'duplicate', detail });
    }
  }
  if ('reason' in page) return skip(entry, page);
  if (!collector.isIncluded(url)) return skip(entry, { reason: 'excluded' });
  const { title, answer, locale, textHash, remark } = page;
  const original =
    page.alternates.find((alternate) => alternate.locale === sourceLocale)?.url ?? run.originals.get(url);
  const translationOf = locale !== sourceLocale && original !== url ? original : undefined;
  const document = { place: url, url, title, answer, locale, aliases: [], remark, translationOf };
  return {
    step: { kind: 'document', url, document, validators: packValidators(validators, textHash) },
    textHash,
  };
}

/** Sitemaps, feeds, and lists of addresses. A run fails if one of them cannot be read. */
const isNamedAsSitemap = (url: string) =>
  /\.(?:xml|txt|rss|rdf|atom)(?:\.gz)?$|\/(?:feed|rss|atom)\/?$/i.test(new URL(url).pathname);
const isHtml = (contentType: string) => /^\s*(?:$|text\/html|application\/xhtml\+xml)/i.test(contentType);

const toFailure = (url: string, { reason, detail }: SkipCause) =>
  new RunFailed('start_unreachable', `${url} (${detail === undefined ? reason : `${reason} ${detail}`})`);

const skip = ({ url, place = url }: Entry, { reason, detail }: SkipCause): Outcome => ({
  step: { kind: 'skipped', url, skipped: { place, reason, detail } },
});

/**
 * Stores the hash of a page's text with its entity tag: a 304 response does not contain the text, and
 * pages with the same text must still be recognized.
 */
function packValidators({ etag, lastModified }: Validators, textHash: string): Validators {
  if (etag === undefined && lastModified === undefined) return {};
  return { etag: `${etag ?? ''} ${textHash}`, lastModified };
}

function unpackValidators({ etag, lastModified }: Validators): Validators & { textHash?: string } {
  const [, own, textHash] = /^(.*) ([\da-f]{64})$/.exec(etag ?? '') ?? [];
  return { etag: own || undefined, lastModified, textHash };
}

function createRobotsCache(fetcher: Fetcher, isProved: (origin: string) => boolean, signal: AbortSignal) {
  const permits = (to: string) => isProved(getOrigin(to));
  const robotsByOrigin = new Map<string, Promise<Robots>>();
  return (origin: string): Promise<Robots> => {
    const robots = robotsByOrigin.get(origin) ?? fetchRobots(fetcher, origin, { signal, permits });
    robotsByOrigin.set(origin, robots);
    return robots;
  };
}
