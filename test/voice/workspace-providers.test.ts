import { describe, expect, it } from 'vitest';
import type { WorkspaceVoice } from '../../server/storage/workspaces.ts';
import { expectError } from '../fixtures/answer.ts';
import { openVoice, type VoiceHarness } from './harness.ts';
import type { Provider } from './scripted-speech.ts';
import { seconds, waveFile } from './scripted-speech.ts';

/** The provider order of a workspace, by kind of use. */

const heard = { text: 'Hello.', model: 'm' };
const able: Provider = { token: () => ({}), transcribe: () => heard, speak: () => seconds(1) };
const broken: Provider = { token: 'upstream', transcribe: 'upstream', speak: 'upstream' };
const ALL = { provider_a: able, provider_b: able, provider_c: { speak: () => seconds(1) } };

async function spokenBy(harness: VoiceHarness, body: Record<string, unknown> = {}): Promise<string | null> {
  const response = await (await harness.visitor()).speak(body);
  await response.arrayBuffer();
  return response.headers.get('x-service-tts-provider');
}
const heardBy = async (harness: VoiceHarness) => {
  await (await harness.visitor()).transcribe(waveFile());
  return harness.speech.calls.map(({ name }) => name);
};
const tokenOf = async (harness: VoiceHarness, query = '') => {
  const { provider, transport } = (await (await harness.visitor()).token(query)).json;
  return `${provider} ${transport}`;
};

describe('workspace token provider', () => {
  const cases: [NonNullable<WorkspaceVoice['tokenProvider']>, string][] = [
    ['provider_a', 'provider_a webrtc'],
    ['provider_b', 'provider_b websocket'],
    ['provider_b-batch', 'provider_b upload'],
    ['mock', 'mock mock'],
  ];
  it.each(cases)('is used for `auto` and without a provider: %s', async (tokenProvider, token) => {
    const harness = await openVoice(ALL, { tokenProvider });
    expect(await tokenOf(harness)).toBe(token);
    expect(await tokenOf(harness, '?provider=auto')).toBe(token);
    const isLive = tokenProvider === 'provider_a' || tokenProvider === 'provider_b';
    expect(harness.openReservations()).toBe(isLive ? 2 : 0);
  });

  it('is overridden by the request', async () => {
    const harness = await openVoice(ALL, { tokenProvider: 'provider_b' });
    expect(await tokenOf(harness, '?provider=provider_a')).toBe('provider_a webrtc');
    expect(await tokenOf(harness, '?provider=provider_b-batch')).toBe('provider_b upload');
    expect(await tokenOf(harness, '?provider=mock')).toBe('mock mock');
  });

  it('falls back to the others when it fails, unless the request names it', async () => {
    const harness = await openVoice({ ...ALL, provider_b: broken }, { tokenProvider: 'provider_b' });
    expect(await tokenOf(harness)).toBe('provider_a webrtc');
    expect(harness.speech.calls.map(({ name }) => name)).toEqual(['provider_b', 'provider_a']);
    const visitor = await harness.visitor();
    expectError(await visitor.token('?provider=provider_b'), 'voice/provider_failed');
  });

  it.each(['provider_b', 'provider_b-batch'] as const)(
    'is skipped when not configured: %s',
    async (tokenProvider) => {
      expect(await tokenOf(await openVoice({ provider_a: able }, { tokenProvider }))).toBe(
        'provider_a webrtc',
      );
      expect(await tokenOf(await openVoice({}, { tokenProvider }))).toBe('mock mock');
    },
  );
});

describe('workspace transcription provider', () => {
  it('is tried first, then the others', async () => {
    const own = { transcribeProvider: 'provider_a' } as const;
    expect(await heardBy(await openVoice(ALL))).toEqual(['provider_b']);
    expect(await heardBy(await openVoice(ALL, own))).toEqual(['provider_a']);
    expect(await heardBy(await openVoice({ ...ALL, provider_a: broken }, own))).toEqual([
      'provider_a',
      'provider_b',
    ]);
  });

  it('is skipped when not configured', async () => {
    const own = { transcribeProvider: 'provider_a' } as const;
    expect(await heardBy(await openVoice({ provider_b: able }, own))).toEqual(['provider_b']);
    const visitor = await (await openVoice({}, own)).visitor();
    expectError(await visitor.transcribe(waveFile()), 'voice/not_configured');
  });
});

describe('workspace speech provider', () => {
  it.each(['provider_a', 'provider_b', 'provider_c', 'mock'] as const)(
    'is used for `auto` and without a provider: %s',
    async (speechProvider) => {
      const harness = await openVoice(ALL, { speechProvider });
      expect(await spokenBy(harness)).toBe(speechProvider);
      expect(await spokenBy(harness, { provider: 'auto' })).toBe(speechProvider);
      expect(harness.counted() > 0).toBe(speechProvider !== 'mock');
    },
  );

  it('is overridden by the request', async () => {
    const harness = await openVoice(ALL, { speechProvider: 'provider_a' });
    expect(await spokenBy(harness, { provider: 'provider_c' })).toBe('provider_c');
    expect(await spokenBy(harness, { provider: 'mock' })).toBe('mock');
  });

  it('falls back to the others in default order until the first byte', async () => {
    const own = { speechProvider: 'provider_a' } as const;
    const harness = await openVoice({ ...ALL, provider_a: broken }, own);
    expect(await spokenBy(harness)).toBe('provider_c');
    expect(harness.speech.calls.map(({ name }) => name)).toEqual(['provider_a', 'provider_c']);
    const failed = await openVoice({ provider_a: broken, provider_b: broken }, own);
    const response = await (await failed.visitor()).speak();
    expect(await response.json()).toMatchObject({ error: 'voice/provider_failed' });
    expect(failed.speech.calls.map(({ name }) => name)).toEqual(['provider_a', 'provider_b']);
  });

  it('is skipped when not configured', async () => {
    const own = { speechProvider: 'provider_c' } as const;
    expect(await spokenBy(await openVoice({ provider_a: able }, own))).toBe('provider_a');
    expect(await spokenBy(await openVoice({}, own))).toBe('mock');
  });

  it('ignores a voice of another provider when the request names no provider', async () => {
    const harness = await openVoice(
      { ...ALL, provider_b: { ...able, supportsVoice: () => false } },
      { speechProvider: 'provider_b' },
    );
    expect(await spokenBy(harness, { voice_id: 'alloy' })).toBe('provider_b');
    expect(harness.speech.calls[0]!.what).not.toHaveProperty('voiceId');
  });
});

it('applies changed workspace settings at once', async () => {
  const harness = await openVoice(ALL);
  expect(await spokenBy(harness)).toBe('provider_c');
  await harness.service.store.workspaces.change(
    harness.workspace.id,
    ({ settings }) => ({ settings: { voice: { ...settings.voice, speechProvider: 'provider_b' } } }),
    harness.clock.now(),
  );
  harness.clock.advance(5000);
  expect(await spokenBy(harness)).toBe('provider_b');
});
