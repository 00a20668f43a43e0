import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PublicFile } from './files.ts';

/** No inline scripts and no other hosts. Swagger UI uses data: URLs for icons and inline styles. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Guidepost: the interface</title>
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
const INITIALIZER = `fetch('/openapi.json')
  .then((reply) => reply.json())
  .then((spec) => {
    spec.servers[0].variables.baseUrl.default = location.origin;
    SwaggerUIBundle({ spec, dom_id: '#swagger-ui', deepLinking: true, filter: true, validatorUrl: null });
  });
`;

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/**
 * Everything below /docs: the page, its initializer, and the files of Swagger UI that they load.
 */
export function docsAssets(): PublicFile[] {
  return [
    {
      path: '/docs',
      contentType: 'text/html; charset=utf-8',
      contentSecurityPolicy: CONTENT_SECURITY_POLICY,
      read: async () => Buffer.from(PAGE),
    },
    { path: '/docs/initializer.js', contentType: JAVASCRIPT, read: async () => Buffer.from(INITIALIZER) },
    swaggerUiFile('swagger-ui-bundle.js', JAVASCRIPT),
    swaggerUiFile('swagger-ui.css', 'text/css; charset=utf-8'),
    swaggerUiFile('favicon-32x32.png', 'image/png'),
  ];
}

function swaggerUiFile(name: string, contentType: string): PublicFile {
  return { path: `/docs/${name}`, contentType, read: () => readFile(join(swaggerUiFolder(), name)) };
}

function swaggerUiFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
