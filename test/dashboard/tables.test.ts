import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { prepare } from '../pictures/picture-workspace.ts';
import { expectAccessible } from '../support/browser.ts';
import { askGuide } from '../support/guide-frame.ts';
import { openSampleSite, type SampleSite } from '../support/sample-site.ts';

const PHONE = { width: 390, height: 844 };
/** Wide enough to show the navigation beside the page. */
const TABLET = { width: 820, height: 1180 };

/** Pixels. */
const PAGE_HEADER = 56;

/** Tables with many columns: path, caption, and the headers of some columns. */
const TABLES = [
  ['/settings/members', 'Workspace members', ['Role', 'Joined', 'Actions']],
  ['/settings/api-keys', 'API keys, newest first', ['Permissions', 'Created', 'Last used']],
  ['/sources', 'Sources', ['Articles', 'Schedule', 'Last run']],
  ['/audit', 'Changes, newest first', ['User', 'Target', 'Details']],
  ['/conversations', 'Conversations, newest first', ['Answer', 'Questions', 'Language']],
] as const;

const ALL_TABLES = [['/articles', 'Articles and their translations', []], ...TABLES] as const;

let site: SampleSite;
beforeAll(async () => {
  site = await openSampleSite();
  await prepare(site);
});
afterEach(() => site.leave());
afterAll(() => site.close());

