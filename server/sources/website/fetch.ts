import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { Agent, type Dispatcher, request } from 'undici';
import { PrivateAddress } from '../../base/address-guard.ts';
import { VERSION } from '../../base/version.ts';
import type { SkipCause, Validators } from '../document.ts';
import { createAddressCheck, type NetworkSettings } from '../public-addresses.ts';

/** Fetches public web addresses only. Names are resolved when the connection is made, and every address is checked. */

/** The user agent that robots.txt files name. */
export const USER_AGENT_NAME = 'Guidepost';
const USER_AGENT = `${USER_AGENT_NAME}/${VERSION.version} (knowledge import; obeys robots.txt)`;

export type Fetched =
  | { kind: 'ok'; bytes: Uint8Array; headers: PageHeaders; validators: Validators }
  /** 304 */
  | { kind: 'unchanged' }
  /** 404, 410 */
  | { kind: 'gone' }
  /** A redirect that was not followed; `to` is an absolute address. */
  | { kind: 'moved'; to: string }
  | FetchFailure;

type FetchFailure = SkipCause & {
  kind: 'failed';
  /** Status of the response, if there was one. */
  status?: number;
  /** Value of `Retry-After`. */
  retryAfterSeconds?: number;
};

export type PageHeaders = {
  contentType: string;
  contentLanguage?: string;
  /** The headers `X-Robots-Tag`, one a line. */
  robotsTag?: string;
  /** `Content-Security-Policy`, with several policies joined by commas. */
  contentSecurityPolicy?: string;
  /** `Cross-Origin-Resource-Policy` */
  resourcePolicy?: string;
  /** `Cross-Origin-Embedder-Policy` */
  embedderPolicy?: string;
};

type FetchOptions = {
  signal: AbortSignal;
  bytesMax: number;
  validators?: Validators;
  /** Whether to read a response of this content type; empty if the server states none. */
  accepts?: (contentType: string) => boolean;
};

export type Fetcher = {
  /** Rejects only with the reason of an abort. */
  get(url: string, options: FetchOptions): Promise<Fetched>;
  close(): void;
};

export type FetcherSettings = NetworkSettings & { secondsMax?: number };

/** Timeout of one response, from the connection to the last byte. */
const SECONDS_MAX = 30;
const CONNECT_MILLIS = 10_000;
const HEADER_BYTES_MAX = 32 * 1024;
const CONNECTIONS_MAX = 4;

export function createFetcher(settings: FetcherSettings): Fetcher {
  const { secondsMax = SECONDS_MAX } = settings;
  const guard = createAddressCheck(settings);
  const agent = new Agent({
    connect: { lookup: guard.lookup, timeout: CONNECT_MILLIS },
    connections: CONNECTIONS_MAX,
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: secondsMax * 1000,
    bodyTimeout: secondsMax * 1000,
    allowH2: false,
  });
  return {
    async get(text, options) {
      const url = URL.parse(text);
      if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
        return fail('invalid_url');
      }
      const refused = guard.checkLiteral(url);
      if (refused) return fail('private_address', refused.setting);
      const timeout = AbortSignal.timeout(secondsMax * 1000);
      const signal = AbortSignal.any([options.signal, timeout]);
      try {
        const response = await request(url, { dispatcher: agent, headers: toHeaders(options), signal });
        return await readResponse(response, url, options, signal);
      } catch (error) {
        options.signal.throwIfAborted();
        return { kind: 'failed', ...toSkipCause(error, timeout.aborted) };
      }
    },
    close: () => void agent.destroy(),
  };
}

const fail = (reason: SkipCause['reason'], detail?: string): FetchFailure => ({
  kind: 'failed',
  reason,
  detail,
});

const toHeaders = ({ validators }: FetchOptions): Record<string, string> => ({
  'user-agent': USER_AGENT,
  accept: 'text/html, application/xhtml+xml, application/xml;q=0.9, text/plain;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, br',
  ...(validators?.etag && { 'if-none-match': validators.etag }),
  ...(validators?.lastModified && { 'if-modified-since': validators.lastModified }),
});

