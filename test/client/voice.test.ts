import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createGuide,
  type Guide,
  type Listening,
  type ListenOptions,
  type Voice,
  withVoice,
} from '../../client/sdk/index.ts';
import { getCalendarMonth } from '../../server/base/month.ts';
import { answerCall, type OwnBrowser, openBrowser, PLAYED, recognition } from '../support/browser.ts';
import { DEEPGRAM_HEARD, type FakeDeepgram, openFakeDeepgram } from '../support/fake-speech/deepgram.ts';
import { type FakeOpenAi, OPENAI_HEARD, openFakeOpenAi } from '../support/fake-speech/openai.ts';
import { type Harness, type HarnessOptions, openHarness, USER_AGENT } from '../support/harness.ts';
import { catchError } from './colleagues.ts';

const openGuide = ({ baseUrl, appId, origin }: Harness): Guide & Voice =>
  withVoice(createGuide({ baseUrl, appId, origin }));

const recording = (name: string, type: string) =>
  new Blob([readFileSync(new URL(`../voice/recordings/${name}`, import.meta.url))], { type });

describe('voice with the service', () => {
  /** A guide with voice against the real service, with a provider and without one. */

  let deepgram: FakeDeepgram;
  let harness: Harness;
  let without: Harness;
  beforeAll(async () => {
    deepgram = await openFakeDeepgram();
    harness = await openHarness({ env: deepgram.env });
    without = await openHarness();
  });
  afterAll(() => Promise.all([harness.close(), without.close(), deepgram.close()]));

  test('withVoice() returns the same guide with voice methods', async () => {
    const { baseUrl, appId, origin } = harness;
    const guide = createGuide({ baseUrl, appId, origin });
    expect('speak' in guide).toBe(false);
    const voiced = withVoice(guide);
    expect(voiced).toBe(guide);
    expect(voiced.state).toBeUndefined();
    await voiced.boot();
    expect(voiced.state?.jwt).toEqual(expect.any(String));
    expect(() => withVoice({ ...guide })).toThrow(TypeError);
  });

  test('transcribe() accepts recordings as browsers make them', async () => {
    const guide = openGuide(harness);
    const text = await guide.transcribe(recording('webm-opus-live.webm', 'audio/webm;codecs=opus'));
    expect(text).toEqual({ text: DEEPGRAM_HEARD, model: 'nova-3' });
    expect((await guide.transcribe(recording('mp4-aac-fragmented.mp4', 'audio/mp4'))).text).toBe(
      DEEPGRAM_HEARD,
    );
  });

  test('transcribe() rejects invalid recordings with their code', async () => {
    const guide = openGuide(harness);
    expect(await catchError(guide.transcribe(new Blob(['no sound'])))).toMatchObject({
      code: 'voice/unsupported_audio',
      status: 415,
    });
    const huge = new Blob([new Uint8Array(11_000_000)]);
    expect(await catchError(guide.transcribe(huge))).toMatchObject({ code: 'voice/audio_too_large' });
    deepgram.fault = 'broken';
    const failure = await catchError(guide.transcribe(recording('wav-pcm.wav', 'audio/wav')));
    deepgram.fault = undefined;
    expect(failure).toMatchObject({ code: 'voice/provider_failed' });
  });

  test('transcribe() rejects at once without a provider', async () => {
    const guide = openGuide(without);
    await guide.boot();
    const countRequests = () =>
      without.logged.filter(({ operation }) => operation === 'transcribeAudio').length;
    expect(await catchError(guide.transcribe(recording('wav-pcm.wav', 'audio/wav')))).toMatchObject({
      code: 'voice/not_configured',
      status: 503,
    });
    expect(countRequests()).toBe(1);
  });

  test('speak() streams speech of the provider, or of the built-in voice without one', async () => {
    const speech = await openGuide(harness).speak('You have thirty days.');
    expect(speech).toMatchObject({ provider: 'provider_b', mime: 'audio/mpeg' });
    // Node cannot play sound.
    expect(speech.play).toBeUndefined();
    expect((await new Response(speech.stream).arrayBuffer()).byteLength).toBeGreaterThan(200);
    const mock = await openGuide(without).speak('You have thirty days.', { voiceId: 'rms' });
    expect(mock).toMatchObject({ provider: 'mock', mime: 'audio/wav' });
    const bytes = new Uint8Array(await new Response(mock.stream).arrayBuffer());
    expect(new TextDecoder().decode(bytes.slice(0, 4))).toBe('RIFF');
  });

  test('cancelling the speech or aborting the signal ends it at the service', async () => {
    const countDisconnects = () => deepgram.countDisconnects();
    const guide = openGuide(harness);
    deepgram.fault = 'stalls';
    const before = countDisconnects();
    const ending = new AbortController();
    const signalled = await guide.speak('A first sentence.', { signal: ending.signal });
    const reader = signalled.stream.getReader();
    await reader.read();
    const next = catchError(reader.read());
    ending.abort();
    expect(await next).toMatchObject({ code: 'aborted' });
    await expect.poll(countDisconnects).toBe(before + 1);
    const cancelled = await guide.speak('A second sentence.');
    await cancelled.stream.cancel();
    await expect.poll(countDisconnects).toBe(before + 2);
    const closed = await guide.speak('A third sentence.');
    guide.close();
    expect(await catchError(new Response(closed.stream).text())).toMatchObject({ code: 'aborted' });
    await expect.poll(countDisconnects).toBe(before + 3);
    deepgram.fault = undefined;
  });

  test('speech that is cut off rejects instead of ending', async () => {
    deepgram.fault = 'cut';
    const speech = await openGuide(harness).speak('A sentence.');
    expect(await catchError(new Response(speech.stream).text())).toMatchObject({ code: 'network' });
    deepgram.fault = undefined;
  });

  test('speak() rejects with the code of the service and is not repeated', async () => {
    const guide = openGuide(harness);
    expect(await catchError(guide.speak(''))).toMatchObject({ code: 'request/invalid' });
    expect(await catchError(guide.speak('Hi', { provider: 'provider_c', voiceId: 'x y' }))).toMatchObject({
      issues: [{ path: 'body.voice_id' }],
    });
  });

  test('listen() rejects outside of a browser', async () => {
    const minted = () => harness.logged.filter(({ operation }) => operation === 'getTranscribeToken').length;
    const guide = openGuide(harness);
    expect(await catchError(guide.listen())).toMatchObject({ code: 'unsupported' });
    // No seconds were reserved.
    expect(minted()).toBe(0);
    expect(await catchError(guide.listen({ provider: 'mock' }))).toMatchObject({ code: 'unsupported' });
  });
});

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
type InPage = {
  guide: Guide & Voice;
  partials: string[];
  texts: string[];
  /** Listens and records the calls of its callbacks. */
  listen: (options?: ListenOptions) => Promise<Listening>;
  listening?: Listening;
  failure: (promise: Promise<unknown>) => Promise<string>;
  later: (millis: number) => Promise<void>;
};

