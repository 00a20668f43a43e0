import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ArticleRecord } from '../../contract/articles.ts';
import { bringTo, expectOk, translate } from '../knowledge/translating.ts';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Nine hours ahead of UTC all year. */
const TOKYO = { timezoneId: 'Asia/Tokyo' };
const toTokyo = (millis: number) => new Date(millis + 9 * HOUR).toISOString();

describe('schedules in the dashboard', () => {
  let site: AppSite;
  beforeAll(async () => {
    site = await openAppSite({ articles: [] });
  });
  afterEach(() => site.leave());
  afterAll(() => site.close());

  const create = async (title: string) =>
    expectOk(
      await site.team
        .as('owner')
        .post<ArticleRecord>('/knowledge/articles', { title, answer: 'Thirty days.' }),
    );
  const read = async ({ id }: { id: string }) =>
    expectOk(await site.team.as('owner').get<ArticleRecord>(`/knowledge/articles/${id}`));
  const publish = async ({ id, revision: baseRevision }: ArticleRecord) =>
    expectOk(
      await site.team.as('owner').post<ArticleRecord>(`/knowledge/articles/${id}/publish`, { baseRevision }),
    );

  it('publish an article at a time in the zone of the reader, and cancel that', async () => {
    const article = await create('Returns in winter');
    const { page, pageErrors, go } = await site.open('owner', `/articles/${article.id}`, TOKYO);

    const schedule = async (local: string) => {
      await page.getByRole('textbox', { name: 'Date and time' }).fill(local);
      await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    };
    await page.getByRole('main').getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Publish later …' }).click();
    await page.getByText('Time zone: Asia/Tokyo').waitFor();
    await expectAccessible(page);
    await schedule('2020-01-01T09:00');
    await page.getByText('Choose a time in the future, within five years.').waitFor();
    const at = Math.ceil((site.team.harness.clock.now() + 30 * MINUTE) / MINUTE) * MINUTE;
    await schedule(toTokyo(at).slice(0, 16));
    await page.getByText(/^Goes live on .* Scheduled by you\.$/).waitFor();
    expect((await read(article)).scheduled?.at).toBe(new Date(at).toISOString());
    await expectAccessible(page);

    await go('/articles?task=scheduled');
    const row = page.getByRole('row', { name: /Returns in winter/ });
    await row.getByText(/^From \d+ \w+$/).waitFor();
    await row.getByRole('link', { name: 'Returns in winter' }).click();
    await page.getByRole('button', { name: 'Cancel schedule' }).click();
    await page.getByText('No longer scheduled.').waitFor();
    expect(await read(article)).not.toHaveProperty('scheduled');
    expect(await page.getByText(/^Goes live on/).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  it('publish an approved translation, which an edit cancels', async () => {
    const article = await publish(await create('Returns in spring'));
    const owner = site.team.as('owner');
    await bringTo('approved', owner, await translate(owner, article.id));
    const { page } = await site.open('owner', `/articles/${article.id}/translations/de`, TOKYO);
    await page.getByRole('main').getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Publish later …' }).click();
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText(/^Goes live on .*09:00\. Scheduled by you\.$/).waitFor();
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Title' }).fill('Rückgabe im Frühling');
    await page.getByText(/^Goes live on/).waitFor({ state: 'hidden' });
    expect((await read(article)).translations[0]).toMatchObject({ status: 'draft' });
  });

  it('ask in My tasks whether an article is still right, with one click or key', async () => {
    const article = await publish(await create('Returns in summer'));
    const approved = await translate(site.team.as('admin'), article.id);
    await bringTo('in_review', site.team.as('admin'), approved);
    const { page, pageErrors, go } = await site.open('owner', `/articles/${article.id}`, TOKYO);
    const day = toTokyo(site.team.harness.clock.now() + 90 * 24 * HOUR).slice(0, 10);
    const card = page.getByRole('region', { name: 'Verify again' });
    await card.getByLabel('Verify again after').fill(day);
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Last set by you').waitFor();
    expect((await read(article)).verify?.after).toBe(new Date(`${day}T00:00+09:00`).toISOString());

    const verifyAfter = new Date(site.team.harness.clock.now() + 20 * MINUTE).toISOString();
    const path = `/knowledge/articles/${article.id}/verification`;
    expectOk(await site.team.as('admin').put(path, { verifyAfter }));
    site.team.harness.clock.advance(21 * MINUTE);
    await page.clock.setSystemTime(site.team.harness.clock.now());
    await go('/review-queue');
    await page.getByText('Verify (1)', { exact: true }).waitFor();
    const tasks = page.getByRole('list', { name: 'Tasks, oldest first' });
    const open = page.getByRole('region', { name: 'Details' });
    await open.getByRole('button', { name: 'Approve' }).waitFor();
    await expectAccessible(page);
    // `a` approves the open translation, which then waits to be published.
    await page.keyboard.press('a');
    await open.getByRole('button', { name: 'Publish' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await open.getByRole('button', { name: 'Still right' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('a');
    await page.getByText(/^Confirmed\. Verify again after /).waitFor();
    await page.getByText('Verify (0)', { exact: true }).waitFor();
    expect(await tasks.getByRole('listitem').count()).toBe(1);
    const { after, checkedBy } = (await read(article)).verify!;
    expect(checkedBy).toBe(site.team.as('owner').memberId);
    expect(Date.parse(after)).toBeGreaterThan(Date.now());
    await page.keyboard.press('e');
    await page.getByRole('heading', { level: 1, name: /German/ }).waitFor();
    expect(pageErrors).toEqual([]);
  });
});
