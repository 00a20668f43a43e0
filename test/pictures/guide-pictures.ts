import type { BrowserContextOptions, Page } from 'playwright-core';
import { VOICE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { recognition } from '../support/browser.ts';
import { ask, openDemoSite, openPanel, panel, ready, type VisitOptions } from '../support/demo-site.ts';
import { FORCED_COLORS, type Picture, SMALL_SCREENS } from './picture.ts';
import { scriptedEngine } from './scripted-engine.ts';

type Act = (page: Page) => Promise<unknown>;
type State = {
  name: string;
  /** Steps from the open panel to the state. */
  acts?: readonly Act[];
  visit?: VisitOptions;
  /** The guide quotes articles by default. */
  engine?: 'model';
  /** The name of the launcher in another language; false leaves it closed. */
  launcher?: string | false;
  screens?: Picture['screens'];
};

const SCREENSHOT = 'How do I take a screenshot?';
const BRIGHTNESS = 'How do I set the screen brightness?';
const CALENDAR = 'How do I connect my calendar?';
const CONTACT = { email: 'help@shop.example', phone: '+43 1 234567', url: 'https://shop.example/contact' };

const inGuide = (page: Page, selector: string) => page.locator(`guidepost-guide ${selector}`);
const see =
  (selector: string): Act =>
  (page) =>
    inGuide(page, selector).last().waitFor();
const press =
  (name: string): Act =>
  (page) =>
    panel(page).getByRole('button', { name, exact: true }).click();
const send =
  (question: string): Act =>
  async (page) => {
    await inGuide(page, '#question').fill(question);
    await page.keyboard.press('Enter');
  };
const hear =
  (question: string): Act =>
  (page) =>
    ask(page, question);
const decline: Act = async (page) => {
  await inGuide(page, '.choice').first().click();
  await inGuide(page, '.consent').waitFor({ state: 'detached' });
};
const agree = press('Agree');
const fail =
  (path: string, status: number, error: string, headers = {}): Act =>
  (page) =>
    page.route(`**${path}`, (route) =>
      route.fulfill({
        status,
        headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*', ...headers },
        json: { error, message: 'It failed.', request_id: 'req_01kakv2fxse7wtg6x5r0h8rjbm' },
      }),
    );
const disconnect: Act = (page) => page.route('**/chat', (route) => route.abort());
const allowCopying: Act = (page) => page.context().grantPermissions(['clipboard-write']);
const scrollDown: Act = (page) => inGuide(page, '.tools').last().scrollIntoViewIfNeeded();
/** On a phone the panel cannot be enlarged. */
const enlarge: Act = async (page) => {
  const button = panel(page).getByRole('button', { name: 'Enlarge' });
  if (await button.isVisible()) await button.click();
};
/** Moves the first of two conversations to an earlier day. */
const ageConversation: Act = (page) =>
  page.evaluate(`{
    const stored = JSON.parse(localStorage['guidepost:gp_demo']);
    stored.conversations[0].activeAt -= 3 * 24 * 3_600_000;
    localStorage['guidepost:gp_demo'] = JSON.stringify(stored);
  }`);
/** Closes the panel before the answer arrives. */
const closeBeforeAnswer: Act = async (page) => {
  await page.route('**/chat', async (route) => {
    await panel(page).waitFor({ state: 'hidden' });
    await route.continue();
  });
  await send(SCREENSHOT)(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Open the guide (New answer)' }).waitFor();
};
const useBrowserSpeech: Act = (page) =>
  page.route('**/transcribe-token*', (route) =>
    route.continue({ url: `${route.request().url().split('?')[0]}?provider=mock` }),
  );
const launch: Act = (page) => page.getByRole('button', { name: 'Open the guide' }).click();

const withAttributes = (attributes: string): VisitOptions => ({
  html: (html) => html.replace('data-gp-app', `${attributes} data-gp-app`),
});
const SIGNAL = 'Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true });';

const NO_MICROPHONE =
  'navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotAllowedError"));';

const quote = [decline, hear(SCREENSHOT)];
const steps = [decline, hear(CALENDAR)];
const trouble = [send(SCREENSHOT), see('.trouble')];
const askAbroad = (question: string) => [decline, send(question), see('.rating')];

const help = [decline, (page: Page) => inGuide(page, '.browse').click(), see('.rows')];
const article = [...help, press('Connect to a wireless network'), see('.article .text')];
const openSearch: Act = async (page) => {
  await page.evaluate('Guidepost.open("search")');
  await see('.rows')(page);
};
const search =
  (words: string): Act =>
  async (page) => {
    await inGuide(page, 'input').fill(words);
    await inGuide(page, '[aria-selected=true]').waitFor();
  };
const insert = (attributes: string, markup: string): VisitOptions => ({
  html: (html) =>
    html.replace('data-gp-app', `${attributes} data-gp-app`).replace(/<main[^>]*>/, (main) => main + markup),
});
const SEARCH_BUTTON = insert('', '<guidepost-search shortcut></guidepost-search>');
const INLINE = insert(
  'data-gp-target="#place"',
  '<div id="place" style="inline-size: min(40rem, 100%); block-size: 38rem; margin: 1rem auto; border: 1px solid #8884; border-radius: 12px; overflow: clip"></div>',
);
const WHOLE_PAGE = insert('data-gp-target="#place"', '<div id="place" style="block-size: 100dvh"></div>');

const askPerson = (name: string) => [
  decline,
  send('Do you ship to Norway?'),
  see('.rating'),
  press(name),
  see('.handover-form'),
];
const tickAndShow: Act = async (page) => {
  await inGuide(page, '.handover-form summary').click();
  await inGuide(page, '.tick input').check();
};

// biome-ignore format: a line each
const STATES: readonly State[] = [
  { name: 'launcher', launcher: false },
  { name: 'launcher, new answer', acts: [decline, closeBeforeAnswer] },
  { name: 'panel, before the first question' },
  { name: 'panel, details of consent', acts: [press('Details')] },
  { name: 'panel, notice where visitors are not asked', visit: { extraHTTPHeaders: { 'cf-ipcountry': 'US' } } },
  { name: 'panel, suggestions', acts: [decline] },
  { name: 'panel, enlarged', acts: [...quote, enlarge] },
  { name: 'answer, before consent', acts: [hear(SCREENSHOT)] },
  { name: 'answer, before consent, on small screens', acts: [hear(SCREENSHOT)], screens: SMALL_SCREENS },
  { name: 'answer, a quote', acts: quote },
  { name: 'answer, a quote, on small screens', acts: quote, screens: SMALL_SCREENS },
  { name: 'answer, a quote, in forced colors', acts: quote, screens: FORCED_COLORS },
  { name: 'answer, end of a quote', acts: [...quote, scrollDown] },
  { name: 'answer, steps, code and links', engine: 'model', acts: steps },
  { name: 'answer, end of steps, code and links', engine: 'model', acts: [...steps, scrollDown] },
  { name: 'answer, steps, on small screens', engine: 'model', acts: steps, screens: SMALL_SCREENS },
  { name: 'answer, a list', engine: 'model', acts: [decline, hear('Which plans are there?')] },
  { name: 'answer, the second', acts: [...quote, hear(BRIGHTNESS)] },
  { name: 'answer, nothing found', acts: [decline, hear('Do you ship to Norway?')] },
  { name: 'answer, nothing found, on small screens', acts: [decline, hear('Do you ship to Norway?')], screens: SMALL_SCREENS },
  { name: 'asking a person', acts: [...askPerson('Ask a person'), tickAndShow] },
  { name: 'asking a person, in Hebrew', launcher: 'פתיחת המדריך', visit: { locale: 'he-IL' }, acts: [...askPerson('לשאול אדם'), tickAndShow] },
  { name: 'answer, being looked up', engine: 'model', acts: [decline, send('thinking'), see('.status')] },
  { name: 'answer, being written', engine: 'model', acts: [decline, send('slow'), see('strong')] },
  { name: 'answer, stopped', engine: 'model', acts: [decline, send('slow'), see('strong'), press('Stop')] },
  { name: 'answer, interrupted', engine: 'model', acts: [decline, send('broken'), see('.trouble')] },
  { name: 'answer, cited words', acts: [...quote, (page) => inGuide(page, '.marker').first().click()] },
  { name: 'answer, reasons of a bad rating', acts: [...quote, press('No'), see('.rating-form')] },
  { name: 'answer, copied', acts: [allowCopying, ...quote, press('Copy')] },
  { name: 'answer, shown on the page', acts: [...quote, press('Show “Take a screenshot”'), see('.frame')] },
  { name: 'conversations', acts: [agree, hear(SCREENSHOT), ageConversation, press('New chat'), hear(BRIGHTNESS), press('Conversations')] },
  { name: 'help', acts: help },
  { name: 'help, on small screens', acts: help, screens: SMALL_SCREENS },
  { name: 'help, a collection', acts: [...help, press('Screen 2'), see('.rows')] },
  { name: 'help, an article', acts: article },
  { name: 'help, an article, on small screens', acts: article, screens: SMALL_SCREENS },
  { name: 'help, end of an article', acts: [...article, (page) => inGuide(page, '.article-end').scrollIntoViewIfNeeded()] },
  { name: 'help, in forced colors', acts: [...help, search('screen')], screens: FORCED_COLORS },
  { name: 'search', launcher: false, visit: SEARCH_BUTTON, acts: [openSearch] },
  { name: 'search, results', launcher: false, visit: SEARCH_BUTTON, acts: [openSearch, search('screen')] },
  { name: 'search, results, on small screens', launcher: false, visit: SEARCH_BUTTON, acts: [openSearch, search('screen')], screens: SMALL_SCREENS },
  { name: 'search, nothing found', launcher: false, visit: SEARCH_BUTTON, acts: [openSearch, search('xqzw')] },
  { name: 'search, an article', launcher: false, visit: SEARCH_BUTTON, acts: [openSearch, search('wireless'), (page) => page.keyboard.press('Enter'), see('.article .text')] },
  { name: 'search, unreachable', launcher: false, visit: SEARCH_BUTTON, acts: [openSearch, (page) => page.route('**/articles/search*', (route) => route.abort()), (page) => inGuide(page, 'input').fill('screen'), see('.trouble')] },
  { name: 'search button', launcher: false, visit: SEARCH_BUTTON },
  { name: 'inline', launcher: false, visit: INLINE, acts: [see('.log:not([aria-busy])'), decline] },
  { name: 'inline, answer', launcher: false, visit: INLINE, acts: [see('.log:not([aria-busy])'), ...quote] },
  { name: 'inline, the whole page', launcher: false, visit: WHOLE_PAGE, acts: [see('.log:not([aria-busy])'), ...quote] },
  { name: 'Hebrew, help', launcher: 'פתיחת המדריך', visit: { locale: 'he-IL' }, acts: [(page) => inGuide(page, '.browse').click(), see('.rows')] },
  { name: 'Arabic, search', launcher: 'فتح المرشد', visit: { ...SEARCH_BUTTON, locale: 'ar-EG' }, acts: [openSearch, search('screen')] },
  { name: 'privacy', acts: [agree, press('Privacy')] },
  { name: 'privacy, deleting everything', acts: [agree, press('Privacy'), press('Delete my data')] },
  { name: 'privacy signal', visit: { before: SIGNAL } },
  { name: 'listening', visit: { before: recognition('How do I take', SCREENSHOT) }, acts: [useBrowserSpeech, decline, press('Speak your question'), see('.microphone[data-on]'), see('.voice-note:not(:empty)')] },
  { name: 'listening, below an answer', visit: { before: recognition('How do I take', SCREENSHOT) }, acts: [useBrowserSpeech, ...quote, press('Speak your question'), see('.microphone[data-on]'), see('.voice-note:not(:empty)')] },
  { name: 'listening, not allowed', visit: { before: NO_MICROPHONE }, acts: [decline, press('Speak your question'), see('.voice-note:not(:empty)')] },
  { name: 'error, too many questions', acts: [decline, fail('/chat', 429, 'rate_limit/exceeded', { 'retry-after': '60' }), ...trouble] },
  { name: 'error, unreachable', acts: [decline, disconnect, ...trouble] },
  { name: 'error, something went wrong', acts: [decline, fail('/chat', 500, 'internal'), ...trouble] },
  { name: 'error, paused', acts: [decline, fail('/chat', 503, 'guide/paused'), ...trouble] },
  { name: 'error, paused before the first question', launcher: false, visit: withAttributes('data-gp-boot="open"'), acts: [fail('/boot', 503, 'boot/unavailable'), launch, see('.trouble')] },
  { name: 'error, not available', launcher: false, visit: withAttributes('data-gp-boot="open"'), acts: [fail('/boot', 403, 'boot/workspace_disabled'), launch, see('.trouble')] },
  { name: 'theme and side of the page', visit: withAttributes('data-gp-theme="dark" data-gp-position="start"'), acts: quote },
  { name: 'Hebrew, before the first question', launcher: 'פתיחת המדריך', visit: { locale: 'he-IL' } },
  { name: 'Hebrew', launcher: 'פתיחת המדריך', visit: { locale: 'he-IL' }, acts: askAbroad(SCREENSHOT) },
  { name: 'Persian', launcher: 'باز کردن راهنما', visit: { locale: 'fa-IR' }, acts: askAbroad('چگونه اندازهٔ متن روی صفحه را تغییر دهم؟') },
  { name: 'Hebrew, nothing found', launcher: 'פתיחת המדריך', visit: { locale: 'he-IL' }, acts: askAbroad('האם אתם שולחים לנורווגיה?') },
  { name: 'Arabic', launcher: 'فتح المرشد', visit: { locale: 'ar-EG' }, acts: askAbroad(SCREENSHOT) },
  { name: 'German', launcher: 'Assistenten öffnen', visit: { locale: 'de-DE' }, acts: askAbroad('Wie stelle ich die Bildschirmhelligkeit ein?') },
  { name: 'Finnish, nothing found', launcher: 'Avaa opas', visit: { locale: 'fi-FI' }, acts: askAbroad('Toimitatteko Norjaan?') },
];

export async function openGuidePictures() {
  const settings = {
    contact: CONTACT,
    handover: { mode: 'when_needed', answerTime: 'within one working day' } as const,
    voice: { ...VOICE_DEFAULTS, enabled: true },
    suggestions: [SCREENSHOT, BRIGHTNESS, 'How do I connect to a wireless network?'],
  };
  const env = { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' };
  const flags = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
  const quotes = await openDemoSite({ settings, env, flags });
  const model = await openDemoSite({ settings, engine: scriptedEngine });
  const toPicture = ({ name, acts = [], visit, engine, launcher, screens }: State): Picture => ({
    name: `guide: ${name}`,
    within: launcher === false && acts.length === 0 ? 'body' : 'guidepost-guide',
    ...(screens && { screens }),
    open: async (options: BrowserContextOptions) => {
      const site = engine ? model : quotes;
      const { page, close } = await site.open({ ...options, ...visit });
      if (launcher === undefined) await openPanel(page);
      else if (launcher) {
        await page.getByRole('button', { name: launcher }).click();
        await ready(page);
      } else if (acts.length === 0) await page.getByRole('button', { name: 'Open the guide' }).waitFor();
      for (const act of acts) await act(page);
      return { page, close };
    },
  });
  return {
    pictures: STATES.map(toPicture),
    close: async () => {
      await quotes.close();
      await model.close();
    },
  };
}
