import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGuide, type Guide, type Voice, withVoice } from '../../client/sdk/index.ts';
import { type Harness, openHarness, USER_AGENT } from '../harness.ts';
import { DEEPGRAM_HEARD, type FakeDeepgram, openFakeDeepgram } from '../speech/fakes/deepgram.ts';
import { catchError } from './colleagues.ts';

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

const openGuide = ({ baseUrl, appId, origin }: Harness): Guide & Voice =>
  withVoice(createGuide({ baseUrl, appId, origin, headers: { 'user-agent': USER_AGENT } }));

const recording = (name: string, type: string) =>
  new Blob([readFileSync(new URL(`../voice/recordings/${name}`, import.meta.url))], { type });

test('withVoice() returns the same guide with voice methods', async () => {
  const { baseUrl, appId, origin } = harness;
  const guide = createGuide({ baseUrl, appId, origin, headers: { 'user-agent': USER_AGENT } });
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
  // Node has nothing to play with.
  expect(speech.play).toBeUndefined();
  expect((await new Response(speech.stream).arrayBuffer()).byteLength).toBeGreaterThan(200);
  const mock = await openGuide(without).speak('You have thirty days.', { voiceId: 'rms' });
  expect(mock).toMatchObject({ provider: 'mock', mime: 'audio/wav' });
  const bytes = new Uint8Array(await new Response(mock.stream).arrayBuffer());
  expect(new TextDecoder().decode(bytes.slice(0, 4))).toBe('RIFF');
});

test('cancelling the speech or aborting the signal ends it at the service', async () => {
  const left = () => deepgram.countDisconnects();
  const guide = openGuide(harness);
  deepgram.fault = 'stalls';
  const before = left();
  const ending = new AbortController();
  const signalled = await guide.speak('A first sentence.', { signal: ending.signal });
  const reader = signalled.stream.getReader();
  await reader.read();
  const next = catchError(reader.read());
  ending.abort();
  expect(await next).toMatchObject({ code: 'aborted' });
  await expect.poll(left).toBe(before + 1);
  const cancelled = await guide.speak('A second sentence.');
  await cancelled.stream.cancel();
  await expect.poll(left).toBe(before + 2);
  const closed = await guide.speak('A third sentence.');
  guide.close();
  expect(await catchError(new Response(closed.stream).text())).toMatchObject({ code: 'aborted' });
  await expect.poll(left).toBe(before + 3);
  deepgram.fault = undefined;
});

test('speech that is cut off errors instead of ending', async () => {
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
