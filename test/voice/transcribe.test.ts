import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VOICE_LIMITS } from '../../contract/limits/voice.ts';
import { voiceToken } from '../../contract/voice.ts';
import { lockWrites } from '../support/other-program.ts';
import { expectError } from '../support/response.ts';
import { openVoice, waveFile } from '../support/voice-service.ts';

const FOLDER = new URL('./recordings/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, FOLDER));
const recordings = readdirSync(FOLDER).filter((name) => name !== 'video.mp4');
const transcript = { text: 'How do I reset my password?', model: 'listener-2' };
const listening = { provider_b: { transcribe: () => transcript } };

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
      const response = await visitor.transcribe(read(name), claimed);
      expect(response.json).toEqual(transcript);
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
    expect(await harness.counted()).toBe(0);
  });

  it("charges the provider's duration, else the recording's", async () => {
    const harness = await openVoice({
      provider_b: { transcribe: () => ({ ...transcript, seconds: 7.2 }) },
    });
    const visitor = await harness.visitor();
    await visitor.transcribe(waveFile(8000 * 3));
    expect(await harness.counted()).toBe(8);
    Object.assign(harness.speech.providers.provider_b!, { transcribe: () => transcript });
    const other = await openVoice(listening);
    await (await other.visitor()).transcribe(waveFile(8000 * 3));
    expect(await other.counted()).toBe(3);
  });

  it('charges the longest possible duration when the recording has none', async () => {
    const harness = await openVoice(listening);
    const withoutDuration = read('webm-opus-live.webm');
    await (await harness.visitor()).transcribe(withoutDuration);
    expect(await harness.counted()).toBe(Math.ceil(withoutDuration.length / 2000));
  });

  it.each(['credentials', 'busy', 'upstream', 'timeout', 'refused'] as const)(
    'falls back when a provider fails: %s',
    async (failure) => {
      const harness = await openVoice({
        provider_a: { transcribe: () => transcript },
        provider_b: { transcribe: failure },
      });
      const visitor = await harness.visitor();
      expect((await visitor.transcribe(waveFile())).json).toEqual(transcript);
      expect(harness.speech.calls.map(({ name }) => name)).toEqual(['provider_b', 'provider_a']);
    },
  );

  it('returns an error and charges nothing when every provider fails', async () => {
    const harness = await openVoice({
      provider_a: { transcribe: 'upstream' },
      provider_b: { transcribe: 'timeout' },
    });
    expectError(await (await harness.visitor()).transcribe(waveFile()), 'voice/provider_failed');
    expect(await harness.counted()).toBe(0);
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
    expect(await harness.counted()).toBe(4);
  });

  it.each([
    ['says that it is shorter than it is', 40, 1, 600],
    ['says that it is played at a speed that no recorder has', 24, 4_000_000_000, 12],
  ])(
    'charges at least the minimum of its bytes for a recording that %s',
    async (_what, place, claimed, seconds) => {
      const harness = await openVoice({ provider_b: { transcribe: () => transcript } });
      const forged = waveFile(8000 * 600);
      forged.writeUInt32LE(claimed, place);
      if (place === 24) forged.writeUInt32LE(claimed, 28);
      expect((await (await harness.visitor()).transcribe(forged)).status).toBe(200);
      expect(await harness.counted()).toBe(seconds);
    },
  );

  it('returns an error without a provider', async () => {
    const harness = await openVoice({ provider_c: { speak: 'upstream' } });
    const response = await (await harness.visitor()).transcribe(waveFile());
    expect(expectError(response, 'voice/not_configured').retryAfterSec).toBeGreaterThan(0);
    expect(response.headers.get('retry-after')).not.toBeNull();
  });

  it('accepts exactly ten megabytes at most', async () => {
    const harness = await openVoice({ provider_b: { transcribe: () => ({ ...transcript, seconds: 1 }) } });
    const visitor = await harness.visitor();
    const most = waveFile(VOICE_LIMITS.audioBytesMax - 44);
    expect((await visitor.transcribe(most)).status).toBe(200);
    expectError(await visitor.transcribe(Buffer.concat([most, Buffer.alloc(1)])), 'voice/audio_too_large');
  });
});

const BOTH = { provider_a: { token: () => ({}) }, provider_b: { token: () => ({}) } };

