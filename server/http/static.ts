import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Express, Request, Response } from 'express';
import { imageId as imageIdSchema } from '../../contract/images.ts';
import { VERSION_TEXT } from '../base/version.ts';
import type { PublicImages } from '../storage/images.ts';
import { throwApiError } from './errors.ts';

/** A public file. Its bytes are read at the first request. */
export type PublicFile = {
  path: string;
  contentType: string;
  read: () => Promise<Buffer | string>;
  /** Pages of any origin may load it: the script tag, the published contract. */
  shared?: boolean;
  /** Seconds that browsers may cache it; the default is to revalidate. */
  maxAgeSeconds?: number;
  /** Cached forever, because the name changes with the bytes. */
  immutable?: boolean;
  /** Called with each response, because the service may not know its address before it listens. */
  contentSecurityPolicy?: () => string;
  /** Allows the microphone: the page embeds the guide, which has voice input. */
  usesMicrophone?: boolean;
};

type FileHandler = (request: Request, response: Response) => Promise<void>;

export const JAVASCRIPT = 'text/javascript; charset=utf-8';
export const HTML = 'text/html; charset=utf-8';
export const CSS = 'text/css; charset=utf-8';

/** Isolates our pages from the windows around them, sends no referrer and denies the device's sensors. */
export function setPageHeaders(response: Response, usesMicrophone = false): void {
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  const microphone = usesMicrophone ? '(self)' : '()';
  response.setHeader(
    'permissions-policy',
    `camera=(), display-capture=(), geolocation=(), microphone=${microphone}, payment=(), usb=()`,
  );
}

const LOADER_MAX_AGE_SECONDS = 300;

export function mountFiles(app: Express, files: readonly PublicFile[]): void {
  for (const file of files) app.get(file.path, createFileHandler(file));
}

/** `guide/build.json`, written by the build of the script tag. */
type GuideBuild = { build: string; files: readonly string[] };

/**
 * Serves the script tag and the chunks that it loads on demand. Chunk names contain the build, so they never
 * change. During an update, a page with the script tag of another build gets the current chunk, uncached.
 */
export function mountGuide(app: Express, folder: URL): void {
  const loader = { contentType: JAVASCRIPT, shared: true, maxAgeSeconds: LOADER_MAX_AGE_SECONDS };
  mountFiles(app, [{ ...loader, path: '/guide.js', read: () => readFile(new URL('guide.js', folder)) }]);
  const readBuild = cacheJson(new URL('guide/build.json', folder), (build: GuideBuild) => build);
  const handlers = new Map<string, FileHandler>();
  app.get('/guide/:build/:name', async (request, response) => {
    const { build, name } = request.params;
    const current = await readBuild();
    if (!current.files.includes(name)) throwApiError('request/not_found');
    const immutable = build === current.build;
    const key = `${immutable} ${name}`;
    const handle =
      handlers.get(key) ??
      createFileHandler({
        path: request.path,
        contentType: JAVASCRIPT,
        read: () => readFile(new URL(`guide/${name}`, folder)),
        shared: true,
        immutable,
      });
    handlers.set(key, handle);
    await handle(request, response);
  });
}

/** Reads and caches a JSON file of a build. A file that is still missing is read again at the next call. */
function cacheJson<Json, Value>(url: URL, parse: (json: Json) => Value): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= readFile(url, 'utf8').then((text) => parse(JSON.parse(text) as Json));
    value.catch(() => {
      value = undefined;
    });
    return value;
  };
}

function createFileHandler(file: PublicFile): FileHandler {
  let content: Promise<Content> | undefined;
  return async (request, response) => {
    content ??= file.read().then((bytes) => encode(Buffer.from(bytes), file.contentType));
    try {
      send(request, response, file, await content);
    } catch (error) {
      // Not cached on failure: the file may be built before the next request.
      content = undefined;
      throw error;
    }
  };
}

