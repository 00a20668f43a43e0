import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express, Request, Response } from 'express';
import { throwApiError } from './errors.ts';
import {
  CSS,
  cacheJson,
  createFileHandler,
  type FileHandler,
  HTML,
  JAVASCRIPT,
  type PublicFile,
  setPageHeaders,
} from './static.ts';

const ASSET_TYPES: Readonly<Record<string, string>> = { js: JAVASCRIPT, css: CSS, svg: 'image/svg+xml' };

/** Serves the dashboard: one page for every path below `/dashboard`, and the assets of its build. */
export function mountDashboard(app: Express, folder: URL): void {
  const readManifest = cacheJson(new URL('manifest.json', folder), parseManifest);
  const handlers = new Map<string, FileHandler>();
  app.get('/dashboard/assets/:name', async (request, response) => {
    const { name } = request.params;
    const contentType = ASSET_TYPES[/\.(\w+)$/.exec(name)?.[1] ?? ''];
    const { files } = await readManifest();
    if (!contentType || !files.has(`assets/${name}`)) throwApiError('request/not_found');
    const handle =
      handlers.get(name) ??
      createFileHandler({
        path: request.path,
        contentType,
        immutable: true,
        read: () => readFile(new URL(`assets/${name}`, folder)),
      });
    handlers.set(name, handle);
    await handle(request, response);
  });
  app.get(/^\/dashboard(\/|$)/, async (request: Request, response: Response) => {
    sendDashboard(response, request.path, (await readManifest()).entry);
  });
}

/** A chunk in Vite's manifest, with its styles. */
type Chunk = { readonly file: string; readonly css?: readonly string[]; readonly isEntry?: boolean };

function parseManifest(manifest: Readonly<Record<string, Chunk>>) {
  const chunks = Object.values(manifest);
  const entry = chunks.find(({ isEntry }) => isEntry);
  if (!entry) throw new Error('The dashboard build has no entry');
  return { entry, files: new Set(chunks.flatMap(({ file, css = [] }) => [file, ...css])) };
}

/** Sends the page of the dashboard. Its URLs are relative, for a proxy that serves it below a path. */
function sendDashboard(response: Response, path: string, { file, css = [] }: Chunk): void {
  const nonce = randomBytes(16).toString('base64');
  const depth = path.split('/').length - 2;
  const root = depth === 0 ? 'dashboard/' : '../'.repeat(depth - 1) || './';
  const styles = css.map((name) => `<link rel="stylesheet" href="${root}${name}">`).join('\n    ');
  response.setHeader('content-type', HTML);
  setPageHeaders(response);
  response.setHeader('cache-control', 'no-store');
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

/** No inline scripts and no other hosts. Swagger UI uses data: URLs for icons and inline styles. */
const DOCS_CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Guidepost API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/initializer.js"></script>
  </body>
</html>
`;

/** Requests from the page go to the server that sent it. */
const DOCS_INITIALIZER = `fetch('/openapi.json')
  .then((response) => response.json())
  .then((spec) => {
    spec.servers[0].variables.baseUrl.default = location.origin;
    SwaggerUIBundle({ spec, dom_id: '#swagger-ui', deepLinking: true, filter: true, validatorUrl: null });
  });
`;

/** Everything below /docs: the page, its initializer, and the files of Swagger UI that they load. */
export function listDocsFiles(): PublicFile[] {
  return [
    {
      path: '/docs',
      contentType: HTML,
      contentSecurityPolicy: () => DOCS_CONTENT_SECURITY_POLICY,
      read: async () => DOCS_PAGE,
    },
    { path: '/docs/initializer.js', contentType: JAVASCRIPT, read: async () => DOCS_INITIALIZER },
    createSwaggerUiFile('swagger-ui-bundle.js', JAVASCRIPT),
    createSwaggerUiFile('swagger-ui.css', CSS),
    createSwaggerUiFile('favicon-32x32.png', 'image/png'),
  ];
}

function createSwaggerUiFile(name: string, contentType: string): PublicFile {
  return { path: `/docs/${name}`, contentType, read: () => readFile(join(resolveSwaggerUi(), name)) };
}

function resolveSwaggerUi(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
