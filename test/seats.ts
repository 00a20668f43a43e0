import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { OwnBrowser } from './browser.ts';

/** A page that one visit has after another, and what it complains of in the present one. */
export type Seat = {
  readonly kind: string;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly options: BrowserContextOptions;
  complaints: string[];
};

export type Seats = {
  /** A page that nobody has used, or whose last visit left nothing behind. */
  take(options: BrowserContextOptions): Promise<Seat>;
  /** Ends all visits. What cannot be taken back, such as an init script, ends with the context: a visit that left one closes it. */
  leave(): Promise<void>;
};

/** A browser that has just run the code of a site does it again in half the time, which a new context has to begin with anew. */
export function seatsFor(browser: OwnBrowser, baseUrl: string): Seats {
  const free: Seat[] = [];
  const taken: Seat[] = [];
  return {
    async take(options) {
      const kind = JSON.stringify(options);
      const at = free.findIndex((seat) => seat.kind === kind);
      const seat = at < 0 ? await newSeat(browser, kind, options) : free.splice(at, 1)[0]!;
      seat.complaints = [];
      taken.push(seat);
      return seat;
    },
    async leave() {
      for (const seat of taken.splice(0)) {
        if (seat.page.isClosed()) continue;
        await clear(seat, baseUrl);
        free.push(seat);
      }
    },
  };
}

async function newSeat(browser: OwnBrowser, kind: string, options: BrowserContextOptions): Promise<Seat> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(5000);
  const page = await context.newPage();
  const seat: Seat = { kind, context, page, options, complaints: [] };
  page.on('console', (message) => {
    // A refusal that the page deals with is an error to the console of Chromium; the page's own are not.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      seat.complaints.push(message.text());
  });
  page.on('pageerror', (error) => seat.complaints.push(`thrown: ${error.message}`));
  return seat;
}

async function clear({ context, page, options }: Seat, baseUrl: string): Promise<void> {
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // Of the same site, so that the process stays, and without a script.
  await page.goto(`${baseUrl}/healthz`);
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await context.clearCookies();
  await context.clearPermissions();
  const { viewport, colorScheme, reducedMotion, forcedColors } = options;
  if (viewport) await page.setViewportSize(viewport);
  await page.emulateMedia({
    media: null,
    colorScheme: colorScheme ?? 'light',
    reducedMotion: reducedMotion ?? 'no-preference',
    forcedColors: forcedColors ?? 'none',
  });
}
