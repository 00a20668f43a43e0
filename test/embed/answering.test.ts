import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Engine, EngineEvent } from '../../server/engine/engine.ts';
import { expectAccessible } from '../fixtures/browser.ts';
import { USER_AGENT } from '../harness.ts';
import { type DemoSite, openDemoSite, type Visit } from './demo-site.ts';

/** An engine whose answers are slow, hostile or interrupted. */
const engineCalls = { stopped: false, attempts: 0 };
const end: EngineEvent = {
  type: 'end',
  finishReason: 'stop',
  confidence: 1,
  usage: { inputTokens: 0, outputTokens: 0 },
};
const text = (delta: string): EngineEvent => ({ type: 'text', delta });

const engine: Engine = {
  name: 'scripted',
  // Such engines read the page, and may cite it.
  costsTokens: true,
  async *answer(question, signal) {
    if (question.text === 'slow') {
      yield text('The first sentence. And half of');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      engineCalls.stopped = true;
      return;
    }
    if (question.text === 'broken') {
      engineCalls.attempts += 1;
      yield text('Half an ');
      if (engineCalls.attempts === 1) throw new Error('The engine broke.');
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
    if (question.text === 'page') {
      const quote = question.page.digest.match(/Juniper Desktop/)![0];
      yield text('It is called Juniper.');
      yield { type: 'page_citation', quote, start: 0, end: 21 };
    }
    if (question.text === 'person') yield text(`Write here: ${CONTACT.email}`);
    if (question.text === 'nothing') {
      yield text('Nothing was found.');
      yield { ...end, finishReason: 'no_knowledge' };
      return;
    }
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

const CONTACT = { email: 'help@shop.example', url: 'https://shop.example/contact', phone: '+43 1 234' };

let site: DemoSite;
let visit: Visit;
let page: Page;
beforeAll(async () => {
  site = await openDemoSite({ engine, settings: { contact: CONTACT } });
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

/** The pressed button is gone; the keyboard focus stays in the panel. */
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

test('the panel shows words as they arrive, announces whole sentences, and stops on request', async () => {
  await ask('slow');
  await log().getByText('And half of').waitFor();
  const announced = await page.locator('guidepost-guide [role="status"]').textContent();
  expect(announced).toContain('The first sentence.');
  expect(announced).not.toContain('And half');
  await page.getByRole('button', { name: 'Stop' }).click();
  await log().getByText('You stopped this answer.').waitFor();
  await expect.poll(() => engineCalls.stopped).toBe(true);
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isVisible()).toBe(true);
  expect(visit.complaints).toEqual([]);
});

test('the panel says when an answer is interrupted, and retries on request, also by keyboard', async () => {
  await ask('broken');
  await log().getByText('The answer was interrupted.', { exact: false }).waitFor();
  await pressAndStay('Try again', () => log().getByText('Half an answer.').waitFor());
  await page.getByRole('button', { name: 'Open the guide' }).click();
  expect(await log().getByText('broke off').count()).toBe(0);
  expect(await page.locator('guidepost-guide .question').count()).toBe(1);
});

test('the panel shows the words of the page that an answer comes from', async () => {
  await ask('page');
  await log().getByRole('heading', { name: 'From this page' }).waitFor();
  const quotes = log().getByRole('blockquote');
  expect(await quotes.allTextContents()).toEqual(['Juniper Desktop']);
  await expectAccessible(page);
  expect(visit.complaints).toEqual([]);
});

test.each(['person', 'nothing'])(
  'the panel links to the contact for "%s", and not elsewhere',
  async (question) => {
    await ask('hostile');
    await log().getByText('Was this helpful?').waitFor();
    expect(await log().getByRole('heading', { name: 'Talk to a person' }).count()).toBe(0);
    await page.getByLabel('Your question', { exact: true }).fill(question);
    await page.getByLabel('Your question', { exact: true }).press('Enter');
    await log().getByRole('heading', { name: 'Talk to a person' }).waitFor();
    const links = log().locator('.contact').getByRole('link');
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
      'mailto:help@shop.example',
      'tel:+431234',
      'https://shop.example/contact',
    ]);
    expect(await links.allTextContents()).toEqual([CONTACT.email, CONTACT.phone, 'Contact page']);
    await expectAccessible(page);
    expect(visit.complaints).toEqual([]);
  },
);

test('the panel shows markup in answers and suggestions as text', async () => {
  await ask('hostile');
  await log().getByText('‹img src=x onerror="window.hit=1"> & &lt;b&gt;bold&lt;/b&gt;').waitFor();
  await page.getByRole('button', { name: '‹script>window.hit=2 ‹/script>' }).waitFor();
  expect(await page.locator('guidepost-guide').locator('img, b, script').count()).toBe(0);
  expect(await page.evaluate('window.hit')).toBeUndefined();
  const again = () => page.locator('guidepost-guide .question').nth(1).waitFor();
  await pressAndStay('‹script>window.hit=2 ‹/script>', again);
});

test('the panel navigates within the site only after a click', async () => {
  await ask('where');
  const go = page.getByRole('button', { name: 'Go to the German page' });
  await go.waitFor();
  expect(page.url()).toBe(site.demoUrl);
  await go.click();
  await page.waitForURL(`${site.demoUrl}?lang=de`);
});

test('the panel moves the focus to a proposed field only after a click', async () => {
  await ask('focus');
  await page.getByRole('button', { name: 'Write a message' }).click();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('subject');
});

test('the panel says when to continue after too many questions', async () => {
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
    .getByText(/You can continue at \d\d:\d\d:\d\d/)
    .waitFor();
});