describe('tables on a narrow page', () => {
  it.each(TABLES)('show the rows of %s as labelled cards on a phone', async (path, name, labels) => {
    const { page, pageErrors } = await site.open('owner', path, { viewport: PHONE });
    const table = page.getByRole('table', { name });
    await table.getByRole('rowheader').first().waitFor();
    expect(await findTablesThatScroll(page)).toEqual([]);
    const shown = await page.evaluate(`[...document.querySelectorAll('tbody td')]
      .map((cell) => getComputedStyle(cell, '::before').content.replace(/" \\/ "".*|"/g, ''))`);
    expect(shown).toEqual(expect.arrayContaining([...labels]));
    const row = table
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader') })
      .last();
    // Cards hide empty cells; for assistive technology, the other cells stay cells of their columns.
    expect(await row.getByRole('cell').count()).toBeGreaterThan(1);
    expect(await table.getByRole('columnheader', { name: labels[0] }).count()).toBe(1);
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  it('fit beside the navigation of a tablet', async () => {
    const { page, go } = await site.open('owner', '/articles', { viewport: TABLET });
    for (const [path, name] of ALL_TABLES) {
      await go(path);
      await page.getByRole('table', { name }).getByRole('rowheader').first().waitFor();
      expect(await findTablesThatScroll(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(TABLET.width);
    }
  });

  it('keep their columns on a small laptop', async () => {
    const { page } = await site.open('owner', '/articles');
    await page.getByRole('rowheader').first().waitFor();
    const display = await page.evaluate(`getComputedStyle(document.querySelector('thead')).display`);
    expect(display).toBe('table-header-group');
    expect(await findTablesThatScroll(page)).toEqual([]);
  });

  it('keep all columns in view of a page that is slightly too wide for cards', async () => {
    const { page, go } = await site.open('owner', '/articles', { viewport: { width: 1024, height: 768 } });
    for (const [path] of ALL_TABLES) {
      await go(path);
      await page.getByRole('rowheader').first().waitFor();
      expect(await findTablesThatScroll(page), path).toEqual([]);
      await expectAccessible(page);
    }
    await go('/audit');
    await page.getByRole('rowheader').first().waitFor();
    const fields = await page.locator('dt').allTextContents();
    expect(fields.length).toBeGreaterThan(10);
    expect(fields.filter((name) => /^\p{Ll}/u.test(name))).toEqual([]);
  });

  it('fit in the review queue, the analytics, the account and the playground of a phone', async () => {
    const { page, go } = await site.open('owner', '/review-queue', { viewport: PHONE });
    await page.getByText('Everyone', { exact: true }).click();
    await page.getByRole('list', { name: 'Tasks, oldest first' }).waitFor();
    expect(await findTablesThatScroll(page)).toEqual([]);
    await go('/analytics?tab=articles');
    await page.getByRole('table', { name: 'Most cited articles' }).waitFor();
    expect(await findTablesThatScroll(page)).toEqual([]);
    await go('//account');
    await page.getByRole('table', { name: 'Active sessions' }).waitFor();
    expect(await findTablesThatScroll(page)).toEqual([]);
    await go('/preview');
    await askGuide(page, 'How do I take a screenshot?');
    await page.getByRole('columnheader', { name: 'Cited' }).waitFor();
    expect(await findTablesThatScroll(page)).toEqual([]);
  });

  it('show an article in one line on a phone, and let all articles be selected', async () => {
    const { page } = await site.open('owner', '/articles', { viewport: PHONE });
    const rows = page.getByRole('row').filter({ has: page.getByRole('rowheader') });
    await rows.first().waitFor();
    expect((await rows.first().boundingBox())!.height).toBeLessThanOrEqual(48);
    await page.getByRole('checkbox', { name: 'Select all articles on this page' }).check();
    await page.getByText(/\d+ articles selected/).waitFor();
    await page.getByRole('checkbox', { name: 'Select all articles on this page' }).uncheck();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Status' }).waitFor();
    // The menu covers parts of the rows behind it.
    await expectAccessible(page, '[role="dialog"]');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  });

  it('open the text of a language from the number of languages', async () => {
    const { page } = await site.open('owner', '/articles');
    await page.getByRole('button', { name: /^Languages of “Set screen brightness”: 1\/10/ }).click();
    await expectAccessible(page);
    await page.getByRole('menuitem', { name: 'German' }).click();
    await page.waitForURL(/translations\/de$/);
  });
});

describe.each(['light', 'dark'] as const)('tables on a laptop, %s', (colorScheme) => {
  it.each(ALL_TABLES)('keep the header of %s in view above rows of 40 pixels', async (path, name) => {
    const { page, pageErrors } = await site.open('owner', path, {
      viewport: { width: 1280, height: 600 },
      colorScheme,
    });
    const table = page.getByRole('table', { name });
    await table.getByRole('rowheader').first().waitFor();
    const header = table.getByRole('columnheader').last();
    const scrollToFirstRow = `(() => {
      // Room to scroll for tables that are shorter than the page.
      document.querySelector('main').style.paddingBlockEnd = '900px';
      const table = [...document.querySelectorAll('table')]
        .find(({ caption }) => caption?.textContent === ${JSON.stringify(name)});
      scrollBy(0, table.tBodies[0].getBoundingClientRect().top - ${PAGE_HEADER});
    })()`;
    const readTop = async () => {
      await page.evaluate(scrollToFirstRow);
      return Math.round((await header.boundingBox())!.y);
    };
    await expect.poll(readTop).toBe(PAGE_HEADER);
    const [own, behind] = await table.evaluate((each) => {
      const isOpaque = (color: string) => color !== 'rgba(0, 0, 0, 0)';
      const colorOf = (of: typeof each) => of.ownerDocument.defaultView!.getComputedStyle(of).backgroundColor;
      let surface = each;
      while (!isOpaque(colorOf(surface))) surface = surface.parentElement as typeof each;
      return [colorOf(each.querySelector('thead th') as typeof each), colorOf(surface)];
    });
    expect(own).toBe(behind);
    const heights = await table
      .locator('tbody tr:has(th)')
      .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().height)));
    expect(new Set(heights)).toEqual(new Set([40]));
    expect(pageErrors).toEqual([]);
  });
});

it('a table that is wider than the page keeps its header while it scrolls both ways', async () => {
  const { page } = await site.open('owner', '/conversations', { viewport: { width: 1024, height: 600 } });
  const table = page.getByRole('table', { name: 'Conversations, newest first' });
  await table.getByRole('rowheader').first().waitFor();
  const frame = page.locator('.table-frame');
  await expect.poll(() => frame.getAttribute('tabindex')).toBe('0');
  await frame.evaluate((each) => each.scrollTo(each.scrollWidth, 200));
  const top = (await frame.boundingBox())!.y;
  expect((await table.getByRole('columnheader').last().boundingBox())!.y).toBeCloseTo(top, 0);
});

it('the focused link of a row shows its outline, and the header does not cover it', async () => {
  const { page } = await site.open('owner', '/conversations', { viewport: { width: 1280, height: 600 } });
  const links = page.getByRole('rowheader').getByRole('link');
  await links.first().waitFor();
  await links.nth(14).focus();
  await page.keyboard.press('Shift+Tab');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  const link = links.nth(13);
  const header = (await page.getByRole('columnheader').first().boundingBox())!;
  expect((await link.boundingBox())!.y).toBeGreaterThanOrEqual(header.y + header.height);
});

it('the details of an audit row open in place', async () => {
  const { page } = await site.open('owner', '/audit');
  const details = page.getByRole('button', { name: 'Details' }).first();
  await details.click();
  const row = page.getByRole('row').filter({ has: page.locator('[aria-expanded="true"]') });
  expect((await row.boundingBox())!.height).toBeGreaterThan(40);
  await details.press('Enter');
  await expect.poll(() => row.count()).toBe(0);
});

type Page = Awaited<ReturnType<SampleSite['open']>>['page'];

/** Returns the captions of tables that are wider than the page shows. */
function findTablesThatScroll(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('table')]
    .filter((table) => table.parentElement.parentElement.scrollWidth > table.parentElement.parentElement.clientWidth)
    .map((table) => table.caption?.textContent ?? 'without a caption')`);
}
