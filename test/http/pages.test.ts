import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import { listDocsFiles } from '../../server/http/static.ts';
import { type OwnBrowser, openBrowser } from '../fixtures/browser.ts';
import { type Harness, openHarness } from '../harness.ts';

const assets = listDocsFiles();
const readAsset = async (path: string) => String(await assets.find((asset) => asset.path === path)!.read());

it('serves every file that the API page loads', async () => {
  const page = await readAsset('/docs');
  const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
  expect(loaded.sort()).toEqual(
    assets
      .map(({ path }) => path)
      .filter((path) => path !== '/docs')
      .sort(),
  );
  for (const asset of assets) expect((await asset.read()).length, asset.path).toBeGreaterThan(100);
});

it('contains no inline script, as its content security policy requires', async () => {
  const page = await readAsset('/docs');
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|\son[a-z]+=|javascript:/i);
  expect(assets[0]!.contentSecurityPolicy?.()).toContain("script-src 'self';");
});

it('loads the published document and sends requests to the server that served the page', async () => {
  const initializer = await readAsset('/docs/initializer.js');
  expect(initializer).toContain("fetch('/openapi.json')");
  expect(initializer).toContain('location.origin');
});

describe('the API reference in a browser', () => {
  let harness: Harness;
  let browser: OwnBrowser;
  let page: Page;
  const errors: string[] = [];
  const elsewhere: string[] = [];

  beforeAll(async () => {
    [harness, browser] = await Promise.all([openHarness(), openBrowser()]);
    page = await browser.newPage();
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('request', (request) => {
      const isOwn = request.url().startsWith(`${harness.baseUrl}/`) || request.url().startsWith('data:');
      if (!isOwn) elsewhere.push(request.url());
    });
    await page.goto(`${harness.baseUrl}/docs`);
    await page.waitForSelector('.opblock');
  });
  afterAll(() => Promise.all([browser.close(), harness.close()]));

  const document = openapiDocument();
  const operations = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item));
  /** Runs in the page, whose browser types do not exist here. */
  const inPage = <T>(script: string): Promise<T> => page.evaluate(script) as Promise<T>;

  test('shows every operation once, with its summary, under its tag', async () => {
    const shown = await inPage<string[]>(
      `[...document.querySelectorAll('.opblock-summary-description')].map((each) => each.textContent.trim())`,
    );
    expect(shown.toSorted()).toEqual(operations.map(({ summary }) => summary).toSorted());
    const tags = await inPage<string[]>(
      `[...document.querySelectorAll('.opblock-tag')].map((each) => each.dataset.tag)`,
    );
    expect(tags.toSorted()).toEqual(document.tags?.map(({ name }) => name).toSorted());
  });

  test('offers every security scheme of the document', async () => {
    await page.click('.btn.authorize');
    const ways = await inPage<string[]>(
      `[...document.querySelectorAll('.auth-container h4 code, .auth-container h6 code')].map((each) => each.textContent)`,
    );
    for (const name of Object.keys(document.components?.securitySchemes ?? {})) expect(ways).toContain(name);
    await page.click('.btn-done.modal-btn');
  });

  test('sends a request from an operation and shows the response', async () => {
    await page.click('#operations-Session-readSession .opblock-summary-control');
    await page.click('#operations-Session-readSession .try-out__btn');
    await page.click('#operations-Session-readSession .execute');
    await page.waitForSelector('#operations-Session-readSession .live-responses-table .response-col_status');
    const answered = await page.textContent('#operations-Session-readSession .live-responses-table');
    expect(answered).toContain('401');
    expect(answered).toContain('session/unauthorized');
  });

  test('contacts no other origin, and its content security policy blocks nothing it needs', () => {
    expect(elsewhere).toEqual([]);
    // The browser itself notes an answer of 401.
    expect(errors.filter((line) => !line.includes('401 (Unauthorized)'))).toEqual([]);
  });
});
