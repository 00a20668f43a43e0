import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../server/engine/engine.ts';
import { type DemoSite, openDemoSite, type Visit } from './demo-site.ts';
import { ask, openPanel } from './visits.ts';

/** Proposed actions: the visitor decides, and the next turn reports the outcome. */

const engine: Engine = {
  name: 'scripted',
  async *answer({ text, page }) {
    yield { type: 'text', delta: `You asked: ${text}.` };
    if (text === 'where')
      yield {
        type: 'action',
        kind: 'navigate',
        url: `${page.url}?lang=de#topics`,
        label: 'Go there',
        reason: 'It is there.',
      };
    const target = page.targets.find(({ name }) => name === 'Subject');
    if (text === 'focus' && target)
      yield { type: 'action', kind: 'focus', gpId: target.gpId, label: 'Write to us', reason: 'For help.' };
    yield { type: 'end', finishReason: 'stop', confidence: 1, usage: { inputTokens: 0, outputTokens: 0 } };
  },
};

let site: DemoSite;
let visit: Visit;
beforeAll(async () => {
  site = await openDemoSite({ engine });
});
afterEach(() => visit.close());
afterAll(() => site.close());

async function open(decision: 'Agree' | 'Decline'): Promise<Page> {
  visit = await site.open({ reducedMotion: 'reduce' });
  await openPanel(visit.page);
  await visit.page.getByRole('button', { name: decision }).click();
  await visit.page.getByRole('group', { name: 'May the guide remember you?' }).waitFor({ state: 'detached' });
  return visit.page;
}

const outcomes = () =>
  visit
    .sent('/chat')
    .map(({ action_results: told }) => told?.map(({ outcome }: { outcome: string }) => outcome));

test('a declined proposal is reported, and the focus stays in the panel', async () => {
  const page = await open('Decline');
  await ask(page, 'focus');
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.getByText('OK, nothing was done.').first().waitFor();
  expect(await page.getByRole('button', { name: 'Write to us' }).count()).toBe(0);
  expect(await page.evaluate('document.activeElement.shadowRoot.activeElement.textContent')).toBe(
    'OK, nothing was done.',
  );
  await ask(page, 'delivery times');
  await page.getByText('You asked: delivery times.').last().waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await ask(page, 'gift wrapping');
  await page.getByText('You asked: gift wrapping.').last().waitFor();
  expect(outcomes()).toEqual([undefined, ['declined'], undefined]);
});

test('a navigation shows its destination, and the next page reports it for stored visitors', async () => {
  const page = await open('Agree');
  await ask(page, 'where');
  await page.getByText('/demo?lang=de#topics').waitFor();
  expect(page.url()).toBe(site.demoUrl);
  await page.getByRole('button', { name: 'Go there' }).click();
  await page.waitForURL(/lang=de/);
  await page.getByRole('button', { name: 'Hilfe öffnen' }).click();
  await page.locator('guidepost-guide textarea:enabled').waitFor();
  await page.locator('guidepost-guide .question').first().waitFor();
  await page.getByLabel('Ihre Frage').fill('thanks');
  await page.keyboard.press('Enter');
  await expect.poll(outcomes).toEqual([undefined, ['done']]);
  expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
});

test('a proposal of an unknown kind is left out', async () => {
  const page = await open('Decline');
  await page.route('**/chat', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('"kind":"navigate"', '"kind":"teleport"');
    expect(body).toContain('teleport');
    await route.fulfill({ response, body });
  });
  await ask(page, 'where');
  expect(await page.getByText('You asked: where.').first().isVisible()).toBe(true);
  expect(await page.getByRole('heading', { name: 'On this page' }).isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Go there' }).count()).toBe(0);
});

test('a navigation stores nothing for the next page of a visitor who declined', async () => {
  const page = await open('Decline');
  await ask(page, 'where');
  await page.getByRole('button', { name: 'Go there' }).click();
  await page.waitForURL(/lang=de/);
  expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
});
