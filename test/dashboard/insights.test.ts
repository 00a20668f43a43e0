import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fill } from '../insights/analytics/reference-analytics.ts';
import { type AppSite, goBack, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { GERMANY } from '../support/decisions.ts';
import { accept, KNOWN, rate, sendMessage, UNKNOWN, visit } from '../support/visitor-actions.ts';

const PHONE = { width: 360, height: 740 };

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' } });
  const { team } = site;
  const visitor = await visit(team, GERMANY);
  await accept(team, visitor);
  const german = { 'accept-language': 'de' };
  const { messageId } = await sendMessage(team, visitor, 'talk-1', KNOWN, {}, german);
  await rate(team, visitor, {
    message_id: messageId,
    rating: 'down',
    comment: 'Too long for me.',
    reasons: ['outdated'],
  });
  await sendMessage(team, visitor, 'talk-1', UNKNOWN, { turn_idx: 1 }, german);
  const other = await visit(team);
  const { messageId: liked } = await sendMessage(team, other, 'talk-2', KNOWN);
  await rate(team, other, { message_id: liked, rating: 'up' });
  await fill(team);
});
afterEach(() => site.leave());
afterAll(() => site.close());

describe('conversation pages', () => {
  it('filters by URL and links to sources', async () => {
    const { page, pageErrors } = await site.open('member', '/conversations');
    const rows = page.getByRole('table', { name: 'Conversations, newest first' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(3);
    await expectAccessible(page);
    await page.getByRole('searchbox').fill('submarines');
    await expect.poll(() => rows.count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('q')).toBe('submarines');
    await page.getByRole('button', { name: /^Filters/ }).click();
    await page.getByRole('combobox', { name: 'Answer' }).click();
    await page.getByRole('option', { name: 'Answered', exact: true }).click();
    await page.getByText('No matching conversations').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows.count()).toBe(3);
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    await page.getByRole('button', { name: /^Filters/ }).click();
    await page.getByRole('combobox', { name: 'Rating' }).click();
    await page.getByRole('option', { name: 'Not helpful' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole('link', { name: KNOWN }).click();
    await page.getByRole('heading', { level: 1, name: 'Conversation from' }).waitFor();
    await page.getByText('Too long for me.').waitFor();
    expect(await page.getByText('Outdated', { exact: true }).count()).toBe(1);
    await page.getByText('The guide had no answer').waitFor();
    await page.getByRole('textbox', { name: 'New note' }).fill('Called back.');
    await page.getByRole('button', { name: 'Add note' }).click();
    const notes = page.getByRole('list', { name: 'Notes' });
    await notes.getByText('Called back.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete note' }).click();
    await notes.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Passwort zurücksetzen' }).click();
    await page.waitForURL('**/translations/de');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await goBack(page);
    await page.getByRole('link', { name: 'All conversations of this visitor' }).click();
    await page.getByText('Conversations of one visitor').waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    expect(pageErrors).toEqual([]);
  });

  it('shows ratings and comments on a phone', async () => {
    const { page, pageErrors, go } = await site.open('owner', '/conversations?view=feedback', {
      viewport: PHONE,
    });
    await page.getByText('Too long for me.').waitFor();
    expect(await page.getByText('Outdated', { exact: true }).count()).toBe(1);
    await expect.poll(() => page.getByRole('article').count()).toBe(2);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('checkbox', { name: 'With comments only' }).check();
    await expect.poll(() => page.getByRole('article').count()).toBe(1);
    await expectAccessible(page);
    await go('/conversations?view=feedback&rating=up&commented=yes');
    await page.getByRole('status').filter({ hasText: 'No matching ratings' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => page.getByRole('article').count()).toBe(2);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.getByRole('link', { name: KNOWN }).last().click();
    await page.getByText('The guide had no answer').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await go('/conversations');
    await page.getByRole('table').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(pageErrors).toEqual([]);
  });

  it('selects a date range by keyboard', async () => {
    const { page, pageErrors } = await site.open('owner', '/conversations');
    await page.getByRole('button', { name: 'Filters' }).press('Enter');
    const days = page.getByRole('button', { name: 'Date range' });
    await days.focus();
    await page.keyboard.press('Enter');
    const today = page.locator('[data-today]');
    await today.waitFor();
    await expectAccessible(page);
    await today.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toMatch(/from=[\d-]{10}&to=[\d-]{10}/);
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    await page.getByRole('button', { name: 'Clear date range' }).click();
    await expect.poll(() => page.url()).not.toContain('from=');
    expect(pageErrors).toEqual([]);
  });
});

describe('analytics page', () => {
  it('compares a period with the previous one, in charts and tables', async () => {
    const { page, pageErrors } = await site.open(
      'owner',
      '/analytics?range=custom&from=2026-10-04&to=2026-10-24&zone=Europe/Berlin',
    );
    await page.getByText('compared with 13 Sept 2026 – 3 Oct 2026').waitFor();
    const chart = page.getByRole('img', { name: /^Chart: Questions\. Answered: \d+, Unanswered: \d+/ });
    await chart.waitFor();
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Articles' }).click();
    await expect.poll(() => page.getByText('Deleted article').count()).toBeGreaterThan(3);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Questions as a table' }).press('Enter');
    const table = page.getByRole('table', { name: 'Questions', exact: true });
    expect(await table.getByRole('row').count()).toBe(22);
    await expectAccessible(page);
    await page.getByText('Hour', { exact: true }).click();
    await expect.poll(() => table.getByRole('row').count()).toBeGreaterThan(500);
    await page.getByRole('combobox', { name: 'Period' }).click();
    await page.getByRole('option', { name: 'Last 90 days' }).click();
    await expect.poll(() => table.getByRole('row').count()).toBe(91);
    await page.getByText('Hour', { exact: true }).click();
    await page.getByText('Period too long').waitFor();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('zone')).toBe('Asia/Tokyo');
    expect(pageErrors).toEqual([]);
  });

  it('compares languages, pages and articles by bars, in forced colors too', async () => {
    const { page } = await site.open('owner', '/analytics?range=quarter', { forcedColors: 'active' });
    const tables = {
      Languages: 'Visitors',
      'Questions by page': 'Visitors',
      'Most cited articles': 'Articles',
    };
    for (const [name, tab] of Object.entries(tables)) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('table', { name, exact: true }).waitFor();
      const rows = (await page.evaluate(`[...document.querySelectorAll('table')]
        .find(({ caption }) => caption?.textContent === '${name}')
        .querySelectorAll('.figure')
        .values()
        .map((figure) => ({
          count: Number(figure.textContent),
          width: figure.querySelector('.figure-bar').getBoundingClientRect().width,
          border: getComputedStyle(figure.querySelector('.figure-bar')).borderBottomWidth,
        }))
        .toArray()`)) as { count: number; width: number; border: string }[];
      const longest = Math.max(...rows.map(({ width }) => width));
      const highest = Math.max(...rows.map(({ count }) => count));
      expect(longest, name).toBeGreaterThan(20);
      for (const { count, width, border } of rows) {
        expect(width / longest, name).toBeCloseTo(count / highest, 1);
        expect(border).toBe('8px');
      }
    }
  });

  it('downloads every table of figures as CSV', async () => {
    const { page, pageErrors } = await site.open('member', '/analytics');
    await page.getByRole('img', { name: /^Chart: Questions\. .*highest/ }).waitFor();
    const read = async (title: string) => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: `Download “${title}” as CSV` }).click();
      const file = await download;
      expect(file.suggestedFilename()).toMatch(/^a-shop-[a-z-]+-\d{4}-\d\d-\d\d\.csv$/);
      return (await readFile(await file.path(), 'utf8')).replace('\uFEFF', '').trimEnd().split('\r\n');
    };
    const [names, ...days] = await read('Questions');
    expect(names).toBe('Time,Answered,Unanswered');
    expect(days).toHaveLength(28);
    const asked = days.flatMap((day) => day.split(',').slice(1).map(Number));
    await page.getByRole('tab', { name: 'All figures' }).click();
    const totals = await read('Totals');
    expect(totals[0]).toBe('Metric,Period,Previous period');
    const questions = Number(totals.find((line) => line.startsWith('Questions,'))?.split(',')[1]);
    expect(asked.reduce((sum, count) => sum + count)).toBe(questions);
    const titles = {
      'Most cited articles': 'Articles',
      'What visitors searched for': 'Articles',
      'Consent decisions': 'Visitors',
      Ratings: 'Quality',
    };
    for (const [title, tab] of Object.entries(titles)) {
      await page.getByRole('tab', { name: tab }).click();
      expect((await read(title)).length, title).toBeGreaterThan(1);
    }
    expect(await read('Why answers didn’t help')).toEqual(['Reason,Count', 'outdated,1']);
    await page.getByRole('tab', { name: 'Topics' }).click();
    await page.getByRole('table', { name: 'Topics' }).waitFor();
    const [columns, topic] = await read('Topics');
    expect(columns).toMatch(/^Topic,Language,Questions,Answered,Previous period,\d{4}-/);
    expect(topic).toMatch(/^How .*,\d+,\d+,\d+,/);
    expect(pageErrors).toEqual([]);
  });

  it('shows only tabs with data, and why visitors are fewer than conversations', async () => {
    for (const conversation of ['anonymous-1', 'anonymous-2', 'anonymous-3'])
      await sendMessage(site.team, await visit(site.team, GERMANY), conversation, KNOWN);
    const { page, pageErrors } = await site.open('member', '/analytics?range=today&tab=audience');
    await page.getByText('Conversations count everybody.').waitFor();
    await page.getByRole('table', { name: 'Languages', exact: true }).waitFor();
    expect(await page.getByRole('table', { name: 'Consent decisions' }).count()).toBe(1);
    expect(await page.getByRole('table', { name: 'Rate limits reached' }).count()).toBe(0);
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });
});

