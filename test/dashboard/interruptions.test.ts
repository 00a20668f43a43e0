import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppSite, goBack, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { PASSWORD } from '../support/team.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
});
afterEach(() => site.leave());
afterAll(() => site.close());

async function draft(title: string): Promise<string> {
  const { json } = await site.team
    .as('owner')
    .post<{ id: string }>('/knowledge/articles', { title, answer: 'Within 30 days.' });
  return json.id;
}

describe('a link that leads nowhere', () => {
  it('shows a page within the dashboard that leads to the overview', async () => {
    const { page, pageErrors, go } = await site.open('owner', '/nowhere');
    for (const path of ['/articles/art_cut-off', '/articles/art_01arz3ndektsv4rrffq69g5fav', '/nowhere']) {
      await go(path);
      await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    }
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Go to overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await goBack(page);
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe('a session that ends while a member writes', () => {
  it('continues in place after the password, with the text saved', async () => {
    const id = await draft('Returning an order');
    const memberClient = await site.team.signIn(site.team.as('owner'));
    const { page, pageErrors } = await site.open(memberClient, `/articles/${id}`);
    const answer = page.getByRole('textbox', { name: 'Answer' });
    await answer.fill('Within 60 days.');
    await memberClient.delete('/api/session');
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.getByRole('textbox', { name: 'Password' }).fill('not the password of anybody');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('Incorrect email or password.').waitFor();
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await answer.innerText()).toBe('Within 60 days.');
    const { json } = await site.team.as('owner').get<{ answer: string }>(`/knowledge/articles/${id}`);
    expect(json.answer).toBe('Within 60 days.');
    expect(pageErrors).toEqual([]);
  });

  it('stays open after requests that were sent before a confirmation replaced its token', async () => {
    const id = await draft('Exchanging an order');
    const { page, pageErrors, go } = await site.open('owner', `/articles/${id}`);
    const refused = {
      error: 'session/unauthorized',
      message: 'Sign in.',
      request_id: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
    };
    const refuseOnce = (path: RegExp) =>
      page.route(path, (route) => route.fulfill({ status: 401, json: refused }), { times: 1 });
    const answer = page.getByRole('textbox', { name: 'Answer' });
    await answer.fill('Within 60 days.');
    await refuseOnce(/\/knowledge\/articles\/art_\w+$/);
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).waitFor();
    await go('/settings');
    const basics = page.getByRole('form', { name: 'Workspace' });
    await basics.getByLabel('Name').fill('Renamed shop');
    await refuseOnce(/\/api\/session$/);
    await basics.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Renamed shop', { exact: true }).first().waitFor();
    expect(await page.getByRole('dialog', { name: 'Sign in again' }).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  it('hides the page when the account signs out in another tab', async () => {
    const memberClient = await site.team.signIn(site.team.as('owner'));
    const { page } = await site.open(memberClient, '/articles');
    await page.getByRole('heading', { level: 1, name: 'Articles' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Account' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });
});

describe('a server that cannot be reached', () => {
  it('is announced while offline, and the text is saved afterwards', async () => {
    const id = await draft('Paying by invoice');
    const { page, pageErrors } = await site.open('owner', `/articles/${id}`);
    await page.getByRole('textbox', { name: 'Answer' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('You’re offline').waitFor();
    await page.getByRole('textbox', { name: 'Answer' }).fill('For companies.');
    await page.keyboard.press('Control+s');
    await page.getByText('Offline. Your changes are kept in this browser', { exact: false }).waitFor();
    await expectAccessible(page);
    await page.context().setOffline(false);
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByText('You’re offline').waitFor({ state: 'detached' });
    const { json } = await site.team.as('owner').get<{ answer: string }>(`/knowledge/articles/${id}`);
    expect(json.answer).toBe('For companies.');
    expect(pageErrors).toEqual([]);
  });

  it('is called again automatically after a rate limit', async () => {
    const { page } = await site.open('owner', '');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    let rejectionsLeft = 1;
    await page.route('**/knowledge/queue**', (route) =>
      rejectionsLeft-- > 0
        ? route.fulfill({
            status: 429,
            headers: { 'retry-after': '6' },
            json: { error: 'rate_limit/exceeded', message: 'Too many requests.', request_id: 'req_1' },
          })
        : route.continue(),
    );
    await page.getByRole('link', { name: 'My tasks', exact: true }).click();
    await page.getByText(/^Trying again automatically at/).waitFor();
    await expectAccessible(page);
    await page.getByText('Nothing assigned to you.').waitFor();
  });
});

const NAVIGATION_WIDTH = 240;

/** Focuses each control of the page in turn, and returns those that the bar of toasts then covers. */
const listCoveredControls = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const bar = document.querySelector('.mantine-Notifications-root:has([role="alert"])').getBoundingClientRect();
    return [...document.querySelectorAll('#main :is(a, button, input, textarea)')]
      .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 400)
      .filter((each) => {
        each.scrollIntoView({ block: 'nearest' });
        return each.getBoundingClientRect().bottom > bar.top;
      })
      .map((each) => each.outerHTML);
  })()`);

describe('toasts', () => {
  const published = async (title: string) => {
    const owner = site.team.as('owner');
    const id = await draft(title);
    await owner.post(`/knowledge/articles/${id}/publish`, { baseRevision: 1 });
    return id;
  };
  const unpublish = async (page: Page) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Unpublish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click();
  };
  const toast = (page: Page) => page.getByRole('alert').filter({ hasText: 'Unpublished.' });

  it('undo an action', async () => {
    const id = await published('Changing an address');
    const { page, pageErrors } = await site.open('owner', `/articles/${id}`);
    await unpublish(page);
    await toast(page).waitFor();
    await expectAccessible(page);
    await toast(page).getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    const { json } = await site.team.as('owner').get<{ status: string }>(`/knowledge/articles/${id}`);
    expect(json.status).toBe('published');
    expect(pageErrors).toEqual([]);
  });

  it.each([390, 1024, 1280])('cover no control at a width of %d pixels', async (width) => {
    const id = await published(`Changing a delivery date at ${width}`);
    const { page } = await site.open('owner', `/articles/${id}`, { viewport: { width, height: 844 } });
    await unpublish(page);
    await toast(page).waitFor();
    // The toast slides in. A bar at the end of the page, from which each control that has the focus is scrolled clear.
    await expect.poll(() => listCoveredControls(page)).toEqual([]);
    const box = (await toast(page).boundingBox())!;
    const main = (await page.locator('#main > *').last().boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(width > 768 ? NAVIGATION_WIDTH : 0);
    expect(box.x + box.width).toBeLessThanOrEqual(main.x + main.width + 24);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });

  it('undo changed settings', async () => {
    const { page } = await site.open('owner', '/settings');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    const before = await name.inputValue();
    await name.fill('Books and more');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    await expect.poll(() => name.inputValue()).toBe(before);
  });
});
