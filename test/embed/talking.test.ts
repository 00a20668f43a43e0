import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine, EngineEvent } from '../../server/engine/engine.ts';
import {
  ask,
  type DemoSite,
  field,
  launcher,
  openDemoSite,
  openPanel,
  panel,
  ready,
} from '../support/demo-site.ts';

/** Conversations with lost connections, several tabs, and the browser's back button. */

const END: EngineEvent = {
  type: 'end',
  finishReason: 'stop',
  confidence: 1,
  usage: { inputTokens: 0, outputTokens: 0 },
};
const MARKDOWN =
  'Two ways:\n\n1. Press **Print**\n2. Run `gnome-screenshot`\n   - in a terminal\n\n* One\n* <b>Two</b>\n\n## Then\nSave it.';
const engineCalls = { answered: 0 };
const heldAnswer = Promise.withResolvers<void>();
const engine: Engine = {
  name: 'scripted',
  async *answer(question) {
    engineCalls.answered += 1;
    if (question.text === 'slow') await new Promise((resolve) => setTimeout(resolve, 700));
    if (question.text === 'held') await heldAnswer.promise;
    yield { type: 'text', delta: question.text === 'markdown' ? MARKDOWN : `You said ${question.text}.` };
    yield END;
  },
};

let site: DemoSite;
beforeAll(async () => {
  site = await openDemoSite({ engine });
});
afterAll(() => site.close());

const texts = (page: Page) => page.locator('guidepost-guide .text').allTextContents();
const questions = (page: Page) => page.locator('guidepost-guide .question p').allTextContents();

async function secondPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(site.demoUrl);
  await openPanel(page);
  return page;
}

test('answers are formatted and can be copied, and a lost connection does not ask twice', async () => {
  const { page, pageErrors, sent, close } = await site.open({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await openPanel(page);
  await ask(page, 'markdown');
  const text = page.locator('guidepost-guide .text');
  expect(await text.locator('ol > li').allTextContents()).toEqual([
    'Press Print',
    'Run gnome-screenshotin a terminal',
  ]);
  expect(await text.locator('ol > li > ul > li').allTextContents()).toEqual(['in a terminal']);
  expect(await text.locator(':scope > ul > li').allTextContents()).toEqual([
    'One',
    expect.stringContaining('Two'),
  ]);
  expect(await text.locator('strong').allTextContents()).toEqual(['Print', 'Then']);
  expect(await text.locator('code').textContent()).toBe('gnome-screenshot');
  expect(await text.locator('b').count()).toBe(0);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText('Copied.').first().waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('Press **Print**');

  const before = engineCalls.answered;
  await page.context().setOffline(true);
  await field(page).fill('again');
  await field(page).press('Enter');
  await page.getByRole('log').getByText('You’re offline.', { exact: false }).waitFor();
  await page.context().setOffline(false);
  await page.getByText('You said again.').first().waitFor();
  expect(await questions(page)).toEqual(['markdown', 'again']);
  expect(engineCalls.answered - before).toBe(1);
  // All requests were the same turn.
  expect(
    new Set(
      sent('/chat')
        .slice(1)
        .map((body) => JSON.stringify(body)),
    ).size,
  ).toBe(1);

  // Without a network, a browser still reaches a service on its own machine.
  await page.evaluate(`Object.defineProperty(navigator, 'onLine', { value: false })`);
  await ask(page, 'alone');
  expect(await texts(page)).toContain('You said alone.');
  expect(pageErrors).toEqual([]);
  await close();
});

test('all tabs of a visitor share one conversation, turn by turn, and its deletion', async () => {
  const visit = await site.open();
  const { page } = visit;
  await openPanel(page);
  await page.getByRole('button', { name: 'Agree' }).click();
  await ask(page, 'one');
  const other = await secondPage(page.context());
  await other.getByText('You said one.').first().waitFor();

  // Both tabs ask at once: the second one waits, and then also shows the answer of the first.
  await field(page).fill('slow');
  await field(page).press('Enter');
  await expect.poll(() => visit.sent('/chat')).toHaveLength(2);
  await field(other).fill('two');
  await field(other).press('Enter');
  await other.getByText('You said two.').first().waitFor();
  expect(await questions(other)).toEqual(['one', 'slow', 'two']);
  await expect.poll(() => questions(page)).toEqual(['one', 'slow', 'two']);
  await expect.poll(() => texts(page)).toEqual(['You said one.', 'You said slow.', 'You said two.']);

  // Back from another page, the panel shows what happened meanwhile.
  await page.goto(`${site.demoUrl}?lang=de`);
  await page.goBack();
  if (!(await panel(page).isVisible())) await openPanel(page);
  await page.getByText('You said two.').first().waitFor();

  await other.getByRole('button', { name: 'Privacy' }).click();
  await other.getByText('You have agreed.').waitFor();
  await other.getByRole('button', { name: 'Withdraw' }).click();
  await expect
    .poll(() => other.evaluate('Object.keys(localStorage)'))
    .toEqual(['guidepost:gp_demo:declined']);
  await expect.poll(() => questions(page)).toEqual([]);
  await other.getByText('You have agreed.').waitFor({ state: 'detached' });
  await other.getByRole('button', { name: 'Privacy' }).click();
  await other.getByText('You have declined.').waitFor();

  // A page in the back/forward cache gets no events and checks when it returns.
  await page.getByRole('button', { name: 'Privacy' }).click();
  await page.getByRole('button', { name: 'Agree' }).click();
  await ask(page, 'three');
  await page.evaluate(
    'localStorage.clear(); dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))',
  );
  await expect.poll(() => questions(page)).toEqual([]);
  await visit.close();
});

test('the deletion in another tab ends a running answer and removes its question', async () => {
  const { page, pageErrors, sent, close } = await site.open();
  await openPanel(page);
  await page.getByRole('button', { name: 'Agree' }).click();
  await ask(page, 'one');
  const other = await secondPage(page.context());
  await other.getByText('You said one.').first().waitFor();

  await field(page).fill('held');
  await field(page).press('Enter');
  await expect.poll(() => sent('/chat')).toHaveLength(2);
  await other.getByRole('button', { name: 'Privacy' }).click();
  await other.getByRole('button', { name: 'Withdraw' }).click();
  await expect.poll(() => questions(page)).toEqual([]);
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  heldAnswer.resolve();
  await ask(page, 'two');
  expect(await questions(page)).toEqual(['two']);
  expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['guidepost:gp_demo:declined']);
  expect(pageErrors).toEqual([]);
  await close();
});

test('the retry button counts down until a retry can help', async () => {
  const { page, close } = await site.open();
  await page.clock.install();
  await openPanel(page);
  await page.route('**/chat', (route) =>
    route.fulfill({
      status: 429,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'retry-after',
        'retry-after': '60',
      },
      json: {
        error: 'rate_limit/exceeded',
        bucket: 'chat/visitor-burst',
        message: 'Too many.',
        request_id: 'r',
      },
    }),
  );
  await field(page).fill('limited');
  await field(page).press('Enter');
  const retryButton = page.getByRole('button', { name: /^Try again/ });
  await retryButton.waitFor();
  expect(await retryButton.textContent()).toMatch(/Try again \((60|59|58)s\)/);
  expect(await retryButton.isDisabled()).toBe(true);
  await page.unroute('**/chat');
  await page.clock.fastForward('01:00');
  await expect.poll(() => retryButton.isEnabled()).toBe(true);
  await retryButton.click();
  await page.getByText('You said limited.').first().waitFor();
  expect(await questions(page)).toEqual(['limited']);
  await close();
});

