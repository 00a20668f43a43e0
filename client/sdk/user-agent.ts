/** How the client names itself; with the version in `client/package.json`. */
export const USER_AGENT = 'guidepost-client/0.1.0';

type Headers = Readonly<Record<string, string>>;

/**
 * Names the client outside of a browser: the service takes the default names of runtimes for bots. A browser has a name, and
 * another would need a preflight. Headers of the caller win.
 */
export function withUserAgent(headers: Headers): Headers {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } };
  const own = navigator?.userAgent?.startsWith('Mozilla/') ? {} : { 'user-agent': USER_AGENT };
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...own, ...Object.fromEntries(given) };
}
