import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { decide } from '../support/decisions.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
});
afterEach(() => site.leave());
afterAll(() => site.close());

const list = (page: Page) => page.getByRole('list', { name: 'Get your guide going' });

describe('onboarding list', () => {
  it('can be hidden for good', async () => {
    const { page } = await site.open('admin', '');
    await list(page).waitFor();
    await page.getByRole('button', { name: 'Hide this list' }).click();
    await list(page).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Questions to answer').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await list(page).count()).toBe(0);
  });

  it('lists remaining steps, and disappears when all are done', async () => {
    const { team } = site;
    const owner = team.as('owner');
    const { page, pageErrors, go } = await site.open('owner', '');
    await list(page).waitFor();
    // Two steps are done from the start: the harness allows a site and has colleagues.
    await page.getByText('2 of 5 done').waitFor();
    await expectAccessible(page);
    await list(page).getByRole('link', { name: 'Publish 5 articles (0 so far)' }).click();
    await page.getByRole('heading', { level: 1, name: 'Articles' }).waitFor();

    for (const topic of ['Returns', 'Shipping', 'Payment', 'Gift cards', 'Opening hours']) {
      const article = { title: topic, answer: `All about ${topic.toLowerCase()} in our shop.` };
      const { json } = await owner.post<{ id: string }>('/knowledge/articles', article);
      await owner.post(`/knowledge/articles/${json.id}/publish`, { baseRevision: 1 });
    }
    const visitor = await team.harness.boot();
    await decide(team.harness, visitor, { decision: 'accepted' });
    await go('');
    await page.getByText('4 of 5 done').waitFor();
    expect(await list(page).getByRole('link').allTextContents()).toEqual(['Get the first question answered']);

    await team.harness.ask(visitor.jwt, { message: 'Shipping' });
    await go('');
    await page.getByText('Your guide is up and running').waitFor();
    await expectAccessible(page);
    await page.reload();
    await page.getByText('Questions to answer').waitFor();
    expect(await page.getByText('Your guide is up and running').count()).toBe(0);

    const next = page.getByRole('region', { name: 'Next steps for better answers' });
    expect(await next.count()).toBe(0);
    await team.harness.ask(visitor.jwt, { message: 'Shipping' }, { 'accept-language': 'it' });
    await go('');
    await expectAccessible(page);
    await next.getByRole('link', { name: 'Translate into Italian: asked once, nothing published' }).click();
    await page.getByText('5 articles', { exact: true }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('is not shown to members', async () => {
    const { page } = await site.open('member', '');
    await page.getByText('Questions to answer').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await list(page).count()).toBe(0);
  });
});
