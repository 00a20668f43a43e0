import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import {
  ask,
  field,
  launcher,
  NOTHING,
  open,
  openDemoSiteBeforeAll,
  openPanel,
  panel,
  storedOnDevice,
} from '../support/demo-site.ts';

/** Several conversations, the size of the panel, and the unread mark. */

openDemoSiteBeforeAll();

const SCREENSHOT = 'How do I take a screenshot?';
const BRIGHTNESS = 'How do I set the screen brightness?';
const control = (page: Page, name: string) => panel(page).getByRole('button', { name, exact: true });
const questions = (page: Page) => page.locator('guidepost-guide .question p').allTextContents();
const focused = (page: Page) => page.evaluate('document.activeElement.shadowRoot.activeElement.id');

test('New chat starts another conversation, and the list opens earlier ones after consent', async () => {
  const { page, sent, pageErrors } = await open();
  expect(await control(page, 'New chat').isVisible()).toBe(false);
  await control(page, 'Agree').click();
  await ask(page, SCREENSHOT);
  expect(await control(page, 'Conversations').isVisible()).toBe(false);
  await control(page, 'New chat').click();
  expect(await questions(page)).toEqual([]);
  expect(await focused(page)).toBe('question');
  await ask(page, BRIGHTNESS);
  const [first, second] = sent('/chat').map((body) => body.conversation_id);
  expect(second).not.toBe(first);
  expect(sent('/chat')[1].turn_idx).toBe(0);

  await page.reload();
  await openPanel(page);
  await expect.poll(() => questions(page)).toEqual([BRIGHTNESS]);
  await control(page, 'Conversations').click();
  const list = page.getByRole('region', { name: 'Conversations' });
  expect(await list.locator('li span').allTextContents()).toEqual([BRIGHTNESS, SCREENSHOT]);
  expect(await list.locator('[aria-current] span').textContent()).toBe(BRIGHTNESS);
  await expectAccessible(page, 'guidepost-guide');
  await page.keyboard.press('Escape');
  expect(await list.count()).toBe(0);
  await control(page, 'Conversations').click();
  await list.getByRole('button', { name: SCREENSHOT }).click();
  await expect.poll(() => questions(page)).toEqual([SCREENSHOT]);
  await ask(page, 'Where is it saved?');
  expect(sent('/chat').at(-1)).toMatchObject({ conversation_id: first, turn_idx: 1 });

  await control(page, 'Privacy').click();
  await control(page, 'Withdraw').click();
  await control(page, 'Withdraw').waitFor({ state: 'detached' });
  expect(await control(page, 'Conversations').isVisible()).toBe(false);
  expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['guidepost:gp_demo:declined']);
  expect(pageErrors).toEqual([]);
});

test('the list shows the time of a conversation of today, and the day of an earlier one, beside long questions', async () => {
  const { page } = await open();
  // Sets the page's clock to the service's, which other tests may have moved to another day.
  await page.clock.setFixedTime(Date.now());
  await control(page, 'Agree').click();
  await ask(page, SCREENSHOT);
  await control(page, 'New chat').click();
  await ask(page, BRIGHTNESS);
  await page.evaluate(`{
    const stored = JSON.parse(localStorage['guidepost:gp_demo']);
    stored.conversations[1].activeAt = Date.UTC(2026, 0, 5, 12);
    stored.conversations[1].title = 'How do I take a screenshot of '.repeat(5);
    localStorage['guidepost:gp_demo'] = JSON.stringify(stored);
  }`);
  await page.reload();
  await openPanel(page);
  await control(page, 'Conversations').click();
  const times = page.locator('guidepost-guide time');
  expect(await times.allTextContents()).toEqual([expect.stringMatching(/^\d\d:\d\d$/), '5 Jan 2026']);
  expect(await times.last().getAttribute('datetime')).toBe('2026-01-05T12:00:00.000Z');
  const overflow = `(({ shadowRoot }) => {
    const { scrollWidth, clientWidth } = shadowRoot.querySelector('.view');
    return scrollWidth - clientWidth;
  })(document.querySelector('guidepost-guide'))`;
  expect(await page.evaluate(overflow)).toBe(0);
});

test('without consent New chat works, and nothing is listed or stored', async () => {
  const { page } = await open();
  await ask(page, SCREENSHOT);
  await control(page, 'New chat').click();
  await ask(page, BRIGHTNESS);
  expect(await questions(page)).toEqual([BRIGHTNESS]);
  expect(await control(page, 'Conversations').isVisible()).toBe(false);
  expect(await storedOnDevice(page)).toEqual(NOTHING);
});

test('New chat while an answer is written leaves that answer', async () => {
  const { page, sent } = await open();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/chat', async (route) => {
    await released;
    await route.continue().catch(() => {});
  });
  await field(page).fill(SCREENSHOT);
  await field(page).press('Enter');
  await control(page, 'New chat').waitFor();
  await control(page, 'New chat').click();
  release();
  await ask(page, BRIGHTNESS);
  expect(await questions(page)).toEqual([BRIGHTNESS]);
  expect(sent('/chat').at(-1)).toMatchObject({ message: BRIGHTNESS, turn_idx: 0 });
});

test('the panel can be enlarged to the full height, except where it fills the screen', async () => {
  const { page } = await open({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  const before = (await panel(page).boundingBox())!;
  await control(page, 'Enlarge').click();
  const after = (await panel(page).boundingBox())!;
  expect(after.width).toBeGreaterThan(before.width * 1.5);
  expect(after.height).toBe(860);
  expect(await control(page, 'Enlarge').getAttribute('aria-pressed')).toBe('true');
  await control(page, 'Agree').click();
  await control(page, 'Enlarge').click();
  await control(page, 'Enlarge').click();
  await page.reload();
  await openPanel(page);
  await expect.poll(async () => (await panel(page).boundingBox())!.width).toBe(after.width);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await control(page, 'Enlarge').isVisible()).toBe(false);
  expect((await panel(page).boundingBox())!.width).toBe(390);
});

test('the launcher marks an answer that came after the panel was closed', async () => {
  const { page } = await open();
  await page.route('**/chat', async (route) => {
    await panel(page).waitFor({ state: 'hidden' });
    await route.continue();
  });
  await field(page).fill(SCREENSHOT);
  await field(page).press('Enter');
  await page.keyboard.press('Escape');
  const marked = page.getByRole('button', { name: 'Open the guide (New answer)' });
  await marked.waitFor();
  await marked.click();
  await page.getByText('Was this helpful?').waitFor();
  await page.keyboard.press('Escape');
  expect(await launcher(page).getAttribute('aria-label')).toBe('Open the guide');
});
