import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Express, Request, Response } from 'express';

/** A public file. Its bytes are read at the first request. */
export type PublicFile = {
  readonly path: string;
  readonly contentType: string;
  readonly read: () => Promise<Buffer | string>;
  /** Pages of any origin may load it: the script tag, the published contract. */
  readonly shared?: boolean;
  /** Seconds that browsers may cache it; the default is to revalidate. */
  readonly maxAgeSeconds?: number;
  /** Cached forever, because the name changes with the bytes. */
  readonly immutable?: boolean;
  readonly contentSecurityPolicy?: string;
  readonly referrerPolicy?: string;
};

/** The bytes of a file and their compressed forms. */
type Pressed = {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
};

export function mountFiles(app: Express, files: readonly PublicFile[]): void {
  for (const file of files) app.get(file.path, fileSender(file));
}

/** Serves the file. */
export function fileSender(file: PublicFile) {
  let pressed: Promise<Pressed> | undefined;
  return async (request: Request, response: Response) => {
    pressed ??= file.read().then((bytes) => press(Buffer.from(bytes), file.contentType));
    try {
      send(request, response, file, await pressed);
    } catch (error) {
      // Not cached on failure: the file may be built before the next request.
      pressed = undefined;
      throw error;
    }
  };
}

export function onDisk(url: URL): () => Promise<Buffer> {
  return () => readFile(url);
}

/**
 * Reads the JSON that a build wrote about itself and caches it. A missing file is read again at the
 * next call.
 */
export function builtFacts<Written, RouteMetaTypes>(
  url: URL,
  factsIn: (written: Written) => RouteMetaTypes,
): () => Promise<RouteMetaTypes> {
  let meta: Promise<RouteMetaTypes> | undefined;
  return () => {
    meta ??= readFile(url, 'utf8').then((text) => factsIn(JSON.parse(text) as Written));
    meta.catch(() => {
      meta = undefined;
    });
    return meta;
  };
}

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
const PRESSABLE = /^(text\/|application\/(json|yaml|javascript)|image\/svg)/;
const WORTH_PRESSING_BYTES = 1024;
/** Nearly as small as level 11 at a fiftieth of its time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
/** Shared by all servers of this process. */
const known = new Map<string, Promise<Pressed>>();

function press(bytes: Buffer, contentType: string): Promise<Pressed> {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const pressed = known.get(etag + contentType) ?? pressOnce(bytes, contentType, etag);
  known.set(etag + contentType, pressed);
  return pressed;
}

async function pressOnce(bytes: Buffer, contentType: string, etag: string): Promise<Pressed> {
  if (bytes.length < WORTH_PRESSING_BYTES || !PRESSABLE.test(contentType)) return { bytes, etag };
  const [br, gz] = await Promise.all([brotli(bytes, BROTLI), gzipped(bytes)]);
  return { bytes, etag, br, gzip: gz };
}

function send(request: Request, response: Response, file: PublicFile, { bytes, etag, ...pressed }: Pressed) {
  response.setHeader('content-type', file.contentType);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('cache-control', cacheControl(file));
  response.setHeader('etag', etag);
  if (file.shared) response.setHeader('access-control-allow-origin', '*');
  if (file.contentSecurityPolicy) response.setHeader('content-security-policy', file.contentSecurityPolicy);
  if (file.referrerPolicy) response.setHeader('referrer-policy', file.referrerPolicy);
  if (pressed.br) response.vary('accept-encoding');
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304).end();
    return;
  }
  const encoding = pressed.br && request.acceptsEncodings(['br', 'gzip', 'identity']);
  const body = encoding === 'br' || encoding === 'gzip' ? pressed[encoding] : undefined;
  if (body) response.setHeader('content-encoding', encoding as string);
  response.end(body ?? bytes);
}

function cacheControl({ immutable, maxAgeSeconds }: PublicFile): string {
  if (immutable) return 'public, max-age=31536000, immutable';
  return maxAgeSeconds ? `public, max-age=${maxAgeSeconds}` : 'no-cache';
}
