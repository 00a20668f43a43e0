import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Visit, VisitOptions } from './demo-site.ts';
import { openSavedPages, type SavedPages } from './saved-pages.ts';
import { ask, openPanel } from './visits.ts';

/** The guide on typical pages: a shop, documentation, and a single-page application. */

let site: SavedPages;
const visits: Visit[] = [];
beforeAll(async () => {
  site = await openSavedPages();
});
afterEach(async () => {
  for (const visit of visits.splice(0)) await visit.close();
});
afterAll(() => site.close());

async function open(path: string, options: VisitOptions = {}): Promise<Visit> {
  const visit = await site.open(path, { reducedMotion: 'reduce', ...options });
  visits.push(visit);
  await openPanel(visit.page);
  return visit;
}

const decline = (page: Page) => page.getByRole('button', { name: 'Decline' }).click();
const findSpotlight = (page: Page) => page.locator('guidepost-guide .frame');

async function isAround(page: Page, selector: string): Promise<void> {
  const frame = (await findSpotlight(page).boundingBox())!;
  const target = (await page.locator(selector).boundingBox())!;
  expect(Math.abs(frame.x + frame.width / 2 - (target.x + target.width / 2))).toBeLessThan(3);
  expect(Math.abs(frame.y + frame.height / 2 - (target.y + target.height / 2))).toBeLessThan(3);
}

test('in a shop the guide highlights what it mentions, and reads neither card nor address', async () => {
  const { page, sent, complaints } = await open('/shop');
  await decline(page);
  await page.fill('#card', '4111 1111 1111 1111');
  await page.fill('#voucher', 'SPRING-SECRET');
  await ask(page, 'How do I print the return label?');
  await page.getByRole('button', { name: 'Show “Print the return label”' }).click();
  await isAround(page, '#label');
  const [turn] = sent('/chat');
  const body = JSON.stringify(turn);
  for (const secret of [
    '4111',
    'SPRING',
    'Card number',
    'Expiry',
    'Code from your bank',
    'Account password',
    'Quillfeather',
  ])
    expect(body).not.toContain(secret);
  expect(turn.dom_digest).toContain('h1 Checkout');
  expect(turn.dom_digest).toContain('checkbox Wrap as a gift');
  expect(turn.capture_context.targets[0].name).toBe('Print the return label');
  expect(turn.viewport_screenshot).toBeUndefined();
  expect(complaints).toEqual([]);
});

test('in documentation the guide finds the chapter and the states of its controls', async () => {
  const { page, sent, complaints } = await open('/documentation', { viewport: { width: 1200, height: 700 } });
  await ask(page, 'How do I verify the signature?');
  await page.getByRole('button', { name: 'Show “Verify the signature”' }).click();
  await findSpotlight(page).waitFor();
  const [turn] = sent('/chat');
  expect(turn.dom_digest).toContain('link Webhooks (current)');
  expect(turn.dom_digest).toContain('text Kestrel calls an address of yours');
  const tests = turn.capture_context.targets.filter(({ name }: { name: string }) => name === 'Send a test');
  expect(new Set(tests.map(({ gp_id }: { gp_id: string }) => gp_id)).size).toBe(tests.length);
  expect(complaints).toEqual([]);
});

test('in an application the guide finds re-rendered targets and reports missing ones', async () => {
  const { page, sent, complaints } = await open('/dashboard/invoices');
  await decline(page);
  await ask(page, 'How do I create an invoice?');
  const show = page.getByRole('button', { name: 'Show “Create an invoice”' });
  // The whole page is rendered again, with one row less.
  await page.locator('tr', { hasText: '1042' }).getByRole('button', { name: 'Delete' }).click();
  await show.click();
  await isAround(page, '.main');
  // The click renders the page again, and the spotlight stays.
  await page.locator('.main').click();
  await page.getByText('A new invoice would open here.').waitFor();
  await isAround(page, '.main');

  await page.getByRole('link', { name: 'Settings' }).click();
  await findSpotlight(page).waitFor({ state: 'hidden' });
  await show.click();
  await page.getByText('“Create an invoice” is no longer on this page.').first().waitFor();
  await page.getByRole('link', { name: 'Invoices' }).click();
  await show.click();
  await isAround(page, '.main');

  await ask(page, 'How do I create an invoice now?');
  await expect.poll(() => sent('/chat').length).toBe(2);
  const [first, second] = sent('/chat');
  expect(second.action_results.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'done',
    'target_missing',
    'done',
  ]);
  const getTargetId = (turn: typeof first, name: string) =>
    turn.capture_context.targets.find((target: { name: string }) => target.name === name).gp_id;
  for (const name of ['Create an invoice', 'Settings'])
    expect(getTargetId(second, name)).toBe(getTargetId(first, name));
  expect(new URL(second.url).pathname).toBe('/dashboard/invoices');
  expect(complaints).toEqual([]);
});

test('a screenshot is sent only for visitors who consented', async () => {
  const { page, sent } = await open('/shop');
  await page.getByRole('button', { name: 'Agree' }).click();
  await page.getByRole('group', { name: 'May the guide remember you?' }).waitFor({ state: 'detached' });
  await ask(page, 'How do I print the return label?');
  const { viewport_screenshot: picture } = sent('/chat')[0];
  expect(picture).toMatchObject({ mime: 'image/jpeg' });
  expect(picture.width).toBeLessThanOrEqual(1280);
  const bytes = Buffer.from(picture.data, 'base64');
  expect(bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  expect(bytes.length).toBeLessThan(400_000);
});
