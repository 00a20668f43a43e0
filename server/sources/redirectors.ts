/** Leads links through a redirector, which mail and office programs put before addresses, to their target. */

type Redirector = { host: RegExp; path?: RegExp; names: readonly string[] };

const REDIRECTORS: readonly Redirector[] = [
  { host: /^(?:www\.)?google\.[a-z.]{2,6}$/, path: /^\/url$/, names: ['q', 'url'] },
  { host: /(?:^|\.)safelinks\.protection\.(?:outlook\.com|office365\.us)$/, names: ['url'] },
  { host: /\.teams\.cdn\.office\.net$/, path: /safelinks/, names: ['url'] },
  { host: /^lm?\.(?:facebook|messenger|instagram|threads)\.(?:com|net)$/, names: ['u'] },
  { host: /^(?:www\.)?facebook\.com$/, path: /^\/(?:l|flx\/warn)/, names: ['u'] },
  { host: /^(?:app\.)?slack-redir\.net$/, path: /^\/link$/, names: ['url'] },
  { host: /^(?:www\.)?linkedin\.com$/, path: /^\/(?:redir\/redirect|safety\/go)/, names: ['url'] },
  { host: /^(?:www\.)?youtube\.com$/, path: /^\/redirect$/, names: ['q'] },
  { host: /^out\.reddit\.com$/, names: ['url'] },
  { host: /^(?:duckduckgo\.com)$/, path: /^\/l\/?$/, names: ['uddg'] },
  { host: /^(?:vk\.com|m\.vk\.com)$/, path: /^\/away(?:\.php)?$/, names: ['to'] },
  { host: /^link\.zhihu\.com$/, names: ['target'] },
  { host: /^(?:medium\.com)$/, path: /^\/r\/?$/, names: ['url'] },
  { host: /^steamcommunity\.com$/, path: /^\/linkfilter/, names: ['u', 'url'] },
  { host: /^(?:t\.umblr\.com)$/, path: /^\/redirect$/, names: ['z'] },
  { host: /^(?:exit\.sc|gate\.sc)$/, names: ['url'] },
  { host: /^deref-[a-z-]+\.[a-z]+$/, names: ['redirectUrl'] },
  { host: /^linkprotect\.cudasvc\.com$/, names: ['a'] },
];

/** Redirectors may lead to redirectors. */
const STEPS_MAX = 3;
const ADDRESS = /https?:\/\/[^\s<>()"'`\]]+/gi;
const MAY_REDIRECT =
  /google\.|safelinks|facebook\.|messenger\.com|instagram\.|threads\.|slack-redir|linkedin\.|youtube\.|reddit\.|duckduckgo|vk\.com|zhihu|medium\.com|steamcommunity|umblr|\.sc\/|deref-|cudasvc|urldefense|secure-web\.cisco/i;

export function unwrapLinks(markdown: string): string {
  if (!MAY_REDIRECT.test(markdown)) return markdown;
  return markdown.replace(ADDRESS, (address) => unwrap(address, STEPS_MAX));
}

function unwrap(address: string, stepsLeft: number): string {
  const target = stepsLeft > 0 ? findTarget(address) : undefined;
  if (target === undefined) return address;
  const url = URL.parse(target);
  if (!url || !/^https?:$/.test(url.protocol)) return address;
  return unwrap(
    url.href.replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29')),
    stepsLeft - 1,
  );
}

function findTarget(address: string): string | undefined {
  const url = URL.parse(address.replaceAll('&amp;', '&'));
  if (!url) return undefined;
  if (url.hostname === 'urldefense.com') return /\/v3\/__(.+?)__;/.exec(address)?.[1];
  if (url.hostname === 'urldefense.proofpoint.com')
    return decode(url.searchParams.get('u')?.replace(/-/g, '%').replaceAll('_', '/'));
  if (url.hostname === 'secure-web.cisco.com') return decode(/\/(https?%3A.+)$/i.exec(url.pathname)?.[1]);
  const redirector = REDIRECTORS.find(
    ({ host, path }) => host.test(url.hostname) && (!path || path.test(url.pathname)),
  );
  return redirector?.names.map((name) => url.searchParams.get(name)).find(Boolean) ?? undefined;
}

function decode(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
