import { fromHtml } from 'hast-util-from-html';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import { decode } from '../sources/decode.ts';
import { type Element, getAttribute, getText, isTag, walkElements } from '../sources/html-tree.ts';
import { createFetcher, type Fetcher, type PageHeaders } from '../sources/website/fetch.ts';
import type { Workspaces } from '../storage/store.ts';
import { isAllowedOrigin } from '../visitors/allowed-origin.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Checks of an owner's page: what will hinder the guide there. Reads the HTML as the server sends it and runs no script. */

const REDIRECTS_MAX = 5;

type Page = { url: string; html: string; headers: PageHeaders };

/** The script tag of the guide as the page's HTML contains it. */
type Tag = { app: string; api: string; nonce: string | undefined; address: string };

export async function* checkPage(
  url: string,
  networks: readonly string[],
  workspaces: Pick<Workspaces, 'findByAppId'> | undefined,
): AsyncGenerator<Finding> {
  const fetcher = createFetcher({ networks });
  try {
    const page = await readPage(fetcher, url);
    if (typeof page === 'string') return yield problem`page: ${url} cannot be read: ${page}.`;
    yield ok`page: ${page.url} can be read.`;
    const scripts = [...walkElements(fromHtml(page.html))].filter((element) => isTag(element, 'script'));
    const tags = scripts.map((script) => readTag(script, page.url)).filter((tag) => tag !== undefined);
    const [tag] = tags;
    if (!tag) return yield describeMissingTag(page, scripts);
    if (tags.length > 1) yield warning`tag: The script tag is on the page ${tags.length} times: leave one.`;
    yield checkTag(tag);
    yield* checkPolicy(page, tag);
    yield* checkScript(fetcher, page, tag);
    if (workspaces) yield await checkOrigin(page, tag, workspaces);
    else
      yield warning`origin: The domains were not compared: run this command where DATA_DIR or DATABASE_URL leads to the database.`;
  } finally {
    fetcher.close();
  }
}

async function readPage(fetcher: Fetcher, address: string): Promise<Page | string> {
  let url = address;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const fetched = await fetcher.get(url, {
      signal: AbortSignal.timeout(30_000),
      bytesMax: SOURCE_LIMITS.pageBytesMax,
    });
    if (fetched.kind === 'moved') {
      url = fetched.to;
      continue;
    }
    if (fetched.kind === 'failed') return `${fetched.reason}${fetched.detail ? ` (${fetched.detail})` : ''}`;
    if (fetched.kind !== 'ok') return 'there is no such page';
    const { bytes, headers } = fetched;
    return {
      url,
      headers,
      html: decode(bytes, { contentType: headers.contentType, isMarkup: true })?.text ?? '',
    };
  }
  return 'it redirects too often';
}

function readTag(script: Element, pageUrl: string): Tag | undefined {
  const source = getAttribute(script, 'src') ?? '';
  const url = URL.parse(source, pageUrl);
  const read = (name: string, property: string) =>
    getAttribute(script, property) ?? url?.searchParams.get(name) ?? undefined;
  const app = read('app', 'dataGpApp');
  if (!url || (app === undefined && !/\/guide\.js$/.test(url.pathname))) return undefined;
  const hasAttributes = getAttribute(script, 'dataGpApp') !== undefined;
  const api = read('api', 'dataGpApi') ?? (hasAttributes ? '' : new URL('.', url).href);
  return {
    app: app ?? '',
    api,
    nonce: getAttribute(script, 'nonce'),
    address: source === '' ? '' : url.href,
  };
}

const TAG_MANAGER = /googletagmanager\.com|gtm\.js|window\.dataLayer|matomo.*container|tealium|adobedtm/;

function describeMissingTag({ html, url }: Page, scripts: readonly Element[]): Finding {
  if (html.includes('<guidepost-guide')) return ok`tag: ${url} has a <guidepost-guide> element.`;
  if (scripts.some((script) => getText(script).includes('guide.js')))
    return warning`tag: A script of the page inserts guide.js: open the page in a browser, and read its console if no button appears.`;
  if (TAG_MANAGER.test(html))
    return warning`tag: The script tag is not in the HTML; the page has a tag manager, which may insert it after the visitor's consent, and late. Open the page in a browser, and give the settings in the script's address (guide.js?app=…).`;
  return problem`tag: The page has no script tag of the guide: insert the one that the dashboard shows.`;
}

function checkTag({ app, api, address }: Tag): Finding {
  if (address === '')
    return warning`tag: An optimizer or a consent banner holds the script back (it has no src): exclude guide.js from it if the button appears late or never.`;
  if (app === '')
    return warning`tag: The script tag names no app id: the page must set GuidepostSettings or insert <guidepost-guide>.`;
  if (api === '')
    return problem`tag: The script tag has no data-gp-api, so the guide does not start: add the address of the service.`;
  return ok`tag: The script tag is in the HTML.`;
}

