import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { CaptureContext, ViewportScreenshot } from '../../contract/chat.ts';
import { type OwnBrowser, openBrowser } from '../support/browser.ts';
import { ask, openPanel, type Visit, type VisitOptions } from '../support/demo-site.ts';
import { openSavedPages, type SavedPages } from './saved-pages.ts';

type PageCapture = { domDigest: string; captureContext: CaptureContext };

/** Pages without a service, with the functions that read them. */
type ReadingSite = {
  /** Opens a page with this body and the functions as `gp`. */
  open: (body: string) => Promise<Page>;
  close: () => Promise<void>;
};

const ENTRY = `
import { capturePage, readPage } from './capture.ts';
import { takeScreenshot } from './screenshot.ts';
import { findTarget } from './targets.ts';
globalThis.gp = {
  capture: (question = '', focused = null) => capturePage({ focused, question, locale: 'en' }),
  find: (gpId) => findTarget(gpId, () => readPage().candidates),
  takeScreenshot,
};`;
const EMBED = fileURLToPath(new URL('../../client/embed/', import.meta.url));

async function openReadingSite(): Promise<ReadingSite> {
  const [browser, script] = await Promise.all([openBrowser(), bundled()]);
  return { open: (body) => openPage(browser, script, body), close: () => browser.close() };
}

async function openPage(browser: OwnBrowser, script: string, body: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1000, height: 600 } });
  await page.route('http://page.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>A page</title>${body}` }),
  );
  await page.goto('http://page.test/');
  await page.addScriptTag({ content: script });
  return page;
}