test("the page's scripts can open the guide, listen to its events and remove it completely", async () => {
  const { page, sent, close } = await site.open();
  await launcher(page).waitFor();
  await page.evaluate(`
    document.heard = [];
    for (const event of ['open', 'close', 'question', 'answer', 'consent', 'feedback', 'error'])
      Guidepost.on(event, (detail) => document.heard.push([event, detail]));
    Guidepost.setContext({ plan: 'Pro\\nplan', seats: 3 });
  `);
  await page.evaluate('Guidepost.ask("by program")');
  await page.getByText('You said by program.').first().waitFor();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByText('Thank you!').first().waitFor();
  expect(sent('/chat')[0].dom_digest).toMatch(/^context plan: Pro plan\ncontext seats: 3\ntitle /);

  // A page that changes its URL or body by script counts as another page.
  await page.evaluate(
    'history.pushState({}, "", "/demo/elsewhere?x=1"); document.body = document.createElement("body");',
  );
  const decline = page.getByRole('button', { name: 'Decline' });
  await decline.click();
  await decline.waitFor({ state: 'detached' });
  await ask(page, 'there');
  expect(sent('/chat')[1].url).toBe(`${site.harness.baseUrl}/demo/elsewhere?x=1`);
  expect(sent('/boot').at(-1).path).toBe('/demo/elsewhere');

  await page.evaluate('Guidepost.close()');
  expect(await page.evaluate('document.heard')).toMatchObject([
    ['open', {}],
    ['question', { message: 'by program' }],
    [
      'answer',
      {
        text: 'You said by program.',
        finishReason: 'stop',
        citations: [],
        conversationId: expect.any(String),
      },
    ],
    ['feedback', { rating: 'up' }],
    ['consent', { decision: 'denied', recorded: true }],
    ['question', { message: 'there' }],
    ['answer', {}],
    ['close', {}],
  ]);
  await page.evaluate('Guidepost.destroy()');
  expect(
    await page.evaluate('[typeof Guidepost, document.querySelectorAll("guidepost-guide").length]'),
  ).toEqual(['undefined', 0]);

  // Repeats this with an element created by a script, which has the methods itself.
  await page.evaluate(`
    const made = document.createElement('guidepost-guide');
    made.setAttribute('app', 'gp_demo');
    made.setAttribute('api', ${JSON.stringify(site.harness.baseUrl)});
    made.lang = 'de';
    document.body.append(made);
    made.open('Wie geht das?');
  `);
  await ready(page);
  expect(await page.getByLabel('Ihre Frage', { exact: true }).inputValue()).toBe('Wie geht das?');
  await page.evaluate('document.querySelector("guidepost-guide").remove()');
  await close();
});