/** Returns why a request failed. */
export function toSkipCause(error: unknown, isTimeout: boolean): SkipCause {
  const causes = [error, (error as Error).cause, ...((error as AggregateError).errors ?? [])];
  const refused = causes.find((cause) => cause instanceof PrivateAddress);
  if (refused) return { reason: 'private_address', detail: refused.setting };
  if (error instanceof TooLarge) return { reason: error.reason };
  const { code } = error as NodeJS.ErrnoException;
  if (isTimeout || /TIMEOUT|ETIMEDOUT/.test(code ?? '')) return { reason: 'timeout' };
  return /^Z_|^ERR_BROTLI|^ERR__ERROR_FORMAT/.test(code ?? '')
    ? { reason: 'unreadable' }
    : { reason: 'unreachable', detail: code };
}

const GONE = [404, 410];
const REDIRECTS = [301, 302, 303, 307, 308];

async function readResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  url: URL,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  const discardBody = <Outcome>(outcome: Outcome): Outcome => {
    body.on('error', () => undefined).destroy();
    return outcome;
  };
  const getHeader = (name: string) => [headers[name] ?? []].flat().join(', ');
  if (statusCode === 304) return discardBody({ kind: 'unchanged' });
  if (GONE.includes(statusCode)) return discardBody({ kind: 'gone' });
  const to = REDIRECTS.includes(statusCode) && URL.parse(getHeader('location'), url.href);
  if (to) return discardBody({ kind: 'moved', to: to.href });
  if (statusCode !== 200) {
    const seconds = Number(getHeader('retry-after') || Number.NaN);
    const retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
    return discardBody({ ...fail('http_status', String(statusCode)), status: statusCode, retryAfterSeconds });
  }
  const contentType = getHeader('content-type');
  if (options.accepts?.(contentType) === false)
    return discardBody(fail('not_html', contentType.slice(0, 100)));
  const encoding = getHeader('content-encoding').trim().toLowerCase();
  if (!ENCODINGS.includes(encoding)) return discardBody(fail('unreadable', encoding.slice(0, 100)));
  if (Number(getHeader('content-length')) > options.bytesMax) return discardBody(fail('too_large'));
  const bytes = await readBody(body, encoding, options.bytesMax, signal);
  const optional = (name: string) => getHeader(name) || undefined;
  return {
    kind: 'ok',
    bytes,
    headers: {
      contentType,
      contentLanguage: optional('content-language'),
      robotsTag: [headers['x-robots-tag'] ?? []].flat().join('\n') || undefined,
      contentSecurityPolicy: optional('content-security-policy'),
      resourcePolicy: optional('cross-origin-resource-policy'),
      embedderPolicy: optional('cross-origin-embedder-policy'),
    },
    validators: { etag: optional('etag'), lastModified: optional('last-modified') },
  };
}

export const ENCODINGS = ['', 'identity', 'gzip', 'x-gzip', 'br'];

class TooLarge extends Error {
  override readonly name = 'TooLarge';
  readonly reason: 'too_large' | 'zip_bomb';
  constructor(reason: 'too_large' | 'zip_bomb') {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Limits the size while unpacking, so that a small response cannot become a large one.
 * @throws TooLarge beyond `bytesMax`.
 */
export async function readBody(
  body: Dispatcher.ResponseData['body'],
  encoding: string,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  const isPacked = /gzip|br/.test(encoding);
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const part of source) {
      size += part.byteLength;
      if (size > bytesMax) throw new TooLarge(isPacked ? 'zip_bomb' : 'too_large');
      parts.push(part);
    }
  };
  if (isPacked) {
    const unpack = encoding === 'br' ? createBrotliDecompress() : createGunzip();
    await pipeline(body, unpack, collect, { signal });
  } else await pipeline(body, collect, { signal });
  return Buffer.concat(parts);
}

const REDIRECTS_MAX = 5;

/** Follows redirects and checks each target. Use it for files about a whole site, such as robots.txt. */
export async function getFollowing(
  fetcher: Fetcher,
  url: string,
  options: FetchOptions & { permits?: (url: string) => boolean },
): Promise<Exclude<Fetched, { kind: 'moved' }>> {
  let at = url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const fetched = await fetcher.get(at, options);
    if (fetched.kind !== 'moved') return fetched;
    if (options.permits?.(fetched.to) === false) return fail('off_site', fetched.to.slice(0, 200));
    at = fetched.to;
  }
  return fail('redirect_loop');
}