/** Says which directives keep the guide from loading its files and from asking the service. */
function* checkPolicy({ headers, html, url }: Page, tag: Tag): Generator<Finding> {
  const meta = [...walkElements(fromHtml(html))]
    .filter(
      (element) =>
        isTag(element, 'meta') && /^content-security-policy$/i.test(getAttribute(element, 'httpEquiv') ?? ''),
    )
    .map((element) => getAttribute(element, 'content') ?? '');
  const policies = [...(headers.contentSecurityPolicy?.split(',') ?? []), ...meta].map(parsePolicy);
  const script = URL.parse(tag.address);
  const service = URL.parse(tag.api, url);
  const refusals: string[] = [];
  for (const policy of policies) {
    const scripts = policy.get('script-src-elem') ?? policy.get('script-src') ?? policy.get('default-src');
    if (script && scripts && !allowsScript(scripts, script, tag.nonce, url))
      refusals.push(`script-src ${script.origin}`);
    const connections = policy.get('connect-src') ?? policy.get('default-src');
    if (service && connections && !allows(connections, service, url))
      refusals.push(`connect-src ${service.origin}`);
    const sandbox = policy.get('sandbox');
    if (sandbox && !(sandbox.includes('allow-scripts') && sandbox.includes('allow-same-origin')))
      refusals.push('sandbox allow-scripts allow-same-origin');
  }
  if (refusals.length > 0)
    yield problem`policy: The page's Content-Security-Policy blocks the guide: add ${[...new Set(refusals)].join('; ')}.`;
  else
    yield ok`policy: ${policies.length > 0 ? 'The Content-Security-Policy allows the guide' : 'The page has no Content-Security-Policy'}.`;
}

type Policy = ReadonlyMap<string, readonly string[]>;

function parsePolicy(text: string): Policy {
  const directives = text.split(';').map((directive) => directive.trim().split(/\s+/));
  // The first directive of a name counts.
  return new Map(directives.reverse().map(([name = '', ...sources]) => [name.toLowerCase(), sources]));
}

function allowsScript(
  sources: readonly string[],
  script: URL,
  nonce: string | undefined,
  page: string,
): boolean {
  if (nonce && sources.includes(`'nonce-${nonce}'`)) return true;
  return !sources.includes("'strict-dynamic'") && allows(sources, script, page);
}

function allows(
  sources: readonly string[],
  { protocol, hostname, port, origin }: URL,
  page: string,
): boolean {
  return sources.some((source) => {
    if (source === '*' || source.toLowerCase() === protocol) return true;
    if (source === "'self'") return origin === new URL(page).origin;
    const [, scheme, host = '', itsPort] =
      /^(?:([a-z][\w+.-]*):\/\/)?([^/:]+)(?::(\d+|\*))?/i.exec(source) ?? [];
    if (scheme && `${scheme.toLowerCase()}:` !== protocol && !(scheme === 'http' && protocol === 'https:'))
      return false;
    if (itsPort !== '*' && (itsPort ?? '') !== port) return false;
    return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : host.toLowerCase() === hostname;
  });
}

async function* checkScript(fetcher: Fetcher, { headers }: Page, { address }: Tag): AsyncGenerator<Finding> {
  if (address === '') return;
  const file = await fetcher.get(address, { signal: AbortSignal.timeout(30_000), bytesMax: 1024 ** 2 });
  if (file.kind !== 'ok' || !/javascript/.test(file.headers.contentType))
    return yield problem`script: ${address} is no script (${file.kind === 'failed' ? file.reason : file.kind}): correct the address, or start the service.`;
  const needsPermission = /require-corp/.test(headers.embedderPolicy ?? '');
  if (needsPermission && file.headers.resourcePolicy !== 'cross-origin')
    return yield problem`script: The page requires Cross-Origin-Resource-Policy (its Cross-Origin-Embedder-Policy is require-corp), and ${address} comes without it: update the service, let its proxy keep the header, or add crossorigin to the tag.`;
  yield ok`script: ${address} can be loaded.`;
}

async function checkOrigin(
  { url }: Page,
  { app }: Tag,
  workspaces: Pick<Workspaces, 'findByAppId'>,
): Promise<Finding> {
  const { origin } = new URL(url);
  const workspace = await workspaces.findByAppId(app);
  if (!workspace)
    return problem`origin: No workspace has the app id ${app || 'of the page'}: run \`guidepost workspace list\`.`;
  if (isAllowedOrigin(origin, workspace.settings.allowedOrigins))
    return ok`origin: The workspace accepts ${origin}.`;
  return problem`origin: ${origin} is not among the domains of the workspace: run \`guidepost workspace set ${workspace.id} --domain ${origin}\`, with --domain for the present ones too.`;
}
