import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  ask,
  field,
  launcher,
  NOTHING,
  open,
  openDemoSite,
  openDemoSiteBeforeAll,
  openPanel,
  panel,
  storedOnDevice,
  visit,
} from '../support/demo-site.ts';

/** The first impression of visitors, measured by the boxes on the screen. */

openDemoSiteBeforeAll();

const SCREENS = [
  ['a large screen', { viewport: { width: 1440, height: 900 } }],
  ['a small screen', { viewport: { width: 1280, height: 720 } }],
  ['a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
  ['a phone on its side', { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true }],
  ['a screen enlarged twice', { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 }],
  ['a screen whose colors the visitor forces', { forcedColors: 'active' }],
] as const;

type Box = { top: number; bottom: number; height: number };

/** Returns the visible heights of the parts of the panel. */
const measure = (page: Page): Promise<Readonly<Record<string, Box>>> =>
  page.evaluate(`(({ shadowRoot }) => {
    const log = shadowRoot.querySelector('.log').getBoundingClientRect();
    const boxes = {};
    for (const name of ['header', '.log', '.turn:last-of-type .question', '.turn:last-of-type .answer', '.consent-area', 'form', 'footer']) {
      const part = shadowRoot.querySelector(name);
      const { top, bottom } = part.getBoundingClientRect();
      const inLog = part.closest('.log') && !part.matches('.log');
      const [from, to] = [Math.max(top, inLog ? log.top : 0), Math.min(bottom, inLog ? log.bottom : innerHeight)];
      boxes[name.split(' ').at(-1)] = { top: from, bottom: to, height: to - from };
    }
    return boxes;
  })(document.querySelector('guidepost-guide'))`);

test.each(SCREENS)('the answer is the largest visible part of the panel on %s', async (_, options) => {
  const { page } = await open({ reducedMotion: 'reduce', ...options });
  await ask(page, 'How do I connect to a wireless network?');
  const {
    header,
    form,
    '.log': log,
    '.question': question,
    '.answer': answer,
    ...rest
  } = await measure(page);
  expect(question!.top - log!.top).toBeLessThanOrEqual(20);
  expect(question!.top).toBeGreaterThanOrEqual(log!.top);
  expect(answer!.top).toBeGreaterThan(question!.bottom);
  for (const other of [header, form, question, ...Object.values(rest)])
    expect(answer!.height).toBeGreaterThan(other!.height);
  expect(answer!.height).toBeGreaterThan(100);
  for (const name of ['Close the guide', 'Agree', 'Decline', 'Send']) {
    const box = (await panel(page).getByRole('button', { name, exact: true }).boundingBox())!;
    const { height } = page.viewportSize()!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThanOrEqual(height);
  }
});

test('a second question moves to the top as well, and the page does not scroll', async () => {
  const { page } = await open({ viewport: { width: 390, height: 844 } });
  await ask(page, 'How do I connect to a wireless network?');
  await ask(page, 'How do I take a screenshot?');
  const { '.log': log, '.question': question } = await measure(page);
  expect(question!.top - log!.top).toBeLessThanOrEqual(20);
  expect(question!.top).toBeGreaterThanOrEqual(log!.top);
  expect(await page.evaluate('scrollY')).toBe(0);
});

test('a long question leaves two thirds of the view to its answer', async () => {
  const { page } = await open();
  await ask(page, `How do I take a screenshot? ${'I have tried much. '.repeat(60)}`);
  const { '.log': log, '.answer': answer } = await measure(page);
  expect(answer!.top - log!.top).toBeLessThan(log!.height / 2);
});

test('consent is one line with two equal buttons, and shows its text on demand', async () => {
  const { page } = await open();
  const prompt = page.getByRole('group', { name: 'May the guide remember you?' });
  expect((await prompt.boundingBox())!.height).toBeLessThan(60);
  const text = prompt.getByText('If you decline', { exact: false });
  expect(await text.isVisible()).toBe(false);
  expect(await prompt.evaluate((group) => group.getAttribute('aria-describedby'))).toBe('consent-details');
  const details = prompt.getByRole('button', { name: 'Details' });
  await details.click();
  expect(await details.getAttribute('aria-expanded')).toBe('true');
  expect(await text.isVisible()).toBe(true);
  await details.click();
  expect(await text.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Privacy' }).click();
  expect(await text.isVisible()).toBe(true);
});

test('the actions on a message are one row of icons with names', async () => {
  const { page } = await open();
  await ask(page, 'How do I take a screenshot?');
  await page.getByRole('button', { name: 'Read aloud' }).waitFor();
  const tools = page.locator('guidepost-guide .tool');
  const boxes = await Promise.all((await tools.all()).map((tool) => tool.boundingBox()));
  expect(boxes.length).toBe(4);
  expect(new Set(boxes.map((box) => box!.y)).size).toBe(1);
  for (const name of ['Yes', 'No', 'Copy'])
    expect(await panel(page).getByRole('button', { name, exact: true }).count()).toBe(1);
});

test('typing goes to the question from the moment the panel opens, and is sent once the guide is connected', async () => {
  const openAtBoot = (html: string) => html.replace('data-gp-app', 'data-gp-boot="open" data-gp-app');
  const { page, sent } = await visit({ html: openAtBoot });
  let connect = () => {};
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  await page.route('**/boot', async (route) => {
    await connected;
    await route.continue();
  });
  await launcher(page).click();
  await panel(page).waitFor();
  await page.keyboard.type('How do I take a screenshot?');
  await page.keyboard.press('Enter');
  expect(await field(page).inputValue()).toBe('How do I take a screenshot?');
  connect();
  await page.getByText('Was this helpful?').waitFor();
  expect(sent('/chat')).toMatchObject([{ message: 'How do I take a screenshot?' }]);
  expect(await field(page).inputValue()).toBe('');
});

test('an answer that found nothing offers likely articles and the contact as buttons, each once', async () => {
  const contact = {
    email: 'help@juniper.example',
    phone: '+44 20 7946 0000',
    url: 'https://juniper.example/contact',
  };
  const other = await openDemoSite({ settings: { contact } });
  const { page, pageErrors, close } = await other.open();
  await openPanel(page);
  await ask(page, 'How do I brew an espresso with oat milk?');
  const log = panel(page).getByRole('log');
  const choices = log.locator('.suggestion');
  const titles = await choices.allTextContents();
  expect(titles.length).toBeGreaterThan(1);
  for (const title of titles) expect(await log.getByText(title, { exact: true }).count()).toBe(1);
  const links = log.locator('a');
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
    'mailto:help@juniper.example',
    'tel:+442079460000',
    'https://juniper.example/contact',
  ]);
  expect(await log.getByText('help@juniper.example').count()).toBe(1);
  const height = (await panel(page).boundingBox())!.height;
  for (const control of [...(await choices.all()), ...(await links.all())])
    expect((await control.boundingBox())!.y).toBeLessThan(height);
  await choices.first().click();
  await page.locator('guidepost-guide .question').nth(1).waitFor();
  expect(pageErrors).toEqual([]);
  await close();
  await other.close();
});

