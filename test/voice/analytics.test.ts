import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import type { HarnessOptions } from '../harness.ts';
import { visit } from '../transfer/installations.ts';
import { openVoice, type VoiceHarness } from './harness.ts';
import { seconds, waveFile } from './scripted-speech.ts';

const METRICS_TOKEN = 'a-token-for-the-metrics';
const PROVIDERS = {
  provider_b: {
    token: () => ({}),
    transcribe: () => ({ text: 'Hello.', model: 'm', seconds: 2 }),
    speak: () => seconds(3),
  },
};

async function rows(harness: VoiceHarness, type = 'voice') {
  const all = await harness.service.store.in(harness.workspace.id).events.list(1000);
  return all.filter((row) => row.type === type).map(({ visitorId, data }) => ({ visitorId, ...data }));
}

async function useVoice(options: HarnessOptions = {}) {
  const harness = await openVoice(PROVIDERS, {}, options);
  const visitor = await harness.visitor();
  const { token } = (await visitor.token()).json;
  harness.clock.advance(5000);
  await visitor.report(token, 4);
  await visitor.transcribe(waveFile());
  await (await visitor.speak()).arrayBuffer();
  await expect.poll(harness.openReservations).toBe(0);
  return { harness, visitor };
}

const USES = [
  { visitorId: undefined, kind: 'realtime', provider: 'provider_b', seconds: 4, outcome: 'finished' },
  { visitorId: undefined, kind: 'transcribe', provider: 'provider_b', seconds: 2, outcome: 'finished' },
  { visitorId: undefined, kind: 'speech', provider: 'provider_b', seconds: 3, outcome: 'finished' },
];

describe('voice analytics', () => {
  it('writes anonymous rows before a decision', async () => {
    const { harness } = await useVoice({ settings: { consentStrictness: 'opt_in' } });
    expect(await rows(harness)).toEqual(USES);
  });

  it('writes rows with the visitor id after acceptance', async () => {
    const harness = await openVoice(PROVIDERS);
    const { jwt, visitor_id } = await visit(harness, 'accepted');
    await harness
      .fetch('/tts', { json: { text: 'Hello.' }, headers: { authorization: `Bearer ${jwt}` } })
      .then((response) => response.arrayBuffer());
    await expect.poll(harness.openReservations).toBe(0);
    expect(await rows(harness)).toEqual([{ ...USES[2], visitorId: harness.pseudonym({ visitor_id }) }]);
  });

  it('writes no rows after a refusal but counts against the cap', async () => {
    const harness = await openVoice(PROVIDERS);
    const { jwt } = await visit(harness, 'denied');
    const headers = { authorization: `Bearer ${jwt}` };
    await (await harness.fetch('/tts', { json: { text: 'Hello.' }, headers })).arrayBuffer();
    await harness.fetch('/transcribe-token', { headers });
    harness.clock.advance(2 * 3600_000);
    await harness.service.tick();
    expect(await rows(harness)).toEqual([]);
    expect(harness.counted()).toBe(3 + LIMITS.voiceReservedSeconds);
  });

  it('writes a row for an unreported session once it is closed', async () => {
    const harness = await openVoice(PROVIDERS);
    await (await harness.visitor()).token();
    expect(await rows(harness)).toEqual([]);
    harness.clock.advance(2 * 3600_000);
    await harness.service.tick();
    await harness.service.tick();
    expect(await rows(harness)).toEqual([
      { ...USES[0], seconds: LIMITS.voiceReservedSeconds, outcome: 'unreported' },
    ]);
  });

  it('writes a row without seconds for a failed provider, and none for the mock', async () => {
    const harness = await openVoice({ provider_b: { transcribe: 'upstream' } });
    const visitor = await harness.visitor();
    await visitor.transcribe(waveFile());
    await (await visitor.speak()).arrayBuffer();
    await visitor.token();
    expect(await rows(harness)).toEqual([{ ...USES[1], seconds: 0, outcome: 'failed' }]);
  });

  it('appears in the workspace analytics, including cap hits', async () => {
    const harness = await openVoice(PROVIDERS, { monthlySecondsMax: 5 });
    const visitor = await harness.visitor();
    await (await visitor.speak()).arrayBuffer();
    await visitor.token();
    await expect
      .poll(() => rows(harness, 'rate_limited'))
      .toEqual([{ visitorId: undefined, bucket: 'voice/cap' }]);
    expect(await rows(harness)).toEqual([USES[2]]);
  });

  it('appears in the process metrics', async () => {
    const { harness } = await useVoice({ env: { METRICS_TOKEN } });
    const response = await harness.fetch('/metrics', {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });
    const text = await response.text();
    expect(text).toContain(
      'guidepost_voice_uses_total{kind="speech",provider="provider_b",outcome="finished"} 1',
    );
    expect(text).toContain('guidepost_voice_seconds_total{kind="realtime",provider="provider_b"} 4');
    expect(text).toContain('guidepost_voice_cap_exceeded_total 0');
  });
});
