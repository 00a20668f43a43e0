import type { BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import type { OwnBrowser } from './browser.ts';

/** A page that one visit has after another, with what is heard of it during the present one. */
export type Seat = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors on its console that count, and whatever was thrown. */
  readonly complaints: readonly string[];
  readonly requests: readonly Request[];
  /** Ends the visit. */
  readonly leave: () => Promise<void>;
};

export type Seats = {
  /** A page that nobody has used, or whose last visit left nothing behind. `before` runs in it before anything of the site. */
  take(options: BrowserContextOptions, before?: string): Promise<Seat>;
  /** Ends the visits that have not ended. */
  leave(): Promise<void>;
};

type Heard = { readonly complaints: string[]; readonly requests: Request[] };
type Used = Pick<Seat, 'context' | 'page'> & { readonly kind: string; heard: Heard };

/** A browser that has just run the code of a site does it again in half the time; in a new context it begins anew. */
export function seatsFor(
  browser: OwnBrowser,
  baseUrl: string,
  counts: (consoleError: string) => boolean,
): Seats {
  const free: Used[] = [];
  const taken = new Map<Used, () => Promise<void>>();

  async function newPage(kind: string, options: BrowserContextOptions, before: string): Promise<Used> {
    const context = await browser.newContext(options);
    if (before !== '') await context.addInitScript(before);
    const page = await context.newPage();
    const used: Used = { kind, context, page, heard: nothing() };
    page.on('console', (message) => {
      if (message.type() === 'error' && counts(message.text())) used.heard.complaints.push(message.text());
    });
    page.on('pageerror', (error) => used.heard.complaints.push(`thrown: ${error.message}`));
    page.on('request', (request) => used.heard.requests.push(request));
    return used;
  }

  return {
    async take(options, before = '') {
      const kind = JSON.stringify(options);
      const at = before === '' ? free.findIndex((used) => used.kind === kind) : -1;
      const used = at < 0 ? await newPage(kind, options, before) : free.splice(at, 1)[0]!;
      used.heard = nothing();
      const leave = async () => {
        if (!taken.delete(used)) return;
        // Nothing takes an init script back.
        if (before !== '') return used.context.close();
        await clear(used, options, baseUrl);
        free.push(used);
      };
      taken.set(used, leave);
      return { context: used.context, page: used.page, ...used.heard, leave };
    },
    async leave() {
      for (const leave of [...taken.values()]) await leave();
    },
  };
}

const nothing = (): Heard => ({ complaints: [], requests: [] });

async function clear(
  { context, page }: Used,
  { viewport, colorScheme, reducedMotion, forcedColors }: BrowserContextOptions,
  baseUrl: string,
): Promise<void> {
  for (const other of context.pages()) if (other !== page) await other.close();
  await context.setOffline(false);
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // Of the same site, so that its process stays, and without a script.
  await page.goto(`${baseUrl}/healthz`);
  const browser = await context.newCDPSession(page);
  await browser.send('Storage.clearDataForOrigin', { origin: baseUrl, storageTypes: 'all' });
  await browser.detach();
  await page.evaluate('sessionStorage.clear()');
  await context.clearCookies();
  await context.clearPermissions();
  if (viewport) await page.setViewportSize(viewport);
  await page.emulateMedia({
    media: null,
    colorScheme: colorScheme ?? 'light',
    reducedMotion: reducedMotion ?? 'no-preference',
    forcedColors: forcedColors ?? 'none',
  });
}