/** The bytes of a file and their compressed forms. */
type Content = {
  bytes: Buffer;
  etag: string;
  br?: Buffer;
  gzip?: Buffer;
};

/** What is sent. */
export type Body = {
  bytes: Buffer;
  etag: string;
  encoding?: 'br' | 'gzip';
};

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);
const COMPRESSIBLE = /^(text\/|application\/(json|yaml|javascript)|image\/svg)/;
const COMPRESSED_BYTES_MIN = 1024;
/** Nearly as small as level 11 at a fiftieth of its time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
const PAGE_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** Compressed files by etag and content type, shared by all servers of this process. */
const encoded = new Map<string, Promise<Content>>();

const toEtag = (bytes: Buffer) => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

/** The encoding in which a request wants a text. */
export const chooseEncoding = (request: Request) => request.acceptsEncodings(['br', 'gzip', 'identity']);

/** Compresses a page in one encoding only, and faster than a file: it changes sooner, and is sent less often. */
export async function encodePage(text: string, encoding: string | false): Promise<Body> {
  const bytes = Buffer.from(text);
  const etag = toEtag(bytes);
  if (bytes.length < COMPRESSED_BYTES_MIN) return { bytes, etag };
  if (encoding === 'br') return { bytes: await brotliAsync(bytes, PAGE_BROTLI), etag, encoding };
  return encoding === 'gzip' ? { bytes: await gzipAsync(bytes), etag, encoding } : { bytes, etag };
}

function encode(bytes: Buffer, contentType: string): Promise<Content> {
  const etag = toEtag(bytes);
  const content = encoded.get(etag + contentType) ?? compress(bytes, contentType, etag);
  encoded.set(etag + contentType, content);
  return content;
}

async function compress(bytes: Buffer, contentType: string, etag: string): Promise<Content> {
  if (bytes.length < COMPRESSED_BYTES_MIN || !COMPRESSIBLE.test(contentType)) return { bytes, etag };
  const [br, gz] = await Promise.all([brotliAsync(bytes, BROTLI), gzipAsync(bytes)]);
  return { bytes, etag, br, gzip: gz };
}

function send(request: Request, response: Response, file: PublicFile, content: Content): void {
  response.setHeader('content-type', file.contentType);
  response.setHeader('cache-control', buildCacheControl(file));
  if (file.shared) allowEveryPage(response);
  if (file.contentType === HTML) setPageHeaders(response, file.usesMicrophone);
  if (file.contentSecurityPolicy) response.setHeader('content-security-policy', file.contentSecurityPolicy());
  const isCompressed = content.br !== undefined || content.gzip !== undefined;
  if (isCompressed) response.vary('accept-encoding');
  sendBody(request, response, chooseBody(content, isCompressed && chooseEncoding(request)));
}

function chooseBody({ bytes, etag, ...compressed }: Content, encoding: string | false): Body {
  const chosen = encoding === 'br' || encoding === 'gzip' ? compressed[encoding] : undefined;
  return chosen ? { bytes: chosen, etag, encoding: encoding as 'br' | 'gzip' } : { bytes, etag };
}

/** Sends a body, or says that the client has it. */
export function sendBody(request: Request, response: Response, { bytes, etag, encoding }: Body): void {
  response.setHeader('etag', etag);
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304).end();
    return;
  }
  if (encoding) response.setHeader('content-encoding', encoding);
  response.setHeader('content-length', bytes.length);
  response.end(bytes);
}

/** Also pages that require the permission of what they embed (`Cross-Origin-Embedder-Policy: require-corp`). */
function allowEveryPage(response: Response): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('cross-origin-resource-policy', 'cross-origin');
}

function buildCacheControl({
  immutable,
  maxAgeSeconds,
}: Pick<PublicFile, 'immutable' | 'maxAgeSeconds'>): string {
  if (immutable) return 'public, max-age=31536000, immutable';
  return maxAgeSeconds ? `public, max-age=${maxAgeSeconds}` : 'no-cache';
}

