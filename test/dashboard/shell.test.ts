import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../client/dashboard/catalogs.ts';
import { type AppSite, goBack, openAppSite } from '../support/app-site.ts';
import { expectAccessible, reportLocale } from '../support/browser.ts';
import { decide } from '../support/decisions.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { PASSWORD } from '../support/team.ts';
import { serveWebsite } from '../support/website.ts';

/** Forces right-to-left: no catalog is in such a language yet. */
const RIGHT_TO_LEFT = `Object.defineProperty(HTMLElement.prototype, 'dir', {
  get() { return this.getAttribute('dir') ?? ''; },
  set(value) { this.setAttribute('dir', this === document.documentElement ? 'rtl' : value); },
});`;
describe('dashboard shell', () => {
  let site: AppSite;
  beforeAll(async () => {
    site = await openAppSite();
  });
  afterEach(() => site.leave());
  afterAll(() => site.close());

  it('signs in by keyboard, returns to the requested page and shows the version of the server in the account menu', async () => {
    const { page, pageErrors } = await site.open('guest', '');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Email').fill('owner@shop.example');
    await page.getByRole('textbox', { name: 'Password' }).fill('not the password of anybody');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Incorrect email or password.').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/w/${site.team.workspace.id}`);
    await expectAccessible(page);

    const { commit } = (await (await fetch(`${site.team.harness.baseUrl}/healthz`)).json()) as {
      commit: string;
    };
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByText(`(${commit})`).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('supports right-to-left layouts on phone and desktop', async () => {
    const { page, pageErrors, go } = await site.open('guest', '//sign-in', { before: RIGHT_TO_LEFT });
    await page.getByLabel('Email').fill('owner@shop.example');
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    for (const [path, title] of [
      ['', 'Overview'],
      ['/articles/new', 'New article'],
      ['/review-queue', 'My tasks'],
      ['/preview', 'Playground'],
    ] as const) {
      await go(path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      expect(await page.evaluate('getComputedStyle(document.body).direction')).toBe('rtl');
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await expect
          .poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: path })
          .toBe(width);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      const navigation = await page.getByRole('navigation', { name: 'Main navigation' }).boundingBox();
      expect(navigation!.x).toBeGreaterThan(640);
    }
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  it('opens every page in a browser with a POSIX locale', async () => {
    const { page, pageErrors, go } = await site.open('owner', '', { before: reportLocale('en-US@posix') });
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    for (const path of [
      '/articles/new',
      '/analytics',
      '/preview',
      '/settings',
      '/settings/api-keys',
      '/audit',
    ]) {
      await go(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
    }
    expect(pageErrors).toEqual([]);
  });

  it('hides a workspace from non-members', async () => {
    const { page } = await site.open('stranger', '');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  });
});

describe('overview and installation pages', () => {
  let site: AppSite;
  beforeAll(async () => {
    site = await openAppSite({ articles: [], env: { SOURCE_NETWORKS: '127.0.0.0/8' } });
  });
  afterEach(() => site.leave());
  afterAll(() => site.close());

  it('allows a rejected site with one click', async () => {
    const { team } = site;
    const origin = 'http://localhost:5500';
    const rejectedBoot = await team.harness.fetch('/boot', {
      json: { app_id: team.harness.appId, origin, path: '/' },
      headers: { origin },
    });
    expect(rejectedBoot.status).toBe(403);
    const { page, pageErrors } = await site.open('owner', '/installation');
    await page.getByText('A page on http://localhost:5500 tried to load the guide').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Allow http://localhost:5500' }).click();
    await page.getByText('Site allowed. It works within five seconds.').waitFor();
    await page.getByText('http://localhost:5500 · Not seen yet').waitFor();
    team.harness.clock.advance(6000);
    await team.harness.boot({ origin }, { origin });
    await page.getByText('Seen on http://localhost:5500').waitFor();
    const tried = page.getByRole('textbox', { name: 'Page to try' });
    await tried.fill('https://elsewhere.example/');
    await page.getByRole('button', { name: 'Try my site' }).click();
    await page.getByText('Enter a page on one of the allowed sites.').waitFor();
    const shop = await serveWebsite(() => ({ body: '<h1>Shop</h1>' }));
    const { allowedOrigins } = (await team.as('owner').get<{ allowedOrigins: string[] }>('')).json;
    await team.as('owner').patch('', { allowedOrigins: [...allowedOrigins, shop.origin] });
    await tried.fill(`${shop.origin}/`);
    await page.getByRole('button', { name: 'Try my site' }).click();
    await page.getByText('1 possible problem on this page').waitFor();
    await page.getByText('The page has no script tag of the guide.').waitFor();
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  it('leads from the questions to answer to the inbox', async () => {
    const { team } = site;
    const visitor = await team.harness.boot();
    await decide(team.harness, visitor, { decision: 'accepted' });
    await team.harness.ask(visitor.jwt, { message: `Do you ship to the moon in winter?` });
    team.harness.clock.advance(61_000);
    await team.harness.service.tick();
    const { page, pageErrors, go } = await site.open('owner', '');
    const question = page.getByRole('link', { name: `Do you ship to the moon in winter?`, exact: true });
    await question.waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Open inbox' }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await goBack(page);
    await question.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await expect
      .poll(() => page.evaluate(`document.activeElement.closest('li')?.textContent`))
      .toContain('Do you ship to the moon in winter?');
    await go('/review-queue');
    await page.getByText('Nothing assigned to you.').waitFor();
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  it('switches to the language that a person chooses, and keeps it', async () => {
    const { page, pageErrors, go } = await site.open('owner');
    await page.getByRole('button', { name: 'Account' }).click();
    const languages = page.getByRole('menuitemradio').and(page.locator('[lang]'));
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).waitFor();
    const tags = languages.evaluateAll((items) => items.map((item) => item.lang));
    expect(await tags).toEqual(LANGUAGES);
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
    await go('/conversations');
    await page.getByRole('heading', { level: 1, name: 'Gespräche' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect(pageErrors).toEqual([]);
  });

  it('shows tasks in German on a phone', async () => {
    const owner = site.team.as('owner');
    const { json: article } = await owner.post<{ id: string; revision: number }>('/knowledge/articles', {
      title: 'Returning an order',
      answer: 'Within 30 days.',
    });
    await owner.post(`/knowledge/articles/${article.id}/publish`, { baseRevision: article.revision });
    const path = `/knowledge/articles/${article.id}/translations`;
    const { json: translation } = await site.team.as('admin').post<{ id: string; revision: number }>(path, {
      locale: 'fr',
      title: 'Retourner une commande',
      answer: 'Sous 30 jours.',
      searchAliases: [],
    });
    await site.team
      .as('admin')
      .post(`${path}/${translation.id}/submit-review`, { baseRevision: translation.revision });
    const phone = { locale: 'de-DE', viewport: { width: 360, height: 740 } };
    const { page, pageErrors, go } = await site.open('owner', '', phone);
    await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
    await page.getByText('Prüfen (1)').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await go('/review-queue');
    await page.getByRole('button', { name: 'Returning an order' }).click();
    await page.getByText('admin@shop.example').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(pageErrors).toEqual([]);
  });
});

const BUILT = new URL('../../dist/dashboard/', import.meta.url);

type Manifest = Record<string, { file: string; css?: string[]; imports?: string[]; isEntry?: boolean }>;

/** Returns the files of these sources and of their static imports. */
function neededBy(manifest: Manifest, sources: readonly string[]): Set<string> {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (source: string) => {
    if (seen.has(source)) return;
    seen.add(source);
    const { file, css = [], imports = [] } = manifest[source]!;
    for (const name of [file, ...css]) files.add(name);
    for (const each of imports) visit(each);
  };
  for (const source of sources) visit(source);
  return files;
}
describe('GET /dashboard', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ articles: [] });
  });
  afterAll(() => harness.close());

  it.each(['/dashboard', '/dashboard/setup', '/dashboard/invitation', '/dashboard/w/anything/articles'])(
    'sends security headers and loads only built assets: %s',
    async (path) => {
      const { status, headers, body } = await fetch(`${harness.baseUrl}${path}`).then(async (response) => ({
        status: response.status,
        headers: response.headers,
        body: await response.text(),
      }));
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=/i);
      const [, nonce] = /<meta property="csp-nonce" nonce="([^"]+)">/.exec(body)!;
      expect(headers.get('content-security-policy')!.split('; ').sort()).toEqual([
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
      ]);
      for (const [, asset] of body.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)) {
        const file = await fetch(new URL(asset!, `${harness.baseUrl}${path}`), {
          headers: { 'accept-encoding': 'br' },
        });
        expect(file.status, asset).toBe(200);
        expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(file.headers.get('content-encoding')).toBe('br');
        await file.bytes();
      }
    },
  );

  it.each(['nothing.js', '..%2fmanifest.json', 'manifest.json', '%2e%2e%2f%2e%2e%2fguidepost.js'])(
    'does not serve files outside of the build: %s',
    async (name) => {
      const { status } = await fetch(`${harness.baseUrl}/dashboard/assets/${name}`);
      expect(status).toBe(404);
    },
  );

  it('keeps the first page under 272 KB and each further route under 100 KB', async () => {
    const manifest = JSON.parse(await readFile(new URL('manifest.json', BUILT), 'utf8')) as Manifest;
    const sizes = new Map<string, number>();
    for (const name of Object.values(manifest).flatMap(({ file, css = [] }) => [file, ...css])) {
      sizes.set(name, gzipSync(await readFile(new URL(name, BUILT))).length);
    }
    const weigh = (names: Iterable<string>) =>
      [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
    const [entry] = Object.keys(manifest).filter((name) => manifest[name]!.isEntry);
    const catalogs = LANGUAGES.map((language) => `../../languages/dashboard/${language}.json?first`);
    const heaviest = Math.max(...catalogs.map((catalog) => weigh([manifest[catalog]!.file])));
    const shell = neededBy(manifest, [entry!, 'theme-controls.css']);
    // Readers load one catalog, so more languages do not make the first page larger.
    for (const catalog of catalogs) expect([...shell]).not.toContain(manifest[catalog]!.file);
    const firsts = [
      ['routes/overview.tsx', 'shell.tsx'],
      ['routes/sign-in.tsx', 'theme-controls.css'],
      ['routes/setup.tsx', 'theme-controls.css'],
      ['routes/invitation.tsx', 'theme-controls.css'],
    ];
    const routes = Object.keys(manifest).filter((name) => name.startsWith('routes/'));
    expect(routes.length).toBeGreaterThan(20);
    for (const first of firsts) {
      const loaded = neededBy(manifest, [entry!, ...first]);
      expect(weigh(loaded) + heaviest, first[0]).toBeLessThan(272 * 1024);
    }
    for (const route of routes) {
      const further = [...neededBy(manifest, [route])].filter((name) => !shell.has(name));
      expect(weigh(further), route).toBeLessThan(100 * 1024);
    }
  });
});
