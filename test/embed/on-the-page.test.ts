import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { aDemoSite, field, launcher, openPanel, panel, ready, site, visit } from './visits.ts';

/** The guide and the scripts of its page. */

aDemoSite();

const guides = (page: Page) => page.locator('guidepost-guide').count();
const focused = (page: Page) => page.evaluate('document.activeElement.id');

function insertScript(page: Page): Promise<unknown> {
  return page.evaluate(`new Promise((resolve) => {
    const script = document.createElement('script');
    const url = ${JSON.stringify(site.harness.baseUrl)};
    Object.assign(script, { src: url + '/guide.js', onload: resolve });
    Object.assign(script.dataset, { gpApp: 'gp_demo', gpApi: url });
    document.head.append(script);
  })`);
}

test('a page has one guide after its body is restored from a copy, and a new one after destroy()', async () => {
  const { page, complaints } = await visit();
  await launcher(page).waitFor();
  await page.evaluate('document.body.replaceWith(document.body.cloneNode(true))');
  await openPanel(page);
  expect(await guides(page)).toBe(1);
  expect(await page.evaluate('document.querySelector("guidepost-guide") === Guidepost')).toBe(true);

  await page.evaluate('Guidepost.destroy()');
  await insertScript(page);
  await openPanel(page);
  await page.evaluate('document.body.replaceWith(document.createElement("body"))');
  expect(await guides(page)).toBe(1);
  expect(complaints).toEqual([]);
  await insertScript(page);
  expect(complaints).toEqual([expect.stringContaining('twice')]);
  expect(await guides(page)).toBe(1);
  await page.evaluate('Guidepost.destroy()');
  expect(await guides(page)).toBe(0);
});

test('an element that was removed for a while starts again with its context and listeners', async () => {
  const { page, sent, complaints } = await visit({
    // A module has no document.currentScript.
    html: (html) =>
      html.replace('/demo/demo.js', '/demo/none.js').replace(
        /<script[^>]*data-gp-app[^>]*><\/script>/,
        `<script type="text/plain" src="/elsewhere/styleguide.js"></script><script type="module" src="/guide.js"></script>
         <guidepost-guide app="gp_demo" api="${site.harness.baseUrl}"></guidepost-guide>`,
      ),
  });
  await launcher(page).waitFor();
  await page.evaluate(`
    document.kept = document.querySelector('guidepost-guide');
    document.kept.setContext({ plan: 'Pro' });
    document.kept.on('open', () => { document.opened = true; });
    document.kept.remove();
    new Promise((resolve) => setTimeout(resolve, 100));
  `);
  await page.evaluate('document.body.append(document.kept)');
  await openPanel(page);
  expect(await page.evaluate('document.opened')).toBe(true);
  await field(page).fill('How do I take a screenshot?');
  await field(page).press('Enter');
  await expect.poll(() => sent('/chat')[0]?.dom_digest).toContain('context plan: Pro');
  expect(await page.locator('guidepost-guide .launcher').count()).toBe(1);
  expect(complaints).toEqual([]);
});

test('the guide never takes the focus, and returns it to the element that opened it', async () => {
  const { page, sent } = await visit();
  await launcher(page).waitFor();
  await page.evaluate(`document.querySelector('#subject').insertAdjacentHTML('afterend', '<button id="help">Help</button>');
    document.querySelector('#help').onclick = (event) => { event.preventDefault(); Guidepost.ask(undefined); };`);
  await page.focus('#help');
  await page.keyboard.press('Enter');
  await ready(page);
  expect(await page.evaluate('document.activeElement.localName')).toBe('guidepost-guide');
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'hidden' });
  expect(await focused(page)).toBe('help');
  expect(sent('/chat')).toEqual([]);

  await launcher(page).click();
  await page.focus('#subject');
  await page.keyboard.type('ab');
  await page.evaluate('Guidepost.close()');
  await panel(page).waitFor({ state: 'hidden' });
  await page.keyboard.type('cd');
  expect(await page.inputValue('#subject')).toBe('abcd');
});

test('a guide that is not allowed leaves no button, not even after open()', async () => {
  const { page, complaints } = await visit({ html: (html) => html.replaceAll('gp_demo', 'gp_nobody') });
  await expect.poll(() => complaints.join()).toContain('App id "gp_nobody" is unknown');
  await page.evaluate('Guidepost.open()');
  await panel(page).getByText('The guide', { exact: false }).first().waitFor();
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'hidden' });
  expect(await launcher(page).count()).toBe(0);
});

test('a response of another server is explained on the console and never thrown into the page', async () => {
  const { page, complaints } = await visit();
  for (const body of [
    'null',
    '{"visitor_id":"v"}',
    '{"visitor_id":"v","jwt":"x","features":{"chat":true}}',
  ]) {
    const before = complaints.length;
    await page.route('**/boot', (route) => route.fulfill({ contentType: 'application/json', body }));
    await page.reload();
    await expect
      .poll(() => complaints.slice(before))
      .toEqual([expect.stringContaining('does not respond like a Guidepost service')]);
    expect(await launcher(page).count()).toBe(0);
  }
});
