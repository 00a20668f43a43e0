import { isAllowedOrigin } from '../../visitors/allowed-origin.ts';
import { RunFailed } from '../document.ts';
import { getTokenPath, listOrigins } from '../records.ts';
import type { ReadWebsite } from '../runs.ts';
import { crawl } from './crawl.ts';
import { createFetcher, type Fetcher, type FetcherSettings } from './fetch.ts';
import { servesTokenFile } from './proof.ts';
import { createPageReader } from './read-page.ts';

/** Reads the websites of sources, each with connections and a thread of its own. */
export function createWebsiteReader(settings: FetcherSettings): ReadWebsite {
  return async function* readWebsite({ source, sourceLocale, allowedOrigins, frontier, signal }) {
    if (!source.website) throw new RunFailed('internal');
    const fetcher = createFetcher(settings);
    const reader = createPageReader();
    try {
      const origins = listOrigins(source.website);
      const isAllowed = (origin: string) => isAllowedOrigin(origin, allowedOrigins);
      const provedOrigins = await proveOrigins(fetcher, origins, { isAllowed, token: source.token, signal });
      yield* crawl({
        settings: source.website,
        sourceLocale,
        isProved: (origin) => provedOrigins.has(origin) || isAllowed(origin),
        frontier,
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

/** Returns the origins. Throws when one is not an allowed domain and does not serve the token file. */
async function proveOrigins(
  fetcher: Fetcher,
  origins: readonly string[],
  options: {
    isAllowed: (origin: string) => boolean;
    token: string;
    signal: AbortSignal;
  },
): Promise<ReadonlySet<string>> {
  const provedOrigins = new Set<string>();
  const proof = { token: options.token, path: getTokenPath(options.token) };
  for (const origin of origins) {
    const isProved =
      options.isAllowed(origin) || (await servesTokenFile(fetcher, origin, proof, options.signal));
    if (!isProved) throw new RunFailed('origin_not_proved', origin);
    provedOrigins.add(origin);
  }
  return provedOrigins;
}
