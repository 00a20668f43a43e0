import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../server/engine/engine.ts';
import { createExtractiveEngine } from '../../server/engine/extractive.ts';
import { VOICE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import type { Workspace } from '../../server/storage/workspaces.ts';
import { expectAccessible, type OwnBrowser, openBrowser, PLAYED, recognition } from '../support/browser.ts';
import { type Harness, openHarness, USER_AGENT } from '../support/harness.ts';
import { importSeeds, seeds } from '../support/seeds.ts';
import { joinAs, type MemberClient } from '../support/team.ts';
import { openPackages, openSite, type Packages, type Project, type Site } from './react-site.ts';

/** The components in a real browser, on a customer's page, against a real server. */

const extractive = createExtractiveEngine();
const engineCalls = { stopped: 0, isBroken: false };

/** Quotes articles; a few trigger words make it slow, fail or point at the page. */
const engine: Engine = {
  name: 'scripted',
  async *answer(question, signal) {
    if (question.text === 'slow') {
      yield { type: 'text', delta: 'The first half' };
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      engineCalls.stopped += 1;
      return;
    }
    if (question.text === 'broken' && engineCalls.isBroken) throw new Error('The engine broke.');
    if (question.text === 'table') {
      yield { type: 'text', delta: '| Plan | Price |\n| --- | --- |\n| **Solo** \\| a | 5 € |' };
      yield { type: 'end', finishReason: 'stop', confidence: 1, usage: { inputTokens: 0, outputTokens: 0 } };
      return;
    }
    if (question.text === 'רשימה') {
      yield { type: 'text', delta: '- ראשון\n- Second' };
      yield { type: 'end', finishReason: 'stop', confidence: 1, usage: { inputTokens: 0, outputTokens: 0 } };
      return;
    }
    if (question.text === 'point') {
      const { gpId } = question.page.targets.find(({ name }) => name === 'Buy a gift card')!;
      yield { type: 'action', kind: 'focus', gpId, label: 'Show the button', reason: 'It is there.' };
    }
    yield* extractive.answer(question, signal);
  },
};

const page = (name: string) => readFileSync(new URL(`pages/${name}`, import.meta.url), 'utf8');
const FILES = { 'app.jsx': page('app.jsx'), 'main.jsx': page('main.jsx'), 'server.jsx': page('server.jsx') };
const WITH_SOUND = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
];

/** The page sets minimum sizes, which the components leave to its style sheet. */
const HTML = `<!doctype html><html lang="en"><title>Shop</title><style>button, textarea, summary { min-height: 24px }</style><div id="root"></div><script type="module" src="./main.jsx"></script>`;

