import { setTimeout as pause, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { LIMITS } from '../../../contract/limits.ts';
import type { WebsiteRules } from '../../storage/source-rows.ts';
import { type CrawlStep, type Frontier, type FrontierEntry, type Refusal, RunFailed } from '../document.ts';
import { getOrigin, isTooLong, toCanonicalUrl } from './canonical-url.ts';
import { type Fetched, type Fetcher, getFollowing } from './fetch.ts';
import { createUrlFilter } from './patterns.ts';
import type { PageReader } from './read-page.ts';
import { fetchRobots, type Robots } from './robots.ts';
import { packValidators, unpackValidators } from './validators.ts';

/**
 * Reads a website: the pages of its sitemaps, or its start pages and those that they lead to. Each
 * address of the frontier has one outcome. A redirect or a canonical link adds its target to the
 * frontier, so that every address is checked by the same rules.
 */

export type CrawlOptions = {
  settings: WebsiteRules;
  sourceLocale: string;
  /** Whether the workspace owns an origin. */
  isProved: (origin: string) => boolean;
  frontier: Frontier;
  fetcher: Fetcher;
  reader: PageReader;
  signal: AbortSignal;
  /** Pause between two requests to an origin that asks for no delay. */
  intervalMillis?: number;
};

/** Pages that are read at the same time, so that a slow response holds up no other. */
const PAGES_AT_ONCE = 4;
const REDIRECTS_MAX = 5;
const SITEMAPS_MAX = 500;
/** How long to compare addresses with rules before yielding: many long rules take milliseconds per address. */
const COMPARING_MILLIS = 5;

/** Throws `RunFailed` when the whole run fails, or the reason of an abort. */
export async function* crawl(options: CrawlOptions): AsyncGenerator<CrawlStep> {
  const crawlEnd = new AbortController();
  const signal = AbortSignal.any([options.signal, crawlEnd.signal]);
  const crawler = createCrawler({ ...options, signal });
  const inFlight: Promise<Outcome>[] = [];
  try {
    yield* await crawler.start();
    for (;;) {
      while (inFlight.length < PAGES_AT_ONCE) {
        const entry = await options.frontier.next();
        if (!entry) break;
        const outcome = crawler.read(entry);
        // Prevents an unhandled rejection: outcomes are awaited later, in the order of the frontier.
        outcome.catch(() => undefined);
        inFlight.push(outcome);
      }
      const next = inFlight.shift();
      if (next) yield* crawler.finish(await next);
      else if (!(await crawler.addEarlierPages())) return;
    }
  } finally {
    crawlEnd.abort(new Error('the crawl ended'));
    await Promise.allSettled(inFlight);
  }
}

/** A step with the hash of the page's text. */
type Outcome = { step: CrawlStep; textHash?: string };

/** The state of one run that its steps share. */
type Run = CrawlOptions & {
  queue: Queue;
  sitemaps: readonly string[];
  /** Whether to follow links; false if all start addresses are sitemaps. */
  followsLinks: boolean;
  waitForOrigin: ReturnType<typeof createThrottle>;
  getRobots: ReturnType<typeof createRobotsCache>;
  /** The page in the source locale of each translated page, from sitemaps. Without it, the translation is an article of its own. */
  originals: Map<string, string>;
  /** How many redirects led to an address. */
  redirects: Map<string, number>;
};

function createCrawler(options: CrawlOptions) {
  const { settings, isProved: proved, frontier, fetcher, signal } = options;
  const starts = settings.startUrls.flatMap((url) => toCanonicalUrl(url) ?? []);
  const startPages = starts.filter((url) => !isSitemap(url));
  const queue = createQueue(options, startPages);
  const run: Run = {
    ...options,
    queue,
    sitemaps: starts.filter(isSitemap),
    followsLinks: startPages.length > 0,
    waitForOrigin: createThrottle(options.intervalMillis ?? LIMITS.crawlIntervalMillis, signal),
    getRobots: createRobotsCache(fetcher, proved, signal),
    originals: new Map(),
    redirects: new Map(),
  };
  const places = new Map<string, string>();
  let isRevisited = false;

  return {
    async start(): Promise<CrawlStep[]> {
      for (const url of starts) {
        if (!proved(getOrigin(url))) throw new RunFailed('origin_not_proved', getOrigin(url));
        await run.getRobots(getOrigin(url));
      }
      await queue.add(startPages);
      await readSitemaps(run);
      return queue.takeNotices();
    },

    read: (entry: FrontierEntry) => readEntry(run, entry),

    /** Finishes pages in the order of the frontier, so that the first of two pages with the same text is kept. */
    *finish({ step, textHash }: Outcome): Generator<CrawlStep> {
      yield* queue.takeNotices();
      const other = textHash && places.get(textHash);
      if (textHash && other === undefined) places.set(textHash, step.url);
      yield other === undefined || other === step.url
        ? step
        : toRefusal({ url: step.url }, { reason: 'duplicate', detail: other });
    },

    /** When following links, adds the pages of earlier runs once: the pages that link to them may have failed this time. */
    async addEarlierPages(): Promise<boolean> {
      if (!run.followsLinks || isRevisited) return false;
      isRevisited = true;
      await queue.add(await frontier.listKnown());
      return true;
    },
  };
}

type Queue = ReturnType<typeof createQueue>;

/** Adds addresses to the frontier if the run wants them, and keeps notices of those that it leaves out. */
function createQueue({ settings, isProved: proved, frontier }: CrawlOptions, startPages: readonly string[]) {
  const isIncluded = createUrlFilter(settings);
  const offered = new Set<string>();
  const notedOrigins = new Set<string>();
  const notices: CrawlStep[] = [];
  let isFull = false;
  let isLimitNoted = false;

  const isWanted = (url: string) =>
    !isTooLong(url) && proved(getOrigin(url)) && (isIncluded(url) || startPages.includes(url));

  function noteLimit(url: string): void {
    if (!isLimitNoted) notices.push(toRefusal({ url }, { reason: 'too_many_pages' }));
    isLimitNoted = true;
  }

  return {
    isIncluded,
    isWanted,
    isFull: () => isFull,
    isOffered: (url: string) => offered.has(url),
    noteLimit,
    takeNotices: () => notices.splice(0),

    /** Adds the wanted addresses, until the run has as many as it may read. */
    async add(urls: readonly string[]): Promise<void> {
      if (isFull) return;
      const newUrls = await filterInTurns(urls, (url) => !offered.has(url) && isWanted(url));
      if (newUrls.length === 0) return;
      const firstOverLimit = await frontier.add(newUrls);
      isFull ||= firstOverLimit !== undefined;
      for (const url of newUrls) {
        if (url === firstOverLimit) return noteLimit(url);
        offered.add(url);
      }
    },

    /** Adds one notice for all pages of other sites in a sitemap. */
    noteOtherSites(urls: readonly string[]): void {
      for (const url of urls) {
        const origin = getOrigin(url);
        if (proved(origin) || notedOrigins.has(origin) || notedOrigins.size >= LIMITS.startUrlsMax) continue;
        notedOrigins.add(origin);
        notices.push(toRefusal({ url }, { reason: 'not_proved', detail: origin }));
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

/** Adds the pages of all sitemaps. Fails the run if one cannot be read, because its pages would seem to be gone. */
async function readSitemaps(run: Run): Promise<void> {
  const { sitemaps, queue, isProved: proved, originals, fetcher, reader, sourceLocale, signal } = run;
  const waitingSitemaps = [...sitemaps];
  const seen = new Set(waitingSitemaps);
  for (
    let url = waitingSitemaps.shift();
    url !== undefined && !queue.isFull();
    url = waitingSitemaps.shift()
  ) {
    await run.waitForOrigin(getOrigin(url), 0);
    const permits = (to: string) => proved(getOrigin(to));
    const fetched = await getFollowing(fetcher, url, { signal, bytesMax: LIMITS.sitemapBytesMax, permits });
    if (fetched.kind === 'gone' && !sitemaps.includes(url)) continue;
    if (fetched.kind !== 'ok')
      throw toFailure(url, fetched.kind === 'refused' ? fetched : { reason: 'http_status' });
    const sitemap = await reader.readSitemap({ bytes: fetched.bytes, url, sourceLocale }, signal);
    if ('reason' in sitemap) throw toFailure(url, sitemap);
    queue.noteOtherSites(sitemap.pages);
    await queue.add(sitemap.pages);
    for (const [page, original] of sitemap.originals) {
      if (originals.size === LIMITS.sourcePagesMax) break;
      if (queue.isOffered(page) && queue.isOffered(original)) originals.set(page, original);
    }
    if (sitemap.isTruncated) queue.noteLimit(url);
    for (const next of sitemap.sitemaps) {
      if (seen.has(next) || seen.size >= SITEMAPS_MAX || !proved(getOrigin(next))) continue;
      seen.add(next);
      waitingSitemaps.push(next);
    }
  }
}

async function readEntry(run: Run, entry: FrontierEntry): Promise<Outcome> {
  const { url } = entry;
  const { isProved: proved } = run;
  if (isTooLong(url)) return refuse(entry, { reason: 'place_too_long' });
  if (!proved(getOrigin(url))) return refuse(entry, { reason: 'not_proved', detail: getOrigin(url) });
  const robots = await run.getRobots(getOrigin(url)).catch((error: unknown) => {
    if (error instanceof RunFailed) return error;
    throw error;
  });
  if (robots instanceof RunFailed) return refuse(entry, { reason: 'robots', detail: robots.message });
  if (!robots.isAllowed(url)) return refuse(entry, { reason: 'robots' });
  if (robots.delaySeconds > LIMITS.crawlDelaySecondsMax) {
    return refuse(entry, { reason: 'robots', detail: `crawl-delay: ${robots.delaySeconds}` });
  }
  const fetched = await fetchPage(run, entry, robots.delaySeconds);
  switch (fetched.kind) {
    case 'ok':
      return await readPage(run, entry, fetched);
    case 'unchanged':
      return reportUnchanged(entry);
    case 'gone':
      return reportGone(entry);
    case 'moved':
      return await followRedirect(run, entry, fetched.to);
    default:
      return refuse(entry, fetched);
  }
}

/** Fetches a page; asks an overloaded site, or one that asks to wait, once more. */
async function fetchPage(run: Run, entry: FrontierEntry, delaySeconds: number): Promise<Fetched> {
  const { fetcher, signal } = run;
  // A 304 response has no links, so no validators are sent when links are followed.
  const { textHash: _, ...knownValidators } = unpackValidators(entry);
  const validators = entry.place === undefined || run.followsLinks ? {} : knownValidators;
  const get = async () => {
    await run.waitForOrigin(getOrigin(entry.url), delaySeconds);
    return fetcher.get(entry.url, { signal, validators, bytesMax: LIMITS.pageBytesMax, accepts: isHtml });
  };
  const fetched = await get();
  if (fetched.kind !== 'refused' || (fetched.status !== 429 && fetched.status !== 503)) return fetched;
  const seconds = fetched.retryAfterSeconds ?? 0;
  if (seconds > LIMITS.crawlDelaySecondsMax) return fetched;
  await waitFor(seconds * 1000, signal);
  return await get();
}

async function followRedirect(
  { queue, isProved: proved, redirects }: Run,
  entry: FrontierEntry,
  location: string,
): Promise<Outcome> {
  const to = toCanonicalUrl(location);
  if (to === undefined) return refuse(entry, { reason: 'invalid_url', detail: location.slice(0, 200) });
  const count = (redirects.get(entry.url) ?? 0) + 1;
  if (to === entry.url || count > REDIRECTS_MAX) return refuse(entry, { reason: 'redirect_loop' });
  if (!proved(getOrigin(to))) return refuse(entry, { reason: 'off_site', detail: to.slice(0, 200) });
  // If two addresses redirect to each other, the second is already in the frontier.
  if (!redirects.has(to)) redirects.set(to, count);
  await queue.add([to]);
  return refuse(entry, { reason: 'duplicate', detail: to.slice(0, 200) });
}

async function readPage(
  run: Run,
  entry: FrontierEntry,
  { bytes, headers, validators }: Extract<Fetched, { kind: 'ok' }>,
): Promise<Outcome> {
  const { url } = entry;
  const { queue, reader, sourceLocale, signal } = run;
  const page = await reader.readPage({ bytes, url, headers, sourceLocale }, signal);
  if (run.followsLinks) await queue.add(page.links);
  const { canonical } = page;
  if (canonical !== undefined && canonical !== url) {
    if (!run.isProved(getOrigin(canonical))) {
      return refuse(entry, { reason: 'off_site', detail: canonical.slice(0, 200) });
    }
    if (queue.isWanted(canonical)) {
      await queue.add([canonical]);
      return refuse(entry, { reason: 'duplicate', detail: canonical.slice(0, 200) });
    }
  }
  if ('reason' in page) return refuse(entry, page);
  if (!queue.isIncluded(url)) return refuse(entry, { reason: 'excluded' });
  const { title, answer, locale, textHash } = page;
  const original =
    page.alternates.find((alternate) => alternate.locale === sourceLocale)?.url ?? run.originals.get(url);
  const translationOf = locale !== sourceLocale && original !== url ? original : undefined;
  const document = { place: url, url, title, answer, locale, aliases: [] };
  return {
    step: {
      kind: 'document',
      url,
      document: translationOf === undefined ? document : { ...document, translationOf },
      validators: packValidators(validators, textHash),
    },
    textHash,
  };
}

const isSitemap = (url: string) => /\.xml(?:\.gz)?$/i.test(new URL(url).pathname);
const isHtml = (contentType: string) => /^\s*(?:$|text\/html|application\/xhtml\+xml)/i.test(contentType);

type Reason = Pick<Refusal, 'reason' | 'detail'>;

const toFailure = (url: string, { reason, detail }: Reason) =>
  new RunFailed('start_unreachable', `${url} (${detail === undefined ? reason : `${reason} ${detail}`})`);

function toRefusal({ url, place }: FrontierEntry, { reason, detail }: Reason): CrawlStep {
  const refusal = { place: place ?? url, reason, detail };
  return { kind: 'refused', url, refusal };
}

const refuse = (entry: FrontierEntry, reason: Reason): Outcome => ({ step: toRefusal(entry, reason) });

/** Reports an address that delivered an article earlier as gone; refuses any other. */
function reportGone({ url, place }: FrontierEntry): Outcome {
  if (place === undefined) return refuse({ url }, { reason: 'http_status', detail: '404' });
  return { step: { kind: 'gone', url, place } };
}

function reportUnchanged(entry: FrontierEntry): Outcome {
  const { textHash } = unpackValidators(entry);
  const step: CrawlStep = { kind: 'unchanged', url: entry.url, place: entry.place ?? entry.url };
  return textHash === undefined ? { step } : { step, textHash };
}

/** Waits; rejects with the reason of an abort. */
async function waitFor(millis: number, signal: AbortSignal): Promise<void> {
  await pause(millis, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Creates a function that waits until the next request to an origin may be sent. */
function createThrottle(intervalMillis: number, signal: AbortSignal) {
  const turns = new Map<string, number>();
  return async (origin: string, delaySeconds: number): Promise<void> => {
    const now = performance.now();
    const turn = Math.max(now, turns.get(origin) ?? 0);
    turns.set(origin, turn + Math.max(intervalMillis, delaySeconds * 1000));
    if (turn > now) await waitFor(turn - now, signal);
    signal.throwIfAborted();
  };
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
