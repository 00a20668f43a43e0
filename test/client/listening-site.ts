import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import type { Guide, Listening, ListenOptions, Voice } from '../../client/sdk/index.ts';
import { getCalendarMonth } from '../../server/month.ts';
import { type OwnBrowser, openBrowser } from '../fixtures/browser.ts';
import { type Harness, type HarnessOptions, openHarness, USER_AGENT } from '../harness.ts';

/** A customer's page with a guide that has voice, in a browser with a humming microphone. */

const INDEX = fileURLToPath(new URL('../../client/sdk/index.ts', import.meta.url));
const FLAGS = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
  // All servers run on this machine: let pages call it and resolve their own addresses.
  '--disable-features=LocalNetworkAccessChecks,WebRtcHideLocalIpsWithMdns',
];

/** Globals of the page, whose browser types do not exist here. */
export type InPage = {
  readonly guide: Guide & Voice;
  readonly partials: string[];
  readonly texts: string[];
  /** Listens and records the calls of its callbacks. */
  readonly listen: (options?: ListenOptions) => Promise<Listening>;
  listening?: Listening;
  readonly failure: (promise: Promise<unknown>) => Promise<string>;
  readonly later: (millis: number) => Promise<void>;
};

export type ListeningSite = {
  readonly harness: Harness;
  readonly browser: OwnBrowser;
  /** A new page; `before` runs in it first. */
  open(before?: string): Promise<Page>;
  /** Seconds of the month that are used or reserved. */
  counted(): Promise<number>;
  /** How often an operation was called. */
  asked(operation: string): number;
  close(): Promise<void>;
};

export async function openListeningSite(options: HarnessOptions): Promise<ListeningSite> {
  const [harness, browser, script] = await Promise.all([
    openHarness(options),
    openBrowser(FLAGS),
    clientScript(),
  ]);
  let html = '';
  // Without interception by Playwright, which would miss the last requests of a closing page.
  const customer = await serve((path) => (path === '/client.js' ? script : html));
  const origin = `http://localhost:${(customer.address() as AddressInfo).port}`;
  const workspace = await harness.addWorkspace({ allowedOrigins: [origin] });
  html = pageOf(harness.baseUrl, workspace.appId);
  return {
    harness,
    browser,
    async open(before = '') {
      const page = await browser.newPage({ userAgent: USER_AGENT });
      await page.addInitScript(before);
      await page.goto(origin);
      await page.waitForFunction('globalThis.guide');
      return page;
    },
    counted: () =>
      harness.service.store
        .in(workspace.id)
        .voiceReservations.counted(
          getCalendarMonth(harness.clock.now(), workspace.settings.voice.timeZone).period,
        ),
    asked: (operation) => harness.logged.filter((line) => line.operation === operation).length,
    async close() {
      await Promise.all([browser.close(), harness.close()]);
      customer.close();
    },
  };
}

async function serve(contentOf: (path: string | undefined) => string): Promise<Server> {
  const server = createServer(({ url }, response) => {
    const type = url?.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(200, { 'content-type': type }).end(contentOf(url));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return server;
}

async function clientScript(): Promise<string> {
  const bundle = await rolldown({ input: INDEX, logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return output[0].code;
}

const pageOf = (baseUrl: string, appId: string) => `<!doctype html><script type="module">
import { createGuide, withVoice } from '/client.js';
const page = globalThis;
page.partials = [];
page.texts = [];
page.failure = (promise) => promise.then(() => 'no error', (error) => error.code);
page.later = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
page.listen = async (options = {}) => {
  const listeners = { onText: (text) => page.texts.push(text), onPartial: (text) => page.partials.push(text) };
  page.listening = await page.guide.listen({ ...listeners, ...options });
  return page.listening;
};
page.guide = withVoice(createGuide(${JSON.stringify({ baseUrl, appId })}));
</script>`;
