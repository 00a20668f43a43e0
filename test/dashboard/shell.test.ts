import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../accounts/team.ts';
import { expectAccessible, reportLocale } from '../fixtures/browser.ts';
import { type AppSite, openAppSite } from './app-site.ts';

/** Forces right-to-left: no catalog is in such a language yet. */
const RIGHT_TO_LEFT = `Object.defineProperty(HTMLElement.prototype, 'dir', {
  get() { return this.getAttribute('dir') ?? ''; },
  set(value) { this.setAttribute('dir', this === document.documentElement ? 'rtl' : value); },
});`;

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite();
});
afterEach(() => site.leave());
afterAll(() => site.close());

describe('dashboard shell', () => {
  it('signs in by keyboard and returns to the requested page', async () => {
    const { page, complaints } = await site.open('guest', '');
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
    expect(complaints).toEqual([]);
  });

  it('is accessible', async () => {
    const { page, complaints } = await site.open('owner', '');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  it('supports right-to-left layouts on phone and desktop', async () => {
    const { page, complaints, go } = await site.open('guest', '//sign-in', { before: RIGHT_TO_LEFT });
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
      const navigation = await page.getByRole('navigation').boundingBox();
      expect(navigation!.x).toBeGreaterThan(640);
    }
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  it('opens every page in a browser with a POSIX locale', async () => {
    const { page, complaints, go } = await site.open('owner', '', { before: reportLocale('en-US@posix') });
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
    expect(complaints).toEqual([]);
  });

  it('hides a workspace from non-members', async () => {
    const { page } = await site.open('stranger', '');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  });
});
