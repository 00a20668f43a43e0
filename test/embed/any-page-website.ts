import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { openDemoSite } from '../support/demo-site.ts';
import { openWebsite } from '../support/website.ts';
import { type AnyPage, defaultTag, listPages } from './any-pages.ts';

/** Serves the pages of `any-pages.ts` and the libraries that they use, beside a service whose guide they embed. */

const LIBRARIES = join(import.meta.dirname, 'libraries');

export async function openAnyPages(...others: readonly AnyPage[]) {
  const served = new Map<string, { headers: Readonly<Record<string, string>>; body: string | Buffer }>();
  const website = await openWebsite((path) => {
    const { pathname } = new URL(path, 'http://page');
    if (pathname === '/hangs') return () => {};
    return (
      served.get(pathname) ?? (pathname.startsWith('/lib/') ? serveLibrary(pathname.slice(5)) : undefined)
    );
  });
  const site = await openDemoSite({ settings: { allowedOrigins: [website.origin] } });
  const bundle = await rolldown({
    input: join(LIBRARIES, 'dialogs.js'),
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  const javascript = { 'content-type': 'text/javascript' };
  served.set('/lib/dialogs.js', { headers: javascript, body: output[0].code });
  served.set('/worker.js', { headers: javascript, body: WORKER });
  const service = site.harness.baseUrl;
  for (const page of [...listPages(service), ...others])
    served.set(`/${page.name}`, {
      headers: { 'content-type': 'text/html', ...page.headers },
      body: render(service, page),
    });
  return { site, website };
}

/** Takes every request of its pages, and keeps the replies. */
const WORKER = `
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => event.respondWith((async () => {
    const reply = await fetch(event.request.clone());
    const cache = await caches.open('replies');
    await cache.put(event.request, reply.clone()).catch(() => {});
    return reply;
  })()));
`;

/** Streams the file, because the site answers at once. */
const serveLibrary = (path: string) => (_request: unknown, response: import('node:http').ServerResponse) => {
  const type = path.endsWith('.css') ? 'text/css' : 'text/javascript';
  void readFile(join(LIBRARIES, 'node_modules', path)).then((bytes) =>
    response.writeHead(200, { 'content-type': type }).end(bytes),
  );
};

function render(service: string, { head = '', body = '', tag = defaultTag, name }: AnyPage): string {
  const main = '<main><h1>Shop</h1><p>Orders and returns.</p><button id="buy">Buy now</button></main>';
  const embedded = tag(service);
  if (name === 'xhtml')
    return `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>Shop</title></head><body>${main}${embedded.replace(' async', ' async="async"')}</body></html>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">${head}</head><body>${main}${body}${embedded}</body></html>`;
}

/** Records what listeners of the page learn of the guide's events. */
export const SPY = `
  globalThis.seenEvents = [];
  for (const type of ['wheel', 'touchstart', 'touchmove', 'pointerdown', 'mousedown', 'click', 'focusin', 'focusout', 'keydown', 'keyup', 'beforeinput',
    'input', 'copy', 'cut', 'paste', 'selectstart', 'contextmenu', 'dragover'])
    for (const capture of [true, false])
      document.addEventListener(type, ({ target }) => target.localName === 'guidepost-guide' && seenEvents.push(type), { capture, passive: true });
`;

export const QUESTION = 'How do I take a screenshot?';
