import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toAudience } from '../../contract/openapi/variants.ts';
import { openapiDocument } from '../../scripts/openapi/openapi.ts';
import { listDocsFiles } from '../../server/http/static.ts';
import { ConfigError, readConfig } from '../../server/settings/config.ts';
import { type OwnBrowser, openBrowser } from '../support/browser.ts';
import { type Harness, openHarness, question } from '../support/harness.ts';
import { head, sendRaw } from '../support/raw-connection.ts';
import { readResponse } from '../support/response.ts';

const HTTPS = 'https://guide.example.com';
const HSTS = 'max-age=31536000';
const DAY = 24 * 3_600_000;

const getHead = head('GET /healthz HTTP/1.1', {}).trimEnd();
const postHead = head('POST /boot HTTP/1.1', { 'content-type': 'application/json' }).trimEnd();

describe('security headers', () => {
  let plain: Harness;
  let secure: Harness;
  beforeAll(async () => {
    const timeouts = { headMillis: 500, idleMillis: 5000, checkMillis: 50 };
    const SECURITY_CONTACT = 'mailto:security@example.com, https://example.com/report';
    plain = await openHarness({ timeouts, env: { GUIDEPOST_DEMO: 'on' } });
    secure = await openHarness({ timeouts, env: { PUBLIC_URL: HTTPS, SECURITY_CONTACT } });
  });
  afterAll(() => Promise.all([plain.close(), secure.close()]));

  describe('every response is marked nosniff, and binds browsers to https when the public address is https', () => {
    it.each([
      [200, 'a health check', `${getHead}\r\n\r\n`],
      [204, 'a preflight', head('OPTIONS /chat HTTP/1.1', { origin: 'https://a.example' })],
      [200, 'the script tag', head('GET /guide.js HTTP/1.1', {})],
      [200, 'the dashboard', head('GET /dashboard HTTP/1.1', {})],
      [200, 'the API reference', head('GET /docs HTTP/1.1', {})],
      [401, 'a request without a credential', head('GET /api/session HTTP/1.1', {})],
      [404, 'an unknown path', head('GET /nowhere HTTP/1.1', {})],
      [413, 'a body that is too large', `${postHead}\r\ncontent-length: 99999999\r\n\r\n`],
      [400, 'garbage', 'garbage\r\n\r\n'],
      [400, 'a request without a host', 'GET /healthz HTTP/1.1\r\n\r\n'],
      [400, 'a broken chunk', `${postHead}\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`],
      [
        413,
        'an endless chunk extension',
        `${postHead}\r\ntransfer-encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}`,
      ],
      [417, 'an expectation that is not met', `${getHead}\r\nexpect: miracles\r\n\r\n`],
      [431, 'a head that is too large', `${getHead}\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`],
    ])('%i for %s', async (status, _what, bytes) => {
      for (const harness of [plain, secure]) {
        const response = await sendRaw(harness.baseUrl, bytes);
        expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(response).toMatch(/^x-content-type-options: nosniff\r$/m);
        expect(/^strict-transport-security: (.*)\r$/m.exec(response)?.[1]).toBe(
          harness === secure ? HSTS : undefined,
        );
      }
    });

    it('408 for half a head', async () => {
      const response = await sendRaw(secure.baseUrl, getHead, 5000);
      expect(response).toMatch(/^HTTP\/1\.1 408 /);
      expect(response).toMatch(/^x-content-type-options: nosniff\r$/m);
      expect(response).toMatch(/^strict-transport-security: /m);
    });

    it('200 for a stream of events', async () => {
      const { jwt } = await secure.boot();
      const headers = { authorization: `Bearer ${jwt}` };
      const response = await readResponse(secure.fetch('/chat', { json: question(), headers }));
      expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('strict-transport-security')).toBe(HSTS);
    });
  });

  describe('pages', () => {
    it.each([
      ['/dashboard', '()'],
      ['/dashboard/w/any/preview', '()'],
      ['/docs', '()'],
      ['/demo', '(self)'],
    ])(
      '%s is isolated from other windows and may use the microphone of %s only',
      async (path, microphone) => {
        const { headers } = await readResponse(plain.fetch(path));
        expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
        const policy = headers.get('permissions-policy');
        expect(policy).toContain(`microphone=${microphone}`);
        expect(policy).toContain('camera=()');
        expect(policy).toContain('geolocation=()');
      },
    );

    it('keep their own policies when they belong to customers: the script tag sets none', async () => {
      const { headers } = await readResponse(plain.fetch('/guide.js'));
      expect(headers.get('permissions-policy')).toBeNull();
      expect(headers.get('cross-origin-opener-policy')).toBeNull();
    });
  });

  describe('GET /.well-known/security.txt', () => {
    it('names the contacts, an expiry within a year and its own address', async () => {
      const { headers, text } = await readResponse(secure.fetch('/.well-known/security.txt'));
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
      const [, expires] = /^Expires: (\S+)$/m.exec(text)!;
      const remaining = Date.parse(expires!) - secure.clock.now();
      expect(remaining).toBeGreaterThan(30 * DAY);
      expect(remaining).toBeLessThan(365 * DAY);
      expect(text.replace(expires!, '…')).toBe(
        'Contact: mailto:security@example.com\nContact: https://example.com/report\nExpires: …\n' +
          `Canonical: ${HTTPS}/.well-known/security.txt\n`,
      );
    });

    it('does not exist without contacts', async () => {
      expect((await plain.fetch('/.well-known/security.txt')).status).toBe(404);
    });

    it.each(['security@example.com', 'http://example.com', 'mailto:nobody', 'https://a.example b'])(
      'rejects the contact %s at the start',
      (contact) => {
        expect(() => readConfig({ SECURITY_CONTACT: contact })).toThrow(ConfigError);
      },
    );
  });

  it('ignores a foreign Host header in links', async () => {
    const response = await sendRaw(plain.baseUrl, 'GET /demo HTTP/1.1\r\nhost: evil.example\r\n\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).not.toContain('evil.example');
  });
});