test('a question from the page is added below what the visitor has typed', async () => {
  const { page } = await open();
  await page.evaluate('Guidepost.open("First?")');
  await page.evaluate('Guidepost.open("Second?")');
  expect(await field(page).inputValue()).toBe('Second?');
  await field(page).fill('My own words');
  await page.evaluate('Guidepost.open("Third?")');
  expect(await field(page).inputValue()).toBe('My own words\nThird?');
});

test('typed text survives a reload after consent only, and is removed with it', async () => {
  const { page } = await open();
  await field(page).fill('before');
  expect(await storedOnDevice(page)).toEqual(NOTHING);
  await page.getByRole('button', { name: 'Agree' }).click();
  await page.getByRole('group', { name: 'May the guide remember you?' }).waitFor({ state: 'detached' });
  expect(await page.evaluate('Object.values(sessionStorage)')).toEqual(['before']);
  await field(page).fill('half a question');
  await page.reload();
  await openPanel(page);
  await expect.poll(() => field(page).inputValue()).toBe('half a question');
  await page.getByRole('button', { name: 'Privacy' }).click();
  await page.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('button', { name: 'Withdraw' }).waitFor({ state: 'detached' });
  expect(await field(page).inputValue()).toBe('half a question');
  expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
});

test('a question that cannot be sent returns to the field', async () => {
  const { page } = await open();
  await page.route('**/chat', (route) =>
    route.fulfill({ status: 403, json: { error: 'auth/forbidden', message: 'No.', request_id: 'r' } }),
  );
  await field(page).fill('How do I take a screenshot?');
  await field(page).press('Enter');
  await page.locator('guidepost-guide .trouble').waitFor();
  expect(await field(page).inputValue()).toBe('How do I take a screenshot?');
});

test.each([720, 300])(
  'nothing is below the footer of a panel scrolled to its end at a height of %s',
  async (height) => {
    const { page } = await open({ viewport: { width: 1280, height } });
    await ask(page, 'How do I take a screenshot?');
    const below = await page.evaluate(`(({ shadowRoot }) => {
    const panel = shadowRoot.querySelector('.panel');
    panel.scrollTop = 10_000;
    const footer = shadowRoot.querySelector('footer');
    return panel.getBoundingClientRect().bottom - footer.getBoundingClientRect().bottom;
  })(document.querySelector('guidepost-guide'))`);
    expect(below).toBeLessThanOrEqual(2);
  },
);
