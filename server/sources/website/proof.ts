import { type Fetcher, getFollowing } from './fetch.ts';

const BYTES_MAX = 1024;

/** Whether an origin serves the token file, which only its owner can put there. Redirects may not leave the origin. */
export async function servesTokenFile(
  fetcher: Fetcher,
  origin: string,
  { token, path }: { token: string; path: string },
  signal: AbortSignal,
): Promise<boolean> {
  const fetched = await getFollowing(fetcher, `${origin}${path}`, {
    signal,
    bytesMax: BYTES_MAX,
    permits: (url) => new URL(url).origin === origin,
  });
  return fetched.kind === 'ok' && new TextDecoder().decode(fetched.bytes).trim() === token;
}