type ListeningSite = {
  harness: Harness;
  browser: OwnBrowser;
  /** A new page; `before` runs in it first. */
  open(before?: string): Promise<Page>;
  /** Seconds of the month that are used or reserved. */
  counted(): Promise<number>;
  /** How often an operation was called. */
  countRequests(operation: string): number;
  close(): Promise<void>;
};

async function openListeningSite(options: HarnessOptions): Promise<ListeningSite> {
  const [harness, browser, script] = await Promise.all([
    openHarness(options),
    openBrowser(FLAGS),
    clientScript(),
  ]);
  let html = '';
  // Served without interception by Playwright, which would miss the last requests of a closing page.
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
        .voiceReservations.totalSeconds(
          getCalendarMonth(harness.clock.now(), workspace.settings.voice.timeZone).period,
        ),
    countRequests: (operation) => harness.logged.filter((line) => line.operation === operation).length,
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

const inPage = <T>(page: Page, work: (page: InPage) => Promise<T>) =>
  page.evaluate(`(${work})(globalThis)`) as Promise<T>;

describe('voice in a browser', () => {
  /** Voice in a real browser, with fake providers that use the real protocols. */

  let openai: FakeOpenAi;
  let deepgram: FakeDeepgram;
  let site: ListeningSite;
  beforeAll(async () => {
    [openai, deepgram] = await Promise.all([openFakeOpenAi(), openFakeDeepgram()]);
    site = await openListeningSite({ env: { ...openai.env, ...deepgram.env } });
  });
  afterAll(() => Promise.all([site.close(), openai.close(), deepgram.close()]));
  beforeEach(() => {
    openai.fault = undefined;
    deepgram.fault = undefined;
  });

  test('listen() streams over a WebSocket, reports what it hears, and returns unused seconds', async () => {
    const page = await site.open();
    const before = await site.counted();
    const opened = await inPage(page, async ({ listen }) => {
      const { provider, transport } = await listen({ provider: 'provider_b' });
      return { provider, transport };
    });
    expect(opened).toEqual({ provider: 'provider_b', transport: 'websocket' });
    expect(await site.counted()).toBe(before + 120);
    const heard = await inPage(page, async ({ listening, later, texts, partials }) => {
      while (partials.length === 0) await later(20);
      const text = await listening!.stop();
      return { text, again: await listening!.done, texts, partials };
    });
    expect(heard).toMatchObject({ text: DEEPGRAM_HEARD, again: DEEPGRAM_HEARD, texts: [DEEPGRAM_HEARD] });
    expect(heard.partials[0]).toBe('how do i');
    expect(heard.partials.at(-1)).toBe(DEEPGRAM_HEARD);
    await expect.poll(() => site.counted()).toBeLessThanOrEqual(before + 3);
    await page.close();
  });

  test('listen() sends sound over WebRTC and receives its transcript', async () => {
    const provider = await providerPage();
    const page = await site.open();
    await page.route('**/v1/realtime/calls', async (route) => {
      const fetched = await route.fetch();
      expect(fetched.status()).toBe(201);
      const body = await provider.evaluate(answerCall, route.request().postData()!);
      await route.fulfill({ response: fetched, body });
    });
    const heard = await inPage(page, async ({ listen, later, texts, partials }) => {
      const listening = await listen({ provider: 'provider_a' });
      while (partials.length === 0) await later(20);
      const text = await listening.stop();
      return { transport: listening.transport, text, texts, partials };
    });
    expect(heard).toEqual({
      transport: 'webrtc',
      text: OPENAI_HEARD,
      texts: [OPENAI_HEARD],
      partials: ['How do I', OPENAI_HEARD],
    });
    expect(await provider.evaluate('soundHeard')).toBe(true);
    const credentials = openai.seen.filter(({ path }) => path === '/v1/realtime/calls');
    expect(credentials.at(-1)?.headers.authorization).toMatch(/^Bearer ek_/);
    await Promise.all([page.close(), provider.close()]);
  });

  test('listen() records and uploads when the token says so', async () => {
    const page = await site.open();
    const heard = await inPage(page, async ({ listen, later, texts }) => {
      const listening = await listen({ provider: 'provider_b-batch' });
      await later(1500);
      return { transport: listening.transport, text: await listening.stop(), texts };
    });
    expect(heard).toEqual({ transport: 'upload', text: DEEPGRAM_HEARD, texts: [DEEPGRAM_HEARD] });
    const listened = deepgram.seen.filter(({ path }) => path === '/v1/listen').at(-1)!;
    expect(listened.headers['content-type']).toContain('webm');
    await page.close();
  });

  test("listen() uses the browser's speech recognition without a provider, on the device if asked to", async () => {
    const page = await site.open(recognition('wie', 'wie setze ich'));
    const heard = await inPage(page, async ({ listen, later, texts, partials, failure, guide }) => {
      const listenError = await failure(guide.listen({ provider: 'mock', deviceOnly: true }));
      const listening = await listen({ provider: 'mock', locale: 'de' });
      while (partials.length === 0) await later(20);
      return {
        transport: listening.transport,
        text: await listening.stop(),
        texts,
        partials,
        refused: listenError,
      };
    });
    expect(heard).toEqual({
      transport: 'mock',
      text: 'wie setze ich',
      texts: ['wie setze ich'],
      partials: ['wie', 'wie setze ich'],
      refused: 'unsupported',
    });
    expect(await page.evaluate('heardIn')).toBe('de');
    const usage = site.countRequests('reportVoiceUsage');
    await page.close();
    expect(site.countRequests('reportVoiceUsage')).toBe(usage);
  });

  test('listen() reports its seconds when the page is left', async () => {
    const page = await site.open();
    const before = await site.counted();
    await inPage(page, async ({ listen }) => void (await listen({ provider: 'provider_b' })));
    const reported = site.countRequests('reportVoiceUsage');
    await page.goto('about:blank');
    await expect.poll(() => site.countRequests('reportVoiceUsage')).toBe(reported + 1);
    await expect.poll(() => site.counted()).toBeLessThanOrEqual(before + 3);
    await page.close();
  });

  test.for(['the signal', 'closing the guide'] as const)('%s ends listening', async (how) => {
    const page = await site.open();
    const reported = site.countRequests('reportVoiceUsage');
    const ended = await page.evaluate(
      `(async ({ guide, failure }, how) => {
      const ending = new AbortController();
      const sound = await navigator.mediaDevices.getUserMedia({ audio: true });
      const listening = await guide.listen({ provider: 'provider_b', signal: ending.signal, sound });
      if (how === 'the signal') ending.abort();
      else guide.close();
      return { code: await failure(listening.done), sound: sound.getTracks()[0].readyState };
    })(globalThis, ${JSON.stringify(how)})`,
    );
    // The page's own sound stays open.
    expect(ended).toEqual({ code: 'aborted', sound: 'live' });
    await expect.poll(() => site.countRequests('reportVoiceUsage')).toBe(reported + 1);
    await page.close();
  });

  test('listen() reserves no seconds before the visitor allows the microphone', async () => {
    const page = await site.open(
      `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('No.', 'NotAllowedError'); };`,
    );
    const minted = site.countRequests('getTranscribeToken');
    expect(await inPage(page, ({ guide, failure }) => failure(guide.listen()))).toBe('microphone');
    expect(site.countRequests('getTranscribeToken')).toBe(minted);
    await page.close();
  });

  test('listen() can be aborted while it asks for the microphone, and closes one that is granted later', async () => {
    const page = await site.open(`
    const grant = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (constraints) => {
      await new Promise((resolve) => (globalThis.sayYes = resolve));
      return (globalThis.sound = await grant(constraints));
    };`);
    const minted = site.countRequests('getTranscribeToken');
    const aborted = await page.evaluate(`(async ({ guide, failure, later }) => {
    const ending = new AbortController();
    const listening = guide.listen({ signal: ending.signal });
    ending.abort();
    const code = await failure(listening);
    sayYes();
    await later(300);
    return { code, sound: sound.getTracks()[0].readyState };
  })(globalThis)`);
    expect(aborted).toEqual({ code: 'aborted', sound: 'ended' });
    expect(site.countRequests('getTranscribeToken')).toBe(minted);
    await page.close();
  });

  test('a session that the provider rejects or interrupts is an error and uses almost no seconds', async () => {
    const page = await site.open();
    const before = await site.counted();
    await page.route('**/v1/realtime/calls', (route) => route.fulfill({ status: 401, body: '{}' }));
    const listenError = await inPage(page, ({ guide, failure }) =>
      failure(guide.listen({ provider: 'provider_a' })),
    );
    expect(listenError).toBe('protocol');
    await page.routeWebSocket('**/v1/listen?*', (socket) => {
      setTimeout(() => socket.close({ code: 1011 }), 300);
    });
    const broken = await inPage(page, ({ listen, failure }) =>
      failure(listen({ provider: 'provider_b' }).then(({ done }) => done)),
    );
    expect(broken).toBe('network');
    await expect.poll(() => site.counted()).toBeLessThanOrEqual(before + 4);
    await page.close();
  });

  test('listen() stops when the reserved seconds are used up', async () => {
    const page = await site.open();
    await page.route('**/transcribe-token?*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), reserved_seconds: 1 } });
    });
    const text = await inPage(page, async ({ listen }) => (await listen({ provider: 'provider_b' })).done);
    expect(text).toBe(DEEPGRAM_HEARD);
    await page.close();
  });

  test('play() plays speech as it arrives or when it is complete, and stops with the signal', async () => {
    const page = await site.open(PLAYED);
    const played = await inPage(page, async ({ guide, failure }) => {
      const names: string[] = [];
      for (const provider of ['provider_b', 'mock'] as const) {
        const speech = await guide.speak('Hello.', { provider });
        await speech.play!();
        names.push(`${speech.provider} ${speech.mime}`);
      }
      const ending = new AbortController();
      const long = await guide.speak('One two three four five six seven eight nine. '.repeat(9), {
        provider: 'mock',
        signal: ending.signal,
      });
      const stopped = failure(long.play!());
      const { played } = globalThis as unknown as { played: readonly string[] };
      while (played.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
      ending.abort();
      return { names, stopped: await stopped };
    });
    expect(played).toEqual({
      names: ['provider_b audio/mpeg', 'mock audio/wav'],
      stopped: 'aborted',
    });
    expect(await page.evaluate('played')).toEqual(['MediaSource', 'Blob', 'Blob']);
    await page.close();
  });

  /** Opens a page that is the provider's side of a call, with its own connection. */
  async function providerPage(): Promise<Page> {
    const page = await site.open();
    await page.evaluate(`globalThis.soundHeard = false`);
    return page;
  }
});
