import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppSite, openAppSite, tickUntil, waitForHeading } from '../support/app-site.ts';
import { countClicks, expectTree } from '../support/clicks.ts';

const ARTICLES = 500;

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
});
afterAll(() => site.close());

it('importing, tagging and publishing 500 articles takes at most 8 clicks', async () => {
  const { team } = site;
  const { page, pageErrors } = await site.open('admin', '');
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: 'Articles', exact: true }).click();
  await page.getByRole('link', { name: 'Import files' }).click();
  await waitForHeading(page, 'Import files');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles(
    Array.from({ length: ARTICLES }, (_, at) => ({
      name: `question-${at}.md`,
      mimeType: 'text/markdown',
      buffer: Buffer.from(`# Question ${at}\n\nThis is answer ${at}.`),
    })),
  );
  await page.getByRole('heading', { level: 1, name: /^Run of/ }).waitFor();
  await tickUntil(site, page, 'Ready to apply');
  await expectTree(page.getByRole('main'), [
    'button "Discard"',
    'button "Apply changes"',
    'heading "What will change" [level=2]',
    'radiogroup "Outcome"',
    'table "Added"',
  ]);
  await page.getByRole('button', { name: 'Apply changes' }).click();
  await tickUntil(site, page, 'Done');
  await page.getByText('500 articles selected').waitFor();
  await page.getByRole('button', { name: 'Add tag …' }).click();
  await page.getByRole('textbox', { name: 'Tag' }).fill('Imported');
  await page.keyboard.press('Enter');
  await page.getByText('500 articles tagged.').waitFor();
  await page
    .getByRole('region', { name: 'Actions for selected articles' })
    .getByRole('button', { name: 'Publish', exact: true })
    .click();
  await page.getByText('500 articles published.').waitFor();
  clicks.expectAtMost(8);
  const query = '/knowledge/articles?tag=imported&status=published';
  expect((await team.as('owner').get<{ total: number }>(query)).json.total).toBe(ARTICLES);
  expect(pageErrors).toEqual([]);
});
