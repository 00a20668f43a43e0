import { readFile } from 'node:fs/promises';
import type { Express, Response } from 'express';

/** A file that anybody may read. Its bytes are read once, when it is first asked for. */
export type PublicFile = {
  readonly path: string;
  readonly contentType: string;
  readonly read: () => Promise<Buffer | string>;
  /** Any page may load it: the script tag, the published contract. */
  readonly shared?: boolean;
  /** Seconds that a browser may keep it; it is revalidated by default. */
  readonly maxAgeSeconds?: number;
  readonly contentSecurityPolicy?: string;
  readonly referrerPolicy?: string;
};

export function mountFiles(app: Express, files: readonly PublicFile[]): void {
  for (const file of files) {
    let bytes: Promise<Buffer | string> | undefined;
    app.get(file.path, async (_request, response) => {
      bytes ??= file.read();
      try {
        send(response, file, await bytes);
      } catch (error) {
        // A file that is not built yet may be there at the next try.
        bytes = undefined;
        throw error;
      }
    });
  }
}

/** A file on disk. */
export function onDisk(url: URL): () => Promise<Buffer> {
  return () => readFile(url);
}

function send(response: Response, file: PublicFile, bytes: Buffer | string): void {
  response.setHeader('content-type', file.contentType);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader(
    'cache-control',
    file.maxAgeSeconds ? `public, max-age=${file.maxAgeSeconds}` : 'no-cache',
  );
  if (file.shared) response.setHeader('access-control-allow-origin', '*');
  if (file.contentSecurityPolicy) response.setHeader('content-security-policy', file.contentSecurityPolicy);
  if (file.referrerPolicy) response.setHeader('referrer-policy', file.referrerPolicy);
  response.end(bytes);
}
