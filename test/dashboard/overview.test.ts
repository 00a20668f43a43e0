import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decide } from '../consent/decisions.ts';
import { expectAccessible } from '../fixtures/browser.ts';
import { type AppSite, openAppSite } from './app-site.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
});
afterEach(() => site.leave());
afterAll(() => site.close());

describe('overview and installation pages', () => {
  it('allows a rejected site with one click', async () => {
    const { team } = site;
    const origin = 'http://localhost:5500';
    const rejectedBoot = await team.harness.fetch('/boot', {
      json: { app_id: team.harness.appId, origin, path: '/' },
      headers: { origin },
    });
    expect(rejectedBoot.status).toBe(403);
    const { page, complaints } = await site.open('owner', '/installation');
    await page.getByText('A page on http://localhost:5500 tried to load the guide').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Allow http://localhost:5500' }).click();
    await page.getByText('Site allowed. It works within five seconds.').waitFor();
    await page.getByText('http://localhost:5500 · Not seen yet').waitFor();
    team.harness.clock.advance(6000);
    await team.harness.boot({ origin }, { origin });
    await page.getByText('Seen on http://localhost:5500').waitFor();
    expect(complaints).toEqual([]);
  });

  it('links an unanswered question to a new article', async () => {
    const { team } = site;
    const visitor = await team.harness.boot();
    await decide(team.harness, visitor, { decision: 'accepted' });
    await team.harness.ask(visitor.jwt, { message: `Do you ship to the moon in winter?` });
    const { page, complaints, go } = await site.open('owner', '');
    await page.getByRole('link', { name: `Do you ship to the moon in winter?`, exact: true }).waitFor();
    await expectAccessible(page);
    await page
      .getByRole('link', { name: `Write an article about “Do you ship to the moon in winter?”` })
      .click();
    await page.getByRole('heading', { level: 1, name: 'New article' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toContain('to the moon');
    await go('/review-queue');
    await page.getByText('Nothing assigned to you.').waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
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
    const { page, complaints, go } = await site.open('owner', '', phone);
    await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
    await page.getByText('Prüfen (1)').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await go('/review-queue');
    await page.getByRole('link', { name: 'Returning an order' }).waitFor();
    await page.getByText('admin@shop.example').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(complaints).toEqual([]);
  });
});
