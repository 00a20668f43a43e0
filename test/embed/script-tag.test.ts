import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  ask,
  field,
  getStyles,
  launcher,
  NOTHING,
  open,
  openDemoSiteBeforeAll,
  openPanel,
  panel,
  ready,
  site,
  storedOnDevice,
  visit,
} from '../support/demo-site.ts';

openDemoSiteBeforeAll();

test('the script tag boots once when the page is idle, and loads the panel when the visitor approaches', async () => {
  const { page, sent, requests, pageErrors } = await visit();
  await launcher(page).waitFor();
  expect(sent('/boot')).toEqual([
    { app_id: 'gp_demo', origin: site.harness.baseUrl, path: '/demo', texts: false },
  ]);
  const files = () =>
    requests.map((request) => request.url().replace(/.*\//, '')).filter((name) => name.endsWith('.js'));
  expect(files()).not.toContain('panel.js');
  await launcher(page).hover();
  await expect.poll(files).toEqual(expect.arrayContaining(['panel.js', 'en.js']));
  expect(await panel(page).isVisible()).toBe(false);
  expect(await storedOnDevice(page)).toEqual(NOTHING);
  expect(pageErrors).toEqual([]);

  const lateVisit = await visit({
    html: (html) => html.replace('data-gp-app', 'data-gp-boot="open" data-gp-app'),
  });
  await launcher(lateVisit.page).waitFor();
  expect(lateVisit.sent('/boot')).toEqual([]);
  await launcher(lateVisit.page).click();
  await ready(lateVisit.page);
  expect(lateVisit.sent('/boot')).toHaveLength(1);
});

test('files of a build are cached forever, and a script tag of another build gets the current ones', async () => {
  const { page, requests } = await visit();
  await launcher(page).waitFor();
  const address = requests.map((request) => request.url()).find((url) => url.endsWith('/launcher.js'))!;
  const currentBuild = await fetch(address);
  expect(currentBuild.headers.get('cache-control')).toContain('immutable');
  expect(currentBuild.headers.get('access-control-allow-origin')).toBe('*');
  expect(currentBuild.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  const earlierBuild = await fetch(address.replace(/guide\/[^/]+/, 'guide/earlier1'));
  expect(earlierBuild.headers.get('cache-control')).toBe('no-cache');
  expect(await earlierBuild.text()).toBe(await currentBuild.text());
  for (const name of ['build.json', 'nothing.js', '..%2Fguide.js'])
    expect((await fetch(address.replace('launcher.js', name))).status).toBe(404);
});

test('a page can fill in a question, and its shortcuts ignore typing in the panel', async () => {
  const { page, sent } = await visit({
    before: 'window.keys = []; addEventListener("keydown", ({ key }) => keys.push(key));',
  });
  await launcher(page).waitFor();
  await page.evaluate('Guidepost.open("How do I take a screenshot?")');
  await ready(page);
  expect(await field(page).inputValue()).toBe('How do I take a screenshot?');
  expect(sent('/chat')).toEqual([]);
  await field(page).press('s');
  expect(await page.evaluate('keys')).toEqual([]);
  await page.evaluate('Guidepost.close()');
  await panel(page).waitFor({ state: 'hidden' });
  await launcher(page).press('s');
  expect(await page.evaluate('keys')).toEqual(['s']);
});

test('a turn contains no password, no value and nothing private', async () => {
  const { page, sent } = await visit();
  await page.fill('#password', 'hunter2-secret');
  await page.fill('#subject', 'my private matter');
  await launcher(page).click();
  await ready(page);
  await ask(page, 'How do I take a screenshot?');
  const body = JSON.stringify(sent('/chat')[0]);
  for (const secret of ['hunter2', 'my private matter', 'Password', 'Questions to try', 'May the guide'])
    expect(body).not.toContain(secret);
  expect(sent('/chat')[0].dom_digest).toContain('h2 Quick settings');
  const screenshot = sent('/chat')[0].capture_context.targets.find(
    (target: { name: string }) => target.name === 'Take a screenshot',
  );
  expect(screenshot).toMatchObject({ role: 'button', selector: '#screenshot', in_viewport: false });
});

test("the guide has the visitor's language and its direction", async () => {
  const german = await visit({ locale: 'de-DE' });
  await german.page.getByRole('button', { name: 'Assistenten öffnen' }).click();
  await german.page.getByRole('button', { name: 'Ablehnen' }).click();
  await german.page
    .getByLabel('Ihre Frage', { exact: true })
    .fill('Wie stelle ich die Bildschirmhelligkeit ein?');
  await german.page.keyboard.press('Enter');
  await german.page.getByRole('link', { name: 'Bildschirmhelligkeit einstellen' }).first().waitFor();
  expect(await german.page.locator('guidepost-guide .text').getAttribute('lang')).toBe('de');

  const persian = await visit({ locale: 'fa-IR' });
  await persian.page.getByRole('button', { name: 'باز کردن راهنما' }).click();
  expect(await getStyles(panel(persian.page), ['direction'])).toEqual(['rtl']);
  await persian.page.locator('guidepost-guide textarea').fill('چگونه اندازهٔ متن روی صفحه را تغییر دهم؟');
  await persian.page.keyboard.press('Enter');
  const paragraph = persian.page.locator('guidepost-guide .text > p').first();
  await paragraph.waitFor();
  expect(await getStyles(paragraph, ['direction'])).toEqual(['rtl']);
});

test('the language chosen on the page comes before those of the browser', async () => {
  const { page } = await visit({
    html: (html) => html.replace('data-gp-app', 'data-gp-lang="fr" data-gp-app'),
  });
  await page.getByRole('button', { name: 'Ouvrir le guide' }).click();
  await page.getByLabel('Votre question', { exact: true }).fill('Comment régler la luminosité de l’écran ?');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Réglage de la luminosité de l’écran' }).first().waitFor();
});

test('the demo page switches the language of the guide and fills in its questions', async () => {
  const { page } = await visit();
  await page.getByRole('link', { name: 'Deutsch' }).click();
  await page.getByRole('button', { name: 'Assistenten öffnen' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  await page.getByRole('button', { name: 'Wie stelle ich die Bildschirmhelligkeit ein?' }).click();
  await ready(page);
  expect(await page.getByLabel('Ihre Frage', { exact: true }).inputValue()).toBe(
    'Wie stelle ich die Bildschirmhelligkeit ein?',
  );
});

test('the script tag runs under a strict content security policy with trusted types', async () => {
  const { page, pageErrors } = await open({
    html: (html) => html,
    headers: {
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; require-trusted-types-for 'script'",
    },
  });
  await ask(page, 'How do I take a screenshot?');
  expect(await launcher(page).count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

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
  const { page, pageErrors } = await visit();
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
  expect(pageErrors).toEqual([]);
  await insertScript(page);
  expect(pageErrors).toEqual([expect.stringContaining('twice')]);
  expect(await guides(page)).toBe(1);
  await page.evaluate('Guidepost.destroy()');
  expect(await guides(page)).toBe(0);
});

test('an element that was removed for a while starts again with its context and listeners', async () => {
  const { page, sent, pageErrors } = await visit({
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
  expect(pageErrors).toEqual([]);
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
  const { page, pageErrors } = await visit({ html: (html) => html.replaceAll('gp_demo', 'gp_nobody') });
  await expect.poll(() => pageErrors.join()).toContain('App id "gp_nobody" is unknown');
  await page.evaluate('Guidepost.open()');
  await panel(page).getByText('The guide', { exact: false }).first().waitFor();
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'hidden' });
  expect(await launcher(page).count()).toBe(0);
});

test('a response of another server is explained on the console and never thrown into the page', async () => {
  const { page, pageErrors } = await visit();
  for (const body of [
    'null',
    '{"visitor_id":"v"}',
    '{"visitor_id":"v","jwt":"x","features":{"chat":true}}',
  ]) {
    const before = pageErrors.length;
    await page.route('**/boot', (route) => route.fulfill({ contentType: 'application/json', body }));
    await page.reload();
    await expect
      .poll(() => pageErrors.slice(before))
      .toEqual([expect.stringContaining('does not respond like a Guidepost service')]);
    expect(await launcher(page).count()).toBe(0);
  }
});
