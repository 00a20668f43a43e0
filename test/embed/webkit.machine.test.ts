import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DemoSite } from '../support/demo-site.ts';
import { CONTROL, ENTER, openWebkit, type Webkit } from '../support/webkit.ts';
import type { Website } from '../support/website.ts';
import { openAnyPages, QUESTION, SPY } from './any-page-website.ts';
import { listPages } from './any-pages.ts';

/** The visit of `any-page.test.ts` in WebKitGTK, which Playwright does not drive. */

let site: DemoSite;
let website: Website;
let webkit: Webkit;
beforeAll(async () => {
  [{ site, website }, webkit] = await Promise.all([openAnyPages(), openWebkit()]);
});
afterAll(() => Promise.all([webkit?.close(), site?.close(), website?.close()]));

const inGuide = (rest: string) => `Guidepost.shadowRoot.${rest}`;

/** The middle of a part of the guide, once it is in view. WebKit measures before the zoom of the root. */
async function locate(selector: string): Promise<[number, number]> {
  const middle = await webkit.until<string>(`
    const part = ${inGuide(`querySelector('${selector}')`)};
    const zoom = Number(getComputedStyle(document.documentElement).zoom) || 1;
    const { x, y, width, height, right, bottom } = part.getBoundingClientRect();
    return part.checkVisibility() && x >= 0 && y >= 0 && right * zoom <= innerWidth && bottom * zoom <= innerHeight
      && (x + width / 2) * zoom + ' ' + (y + height / 2) * zoom;`);
  return middle.split(' ').map(Number) as [number, number];
}

/** Without the page that never finishes loading, for which the driver waits before each command. */
const names = listPages('').flatMap(({ name }) => (name === 'never-loaded' ? [] : [name]));

it.each(names)('a visitor asks in WebKit on the page %s', async (name) => {
  // Not refused for asking often.
  site.harness.clock.advance(60_000);
  const { prepare, holds } = listPages(site.harness.baseUrl).find((each) => each.name === name)!;
  await webkit.goto(`${website.origin}/${name}`);
  await webkit.run(SPY);
  await locate('.launcher');
  if (prepare) await webkit.evaluate(prepare);
  await webkit.click(...(await locate('.launcher')));
  await webkit.until(`return ${inGuide("querySelector('.log:not([aria-busy])')")} !== null`);

  const read = () => webkit.run(`return ${inGuide("querySelector('textarea')")}.value`);
  await webkit.click(...(await locate('textarea')));
  await webkit.press(QUESTION);
  expect(await read()).toBe(QUESTION);
  for (const key of 'axv') await webkit.press(key, CONTROL);
  expect(await read()).toBe(QUESTION);
  await webkit.press(ENTER);
  await webkit.until(`return ${inGuide("querySelector('.rating')")}.checkVisibility()`);
  expect(await webkit.run(`return ${inGuide("querySelector('.text')")}.textContent`)).toContain('Print');

  const log = inGuide("querySelector('.log')");
  await webkit.run(`${log}.scrollTop = 0`);
  await webkit.wheel(...(await locate('.log')), 60);
  await webkit.until(`return ${log}.scrollTop > 0`);
  expect(await webkit.run('return [scrollY, ...new Set(seenEvents)].join()')).toBe('0');
  if (!holds) return;
  await webkit.evaluate(`Promise.resolve(${holds}).then((held) => globalThis.held = held)`);
  expect(await webkit.run('return held')).toBe(true);
});
