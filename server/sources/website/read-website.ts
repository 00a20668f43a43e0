import { isAllowedOrigin } from '../../visitors/allowed-origin.ts';
import { RunFailed } from '../document.ts';
import { getTokenPath, listOrigins } from '../records.ts';
import type { ReadSource } from '../runs.ts';
import { crawl } from './crawl.ts';
import { createFetcher, type Fetcher, type FetcherSettings, getFollowing } from './fetch.ts';
import { createPageReader } from './page-reader.ts';

/** Reads the websites of sources, each with connections and a thread of its own. */
export function createWebsiteReader(settings: FetcherSettings): ReadSource {
  return async function* readWebsite({ source, sourceLocale, nowMillis, allowedOrigins, queue, signal }) {
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
      yield* crawl({
        settings: source.website,
        sourceLocale,
        nowMillis,
        isProved,
        queue,
        fetcher,
        reader,
        signal,
      });
    } finally {
      fetcher.close();
      reader.close();
    }
  };
}

const TOKEN_FILE_BYTES_MAX = 1024;

/**
 * Whether an origin serves the token file, which only its owner can put there. Redirects may not leave the origin.
 * @throws RunFailed if the origin is not public.
 */
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
  if (fetched.kind === 'failed' && fetched.reason === 'private_address')
    throw new RunFailed('private_address', `${origin} ${fetched.detail}`);
  return fetched.kind === 'ok' && new TextDecoder().decode(fetched.bytes).trim() === token;
}
