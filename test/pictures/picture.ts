import type { BrowserContextOptions, Page } from 'playwright-core';

/** A page in one state, shown on each screen of the gallery. */
export type Picture = {
  name: string;
  /** Opens the page and brings it into the state. */
  open: (options: BrowserContextOptions) => Promise<{
    page: Page;
    close: () => Promise<unknown>;
  }>;
  /** Replaces the screens of the gallery. */
  screens?: Readonly<Record<string, BrowserContextOptions>>;
  /** The part that is checked; by default the whole page. */
  within?: string;
};

const phone = { hasTouch: true, isMobile: true };
export const SCREENS: Readonly<Record<string, BrowserContextOptions>> = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, ...phone },
};

/** Small screens that leave little room for an answer. */
export const SMALL_SCREENS: Readonly<Record<string, BrowserContextOptions>> = {
  laptop: { viewport: { width: 1280, height: 720 } },
  landscape: { viewport: { width: 844, height: 390 }, ...phone },
  'zoom 200': { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 },
};
export const FORCED_COLORS: Readonly<Record<string, BrowserContextOptions>> = {
  'forced colors': { viewport: { width: 1440, height: 900 }, forcedColors: 'active' },
};
