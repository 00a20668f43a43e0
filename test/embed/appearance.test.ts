import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  field,
  getStyles,
  launcher,
  openDemoSiteBeforeAll,
  openPanel,
  panel,
  ready,
  site,
  visit,
} from '../support/demo-site.ts';

/** Options of the page: theme, position, offsets, colors, a launcher of its own, and pages without an origin. */

openDemoSiteBeforeAll();

const withAttributes = (attributes: string, head = '') => ({
  html: (html: string) =>
    html.replace('data-gp-app', `${attributes} data-gp-app`).replace('</head>', `${head}</head>`),
});

test('data-gp-theme selects the colors whatever the visitor has set, and may change', async () => {
  const { page } = await visit({ ...withAttributes('data-gp-theme="dark"'), colorScheme: 'light' });
  await openPanel(page);
  expect(await getStyles(panel(page), ['background-color'])).toEqual(['rgb(22, 27, 37)']);
  await page.evaluate('Guidepost.setAttribute("theme", "light")');
  expect(await getStyles(panel(page), ['background-color'])).toEqual(['rgb(255, 255, 255)']);
});

test('data-gp-position and the offsets move the launcher and the panel', async () => {
  const style =
    '<style>guidepost-guide { --guidepost-offset-block: 80px; --guidepost-offset-inline: 40px }</style>';
  const { page } = await visit({
    ...withAttributes('data-gp-position="start"', style),
    reducedMotion: 'reduce',
  });
  const button = (await launcher(page).boundingBox())!;
  expect([button.x, button.y + button.height]).toEqual([40, 640]);
  await openPanel(page);
  const box = (await panel(page).boundingBox())!;
  expect([box.x, box.y + box.height]).toEqual([40, 640]);
  expect(box.y).toBeGreaterThanOrEqual(19);
});

