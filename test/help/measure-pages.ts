import { DEMO_APP_ID } from '../../server/demo/demo.ts';
import { HELP_CENTRE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { quitBrowsers } from '../support/browser.ts';
import { openDemoSite } from '../support/demo-site.ts';

/** Measures in a browser what a reader of the help centre waits for and downloads, with the guide: `make bench-help`. */

const PAGES = { home: '/en', article: '/en/set-screen-brightness', search: '/en/search?q=brightness' };
const VISITS = 5;
/** Scripts of the guide come after the page. */
const REST_MILLIS = 1500;

const OBSERVE = `globalThis.measured = { lcp: 0, cls: 0 };
new PerformanceObserver((list) => { for (const { startTime } of list.getEntries()) measured.lcp = startTime; })
  .observe({ type: 'largest-contentful-paint', buffered: true });
new PerformanceObserver((list) => { for (const { value, hadRecentInput } of list.getEntries()) measured.cls += hadRecentInput ? 0 : value; })
  .observe({ type: 'layout-shift', buffered: true });`;

type Measured = { lcp: number; cls: number; kilobytes: number };

const helpCentre = { ...HELP_CENTRE_DEFAULTS, enabled: true };
const site = await openDemoSite({ settings: { helpCentre } });
try {
  for (const [name, path] of Object.entries(PAGES)) {
    const visits: Measured[] = [];
    for (let visit = 0; visit < VISITS; visit += 1) visits.push(await measure(path));
    const [lcp, cls, kilobytes] = (['lcp', 'cls', 'kilobytes'] as const).map(
      (key) => visits.map((each) => each[key]).sort((one, other) => one - other)[VISITS >> 1]!,
    );
    console.log(
      `${name}: LCP ${lcp!.toFixed(0)} ms, CLS ${cls!.toFixed(3)}, ${kilobytes!.toFixed(1)} KB of HTML`,
    );
  }
} finally {
  await site.close();
  await quitBrowsers();
}

async function measure(path: string): Promise<Measured> {
  const address = `${site.harness.baseUrl}/help/${DEMO_APP_ID}${path}`;
  const { page, close } = await site.open({ address, before: OBSERVE });
  await page.waitForTimeout(REST_MILLIS);
  const measured = await page.evaluate(
    `({ ...measured, kilobytes: performance.getEntriesByType('navigation')[0].decodedBodySize / 1000 })`,
  );
  await close();
  return measured as Measured;
}
