import { randomBytes } from 'node:crypto';
import type { Express, Request, Response } from 'express';
import { throwApiError } from './errors.ts';
import { builtFacts, fileSender, onDisk } from './files.ts';

/** Serves the dashboard: one page for every path below `/dashboard`, and the assets of its build. */
export function mountDashboard(app: Express, folder: URL): void {
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

/** Vite's manifest: source file to chunk and its styles. */
type Manifest = Readonly<
  Record<string, { readonly file: string; readonly css?: readonly string[]; readonly isEntry?: boolean }>
>;

function factsIn(manifest: Manifest) {
  const chunks = Object.values(manifest);
  const entry = chunks.find(({ isEntry }) => isEntry);
  if (!entry) throw new Error('The dashboard build has no entry');
  return { entry, names: new Set(chunks.flatMap(({ file, css = [] }) => [file, ...css])) };
}

/** URLs are relative, for a proxy that serves it below a path. */
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
    // Mantine writes styles into style elements that carry the nonce.
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
    <noscript><p>This page needs JavaScript. Please enable it in your browser.</p></noscript>
  </body>
</html>
`);
}