/** An image opened by itself must not run scripts or load anything. */
const IMAGE_CONTENT_SECURITY_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Serves the images of articles to pages of any origin. They are immutable: an id always names the same bytes. */
export function mountImages(app: Express, images: PublicImages): void {
  app.get('/images/:imageId', async (request, response) => {
    const { imageId } = request.params;
    const image = imageIdSchema.safeParse(imageId).success ? await images.find(imageId) : undefined;
    if (!image) return throwApiError('request/not_found');
    const etag = `"${imageId}"`;
    response.setHeader('content-type', image.mediaType);
    response.setHeader('cache-control', buildCacheControl({ immutable: true }));
    response.setHeader('etag', etag);
    response.setHeader('content-disposition', 'inline');
    response.setHeader('content-security-policy', IMAGE_CONTENT_SECURITY_POLICY);
    allowEveryPage(response);
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.setHeader('content-length', image.content.byteLength);
    response.end(image.content);
  });
}

/** Leads from the address of the service to a page. Relative, for a proxy that serves it below a path. */
export function mountEntrance(app: Express, findPage: () => Promise<'demo' | 'dashboard'>): void {
  app.get('/', async (_request, response) => {
    response.writeHead(302, { location: await findPage(), 'cache-control': 'no-store' }).end();
  });
}

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
type Chunk = { file: string; css?: readonly string[]; isEntry?: boolean };

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
    // Mantine adds style elements with this nonce.
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
    <meta name="generator" content="Guidepost ${VERSION_TEXT}">
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
    <style>
      nav { padding: 1rem; text-align: center; font: 1rem sans-serif; }
      nav a { display: inline-block; padding: 0.5rem 1rem; color: #1b4f9c; }
      nav a[aria-current] { border-bottom: 3px solid; font-weight: bold; text-decoration: none; }
    </style>
  </head>
  <body>
    <nav aria-label="Operations shown">
      <a href="/docs">For your pages and programs</a>
      <a href="/docs?all">All, with those of the dashboard</a>
    </nav>
    <main id="swagger-ui"></main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/initializer.js"></script>
  </body>
</html>
`;

/** Requests from the page go to the server that sent it. */
const DOCS_INITIALIZER = `const showsAll = new URLSearchParams(location.search).has('all');
document.querySelectorAll('nav a')[showsAll ? 1 : 0].setAttribute('aria-current', 'page');
fetch(showsAll ? '/openapi.json' : '/openapi-integration.json')
  .then((response) => response.json())
  .then((spec) => {
    spec.servers[0].variables.baseUrl.default = location.origin;
    SwaggerUIBundle({
      spec,
      dom_id: '#swagger-ui',
      deepLinking: true,
      filter: true,
      // So many operations would take minutes to draw.
      docExpansion: showsAll ? 'none' : 'list',
      showExtensions: true,
      validatorUrl: null,
    });
  });
`;

/** Lists everything below /docs: the page, its initializer, and the files of Swagger UI that they load. */
export function listDocsFiles(folder: URL): PublicFile[] {
  return [
    {
      path: '/docs',
      contentType: HTML,
      contentSecurityPolicy: () => DOCS_CONTENT_SECURITY_POLICY,
      read: async () => DOCS_PAGE,
    },
    { path: '/docs/initializer.js', contentType: JAVASCRIPT, read: async () => DOCS_INITIALIZER },
    createSwaggerUiFile(folder, 'swagger-ui-bundle.js', JAVASCRIPT),
    createSwaggerUiFile(folder, 'swagger-ui.css', CSS),
    createSwaggerUiFile(folder, 'favicon-32x32.png', 'image/png'),
  ];
}

/** Copied into dist/ by the build. */
export const SWAGGER_UI_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'] as const;

function createSwaggerUiFile(
  folder: URL,
  name: (typeof SWAGGER_UI_FILES)[number],
  contentType: string,
): PublicFile {
  return { path: `/docs/${name}`, contentType, read: () => readFile(new URL(name, folder)) };
}
