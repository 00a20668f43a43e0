import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { voiceToken } from '../../contract/voice.ts';
import { expectError } from '../fixtures/answer.ts';
import { openVoice } from './harness.ts';

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
      reserved_seconds: LIMITS.voiceReservedSeconds,
      url: 'https://a.example/calls',
    });
    expect(json.expires_at - harness.clock.now() / 1000).toBeLessThanOrEqual(60);
    expect(harness.counted()).toBe(LIMITS.voiceReservedSeconds);
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
    expect(harness.openReservations()).toBe(isLive ? 1 : 0);
  });

  it.each(['', '?provider=provider_a', '?provider=provider_b', '?provider=provider_b-batch'])(
    'uses the mock without a provider: %s',
    async (query) => {
      const harness = await openVoice({});
      const { json } = await (await harness.visitor()).token(query);
      expect(json).toMatchObject({ provider: 'mock', mode: 'mock', transport: 'mock', reserved_seconds: 0 });
      expect(harness.counted()).toBe(0);
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
      expect(harness.counted()).toBe(LIMITS.voiceReservedSeconds);
    },
  );

  it('returns an error and releases the reservation when every provider fails', async () => {
    const harness = await openVoice({
      provider_a: { token: 'timeout' },
      provider_b: { token: 'credentials' },
    });
    const answer = await (await harness.visitor()).token();
    expectError(answer, 'voice/provider_failed');
    expect(answer.text).not.toContain('was told to fail');
    expect(harness.counted()).toBe(0);
    expect(harness.openReservations()).toBe(0);
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
    expect(harness.counted()).toBe(0);
  });

  it('calls no provider when the reservation fails', async () => {
    const harness = await openVoice(BOTH);
    const visitor = await harness.visitor();
    const holder = new Database(harness.config.database.file);
    holder.exec('BEGIN IMMEDIATE');
    expectError(await visitor.token(), 'storage/unavailable');
    expect(harness.speech.calls).toEqual([]);
    holder.exec('ROLLBACK');
    holder.close();
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