describe('audit log page', () => {
  it('shows who changed what, with the previous values', async () => {
    const { team } = site;
    const owner = team.as('owner');
    await owner.patch('', { name: 'Books', suggestions: ['Where is my book?'], voice: { enabled: false } });
    team.harness.clock.advance(10);
    await team.as('admin').post('/invitations', { email: 'ada@shop.example', role: 'member' });
    team.harness.clock.advance(10);
    await team
      .as('admin')
      .post('/knowledge/articles', { title: 'Returning a book', answer: 'Within 30 days.' });
    const { page, pageErrors } = await site.open('owner', '/audit');
    const row = page.getByRole('row').filter({ hasText: 'Changed settings' });
    await row.getByText('Books').waitFor();
    expect(await row.locator('del').first().textContent()).toBe('A shop');
    await row.getByText('Where is my book?').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Filters/ }).click();
    await page.getByRole('combobox', { name: 'User' }).fill('admin@');
    await page.getByRole('option', { name: 'admin@shop.example' }).click();
    await page.getByRole('link', { name: 'Returning a book' }).waitFor();
    await expect.poll(() => row.count()).toBe(0);
    await page.getByRole('combobox', { name: 'Action' }).fill('Sent an inv');
    await page.getByRole('option', { name: 'Sent an invitation' }).click();
    await page.getByText('ada@shop.example').waitFor();
    await page.getByRole('link', { name: 'Returning a book' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('ada@shop.example').waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('shows members that they have no access', async () => {
    const { page, pageErrors } = await site.open('member', '/audit');
    await page.getByText('Only owners and admins can view the audit log').waitFor();
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });
});

describe('insights in German', () => {
  it('fit a phone', async () => {
    const { page, pageErrors, go } = await site.open('owner', '/analytics', {
      locale: 'de-DE',
      viewport: PHONE,
    });
    await page.getByRole('heading', { level: 1, name: 'Auswertung' }).waitFor();
    await page.getByRole('img', { name: /^Diagramm: Fragen/ }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await go('/audit');
    await scrollTo(page, page.getByRole('rowheader', { name: 'Mehrere Artikel importiert' }));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await go('/conversations/talk-1');
    await page.getByText('Der Guide hatte keine Antwort').waitFor();
    await go('/conversations');
    await page.getByRole('columnheader', { name: 'Erste Frage' }).waitFor();
    const days = page.getByRole('button', { name: 'Zeitraum' });
    expect(await days.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await days.click();
    await page.getByRole('button', { name: 'Nächster Monat' }).waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe('a long audit log', () => {
  it('loads older entries while scrolling', async () => {
    const { team } = site;
    for (let number = 0; number < 60; number += 1)
      await team.as('owner').post('/knowledge/collections', { name: `Collection ${number}` });
    // Low enough that the end of the first page is not near.
    const viewport = { width: 1280, height: 480 };
    const { page, pageErrors } = await site.open('owner', '/audit?action=collection.created', { viewport });
    await page.getByText('Collection 59').first().waitFor();
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('-1');
    await scrollTo(page, page.getByText('Collection 0', { exact: true }).first());
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('61');
    expect(pageErrors).toEqual([]);
  });
});

/** Scrolls until a row is in the document, because long tables render only the rows near the viewport. */
async function scrollTo(page: Page, row: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 700);
      return row.isVisible();
    })
    .toBe(true);
}
