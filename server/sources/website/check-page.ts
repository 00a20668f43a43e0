import { fromHtml } from 'hast-util-from-html';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import { WORKSPACE_LIMITS } from '../../../contract/limits/workspace.ts';
import { SITE_FINDINGS, type SiteFindingCode } from '../../../contract/site-checks.ts';
import { decode } from '../decode.ts';
import { type Element, getAttribute, getText, isTag, walkElements } from '../html-tree.ts';
import { createFetcher, type Fetcher, type FetcherSettings, type PageHeaders } from './fetch.ts';

/** Checks of an owner's page: what will hinder the guide there. Reads the HTML as the server sends it and runs no script. */

const REDIRECTS_MAX = 5;

type Page = { url: string; html: string; headers: PageHeaders };

/** The script tag of the guide as the page's HTML contains it. */
type Tag = { app: string; api: string; nonce: string | undefined; address: string };

export type SiteFinding = {
  code: SiteFindingCode;
  status: (typeof SITE_FINDINGS)[SiteFindingCode];
  /** An address, a reason, directives or a number. */
  detail?: string;
};

const find = (code: SiteFindingCode, detail?: string): SiteFinding => ({
  code,
  status: SITE_FINDINGS[code],
  ...(detail !== undefined && { detail: detail.slice(0, WORKSPACE_LIMITS.siteFindingCharsMax) }),
});

/** @param checkOrigin says whether the workspace with this app id accepts the origin of the page; undefined if it cannot be compared */
export async function* checkPage(
  url: string,
  settings: FetcherSettings,
  checkOrigin: (app: string, origin: string) => Promise<'unknown' | 'refused' | 'allowed' | undefined>,
): AsyncGenerator<SiteFinding> {
  const fetcher = createFetcher(settings);
  try {
    const page = await readPage(fetcher, url);
    if (typeof page === 'string') return yield find('page_unreadable', page);
    yield find('page_read', page.url);
    const elements = [...walkElements(fromHtml(page.html))];
    const scripts = elements.filter((element) => isTag(element, 'script'));
    const tags = scripts.map((script) => readTag(script, page.url)).filter((tag) => tag !== undefined);
    const [tag] = tags;
    if (!tag) return yield describeMissingTag(page, scripts);
    if (tags.length > 1) yield find('tag_repeated', String(tags.length));
    yield checkTag(tag);
    yield* checkPolicy(page, elements, tag);
    yield* checkScript(fetcher, page, tag);
    const { origin } = new URL(page.url);
    const outcome = await checkOrigin(tag.app, origin);
    if (outcome) yield find(`origin_${outcome}`, origin);
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

function describeMissingTag({ html }: Page, scripts: readonly Element[]): SiteFinding {
  if (html.includes('<guidepost-guide')) return find('tag_element');
  if (scripts.some((script) => getText(script).includes('guide.js'))) return find('tag_inserted');
  return find(TAG_MANAGER.test(html) ? 'tag_manager' : 'tag_missing');
}

function checkTag({ app, api, address }: Tag): SiteFinding {
  // An optimizer or a consent banner took the src away.
  if (address === '') return find('tag_held_back');
  if (app === '') return find('tag_without_app');
  return find(api === '' ? 'tag_without_service' : 'tag_found');
}

/** Says which directives keep the guide from loading its files and from asking the service. */
function* checkPolicy(
  { headers, url }: Page,
  elements: readonly Element[],
  tag: Tag,
): Generator<SiteFinding> {
  const meta = elements
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
  if (refusals.length > 0) yield find('policy_blocks', [...new Set(refusals)].join('; '));
  else yield find(policies.length > 0 ? 'policy_allows' : 'policy_absent');
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

async function* checkScript(
  fetcher: Fetcher,
  { headers }: Page,
  { address }: Tag,
): AsyncGenerator<SiteFinding> {
  if (address === '') return;
  const file = await fetcher.get(address, { signal: AbortSignal.timeout(30_000), bytesMax: 1024 ** 2 });
  if (file.kind !== 'ok' || !/javascript/.test(file.headers.contentType))
    return yield find(
      'script_unreachable',
      `${address} (${file.kind === 'failed' ? file.reason : file.kind})`,
    );
  const needsPermission = /require-corp/.test(headers.embedderPolicy ?? '');
  const isBlocked = needsPermission && file.headers.resourcePolicy !== 'cross-origin';
  yield find(isBlocked ? 'script_blocked' : 'script_loads', address);
}
