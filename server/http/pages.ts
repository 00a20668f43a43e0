import type { Express, Request, Response } from 'express';
import type { BucketName } from '../../contract/limits/rate-limits.ts';
import { evictLeastUsed } from '../base/cache.ts';
import { requireFirstParty } from './auth.ts';
import type { HttpRequestContext } from './context.ts';
import { throwApiError } from './errors.ts';
import type { Limiter } from './rate-limit.ts';
import { type Content, chooseEncoding, encodePage, HTML, sendContent, setPageHeaders } from './static.ts';

/** A request for a page that the service renders. */
export type PageRequest = {
  /** The decoded segments of the path. */
  segments: readonly string[];
  query: Readonly<Record<string, unknown>>;
  ctx: HttpRequestContext;
};

/** A rendered page, another type of text, or a redirect. */
export type PageReply = {
  status: number;
  text?: string;
  /** HTML by default. */
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
  /** Pages of this policy embed the guide, which has voice input. */
  usesMicrophone?: boolean;
};

export type PageHandler = {
  /** Returns undefined where there is no page. */
  read(request: PageRequest): Promise<PageReply | undefined>;
  /** Handles a form of a page of our own. */
  submit(request: PageRequest): Promise<PageReply | undefined>;
};

const LIMITS = { read: ['help/network-burst'], submit: ['help/network-ratings'] } as const;

/** A page is shown from a cache for this long, and for up to half a minute more while a newer one is loaded. */
const CACHE_CONTROL = 'public, max-age=1, stale-while-revalidate=30';
const ENCODED_BYTES_MAX = 32 * 1024 * 1024;

/** Serves pages below a path. Their forms need no JavaScript and have no body. */
export function mountPages(
  app: Express,
  path: string,
  handler: PageHandler,
  { limiter }: { limiter: Limiter },
): void {
  const encode = createEncoder();
  const respond = async (
    request: Request,
    response: Response,
    handle: PageHandler['read'],
    buckets: readonly BucketName[],
  ) => {
    const { ctx } = request;
    const { clientAddress } = ctx;
    ctx.rateLimits.remember(await limiter.consume(buckets, { clientAddress }, ctx.rateLimits));
    const segments = request.path
      .slice(path.length + 1)
      .split('/')
      .map(decodeURIComponent);
    const reply =
      (await handle({ segments, query: request.query, ctx })) ?? throwApiError('request/not_found');
    await sendPage(request, response, reply, encode);
  };
  app.get([path, `${path}/*rest`], (request, response) =>
    respond(request, response, handler.read, LIMITS.read),
  );
  app.post(`${path}/*rest`, (request, response) => {
    requireFirstParty(request.ctx);
    return respond(request, response, handler.submit, LIMITS.submit);
  });
}

type Encode = (text: string, encoding: string | false) => Promise<Content>;

/** Encodes texts, and keeps what was used last. */
function createEncoder(): Encode {
  const entries = new Map<string, { contents: Map<string | false, Promise<Content>>; bytes: number }>();
  return (text, encoding) => {
    const known = entries.get(text);
    const entry = known ?? { contents: new Map(), bytes: 3 * text.length };
    entries.delete(text);
    entries.set(text, entry);
    if (!known) evictLeastUsed(entries, ENCODED_BYTES_MAX, (key) => entries.delete(key));
    const content = entry.contents.get(encoding) ?? encodePage(text, encoding);
    entry.contents.set(encoding, content);
    return content;
  };
}

async function sendPage(
  request: Request,
  response: Response,
  reply: PageReply,
  encode: Encode,
): Promise<void> {
  const { status, text, contentType = HTML, headers = {}, usesMicrophone } = reply;
  response.status(status);
  response.setHeader('cache-control', status === 200 ? CACHE_CONTROL : 'no-cache');
  if (contentType === HTML) {
    setPageHeaders(response, usesMicrophone);
    // A form of the page is recognized by its origin, which `no-referrer` would hide.
    response.setHeader('referrer-policy', 'same-origin');
  }
  response.set(headers);
  if (text === undefined) return void response.end();
  response.setHeader('content-type', contentType);
  response.vary('accept-encoding');
  sendContent(request, response, await encode(text, chooseEncoding(request)));
}
