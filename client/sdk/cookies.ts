/**
 * A fetch that stays signed in to one service. In a browser the cookie is the browser's own business: scripts can
 * neither read nor send it, nor say where they come from. Elsewhere the cookie is kept here, in memory, for this service
 * alone, and requests say that they come from the service itself, as its own pages do.
 */
export function fetchSignedIn(baseUrl: string, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const page = (globalThis as { location?: { href: string } }).location;
  const { origin } = new URL(baseUrl, page?.href);
  const cookies = new Map<string, string>();
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has('origin')) headers.set('origin', origin);
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    if (cookie) headers.set('cookie', cookie);
    // The service never redirects; whatever does shall not be handed the cookie.
    const response = await fetch(input, {
      ...init,
      headers,
      credentials: 'same-origin',
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie?.() ?? []) keep(line, cookies);
    return response;
  };
}

/** The service ends a cookie by emptying it. */
function keep(line: string, cookies: Map<string, string>): void {
  const [, name, value] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
  if (name === undefined) return;
  if (value) cookies.set(name, value);
  else cookies.delete(name);
}
