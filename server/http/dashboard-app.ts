import { randomBytes } from 'node:crypto';
import type { Express, Request, Response } from 'express';
import { dashboardPages } from './dashboard-pages.ts';
import { throwApiError } from './errors.ts';
import { builtFacts, fileSender, mountFiles, onDisk } from './files.ts';

/**
 * The dashboard: the two pages that links lead to, and one page for whatever other address below /dashboard is asked for,
 * with the files that it is built into.
 */
export function mountDashboard(app: Express, folder: URL): void {
  mountFiles(app, dashboardPages(folder));
  const built = builtFacts(new URL('manifest.json', folder), factsIn);
  const senders = new Map<string, ReturnType<typeof fileSender>>();
  app.get('/dashboard/assets/:name', async (request, response) => {
    const { name } = request.params;
    const contentType = CONTENT_TYPES[/\.(\w+)$/.exec(name)?.[1] ?? ''];
    if (!contentType || !(await built()).names.has(`assets/${name}`)) throwApiError('request/not_found');
    const sender =
      senders.get(name) ??
      fileSender({
        path: request.path,
        contentType,
        immutable: true,
        read: onDisk(new URL(`assets/${name}`, folder)),
      });
    senders.set(name, sender);
    await sender(request, response);
  });
  app.get(/^\/dashboard(\/|$)/, async (request: Request, response: Response) => {
    sendPage(response, request.path, (await built()).entry);
  });
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** What the build says that it made: source to file, and the styles that a file needs. */
type Manifest = Readonly<
  Record<string, { readonly file: string; readonly css?: readonly string[]; readonly isEntry?: boolean }>
>;

function factsIn(manifest: Manifest) {
  const chunks = Object.values(manifest);
  const entry = chunks.find(({ isEntry }) => isEntry);
  if (!entry) throw new Error('the build of the dashboard names no entry');
  return { entry, names: new Set(chunks.flatMap(({ file, css = [] }) => [file, ...css])) };
}

/** Addresses are relative, for a proxy that keeps the service in a folder. */
function sendPage(response: Response, path: string, { file, css = [] }: Manifest[string]): void {
  const nonce = randomBytes(16).toString('base64');
  const below = path.split('/').length - 2;
  const root = below === 0 ? 'dashboard/' : '../'.repeat(below - 1) || './';
  const styles = css.map((name) => `<link rel="stylesheet" href="${root}${name}">`).join('\n    ');
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader(
    'content-security-policy',
    // Components write their measures into style elements of their own, which carry the nonce.
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
      "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  );
  response.end(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <meta name="color-scheme" content="light dark">
    <meta property="csp-nonce" nonce="${nonce}">
    <title>Guidepost</title>
    ${styles}
    <script type="module" src="${root}${file}"></script>
  </head>
  <body>
    <div id="root"></div>
    <noscript><p>This page needs JavaScript, which is switched off in this browser.</p></noscript>
  </body>
</html>
`);
}
