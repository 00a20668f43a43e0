import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ArticleSummary } from '../../contract/articles.ts';
import { type AppSite, openAppSite } from '../support/app-site.ts';

const ARTICLES = 5_000;
/** The topic of every 100th article. */
const TOPIC = 'submarine';

const toName = (number: number) => `Question ${String(number).padStart(4, '0')}`;

let site: AppSite;
beforeAll(async () => {
  const articles = Array.from({ length: ARTICLES }, (_, number) => ({
    slug: `question-${number}`,
    locale: 'en',
    title: number % 100 === 0 ? `${toName(number)} about a ${TOPIC}` : toName(number),
    answer: `Answer ${number}.`,
  }));
  site = await openAppSite({ articles });
});
// Starts new rate limit windows, because all tests share the same members.
beforeEach(() => site.team.harness.clock.advance(61_000));
afterEach(() => site.leave());
afterAll(() => site.close());

async function countArticles(query: string): Promise<number> {
  type List = { data: ArticleSummary[]; total: number };
  const { json } = await site.team.as('owner').get<List>(`/knowledge/articles?${query}`);
  return json.total;
}

it('the list of articles scrolls to the last one of 5,000', async () => {
  const { page, pageErrors } = await site.open('owner', '/articles?sort=title_asc');
  await page.getByText('5,000 articles', { exact: true }).waitFor();
  const table = page.getByRole('table', { name: 'Articles and their translations' });
  expect(await table.getAttribute('aria-rowcount')).toBe(String(ARTICLES + 1));
  const rows = page.getByRole('row', { name: /Question/ });
  await expect
    .poll(
      async () => {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        return rows.last().innerText();
      },
      { timeout: 60_000 },
    )
    .toContain(toName(ARTICLES - 1));
  expect(await rows.last().getAttribute('aria-rowindex')).toBe(String(ARTICLES + 1));
  expect(await rows.count()).toBeLessThan(100);
  expect(pageErrors).toEqual([]);
});

it('the list of articles finds the 50 articles about a topic among 5,000, and tags only them', async () => {
  const { page, pageErrors } = await site.open('owner', '/articles');
  await page.getByText('5,000 articles', { exact: true }).waitFor();
  await page.getByRole('searchbox', { name: 'Search articles' }).fill(TOPIC);
  await page.getByText('50 articles', { exact: true }).waitFor();
  expect(await page.getByRole('rowheader', { name: TOPIC }).count()).toBeGreaterThan(0);
  await page.getByRole('checkbox', { name: 'Select all articles on this page' }).check();
  await page.getByText('50 articles selected').waitFor();
  await page.getByRole('button', { name: 'Add tag …' }).click();
  await page.getByRole('textbox', { name: 'Tag' }).fill(TOPIC);
  await page.keyboard.press('Enter');
  await page.getByText('50 articles tagged.').waitFor();
  expect(await countArticles(`tag=${TOPIC}`)).toBe(ARTICLES / 100);
  expect(pageErrors).toEqual([]);
});

it('the list of articles selects all 5,000 articles and tags them', async () => {
  const { page, pageErrors } = await site.open('owner', '/articles');
  await page.getByRole('checkbox', { name: 'Select all articles on this page' }).check();
  await page.getByRole('button', { name: 'Select all 5,000' }).click();
  await page.getByText('5,000 articles selected').waitFor();
  await page.getByRole('button', { name: 'Add tag …' }).click();
  await page.getByRole('textbox', { name: 'Tag' }).fill('Everything');
  await page.keyboard.press('Enter');
  await page.getByText('5,000 articles tagged.').waitFor();
  expect(await countArticles('tag=everything')).toBe(ARTICLES);
  expect(pageErrors).toEqual([]);
});