describe('GET /transcribe-token', () => {
  it('returns every documented field and reserves seconds', async () => {
    const harness = await openVoice({
      provider_a: { token: () => ({ token: 'ek_1', url: 'https://a.example/calls' }) },
    });
    const visitor = await harness.visitor();
    const { status, json } = await visitor.token();
    expect(status).toBe(200);
    expect(voiceToken.parse(json)).toEqual({
      token: 'ek_1',
      provider: 'provider_a',
      expires_at: expect.any(Number),
      mode: 'realtime',
      transport: 'webrtc',
      reserved_seconds: VOICE_LIMITS.voiceReservedSeconds,
      url: 'https://a.example/calls',
    });
    expect(json.expires_at - harness.clock.now() / 1000).toBeLessThanOrEqual(60);
    expect(await harness.counted()).toBe(VOICE_LIMITS.voiceReservedSeconds);
  });

  it.each([
    ['', 'provider_a', 'webrtc'],
    ['?provider=auto', 'provider_a', 'webrtc'],
    ['?provider=provider_a', 'provider_a', 'webrtc'],
    ['?provider=provider_b', 'provider_b', 'websocket'],
    ['?provider=provider_b-batch', 'provider_b', 'upload'],
    ['?provider=mock', 'mock', 'mock'],
  ])('uses the provider of the query: %s', async (query, provider, transport) => {
    const harness = await openVoice(BOTH);
    const { json } = await (await harness.visitor()).token(query);
    expect(json).toMatchObject({ provider, transport });
    const isLive = provider !== 'mock' && transport !== 'upload';
    expect(json.reserved_seconds > 0).toBe(isLive);
    expect(await harness.openReservations()).toBe(isLive ? 1 : 0);
  });

  it.each(['', '?provider=provider_a', '?provider=provider_b', '?provider=provider_b-batch'])(
    'uses the mock without a provider: %s',
    async (query) => {
      const harness = await openVoice({});
      const { json } = await (await harness.visitor()).token(query);
      expect(json).toMatchObject({ provider: 'mock', mode: 'mock', transport: 'mock', reserved_seconds: 0 });
      expect(await harness.counted()).toBe(0);
    },
  );

  it.each(['credentials', 'busy', 'upstream', 'timeout', 'refused'] as const)(
    'falls back when the first provider fails: %s',
    async (failure) => {
      const harness = await openVoice({ ...BOTH, provider_a: { token: failure } });
      const visitor = await harness.visitor();
      expect((await visitor.token()).json).toMatchObject({ provider: 'provider_b' });
      expect(harness.speech.calls.map(({ name }) => name)).toEqual(['provider_a', 'provider_b']);
      expect(
        expectError(await visitor.token('?provider=provider_a'), 'voice/provider_failed').retryAfterSec,
      ).toBe(failure === 'busy' ? 7 : undefined);
      expect(await harness.counted()).toBe(VOICE_LIMITS.voiceReservedSeconds);
    },
  );

  it('returns an error and releases the reservation when every provider fails', async () => {
    const harness = await openVoice({
      provider_a: { token: 'timeout' },
      provider_b: { token: 'credentials' },
    });
    const response = await (await harness.visitor()).token();
    expectError(response, 'voice/provider_failed');
    expect(response.text).not.toContain('was told to fail');
    expect(await harness.counted()).toBe(0);
    expect(await harness.openReservations()).toBe(0);
  });

  it('reserves nothing for a caller that disconnected', async () => {
    const harness = await openVoice({ provider_a: { token: 'hang' } });
    const { jwt } = await harness.visitor();
    const hangUp = new AbortController();
    const asking = harness.fetch('/transcribe-token', {
      headers: { authorization: `Bearer ${jwt}` },
      signal: hangUp.signal,
    });
    await expect.poll(harness.openReservations).toBe(1);
    hangUp.abort();
    await expect(asking).rejects.toThrow();
    await expect.poll(harness.openReservations).toBe(0);
    expect(await harness.counted()).toBe(0);
  });

  it('calls no provider when the reservation fails', async () => {
    const harness = await openVoice(BOTH);
    const visitor = await harness.visitor();
    const unlock = await lockWrites(harness);
    expectError(await visitor.token(), 'storage/unavailable');
    expect(harness.speech.calls).toEqual([]);
    await unlock();
    expect((await visitor.token()).status).toBe(200);
  });

  it('rejects a provider that mints no tokens', async () => {
    const harness = await openVoice(BOTH);
    expectError(await (await harness.visitor()).token('?provider=provider_c'), 'request/invalid');
  });
});

describe('workspace with voice disabled', () => {
  it('reports it in the boot response and rejects tokens, recordings and speech', async () => {
    const harness = await openVoice(BOTH, { enabled: false });
    expect((await harness.boot()).features.voice).toBe(false);
    const visitor = await harness.visitor();
    expectError(await visitor.token(), 'voice/disabled');
    expectError(await visitor.transcribe('not even audio'), 'voice/disabled');
    const spoken = await visitor.speak();
    expect(await spoken.json()).toMatchObject({ error: 'voice/disabled' });
    expect((await visitor.report('unknown', 1)).json).toEqual({ recorded: false, charged_seconds: 0 });
  });

  it('is not the default of a new workspace', async () => {
    expect((await (await openVoice({})).boot()).features.voice).toBe(true);
  });
});
