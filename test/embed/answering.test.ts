import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Engine, EngineEvent } from '../../server/engine/engine.ts';
import { USER_AGENT } from '../harness.ts';
import { type DemoSite, openDemoSite, type Visit } from './demo-site.ts';

/** An engine that says what a test needs to see arrive: slowly, hostile, broken. */
const told = { stopped: false, attempts: 0 };
const end: EngineEvent = {
  type: 'end',
  finishReason: 'stop',
  confidence: 1,
  usage: { inputTokens: 0, outputTokens: 0 },
};
const text = (delta: string): EngineEvent => ({ type: 'text', delta });

const engine: Engine = {
  name: 'scripted',
  async *answer(question, signal) {
    if (question.text === 'slow') {
      yield text('The first sentence. And half of');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      told.stopped = true;
      return;
    }
    if (question.text === 'broken') {
      told.attempts += 1;
      yield text('Half an ');
      if (told.attempts === 1) throw new Error('The engine broke.');
      yield text('answer.');
    }
    if (question.text === 'hostile') {
      yield text('<img src=x onerror="window.hit=1"> & &lt;b&gt;bold&lt;/b&gt;');
      yield {
        type: 'suggestions',
        items: [{ title: '<script>window.hit=2</script>', message: 'hostile' }],
      };
    }
    if (question.text === 'where')
      yield {
        type: 'action',
        kind: 'navigate',
        url: `${question.page.url}?lang=de`,
        label: 'Go to the German page',
        reason: 'It is in German.',
      };
    if (question.text === 'focus') {
      const target = question.page.targets.find(({ name }) => name === 'Subject')!;
      yield {
        type: 'action',
        kind: 'focus',
        gpId: target.gpId,
        label: 'Write a message',
        reason: 'For help.',
      };
    }
    yield end;
  },
};

let site: DemoSite;
let visit: Visit;
let page: Page;
beforeAll(async () => {
  site = await openDemoSite({ engine });
});
afterEach(() => visit.close());
afterAll(() => site.close());

async function ask(question: string): Promise<void> {
  visit = await site.open({ reducedMotion: 'reduce' });
  page = visit.page;
  await page.getByRole('button', { name: 'Open the guide' }).click();
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.getByLabel('Your question', { exact: true }).fill(question);
  await page.getByLabel('Your question', { exact: true }).press('Enter');
}

const log = () => page.getByRole('log');

/** The button is gone once it is pressed; whoever uses the keyboard is still in the panel. */
async function pressAndStay(name: string, arrived: () => Promise<unknown>): Promise<void> {
  const focused = () =>
    page.evaluate('document.activeElement.shadowRoot?.activeElement.getAttribute("role")');
  await page.getByRole('button', { name }).press('Enter');
  expect(await focused()).toBe('log');
  await arrived();
  expect(await focused()).toBe('log');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

test('shows words as they come, says whole sentences, and stops when told to', async () => {
  await ask('slow');
  await log().getByText('And half of').waitFor();
  const said = await page.locator('guidepost-guide [role="status"]').textContent();
  expect(said).toContain('The first sentence.');
  expect(said).not.toContain('And half');
  await page.getByRole('button', { name: 'Stop' }).click();
  await log().getByText('You stopped this answer.').waitFor();
  await expect.poll(() => told.stopped).toBe(true);
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isVisible()).toBe(true);
  expect(visit.complaints).toEqual([]);
});

test('says when an answer broke off, and asks again when told to, by keyboard too', async () => {
  await ask('broken');
  await log().getByText('The answer broke off here.', { exact: false }).waitFor();
  await pressAndStay('Try again', () => log().getByText('Half an answer.').waitFor());
  await page.getByRole('button', { name: 'Open the guide' }).click();
  expect(await log().getByText('broke off').count()).toBe(0);
  expect(await page.locator('guidepost-guide .question').count()).toBe(1);
});

test('shows markup in answers and suggestions as the text that it is, and a suggestion is asked by keyboard', async () => {
  await ask('hostile');
  await log().getByText('‹img src=x onerror="window.hit=1"> & &lt;b&gt;bold&lt;/b&gt;').waitFor();
  await page.getByRole('button', { name: '‹script>window.hit=2 ‹/script>' }).waitFor();
  expect(await page.locator('guidepost-guide').locator('img, b, script').count()).toBe(0);
  expect(await page.evaluate('window.hit')).toBeUndefined();
  const again = () => page.locator('guidepost-guide .question').nth(1).waitFor();
  await pressAndStay('‹script>window.hit=2 ‹/script>', again);
});

test('goes to another page of the site only after a click', async () => {
  await ask('where');
  const go = page.getByRole('button', { name: 'Go to the German page' });
  await go.waitFor();
  expect(page.url()).toBe(site.demoUrl);
  await go.click();
  await page.waitForURL(`${site.demoUrl}?lang=de`);
});

test('puts the focus where it was proposed, after a click', async () => {
  await ask('focus');
  await page.getByRole('button', { name: 'Write a message' }).click();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('subject');
});

test('says until when to wait when there were too many questions', async () => {
  await ask('where');
  await page.getByRole('button', { name: 'Go to the German page' }).waitFor();
  const headers = await visit.requests.find((request) => request.url().endsWith('/chat'))!.allHeaders();
  const draws = Array.from({ length: 30 }, () =>
    fetch(`${site.harness.baseUrl}/chat`, {
      method: 'POST',
      body: '{}',
      headers: {
        authorization: headers.authorization!,
        origin: site.harness.baseUrl,
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
      },
    }),
  );
  await Promise.all(draws);
  await page.getByLabel('Your question', { exact: true }).fill('where');
  await page.getByLabel('Your question', { exact: true }).press('Enter');
  await log()
    .getByText(/You can go on at \d\d:\d\d:\d\d/)
    .waitFor();
});
