import type { Express, Request, Response } from 'express';
import type { BucketName } from '../../contract/limits/rate-limits.ts';
import { evictLeastUsed } from '../base/cache.ts';
import { requireFirstParty } from './auth.ts';
import type { HttpRequestContext } from './context.ts';
import { throwApiError } from './errors.ts';
import type { Limiter } from './rate-limit.ts';
import { type Body, chooseEncoding, encodePage, HTML, sendBody, setPageHeaders } from './static.ts';

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

/** A page that is rendered once for everything that it shows. */
export type CurrentPage = {
  /** Changes with what the page shows. */
  key: string;
  render(): Promise<PageReply>;
};

export type PageHandler = {
  /** Returns undefined where there is no page. */
  read(request: PageRequest): Promise<PageReply | CurrentPage | undefined>;
  /** Handles a form of a page of our own. */
  submit(request: PageRequest): Promise<PageReply | undefined>;
};

const LIMITS = { read: ['help/network-burst'], submit: ['help/network-ratings'] } as const;

/** A page is shown from a cache for this long, and for up to half a minute more while a newer one is loaded. */
const CACHE_CONTROL = 'public, max-age=1, stale-while-revalidate=30';
const CACHED_BYTES_MAX = 32 * 1024 * 1024;
/** About what a page takes besides its content. */
const ENTRY_BYTES = 2048;

/** Serves pages below a path. Their forms need no JavaScript and have no body. */
export function mountPages(
  app: Express,
  path: string,
  handler: PageHandler,
  { limiter }: { limiter: Limiter },
): void {
  const findEncoded = createPageCache();
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
    const page =
      (await handle({ segments, query: request.query, ctx })) ?? throwApiError('request/not_found');
    const encoding = chooseEncoding(request);
    sendPage(
      request,
      response,
      await ('render' in page ? findEncoded(page, encoding) : encodeReply(page, encoding)),
    );
  };
  app.get([path, `${path}/*rest`], (request, response) =>
    respond(request, response, handler.read, LIMITS.read),
  );
  app.post(`${path}/*rest`, (request, response) => {
    requireFirstParty(request.ctx);
    return respond(request, response, handler.submit, LIMITS.submit);
  });
}

/** A reply as it is sent. */
type EncodedReply = Omit<PageReply, 'text'> & { body?: Body };

async function encodeReply({ text, ...reply }: PageReply, encoding: string | false): Promise<EncodedReply> {
  return text === undefined ? reply : { ...reply, body: await encodePage(text, encoding) };
}

/** Keeps the pages that were read last as they are sent, so that each is rendered and compressed once. */
function createPageCache() {
  const entries = new Map<string, { reply: Promise<EncodedReply>; bytes: number }>();
  const add = (name: string, render: () => Promise<EncodedReply>) => {
    const entry = { reply: render(), bytes: ENTRY_BYTES };
    entry.reply.then(
      ({ body }) => {
        entry.bytes += body?.bytes.length ?? 0;
        evictLeastUsed(entries, CACHED_BYTES_MAX, (each) => entries.delete(each));
      },
      () => entries.delete(name),
    );
    return entry;
  };
  return ({ key, render }: CurrentPage, encoding: string | false): Promise<EncodedReply> => {
    const name = `${encoding} ${key}`;
    const entry = entries.get(name) ?? add(name, async () => encodeReply(await render(), encoding));
    entries.delete(name);
    entries.set(name, entry);
    return entry.reply;
  };
}

function sendPage(
  request: Request,
  response: Response,
  { status, body, contentType = HTML, headers = {}, usesMicrophone }: EncodedReply,
): void {
  response.status(status);
  response.setHeader('cache-control', status === 200 ? CACHE_CONTROL : 'no-cache');
  if (contentType === HTML) {
    setPageHeaders(response, usesMicrophone);
    // A form of the page is recognized by its origin, which `no-referrer` would hide.
    response.setHeader('referrer-policy', 'same-origin');
  }
  response.set(headers);
  if (body === undefined) return void response.end();
  response.setHeader('content-type', contentType);
  response.vary('accept-encoding');
  sendBody(request, response, body);
}
