import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { VOICE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { answerCall, PLAYED, recognition } from '../support/browser.ts';
import {
  ask,
  type DemoSite,
  field,
  openDemoSite,
  openPanel,
  type Visit,
  type VisitOptions,
} from '../support/demo-site.ts';
import { DEEPGRAM_HEARD, type FakeDeepgram, openFakeDeepgram } from '../support/fake-speech/deepgram.ts';
import { type FakeOpenAi, OPENAI_HEARD, openFakeOpenAi } from '../support/fake-speech/openai.ts';

/** A visitor who speaks, with a humming microphone. */

const FLAGS = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
  '--disable-features=LocalNetworkAccessChecks,WebRtcHideLocalIpsWithMdns',
];

let openai: FakeOpenAi;
let deepgram: FakeDeepgram;
let site: DemoSite;
let visit: Visit;
beforeAll(async () => {
  [openai, deepgram] = await Promise.all([openFakeOpenAi(), openFakeDeepgram()]);
  site = await openDemoSite({
    env: { ...openai.env, ...deepgram.env },
    flags: FLAGS,
    settings: { voice: { ...VOICE_DEFAULTS, enabled: true } },
  });
});
afterEach(() => visit.close());
afterAll(() => Promise.all([site.close(), openai.close(), deepgram.close()]));

/** Opens the panel; `provider` is the choice of the workspace. */
async function open(provider: string, options: VisitOptions = {}): Promise<Page> {
  visit = await site.open(options);
  await visit.page.route('**/transcribe-token*', (route) =>
    route.continue({ url: `${route.request().url().split('?')[0]}?provider=${provider}` }),
  );
  await openPanel(visit.page);
  await visit.page.getByRole('button', { name: 'Decline' }).click();
  // The prompt moves the focus to the field when it disappears.
  await visit.page.getByRole('group', { name: 'May the guide remember you?' }).waitFor({ state: 'detached' });
  return visit.page;
}

const microphone = (page: Page) => page.getByRole('button', { name: 'Speak your question' });
const stop = (page: Page) => page.getByRole('button', { name: 'Stop listening' });
const statusText = (page: Page) => page.locator('guidepost-guide [role="status"]').textContent();

test('the microphone writes into the field while it listens over a WebSocket', async () => {
  const page = await open('provider_b');
  await field(page).fill('Please:');
  await microphone(page).click();
  await stop(page).waitFor();
  await expect.poll(() => field(page).inputValue()).toMatch(/^Please: how do i/);
  expect(visit.sent('/chat')).toEqual([]);
  await stop(page).click();
  await microphone(page).waitFor();
  expect(await field(page).inputValue()).toBe(`Please: ${DEEPGRAM_HEARD}`);
  expect(await statusText(page)).toContain('Here is what I heard.');
  await ask(page, await field(page).inputValue());
  expect(visit.sent('/chat')[0].message).toBe(`Please: ${DEEPGRAM_HEARD}`);
  expect(visit.pageErrors).toEqual([]);
});

test('the microphone writes the transcript of a WebRTC session', async () => {
  const page = await open('provider_a');
  const provider = await page.context().newPage();
  await provider.evaluate('globalThis.soundHeard = false');
  await page.route('**/v1/realtime/calls', async (route) => {
    const fetched = await route.fetch();
    const body = await provider.evaluate(answerCall, route.request().postData()!);
    await route.fulfill({ response: fetched, body });
  });
  await page.bringToFront();
  await microphone(page).click();
  await expect.poll(() => field(page).inputValue()).toBe('How do I');
  await stop(page).click();
  await expect.poll(() => field(page).inputValue()).toBe(OPENAI_HEARD);
  expect(await provider.evaluate('soundHeard')).toBe(true);
  expect(visit.pageErrors).toEqual([]);
});