async function bundled(): Promise<string> {
  const entry = `${EMBED}reading-entry.ts`;
  const bundle = await rolldown({
    input: entry,
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? ENTRY : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  return output[0].code;
}

const takeCapture = (page: Page, question = '') =>
  page.evaluate(`gp.capture(${JSON.stringify(question)})`) as Promise<PageCapture>;

const takeScreenshot = (page: Page) =>
  page.evaluate('gp.takeScreenshot()') as Promise<ViewportScreenshot | undefined>;

/** Returns the targets with this name, by rank. */
function targetsNamed({ captureContext }: PageCapture, name: string) {
  return (captureContext.targets ?? []).filter((target) => target.name === name);
}

const foundAs = (page: Page, gpId: string | undefined) =>
  page.evaluate(`gp.find(${JSON.stringify(gpId)})?.id`) as Promise<string | undefined>;

const ROWS = (numbers: readonly number[]) =>
  `<table>${numbers.map((number) => `<tr><td>Invoice ${number}</td><td><button id="d${number}">Delete</button></td></tr>`).join('')}</table>`;

describe('reading a page', () => {
  /** The page data that the guide sends. */

  let site: ReadingSite;
  beforeAll(async () => {
    site = await openReadingSite();
  });
  afterAll(() => site.close());

  test('the digest has landmarks, headings, controls with states, messages and passages', async () => {
    const page = await site.open(`
    <nav aria-label="Main"><a href="/" aria-current="page">Home</a></nav>
    <main><h1>Orders</h1><p>Two orders are open.</p>
      <div role="alert">The card was refused.</div>
      <form aria-labelledby="f"><h2 id="f">Find an order</h2>
        <label for="n">Number</label><input id="n" value="typed-4711" required>
        <button disabled>Find</button><button aria-expanded="true"><img alt="More filters"></button></form>
      <p style="margin-top: 5000px">Far below.</p><div hidden><button>Unseen</button></div>
      <div style="display: contents"><button>In a box without a box</button></div>
    </main>`);
    const { domDigest } = await takeCapture(page);
    expect(domDigest.split('\n')).toEqual([
      'title A page',
      '[navigation Main]',
      'link Home (current)',
      '[main]',
      'h1 Orders',
      'text Two orders are open.',
      'message The card was refused.',
      '[form Find an order]',
      'h2 Find an order',
      'textbox Number (required)',
      'button Find (disabled)',
      'button More filters (expanded)',
      'button In a box without a box',
    ]);
    await page.close();
  });

  test('the digest leaves out passwords, codes, payment data, typed text, and private elements', async () => {
    const page = await site.open(`
    <label>Secret one <input type="password"></label>
    <label>Secret two <input autocomplete="section-a billing cc-number"></label>
    <label>Secret three <select autocomplete="cc-exp-month"><option>Secret four</select></label>
    <label>Secret five <input autocomplete="one-time-code"></label>
    <label>Secret six <input name="card-number"></label>
    <div data-gp-private><h2>Secret seven</h2><a href="/secret-eight">Secret nine</a><p>Secret ten</p></div>
    <div contenteditable>Secret eleven</div><textarea aria-label="Note">Secret twelve</textarea>
    <select aria-label="Size"><option>Secret thirteen</option></select>
    <button aria-describedby="d">Fine</button><p id="d" data-gp-private>Secret fourteen</p>
    <input aria-label="Name" value="Secret fifteen" id="name">`);
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('[data-gp-private]'))`);
    const capture = await takeCapture(page);
    expect(JSON.stringify(capture)).not.toContain('Secret');
    expect(capture.domDigest).toContain('textbox Note');
    expect(capture.domDigest).toContain('combobox Size');
    expect(capture.captureContext.selected_text).toBeUndefined();
    await page.close();
  });

  test('the digest includes open shadow trees, unless their host is private', async () => {
    const page = await site.open('<my-part></my-part><div data-gp-private><my-part></my-part></div>');
    await page.evaluate(`for (const part of document.querySelectorAll('my-part'))
    part.attachShadow({ mode: 'open' }).innerHTML = '<button>Inside</button>'`);
    const capture = await takeCapture(page);
    expect(targetsNamed(capture, 'Inside')).toHaveLength(1);
    await page.close();
  });

  test('a target keeps its id across re-renders, and a removed row is not confused with another', async () => {
    const page = await site.open(`<main>${ROWS([41, 42, 43])}<button id="save">Save</button></main>`);
    const first = await takeCapture(page);
    const ids = new Map(first.captureContext.targets?.map(({ gp_id, selector }) => [selector, gp_id]));
    expect(new Set(ids.values()).size).toBe(4);

    await page.evaluate(
      `document.querySelector('main').innerHTML = ${JSON.stringify(`<p>New</p>${ROWS([40, 41, 43])}<button id="save">Save</button>`)}`,
    );
    expect(await foundAs(page, ids.get('#save'))).toBe('save');
    expect(await foundAs(page, ids.get('#d43'))).toBe('d43');
    expect(await foundAs(page, ids.get('#d42'))).toBeUndefined();
    const second = await takeCapture(page);
    for (const selector of ['#save', '#d41', '#d43'])
      expect(second.captureContext.targets?.find((target) => target.selector === selector)?.gp_id).toBe(
        ids.get(selector),
      );
    expect(second.captureContext.targets?.map(({ gp_id }) => gp_id)).not.toContain(ids.get('#d42'));
    await page.close();
  });

  test('an element with another name is no longer the target', async () => {
    const page = await site.open('<main><button id="b">Save profile</button></main>');
    const [target] = targetsNamed(await takeCapture(page), 'Save profile');
    await page.evaluate(`document.querySelector('#b').textContent = 'Delete account'`);
    expect(await foundAs(page, target?.gp_id)).toBeUndefined();
    await page.evaluate(`document.querySelector('#b').textContent = 'Save profile'`);
    expect(await foundAs(page, target?.gp_id)).toBe('b');
    await page.close();
  });

  test('targets rank by the question, then by view, with less confidence when covered or ambiguous', async () => {
    const links = Array.from({ length: 80 }, (_, at) => `<a href="/${at}">Topic ${at}</a> `).join('');
    const page = await site.open(`<main>${links}<button>Same</button><button>Same</button>
    <div style="height: 3000px"></div><button id="far">Export the calendars</button></main>
    <dialog open style="position: fixed; inset: 0 auto auto 0; width: 700px; height: 60px; margin: 0">
    <button>Agree</button></dialog>`);
    const capture = await takeCapture(page, 'How can I export my calendar?');
    const targets = capture.captureContext.targets ?? [];
    expect(targets).toHaveLength(50);
    expect(targets[0]).toMatchObject({ name: 'Export the calendars', in_viewport: false, confidence: 0.7 });
    expect(targets[0]?.document_bbox?.y).toBeGreaterThan(3000);
    const getConfidence = (name: string) => targets.find((target) => target.name === name)?.confidence;
    expect(getConfidence('Agree')).toBe(0.9);
    expect(getConfidence('Topic 0')).toBe(0.6);
    const other = await takeCapture(page, 'same');
    expect(targetsNamed(other, 'Same').map(({ confidence }) => confidence)).toEqual([0.7, 0.7]);
    await page.close();
  });

  test('a checkbox that is drawn by its label is highlighted at the label', async () => {
    const page = await site.open(
      '<label>Gift <input type="checkbox" style="opacity: 0; position: absolute; width: 1px"></label>',
    );
    const [target] = targetsNamed(await takeCapture(page), 'Gift');
    expect(target?.viewport_bbox?.width).toBeGreaterThan(20);
    await page.close();
  });

  test('a page of 5,000 elements is read quickly, and an endless page only in part', async () => {
    const card = (at: number) =>
      `<article><h3>Thing ${at}</h3><p>It is <b>good</b>.</p><div><span>1</span><a href="/${at}">See ${at}</a></div><button>Buy</button></article>`;
    const page = await site.open(`<main>${Array.from({ length: 625 }, (_, at) => card(at)).join('')}</main>`);
    expect(await page.evaluate('document.body.querySelectorAll("*").length')).toBeGreaterThanOrEqual(5000);
    const millis = (await page.evaluate(`Array.from({ length: 7 }, () => {
    const startedAt = performance.now();
    gp.capture('Where can I buy thing 300?');
    return performance.now() - startedAt;
  })`)) as number[];
    const sorted = millis.toSorted((a, b) => a - b);
    console.info(`5,000 elements: ${sorted.map((one) => one.toFixed(1)).join(', ')} ms`);
    expect(sorted[0]).toBeLessThan(4_000);
    const { domDigest, captureContext } = await takeCapture(page);
    expect(domDigest.length).toBeLessThanOrEqual(12_000);
    expect(captureContext.targets).toHaveLength(50);
    await page.close();
  });

  test('a screenshot shows the visible part, without private or typed text', async () => {
    const page = await site.open(`<style>body { margin: 0; background: rgb(250, 240, 200); }
    div { position: absolute; left: 0; width: 1000px; height: 100px; }</style>
    <div style="top: 0; background: rgb(200, 0, 0)">Red</div>
    <div data-gp-private style="top: 100px; background: rgb(0, 200, 0)">Private</div>
    <div style="top: 200px"><input value="typed" style="width: 1000px; height: 100px; border: 0; background: rgb(0, 0, 200); color: white; font-size: 90px"></div>
    <div style="top: 5000px; background: black"></div>`);
    const picture = await takeScreenshot(page);
    expect(picture).toMatchObject({ mime: 'image/jpeg', width: 1000, height: 600 });
    expect(picture?.data.startsWith('/9j/')).toBe(true);
    expect(picture!.data.length).toBeLessThan(100_000);
    const colours = (await page.evaluate(`(async (data) => {
    const image = new Image();
    image.src = 'data:image/jpeg;base64,' + data;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = 1000; canvas.height = 600;
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    const at = (x, y) => Array.from(pen.getImageData(x, y, 1, 1).data.slice(0, 3), (part) => Math.round(part / 50) * 50);
    return [at(500, 50), at(20, 150), at(60, 250), at(500, 500)];
  })(${JSON.stringify(picture!.data)})`)) as number[][];
    expect(colours).toEqual([
      [200, 0, 0],
      [200, 200, 200],
      [0, 0, 200],
      [250, 250, 200],
    ]);
    await page.close();
  });
});

const visits: Visit[] = [];

const decline = (page: Page) => page.getByRole('button', { name: 'Decline' }).click();
const findSpotlight = (page: Page) => page.locator('guidepost-guide .frame');

async function isAround(page: Page, selector: string): Promise<void> {
  const frame = (await findSpotlight(page).boundingBox())!;
  const target = (await page.locator(selector).boundingBox())!;
  expect(Math.abs(frame.x + frame.width / 2 - (target.x + target.width / 2))).toBeLessThan(3);
  expect(Math.abs(frame.y + frame.height / 2 - (target.y + target.height / 2))).toBeLessThan(3);
}

describe('saved pages', () => {
  /** The guide on typical pages: a shop, documentation, and a single-page application. */

  let site: SavedPages;
  beforeAll(async () => {
    site = await openSavedPages();
  });
  afterEach(async () => {
    for (const visit of visits.splice(0)) await visit.close();
  });
  afterAll(() => site.close());

  async function open(path: string, options: VisitOptions = {}): Promise<Visit> {
    const visit = await site.open(path, { reducedMotion: 'reduce', ...options });
    visits.push(visit);
    await openPanel(visit.page);
    return visit;
  }

  test('in a shop the guide highlights what it mentions, and reads neither card nor address', async () => {
    const { page, sent, pageErrors } = await open('/shop');
    await decline(page);
    await page.fill('#card', '4111 1111 1111 1111');
    await page.fill('#voucher', 'SPRING-SECRET');
    await ask(page, 'How do I print the return label?');
    await page.getByRole('button', { name: 'Show “Print the return label”' }).click();
    await isAround(page, '#label');
    const [turn] = sent('/chat');
    const body = JSON.stringify(turn);
    for (const secret of [
      '4111',
      'SPRING',
      'Card number',
      'Expiry',
      'Code from your bank',
      'Account password',
      'Quillfeather',
    ])
      expect(body).not.toContain(secret);
    expect(turn.dom_digest).toContain('h1 Checkout');
    expect(turn.dom_digest).toContain('checkbox Wrap as a gift');
    expect(turn.capture_context.targets[0].name).toBe('Print the return label');
    expect(turn.viewport_screenshot).toBeUndefined();
    expect(pageErrors).toEqual([]);
  });

  test('in documentation the guide finds the chapter and the states of its controls', async () => {
    const { page, sent, pageErrors } = await open('/documentation', {
      viewport: { width: 1200, height: 700 },
    });
    await ask(page, 'How do I verify the signature?');
    await page.getByRole('button', { name: 'Show “Verify the signature”' }).click();
    await findSpotlight(page).waitFor();
    const [turn] = sent('/chat');
    expect(turn.dom_digest).toContain('link Webhooks (current)');
    expect(turn.dom_digest).toContain('text Kestrel calls an address of yours');
    const tests = turn.capture_context.targets.filter(({ name }: { name: string }) => name === 'Send a test');
    expect(new Set(tests.map(({ gp_id }: { gp_id: string }) => gp_id)).size).toBe(tests.length);
    expect(pageErrors).toEqual([]);
  });

  test('in an application the guide finds re-rendered targets and reports missing ones', async () => {
    const { page, sent, pageErrors } = await open('/dashboard/invoices');
    await decline(page);
    await ask(page, 'How do I create an invoice?');
    const show = page.getByRole('button', { name: 'Show “Create an invoice”' });
    // The whole page is rendered again, with one row less.
    await page.locator('tr', { hasText: '1042' }).getByRole('button', { name: 'Delete' }).click();
    await show.click();
    await isAround(page, '.main');
    // The click renders the page again, and the spotlight stays.
    await page.locator('.main').click();
    await page.getByText('A new invoice would open here.').waitFor();
    await isAround(page, '.main');

    await page.getByRole('link', { name: 'Settings' }).click();
    await findSpotlight(page).waitFor({ state: 'hidden' });
    await show.click();
    await page.getByText('“Create an invoice” is no longer on this page.').first().waitFor();
    await page.getByRole('link', { name: 'Invoices' }).click();
    await show.click();
    await isAround(page, '.main');

    await ask(page, 'How do I create an invoice now?');
    await expect.poll(() => sent('/chat').length).toBe(2);
    const [first, second] = sent('/chat');
    expect(second.action_results.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'done',
      'target_missing',
      'done',
    ]);
    const getTargetId = (turn: typeof first, name: string) =>
      turn.capture_context.targets.find((target: { name: string }) => target.name === name).gp_id;
    for (const name of ['Create an invoice', 'Settings'])
      expect(getTargetId(second, name)).toBe(getTargetId(first, name));
    expect(new URL(second.url).pathname).toBe('/dashboard/invoices');
    expect(pageErrors).toEqual([]);
  });

  test('a screenshot is sent only for visitors who consented', async () => {
    const { page, sent } = await open('/shop');
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByRole('group', { name: 'May the guide remember you?' }).waitFor({ state: 'detached' });
    await ask(page, 'How do I print the return label?');
    const { viewport_screenshot: picture } = sent('/chat')[0];
    expect(picture).toMatchObject({ mime: 'image/jpeg' });
    expect(picture.width).toBeLessThanOrEqual(1280);
    const bytes = Buffer.from(picture.data, 'base64');
    expect(bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(bytes.length).toBeLessThan(400_000);
  });
});