const assets = listDocsFiles(new URL('../../dist/swagger-ui/', import.meta.url));
const readAsset = async (path: string) => String(await assets.find((asset) => asset.path === path)!.read());

it('the server serves every file that the API page loads', async () => {
  const page = await readAsset('/docs');
  const loaded = [...page.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
  expect(loaded.sort()).toEqual(
    assets
      .map(({ path }) => path)
      .filter((path) => path !== '/docs')
      .sort(),
  );
  for (const asset of assets) expect((await asset.read()).length, asset.path).toBeGreaterThan(100);
});

it('the API page contains no inline script, as its content security policy requires', async () => {
  const page = await readAsset('/docs');
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|\son[a-z]+=|javascript:/i);
  expect(assets[0]!.contentSecurityPolicy?.()).toContain("script-src 'self';");
});

describe('the API reference in a browser', () => {
  let harness: Harness;
  let browser: OwnBrowser;
  let page: Page;
  const errors: string[] = [];
  const foreignRequests: string[] = [];

  beforeAll(async () => {
    [harness, browser] = await Promise.all([openHarness(), openBrowser()]);
    page = await browser.newPage();
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('request', (request) => {
      const isOwn = request.url().startsWith(`${harness.baseUrl}/`) || request.url().startsWith('data:');
      if (!isOwn) foreignRequests.push(request.url());
    });
    await page.goto(`${harness.baseUrl}/docs`);
    await page.waitForSelector('.opblock');
  });
  afterAll(() => Promise.all([browser.close(), harness.close()]));

  const document = openapiDocument();
  const operations = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item));
  /** Runs a script in the page. It is a string, because the browser's types do not exist here. */
  const inPage = <T>(script: string): Promise<T> => page.evaluate(script) as Promise<T>;

  const listTags = () =>
    inPage<string[]>(`[...document.querySelectorAll('.opblock-tag')].map((each) => each.dataset.tag)`);
  const readCurrent = () => page.textContent('nav a[aria-current="page"]');

  it('opens on what third parties need, in the order in which one reads', async () => {
    const { tags } = toAudience(document, 'integration');
    expect(await listTags()).toEqual(tags!.map(({ name }) => name));
    expect(await readCurrent()).toBe('For your pages and programs');
  });

  it('leads to all operations by keyboard', async () => {
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs?all');
    await page.waitForSelector('.opblock-tag');
    expect(await readCurrent()).toBe('All, with those of the dashboard');
    expect(await listTags()).toEqual(document.tags?.map(({ name }) => name));
    for (const { name } of document.tags!) {
      const section = page.locator('.opblock-tag-section', { has: page.locator(`[data-tag="${name}"]`) });
      const toggle = section.getByRole('button', { name: /operation/ }).first();
      await toggle.press('Enter');
      const summaries = operations.filter(({ tags }) => tags?.[0] === name).map(({ summary }) => summary);
      const shown = section.locator('.opblock-summary-description');
      await expect
        .poll(async () => (await shown.allTextContents()).map((text) => text.trim()))
        .toEqual(summaries);
      await toggle.press('Enter');
    }
  });

  it('offers every security scheme of the document', async () => {
    await page.click('.btn.authorize');
    const schemes = await inPage<string[]>(
      `[...document.querySelectorAll('.auth-container h4 code, .auth-container h6 code')].map((each) => each.textContent)`,
    );
    for (const name of Object.keys(document.components?.securitySchemes ?? {}))
      expect(schemes).toContain(name);
    await page.click('.btn-done.modal-btn');
  });

  it('sends a request from an operation and shows the response', async () => {
    await page.press('#operations-tag-Session .expand-operation', 'Enter');
    await page.click('#operations-Session-readSession .opblock-summary-control');
    await page.click('#operations-Session-readSession .try-out__btn');
    await page.click('#operations-Session-readSession .execute');
    await page.waitForSelector('#operations-Session-readSession .live-responses-table .response-col_status');
    const responseTable = await page.textContent('#operations-Session-readSession .live-responses-table');
    expect(responseTable).toContain('401');
    expect(responseTable).toContain('session/unauthorized');
  });

  it('contacts no other origin, and its content security policy blocks nothing it needs', () => {
    expect(foreignRequests).toEqual([]);
    // Browsers log each 401 to the console.
    expect(errors.filter((line) => !line.includes('401 (Unauthorized)'))).toEqual([]);
  });
});
