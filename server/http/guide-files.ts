import type { Express } from 'express';
import { throwApiError } from './errors.ts';
import { builtFacts, fileSender, onDisk } from './files.ts';

type Sender = ReturnType<typeof fileSender>;
/** What the build of the script tag wrote about itself. */
type Build = { readonly build: string; readonly files: readonly string[] };

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const LOADER_SECONDS = 300;

/**
 * The script tag and the chunks that it loads on demand. Chunk names contain the build, so they
 * never change. A page with the script
 * tag of another build, during an update, gets the current chunk and must not cache it.
 */
export function mountGuide(app: Express, folder: URL): void {
  app.get(
    '/guide.js',
    fileSender({
      path: '/guide.js',
      contentType: JAVASCRIPT,
      read: onDisk(new URL('guide.js', folder)),
      shared: true,
      maxAgeSeconds: LOADER_SECONDS,
    }),
  );
  const buildOf = builtFacts(new URL('guide/build.json', folder), (build: Build) => build);
  const senders = new Map<string, Sender>();
  app.get('/guide/:build/:name', async (request, response) => {
    const { build, name } = request.params;
    const built = await buildOf();
    if (!built.files.includes(name)) throwApiError('request/not_found');
    const immutable = build === built.build;
    const key = `${immutable} ${name}`;
    const sender =
      senders.get(key) ??
      fileSender({
        path: request.path,
        contentType: JAVASCRIPT,
        read: onDisk(new URL(`guide/${name}`, folder)),
        shared: true,
        immutable,
      });
    senders.set(key, sender);
    await sender(request, response);
  });
}