let harness: Harness;
let workspace: Workspace;
let owner: MemberClient;
let site: Site;
let browser: OwnBrowser;
let packages: Packages;
beforeAll(async () => {
  [harness, site, browser, packages] = await Promise.all([
    openHarness({ engine, env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' } }),
    openSite(),
    openBrowser(WITH_SOUND),
    openPackages(),
  ]);
  workspace = await harness.addWorkspace({
    allowedOrigins: [site.origin],
    suggestions: ['How do I return an order?'],
    features: { pageActions: true, screenshot: true, feedback: true },
    voice: { ...VOICE_DEFAULTS, enabled: true },
    handover: { mode: 'when_needed', answerTime: 'within one working day' },
  });
  owner = await joinAs(harness, workspace, 'owner');
  await importSeeds(harness.service.store, workspace.id, seeds);
});
afterAll(async () => {
  await browser.close();
  await Promise.all([harness.close(), packages.remove()]);
  site.close();
});

type Visit = {
  page: Page;
  pageErrors: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: tests read the bodies of every operation.
  sent: (path: string) => readonly any[];
};

const visits: Page[] = [];
afterEach(async () => {
  for (const visited of visits.splice(0)) await visited.context().close();
});

async function open(folder: string, scene: string, country?: string): Promise<Visit> {
  const context = await browser.newContext({ userAgent: USER_AGENT, locale: 'en-GB' });
  // Added to the request as an edge network does, because CORS does not allow pages to send this header.
  if (country)
    await context.route(`${harness.baseUrl}/**`, (route) =>
      route.continue({ headers: { ...route.request().headers(), 'cf-ipcountry': country } }),
    );
  context.setDefaultTimeout(60_000);
  await context.addInitScript(`${recognition('how do I', 'how do I return an order')}${PLAYED}`);
  const opened = await context.newPage();
  visits.push(opened);
  const pageErrors: string[] = [];
  const requests: { path: string; body: unknown }[] = [];
  opened.on('console', (message) => {
    const isErrorOrWarning = message.type() === 'error' || message.type() === 'warning';
    if (isErrorOrWarning && !message.text().includes('Failed to load resource'))
      pageErrors.push(message.text());
  });
  opened.on('pageerror', (error) => pageErrors.push(`thrown: ${error.message}`));
  opened.on('request', (request) => {
    if (request.url().startsWith(harness.baseUrl) && request.method() !== 'OPTIONS')
      requests.push({ path: new URL(request.url()).pathname, body: request.postDataJSON() });
  });
  const query = new URLSearchParams({ api: harness.baseUrl, app: workspace.appId, scene });
  await opened.goto(`${site.origin}/${folder}/?${query}`);
  const sent = (path: string) => requests.filter((request) => request.path === path).map(({ body }) => body);
  return { page: opened, pageErrors, sent };
}

const storedKeys = (visited: Page) => visited.evaluate('Object.keys(localStorage)');

/** A script that records what the page stores, even if the page removes it again. */
const WATCH_STORAGE = `
globalThis.storedHere = [];
const setItem = Storage.prototype.setItem;
Storage.prototype.setItem = function (key, value) {
  storedHere.push(key);
  setItem.call(this, key, value);
};`;

const field = (visited: Page) => visited.getByLabel('Your question');
const ready = (visited: Page) => visited.locator('[data-status=ready]').waitFor({ state: 'attached' });

async function ask(visited: Page, question: string): Promise<void> {
  const answers = visited.locator('[data-role=guide][data-state=done]');
  const before = await answers.count();
  await field(visited).fill(question);
  await field(visited).press('Enter');
  await answers.nth(before).waitFor();
  await visited.getByRole('button', { name: 'Ask', exact: true }).waitFor();
}

describe.each([18, 19] as const)('with React %i', (version) => {
  const folder = `react-${version}`;
  let project: Project;
  let built: string;
  beforeAll(async () => {
    project = await packages.openProject(version);
    built = await project.buildPage({ ...FILES, 'index.html': HTML });
    site.serve(folder, built);
  });

  test('the chat answers with a citation, once, in strict mode', async () => {
    const { page, pageErrors, sent } = await open(folder, 'chat');
    await ready(page);
    await page.getByText('You are chatting with an AI', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'How do I return an order?' }).click();
    const answer = page.getByRole('article', { name: 'Guide' });
    await answer.getByText('Was this helpful?').waitFor();
    expect(await answer.textContent()).toContain('thirty days');
    const citation = answer.getByRole('link', { name: 'Source 1: Return an order' });
    expect(await citation.getAttribute('href')).toMatch(/^https:\/\/.*#:~:text=/);
    expect(await page.getByRole('log').getAttribute('aria-busy')).toBe('false');
    expect(sent('/boot')).toHaveLength(1);
    expect(sent('/chat')).toHaveLength(1);
    expect(pageErrors).toEqual([]);
  });

  test('the parts are accessible before and after an answer', async () => {
    const { page } = await open(folder, 'chat');
    await ready(page);
    await expectAccessible(page);
    await ask(page, 'How do I return an order?');
    await expectAccessible(page);
  });

  test('the visitor decides about consent, and can withdraw it', async () => {
    const { page, sent } = await open(folder, 'chat');
    const consent = page.getByRole('region', { name: 'May the guide remember you?' });
    await consent.getByRole('button', { name: 'Agree' }).click();
    await consent.getByText('You agreed to be remembered.').waitFor();
    expect(await storedKeys(page)).toEqual([`guidepost:${workspace.appId}`]);
    await consent.getByRole('button', { name: 'Decline' }).click();
    await consent.getByText('You are not remembered.').waitFor();
    expect(await storedKeys(page)).toEqual([`guidepost:${workspace.appId}:declined`]);
    expect(sent('/consent').map(({ decision }) => decision)).toEqual(['accepted', 'denied']);
  });

  test('a visitor who declined is not asked on the next page, and may agree there', async () => {
    const { page, sent } = await open(folder, 'chat');
    const consent = page.getByRole('region', { name: 'May the guide remember you?' });
    await consent.getByRole('button', { name: 'Decline' }).click();
    await consent.getByText('You are not remembered.').waitFor();
    await page.reload();
    await consent.getByText('You are not remembered.').waitFor();
    expect(await consent.getByRole('button').allTextContents()).toEqual(['Agree']);
    expect(await storedKeys(page)).toEqual([`guidepost:${workspace.appId}:declined`]);
    expect(sent('/consent').map(({ decision }) => decision)).toEqual(['denied', 'denied']);
    await consent.getByRole('button', { name: 'Agree' }).click();
    await consent.getByText('You agreed to be remembered.').waitFor();
    expect(await storedKeys(page)).toEqual([`guidepost:${workspace.appId}`]);
  });

  test.each([
    ['opt-out', 'US'],
    ['notice', 'JP'],
  ])('the disclosure says what is on under %s, and declines with one click', async (_, country) => {
    const { page, sent } = await open(folder, 'chat', country);
    const notice = page.locator('[data-notice]');
    await notice.getByText('keeps your conversations', { exact: false }).waitFor();
    await expectAccessible(page);
    await notice.getByRole('button', { name: 'Decline' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(sent('/consent').map(({ decision }) => decision)).toEqual(['denied']);
    const declinedKeys = [`guidepost:${workspace.appId}:declined`];
    expect(await storedKeys(page)).toEqual(declinedKeys);
    // A new visitor, whose id may be stored by the rule of the region.
    await page.addInitScript(WATCH_STORAGE);
    await page.reload();
    await expect.poll(() => sent('/consent')).toHaveLength(2);
    await ready(page);
    expect(await notice.count()).toBe(0);
    expect(await storedKeys(page)).toEqual(declinedKeys);
    expect(await page.evaluate('storedHere')).toEqual([]);
  });

  test('a decision that cannot be recorded stays open and says so', async () => {
    const { page } = await open(folder, 'chat');
    await page.route('**/consent', (route) => route.fulfill({ status: 400, json: {} }));
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByText('Your choice could not be saved.', { exact: false }).waitFor();
    await page.unroute('**/consent');
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByText('You agreed to be remembered.').waitFor();
  });

  test('the conversation is restored after a reload, and continues', async () => {
    const { page, sent } = await open(folder, 'chat');
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByText('You agreed to be remembered.').waitFor();
    await ask(page, 'How do I return an order?');
    await page.reload();
    await page.getByRole('article', { name: 'Guide' }).getByText('thirty days').first().waitFor();
    await ask(page, 'How long does delivery take?');
    expect(sent('/chat').map(({ turn_idx }) => turn_idx)).toEqual([0, 1]);
    expect(await page.getByRole('article', { name: 'You' }).count()).toBe(2);
  });

  test('a table in an answer is rendered as a table', async () => {
    const { page, pageErrors } = await open(folder, 'chat');
    await ready(page);
    await ask(page, 'table');
    await page.getByRole('columnheader', { name: 'Price' }).waitFor();
    expect(await page.getByRole('cell', { name: 'Solo | a' }).locator('strong').count()).toBe(1);
    expect(pageErrors).toEqual([]);
  });

  test('a list has the direction of its first item', async () => {
    const { page } = await open(folder, 'chat');
    await ready(page);
    await ask(page, 'רשימה');
    const directions = await page.evaluate(
      `Array.from(document.querySelectorAll('[data-role=guide] li'), (item) => getComputedStyle(item).direction)`,
    );
    expect(directions).toEqual(['rtl', 'rtl']);
  });

  test('stop ends the answer here and at the service, and a retry asks again', async () => {
    const { page, sent } = await open(folder, 'chat');
    await ready(page);
    const before = engineCalls.stopped;
    await field(page).fill('slow');
    await field(page).press('Enter');
    await page.getByText('The first half').waitFor();
    expect(await page.getByRole('log').getAttribute('aria-busy')).toBe('true');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    await expect.poll(() => engineCalls.stopped).toBe(before + 1);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => sent('/chat')).toHaveLength(2);
    expect(await page.getByRole('article', { name: 'You' }).count()).toBe(1);
  });

  test('a failed answer says why and can be retried in place', async () => {
    const { page } = await open(folder, 'chat');
    await ready(page);
    engineCalls.isBroken = true;
    await field(page).fill('broken');
    await field(page).press('Enter');
    await page.getByText('Something went wrong.').waitFor();
    engineCalls.isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-role=guide][data-state=done]').waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
  });

  test('a question that was lost with the connection is sent again unchanged', async () => {
    const { page, sent } = await open(folder, 'chat');
    await ready(page);
    await page.route('**/chat', (route) => route.abort());
    await field(page).fill('How do I return an order?');
    await field(page).press('Enter');
    await page.getByText('The guide cannot be reached.').waitFor();
    await page.unroute('**/chat');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-role=guide][data-state=done]').waitFor();
    const bodies = sent('/chat');
    expect(bodies.at(-1)).toEqual(bodies[0]);
  });

  test('a guide that cannot boot says so and boots again on request', async () => {
    const { page } = await open(folder, 'chat');
    await ready(page);
    await page.route('**/boot', (route) => route.fulfill({ status: 500, json: {} }));
    await page.reload();
    await page.locator('[data-status=unavailable]').waitFor();
    await page.unroute('**/boot');
    await page.getByRole('button', { name: 'Try again' }).click();
    await ready(page);
  });

  test('a rating is sent and shown', async () => {
    const { page, sent } = await open(folder, 'chat');
    await ask(page, 'How do I return an order?');
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await page.getByText('Thank you.').waitFor();
    await expect.poll(() => sent('/feedback')).toMatchObject([{ rating: 'up' }]);
    expect(await page.getByRole('button', { name: 'Yes', exact: true }).getAttribute('aria-pressed')).toBe(
      'true',
    );
  });

  test('a visitor without an answer asks a person, and finds the reply when returning', async () => {
    const { page, pageErrors, sent } = await open(folder, 'chat');
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByText('You agreed to be remembered.').waitFor();
    const askPerson = page.getByRole('button', { name: 'Ask a person' });
    await ask(page, 'How do I return an order?');
    expect(await askPerson.count()).toBe(0);
    await ask(page, 'Do you sell submarines in Norway?');
    await askPerson.click();
    const form = page.getByRole('form', { name: 'Ask a person' });
    await form.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Ask a person');
    await page.keyboard.press('Enter');
    await form.getByText('Expected answer: within one working day').waitFor();
    await page.keyboard.type('Really not? ');
    await form.getByLabel('Your email address').fill('ada@example.com');
    await form.getByText('What is sent').click();
    expect(await form.getByText('thirty days').count()).toBe(0);
    await form.getByLabel('Also send this conversation').check();
    await form.getByText('thirty days').waitFor();
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('Your message has been sent.').waitFor();
    expect(sent('/handovers')).toMatchObject([
      { locale: 'en-GB', transcript: [expect.any(String), expect.any(String)] },
    ]);

    const base = `/api/tenants/${workspace.id}/handovers`;
    const { json } = await owner.get<{ data: { id: string }[] }>(base);
    await owner.post(`${base}/${json.data[0]!.id}/replies`, { text: 'Only yellow ones.' });
    await page.reload();
    const question = page.getByRole('article', { name: 'Your message' });
    await question.getByText('Only yellow ones.').waitFor();
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  test('an action happens after a click, and its outcome is reported', async () => {
    const { page, sent } = await open(folder, 'chat');
    await ask(page, 'point');
    expect(await page.locator('[data-gp-highlighted]').count()).toBe(0);
    await page.getByRole('button', { name: 'Show the button' }).click();
    await page.locator('[data-gp-highlighted]').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Buy a gift card');
    await page.getByText('Done.', { exact: true }).waitFor();
    await ask(page, 'How do I return an order?');
    expect(sent('/chat').at(-1).action_results).toEqual([{ action_id: 'act_1', outcome: 'done' }]);
  });

  test('the microphone writes into the field, and answers are read aloud', async () => {
    const { page, pageErrors } = await open(folder, 'chat');
    await ready(page);
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByText('You agreed to be remembered.').waitFor();
    await field(page).fill('Please:');
    await page.getByRole('button', { name: 'Speak' }).click();
    await expect.poll(() => field(page).inputValue()).toBe('Please: how do I');
    await page.getByRole('button', { name: 'Stop listening' }).click();
    await expect.poll(() => field(page).inputValue()).toBe('Please: how do I return an order');
    await page.evaluate('window.guide.voice.speak("You have **thirty** days.", "a")');
    expect(await page.evaluate('[window.played.length, window.guide.voice.failure]')).toEqual([1, undefined]);
    expect(pageErrors).toEqual([]);
  });

  test('Enter that ends a composition, and Shift+Enter, do not send', async () => {
    const { page, sent } = await open(folder, 'chat');
    await ready(page);
    await field(page).fill('かな');
    await field(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await field(page).dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
    await field(page).press('Shift+Enter');
    expect(await field(page).inputValue()).toBe('かな\n');
    expect(sent('/chat')).toEqual([]);
  });

  test('useGuide() with settings boots a guide of its own and shares it', async () => {
    const { page, pageErrors, sent } = await open(folder, 'hook');
    await page.locator('[data-own-status]', { hasText: 'ready' }).waitFor();
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('log', { name: 'Mine' }).getByText('thirty days').first().waitFor();
    expect(await page.getByRole('listitem').first().textContent()).toBe('visitor: How do I return an order?');
    const found = await page.evaluate('window.guide.help().searchArticles("return an order")');
    expect(found).toHaveProperty('data.0.title', 'Return an order');
    await page.evaluate('window.guide.erase()');
    await expect.poll(() => page.getByRole('article').count()).toBe(0);
    await expect.poll(() => sent('/boot').length).toBe(2);
    expect(pageErrors).toEqual([]);
  });

  test('a tree that suspends and returns neither loses nor repeats a turn', async () => {
    const { page, pageErrors, sent } = await open(folder, 'suspense');
    await page.getByText('Waiting').waitFor();
    expect(sent('/boot')).toEqual([]);
    await page.evaluate('window.wake()');
    await ready(page);
    await field(page).fill('How do I return an order?');
    await field(page).press('Enter');
    await page.getByRole('button', { name: 'Sleep' }).click();
    await page.getByText('Waiting').waitFor();
    await page.evaluate('window.wake()');
    await page.locator('[data-role=guide][data-state=done]').waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
    expect(sent('/boot')).toHaveLength(1);
    expect(sent('/chat')).toHaveLength(1);
    expect(pageErrors).toEqual([]);
  });

  test('removing the chat ends the answer at the service', async () => {
    const { page, pageErrors } = await open(folder, 'toggled');
    await ready(page);
    const before = engineCalls.stopped;
    await field(page).fill('slow');
    await field(page).press('Enter');
    await page.getByText('The first half').waitFor();
    await page.getByRole('button', { name: 'Toggle' }).click();
    await expect.poll(() => engineCalls.stopped).toBe(before + 1);
    await page.getByRole('button', { name: 'Toggle' }).click();
    await ask(page, 'How do I return an order?');
    expect(pageErrors).toEqual([]);
  });

  test('a page rendered by a server hydrates without a warning, and then answers', async () => {
    const module = await project.buildForServer(FILES, 'server.jsx');
    const { render } = await import(pathToFileURL(module).href);
    const settings = { baseUrl: harness.baseUrl, appId: workspace.appId };
    const rendered = render({ scene: 'chat', settings });
    expect(rendered).toContain('Connecting…');
    site.serve(`${folder}-rendered`, built, (html) => html.replace('id="root">', `id="root">${rendered}`));
    const { page, pageErrors, sent } = await open(`${folder}-rendered`, 'chat');
    await ask(page, 'How do I return an order?');
    expect(sent('/boot')).toHaveLength(1);
    expect(pageErrors).toEqual([]);
  });
});