test('the microphone listens while it is held, and uploads the recording when the token says so', async () => {
  const page = await open('provider_b-batch');
  const box = (await microphone(page).boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await stop(page).waitFor();
  await page.waitForTimeout(1500);
  await page.mouse.move(5, 5);
  await page.mouse.up();
  await expect.poll(() => field(page).inputValue()).toBe(DEEPGRAM_HEARD);
  await microphone(page).waitFor();
  expect(visit.requests.some((request) => request.url().endsWith('/transcribe'))).toBe(true);
});

test("the browser's speech recognition is used without a provider, and announced, also by keyboard", async () => {
  const page = await open('mock', { before: recognition('how do I', 'how do I take a screenshot') });
  await microphone(page).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Your browser transcribes your speech', { exact: false }).waitFor();
  await expect.poll(() => field(page).inputValue()).toBe('how do I');
  await stop(page).focus();
  await page.keyboard.press('Space');
  await expect.poll(() => field(page).inputValue()).toBe('how do I take a screenshot');
  expect(await page.evaluate('document.activeElement.shadowRoot.activeElement.id')).toBe('question');
});

test('Escape stops listening and keeps the panel open; a sent question is not overwritten', async () => {
  const page = await open('mock', { before: recognition('how do I', 'how do I take a screenshot') });
  await microphone(page).click();
  await stop(page).waitFor();
  await page.keyboard.press('Escape');
  await microphone(page).waitFor();
  expect(await page.getByRole('dialog').isVisible()).toBe(true);

  await microphone(page).click();
  await expect.poll(() => field(page).inputValue()).toMatch(/how do I$/);
  await field(page).press('Enter');
  await page.getByText('Was this helpful?').waitFor();
  expect(await field(page).inputValue()).toBe('');
  await microphone(page).waitFor();
});

test('the panel says what to do without a microphone', async () => {
  const page = await open('provider_b', {
    before: `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('No.', 'NotAllowedError'); };`,
  });
  await microphone(page).click();
  await page.getByText('Can’t use the microphone.', { exact: false }).first().waitFor();
  await microphone(page).waitFor();
});

test('answers are read aloud part by part, and stop on request', async () => {
  const page = await open('mock', { before: PLAYED });
  await page.route('**/tts', (route) =>
    route.continue({ postData: { ...route.request().postDataJSON(), provider: 'mock' } }),
  );
  await ask(page, 'How do I take a screenshot?');
  await page.getByRole('button', { name: 'Read aloud' }).click();
  await expect.poll(() => page.evaluate('played.length')).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Stop reading' }).click();
  await page.getByRole('button', { name: 'Read aloud' }).waitFor();
  const spoken = visit
    .sent('/tts')
    .map(({ text }) => text)
    .join(' ');
  expect(spoken).toContain('Print');
  expect(spoken).not.toMatch(/\*\*|Source 1/);
  expect(visit.pageErrors).toEqual([]);
});

test('reading aloud says when the browser does not allow playback', async () => {
  const page = await open('mock', {
    before: `HTMLMediaElement.prototype.play = () => new Promise((_, reject) => {
      document.refuse = () => reject(new DOMException('No.', 'NotAllowedError'));
    });`,
  });
  let parts = 0;
  await page.route('**/tts', async (route) => {
    parts += 1;
    // The second part never arrives.
    if (parts === 1)
      await route.continue({ postData: { ...route.request().postDataJSON(), provider: 'mock' } });
  });
  await page.route('**/chat', async (route) => {
    const response = await route.fetch();
    // Longer than a part that is read aloud in one request.
    const body = (await response.text()).replace('"delta":"', `$&${'This is long. '.repeat(40)}`);
    await route.fulfill({ response, body });
  });
  await ask(page, 'How do I take a screenshot?');
  await page.getByRole('button', { name: 'Read aloud' }).click();
  await expect.poll(() => parts).toBe(2);
  await expect.poll(() => page.evaluate('typeof document.refuse')).toBe('function');
  const second = visit.requests.filter((request) => request.url().endsWith('/tts'))[1]!;
  await page.evaluate('document.refuse()');
  await expect.poll(() => second.failure()?.errorText).toContain('ABORTED');
  await expect.poll(() => statusText(page)).toContain('Voice is not available');
  await page.getByRole('button', { name: 'Read aloud' }).waitFor();
});

test('a page whose workspace has no voice loads none of it', async () => {
  visit = await site.open();
  await visit.page.route('**/boot', async (route) => {
    const response = await route.fetch();
    const reply = await response.json();
    await route.fulfill({ response, json: { ...reply, features: { ...reply.features, voice: false } } });
  });
  await visit.page.reload();
  const before = visit.requests.length;
  await openPanel(visit.page);
  await ask(visit.page, 'How do I take a screenshot?');
  expect(visit.requests.slice(before).some((request) => request.url().includes('/voice.js'))).toBe(false);
  expect(await microphone(visit.page).count()).toBe(0);
  expect(await visit.page.getByRole('button', { name: 'Read aloud' }).count()).toBe(0);
});