test('data-gp-launcher names elements of the page that open the guide instead of its button', async () => {
  const { page, pageErrors } = await visit({
    html: (html) =>
      html
        .replace('data-gp-app', 'data-gp-launcher=".help" data-gp-app')
        .replace('</main>', '<p><a class="help" id="help" href="/demo?help"><b>Help</b></a></p></main>'),
  });
  // Until the guide has booted, the element works as the link that it is.
  await page.locator('guidepost-guide aside[data-side]').waitFor({ state: 'attached' });
  expect(await launcher(page).count()).toBe(0);
  await page.locator('#help').click();
  await ready(page);
  expect(new URL(page.url()).search).toBe('');
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'hidden' });
  expect(await page.evaluate('document.activeElement.id')).toBe('help');
  expect(await launcher(page).count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

/** Script that returns the contrast of two colors as browsers draw them. */
const CONTRAST = `(colors) => {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  const [a, b] = colors.map((color) => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  });
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}`;

test.each(['#ffd400', '#7a0050', '#e00000', '#777777', '#00ff00', '#1f55c4', '#0000ff', '#ff00ff'])(
  'text on an accent of %s is readable',
  async (accent) => {
    const style = `<style>guidepost-guide { --guidepost-accent: ${accent} }</style>`;
    const { page } = await visit(withAttributes('', style));
    const colors = await getStyles(launcher(page), ['color', 'background-color']);
    expect(await page.evaluate(`(${CONTRAST})(${JSON.stringify(colors)})`)).toBeGreaterThanOrEqual(4.5);
  },
);

/** Script that tells the lowest contrast of these variables, on both backgrounds, for the whole wheel of brands. */
const findLowest = (variables: readonly string[]) => `(() => {
  const aside = document.querySelector('guidepost-guide').shadowRoot.querySelector('aside');
  const probe = aside.appendChild(document.createElement('i'));
  const read = (variable) => {
    probe.style.color = 'var(' + variable + ')';
    return getComputedStyle(probe).color;
  };
  const brands = ['#ffffff', '#000000', '#777777', '#ffd400', '#00ff00', '#0000ff'];
  for (let hue = 0; hue < 360; hue += 15)
    for (const [chroma, light] of [[50, 25], [100, 50], [100, 80]]) brands.push('hsl(' + hue + ' ' + chroma + '% ' + light + '%)');
  const found = brands.flatMap((brand) => {
    aside.style.setProperty('--gp-brand', brand);
    return ${JSON.stringify(variables)}.flatMap((text) =>
      ['--paper', '--soft'].map((background) => [(${CONTRAST})([read(text), read(background)]), brand, text, background]));
  });
  aside.style.removeProperty('--gp-brand');
  probe.remove();
  return found.sort(([a], [b]) => a - b)[0];
})()`;

const READ_EDGE = `{
  const probe = Guidepost.shadowRoot.querySelector('aside').appendChild(document.createElement('i'));
  probe.style.color = 'var(--edge)';
  const { color } = getComputedStyle(probe);
  probe.remove();
  color;
}`;

test.each(['light', 'dark'] as const)(
  'links, texts and borders of fields stand out with any color of a workspace, in %s',
  async (colorScheme) => {
    const { page } = await visit({ html: (html) => html, colorScheme });
    await page.route('**/boot', async (route) => {
      const reply = await (await route.fetch()).json();
      reply.config.branding.color = '#7a0050';
      await route.fulfill({ json: reply });
    });
    await page.reload();
    await openPanel(page);
    for (const [least, ...variables] of [
      [4.5, '--accent', '--faint', '--ink'],
      // Borders of the fields in which one types.
      [3, '--edge'],
    ] as const) {
      const [contrast, ...where] = (await page.evaluate(findLowest(variables))) as [number, ...string[]];
      expect(contrast, where.join()).toBeGreaterThanOrEqual(least);
    }
    expect(await getStyles(field(page), ['border-top-color', 'border-top-style'])).toEqual([
      await page.evaluate(READ_EDGE),
      'solid',
    ]);
    expect(await getHue(page, '--accent')).toBe(await getHue(page, '--gp-brand'));
  },
);

/** The hue of a variable of the guide, to the nearest 20 degrees. */
const getHue = (page: Page, variable: string) =>
  page.evaluate(`{
    const aside = document.querySelector('guidepost-guide').shadowRoot.querySelector('aside');
    aside.style.setProperty('--gp-brand', '#7a0050');
    const probe = aside.appendChild(document.createElement('i'));
    probe.style.color = 'oklch(from var(${variable}) l c h)';
    const hue = Number(getComputedStyle(probe).color.match(/[\\d.]+/g)[2]);
    probe.remove();
    Math.round(hue / 20);
  }`);

/** Returns a page with the script inline: without an origin, Chromium asks before it loads files from this machine. */
async function pageWithoutOrigin(): Promise<string> {
  const { baseUrl } = site.harness;
  const code = await (await fetch(`${baseUrl}/guide.js`)).text();
  return `<!doctype html><meta charset="utf-8"><body><script data-gp-app="gp_demo" data-gp-api="${baseUrl}">${code}</script>
    <script>addEventListener('load', () => { Guidepost.open(); document.title = typeof Guidepost.ask; })</script>`;
}

test.each(['srcdoc', 'src'])(
  'a sandboxed frame with %s has no guide and no error on the console',
  async (attribute) => {
    const inner = await pageWithoutOrigin();
    // `visit` drops the content security policy of a page whose HTML a test changes.
    const { page, pageErrors, requests } = await visit({ html: (html) => html });
    await page.route('**/inner', (route) => route.fulfill({ contentType: 'text/html', body: inner }));
    const messages: string[] = [];
    page.on('console', (message) => messages.push(`${message.type()} ${message.text()}`));
    await page.evaluate(`{
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.${attribute} = ${JSON.stringify(attribute === 'src' ? '/inner' : inner)};
    document.body.append(frame);
  }`);
    await expect.poll(() => messages.join()).toContain('without an origin');
    await expect.poll(() => page.frames().at(-1)!.title()).toBe('function');
    expect(messages.filter((message) => message.startsWith('error'))).toEqual([]);
    const asked = requests.filter((request) => request.frame() !== page.mainFrame());
    const urls = asked.map((request) => request.url()).filter((url) => url.startsWith('http'));
    expect(urls.filter((url) => !url.endsWith('/inner'))).toEqual([]);
    expect(pageErrors).toEqual([]);
  },
);

test('a page opened from a file has no guide and no error on the console', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  const file = join(folder, 'page.html');
  writeFileSync(file, await pageWithoutOrigin());
  const { page, pageErrors, requests } = await visit({ address: pathToFileURL(file).href });
  await expect.poll(() => page.title()).toBe('function');
  expect(requests.filter((request) => request.url().startsWith('http'))).toEqual([]);
  expect(pageErrors).toEqual([]);
  rmSync(folder, { recursive: true });
});
