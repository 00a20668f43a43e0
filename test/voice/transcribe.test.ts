import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { expectError } from '../fixtures/answer.ts';
import { openVoice } from './harness.ts';
import { waveFile } from './scripted-speech.ts';

const FOLDER = new URL('./recordings/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, FOLDER));
const recordings = readdirSync(FOLDER).filter((name) => name !== 'video.mp4');
const heard = { text: 'How do I reset my password?', model: 'listener-2' };
const listening = { provider_b: { transcribe: () => heard } };

const MIMES: Readonly<Record<string, string>> = {
  webm: 'audio/webm',
  mka: 'audio/webm',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  aac: 'audio/aac',
};

describe('POST /transcribe', () => {
  it.each(recordings)('detects the type by bytes, not by name: %s', async (name) => {
    const harness = await openVoice(listening);
    const visitor = await harness.visitor();
    for (const claimed of ['audio/webm;codecs=opus', 'application/json', 'text/html', '']) {
      const answer = await visitor.transcribe(read(name), claimed);
      expect(answer.json).toEqual(heard);
    }
    const { mime, extension } = harness.speech.calls[0]!.what;
    expect(mime).toBe(MIMES[name.split('.').at(-1)!]);
    expect(mime).toContain(extension === 'm4a' ? 'mp4' : extension === 'mp3' ? 'mpeg' : extension);
  });

  it.each([
    ['a page', Buffer.from(`<html>${'x'.repeat(5000)}`)],
    ['an order to fetch an address', Buffer.from('{"url":"https://evil.example/a.wav"}'.padEnd(5000))],
    ['a picture', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(5000)])],
    ['a film', read('video.mp4')],
    ['nothing', Buffer.alloc(0)],
    ['silence of no format', Buffer.alloc(5000)],
    ['the beginning of a recording', waveFile().subarray(0, 100)],
    ['too little to be one', waveFile(900)],
  ])('rejects %s, whatever type it claims', async (_what, bytes) => {
    const harness = await openVoice(listening);
    const visitor = await harness.visitor();
    for (const claimed of ['audio/webm', 'audio/wav', 'application/octet-stream']) {
      expectError(await visitor.transcribe(bytes, claimed), 'voice/unsupported_audio');
    }
    expect(harness.speech.calls).toEqual([]);
    expect(harness.counted()).toBe(0);
  });

  it("charges the provider's duration, else the recording's", async () => {
    const harness = await openVoice({
      provider_b: { transcribe: () => ({ ...heard, seconds: 7.2 }) },
    });
    const visitor = await harness.visitor();
    await visitor.transcribe(waveFile(8000 * 3));
    expect(harness.counted()).toBe(8);
    Object.assign(harness.speech.providers.provider_b!, { transcribe: () => heard });
    const other = await openVoice(listening);
    await (await other.visitor()).transcribe(waveFile(8000 * 3));
    expect(other.counted()).toBe(3);
  });

  it('charges the longest possible duration when the recording has none', async () => {
    const harness = await openVoice(listening);
    const live = read('webm-opus-live.webm');
    await (await harness.visitor()).transcribe(live);
    expect(harness.counted()).toBe(Math.ceil(live.length / 2000));
  });

  it.each(['credentials', 'busy', 'upstream', 'timeout', 'refused'] as const)(
    'falls back when a provider fails: %s',
    async (failure) => {
      const harness = await openVoice({
        provider_a: { transcribe: () => heard },
        provider_b: { transcribe: failure },
      });
      const visitor = await harness.visitor();
      expect((await visitor.transcribe(waveFile())).json).toEqual(heard);
      expect(harness.speech.calls.map(({ name }) => name)).toEqual(['provider_b', 'provider_a']);
    },
  );

  it('returns an error and charges nothing when every provider fails', async () => {
    const harness = await openVoice({
      provider_a: { transcribe: 'upstream' },
      provider_b: { transcribe: 'timeout' },
    });
    expectError(await (await harness.visitor()).transcribe(waveFile()), 'voice/provider_failed');
    expect(harness.counted()).toBe(0);
  });

  it('charges in full when the caller disconnects during transcription', async () => {
    const harness = await openVoice({ provider_b: { transcribe: 'hang' } });
    const { jwt } = await harness.visitor();
    const hangUp = new AbortController();
    const body = new FormData();
    body.append('audio', new Blob([waveFile(8000 * 4)]), 'a.wav');
    const headers = { authorization: `Bearer ${jwt}` };
    const sending = harness.fetch('/transcribe', { method: 'POST', headers, body, signal: hangUp.signal });
    await expect.poll(() => harness.speech.calls.length).toBe(1);
    hangUp.abort();
    await expect(sending).rejects.toThrow();
    await expect.poll(harness.openReservations).toBe(0);
    expect(harness.counted()).toBe(4);
  });

  it.each([
    ['says that it is shorter than it is', 40, 1, 600],
    ['says that it is played at a speed that no recorder has', 24, 4_000_000_000, 12],
  ])(
    'charges at least the minimum of its bytes for a recording that %s',
    async (_what, place, claimed, seconds) => {
      const harness = await openVoice({ provider_b: { transcribe: () => heard } });
      const forged = waveFile(8000 * 600);
      forged.writeUInt32LE(claimed, place);
      if (place === 24) forged.writeUInt32LE(claimed, 28);
      expect((await (await harness.visitor()).transcribe(forged)).status).toBe(200);
      expect(harness.counted()).toBe(seconds);
    },
  );

  it('returns an error without a provider', async () => {
    const harness = await openVoice({ provider_c: { speak: 'upstream' } });
    const answer = await (await harness.visitor()).transcribe(waveFile());
    expect(expectError(answer, 'voice/not_configured').retryAfterSec).toBeGreaterThan(0);
    expect(answer.headers.get('retry-after')).not.toBeNull();
  });

  it('accepts exactly ten megabytes at most', async () => {
    const harness = await openVoice({ provider_b: { transcribe: () => ({ ...heard, seconds: 1 }) } });
    const visitor = await harness.visitor();
    const most = waveFile(LIMITS.audioBytesMax - 44);
    expect((await visitor.transcribe(most)).status).toBe(200);
    expectError(await visitor.transcribe(Buffer.concat([most, Buffer.alloc(1)])), 'voice/audio_too_large');
  });
});
