import { describe, expect, it } from 'vitest';
import { VOICE_LIMITS } from '../../contract/limits/voice.ts';
import { newId } from '../../server/base/ids.ts';
import { estimateSpokenSeconds } from '../../server/speech/speech.ts';
import type { VoiceReservation } from '../../server/storage/caps.ts';
import { VOICE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import {
  computeCharge,
  estimateRecordedSeconds,
  grantExpected,
  grantSession,
} from '../../server/voice/reservations.ts';
import type { HarnessOptions } from '../support/harness.ts';
import { expectError } from '../support/response.ts';
import { fc } from '../support/seeded-random.ts';
import { openVoice, seconds, type Voice, type VoiceHarness, waveFile } from '../support/voice-service.ts';
import { visit } from '../transfer/installations.ts';

const MINTING = { provider_a: { token: () => ({}) } };
const { voiceReservedSeconds: WHOLE, voiceGraceSeconds: GRACE } = VOICE_LIMITS;
const TOKEN_SECONDS = 60;
/** Milliseconds from the minting of a token until an unreported session is closed. */
const CLOSED_MILLIS = (TOKEN_SECONDS + WHOLE + GRACE) * 1000;

async function visitors(harness: VoiceHarness, count: number): Promise<Voice[]> {
  const all: Voice[] = [];
  for (let at = 0; at < count; at += 1) all.push(await harness.visitor());
  return all;
}

describe('voice cap', () => {
  it('is never exceeded by concurrent requests', async () => {
    const cap = 50 * WHOLE + 37;
    const harness = await openVoice(
      { provider_a: { token: () => new Promise((resolve) => setImmediate(resolve, {})) } },
      { monthlySecondsMax: cap },
    );
    const responses = await Promise.all((await visitors(harness, 70)).map((visitor) => visitor.token()));
    const minted = responses.filter(({ status }) => status === 200).map(({ json }) => json.reserved_seconds);
    expect(minted.toSorted((a, b) => a - b)).toEqual([37, ...Array(50).fill(WHOLE)]);
    expect(await harness.counted()).toBe(cap);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expect(expectError(response, 'rate_limit/exceeded').bucket).toBe('voice/cap');
    }
    // No provider was called for a token that could not be issued.
    expect(harness.speech.calls).toHaveLength(51);
  });

  it('rejects a session when too little is left', async () => {
    const harness = await openVoice(MINTING, { monthlySecondsMax: WHOLE + 9 });
    const [first, second] = await visitors(harness, 2);
    expect((await first!.token()).status).toBe(200);
    expectError(await second!.token(), 'rate_limit/exceeded');
    expectError(await second!.token(), 'rate_limit/exceeded');
    expect(await harness.counted()).toBe(WHOLE);
  });

  it("returns Retry-After until the month ends in the workspace's time zone", async () => {
    const harness = await openVoice(MINTING, { monthlySecondsMax: 0, timeZone: 'Pacific/Auckland' });
    const visitor = await harness.visitor();
    const response = await visitor.token();
    const { retryAfterSec = 0, bucket } = expectError(response, 'rate_limit/exceeded');
    expect(bucket).toBe('voice/cap');
    expect(response.headers.get('retry-after')).toBe(String(retryAfterSec));
    const format = new Intl.DateTimeFormat('en', {
      timeZone: 'Pacific/Auckland',
      timeStyle: 'medium',
      dateStyle: 'short',
    });
    expect(format.format(harness.clock.now() + retryAfterSec * 1000)).toMatch(/^\d+\/1\/\d\d, 12:00:0\d AM$/);
  });

  it('resets with the month', async () => {
    const harness = await openVoice(MINTING, { monthlySecondsMax: WHOLE });
    const visitor = await harness.visitor();
    expect((await visitor.token()).status).toBe(200);
    const other = await harness.visitor();
    const { retryAfterSec = 0 } = expectError(await other.token(), 'rate_limit/exceeded');
    harness.clock.advance(retryAfterSec * 1000);
    expect((await (await harness.visitor()).token()).json.reserved_seconds).toBe(WHOLE);
  });

  it('rejects recordings and speech before calling a provider', async () => {
    const harness = await openVoice(
      {
        provider_b: {
          token: () => ({}),
          transcribe: () => ({ text: '', model: 'm' }),
          speak: () => seconds(1),
        },
      },
      { monthlySecondsMax: 2 },
    );
    const visitor = await harness.visitor();
    expectError(await visitor.transcribe(waveFile(8000 * 3)), 'rate_limit/exceeded');
    const spoken = await visitor.speak({
      text: 'This takes longer than two seconds to say, at any speed.',
    });
    expect(await spoken.json()).toMatchObject({ error: 'rate_limit/exceeded', bucket: 'voice/cap' });
    expect(harness.speech.calls).toEqual([]);
    expect((await visitor.transcribe(waveFile(8000 * 2))).status).toBe(200);
    expect(expectError(await visitor.token('?provider=provider_b-batch'), 'rate_limit/exceeded').bucket).toBe(
      'voice/cap',
    );
  });

  it('does not count use of the mock', async () => {
    const harness = await openVoice(MINTING, { monthlySecondsMax: 0 });
    const visitor = await harness.visitor();
    expect((await visitor.token('?provider=mock')).status).toBe(200);
    expect((await visitor.speak()).headers.get('x-service-tts-provider')).toBe('mock');
    expect(await harness.counted()).toBe(0);
  });

  it('rejects new use and settles open reservations after it is lowered', async () => {
    const harness = await openVoice(MINTING);
    const visitor = await harness.visitor();
    const { token } = (await visitor.token()).json;
    await harness.service.store.workspaces.change(
      harness.workspace.id,
      ({ settings }) => ({ settings: { voice: { ...settings.voice, monthlySecondsMax: 20 } } }),
      harness.clock.now(),
    );
    harness.clock.advance(30_000);
    expectError(await (await harness.visitor()).token(), 'rate_limit/exceeded');
    expect((await visitor.report(token, 25)).json.charged_seconds).toBe(25);
  });
});

describe('live session', () => {
  it('belongs to its visitor when the provider gives the same token to several', async () => {
    const harness = await openVoice({ provider_a: { token: () => ({ token: 'same-for-all' }) } });
    const { appId } = await harness.addWorkspace({ voice: { ...VOICE_DEFAULTS, enabled: true } });
    const [first, second, elsewhere] = [
      await harness.visitor(),
      await harness.visitor(),
      await harness.visitor({ app_id: appId }),
    ];
    for (const { token } of [first, second, elsewhere, first]) {
      const { status, json } = await token();
      expect([status, json.token, json.reserved_seconds]).toEqual([200, 'same-for-all', WHOLE]);
    }
    harness.clock.advance(30_000);
    const recorded = (charged_seconds: number) => ({ recorded: true, charged_seconds });
    expect((await second.report('same-for-all', 5)).json).toEqual(recorded(5));
    expect((await second.report('same-for-all', 5)).json).toEqual({ recorded: false, charged_seconds: 0 });
    expect((await elsewhere.report('same-for-all', 7)).json).toEqual(recorded(7));
    // The visitor's second token closed the first session, which is not reported.
    expect((await first.report('same-for-all', 9)).json).toEqual(recorded(9));
    expect(await harness.counted()).toBe(5 + 9 + WHOLE);
  });

  async function session() {
    const harness = await openVoice(MINTING);
    const visitor = await harness.visitor();
    const { token } = (await visitor.token()).json;
    return { harness, visitor, token };
  }

  it('is charged its duration and can be reported once', async () => {
    const { harness, visitor, token } = await session();
    harness.clock.advance(45_000);
    expect((await visitor.report(token, 41.2)).json).toEqual({ recorded: true, charged_seconds: 42 });
    expect(await harness.counted()).toBe(42);
    expect((await visitor.report(token, 5)).json).toEqual({ recorded: false, charged_seconds: 0 });
    expect(await harness.counted()).toBe(42);
  });

  it('lasts from one second up to the time since its token was minted', async () => {
    const { harness, visitor, token } = await session();
    harness.clock.advance(10_000);
    expect((await visitor.report(token, 80_000)).json.charged_seconds).toBeLessThan(15);
    const again = (await visitor.token()).json.token;
    expect((await visitor.report(again, 0)).json.charged_seconds).toBe(1);
  });

  it('is charged beyond its reservation up to the cap', async () => {
    const harness = await openVoice(MINTING, { monthlySecondsMax: WHOLE + 20 });
    const visitor = await harness.visitor();
    const { token } = (await visitor.token()).json;
    harness.clock.advance((WHOLE + 60) * 1000);
    expect((await visitor.report(token, WHOLE + 50)).json.charged_seconds).toBe(WHOLE + 20);
  });

  it('can only be reported by the visitor who holds its token', async () => {
    const { harness, token } = await session();
    const other = await harness.visitor();
    expect((await other.report(token, 1)).json).toEqual({ recorded: false, charged_seconds: 0 });
    expect(await harness.counted()).toBe(WHOLE);
  });

  it('is charged in full unless reported, and a late report can only lower the charge', async () => {
    const { harness, visitor, token } = await session();
    harness.clock.advance(CLOSED_MILLIS + 1000);
    await harness.service.tick();
    expect(await harness.counted()).toBe(WHOLE);
    const { jwt } = await harness.boot({ visitor_id: visitor.visitor_id });
    const late = await harness.fetch('/transcribe-usage', {
      json: { token, elapsed_seconds: 5000 },
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(await late.json()).toEqual({ recorded: true, charged_seconds: WHOLE });
  });

  it('cannot be reported after an hour', async () => {
    const { harness, visitor, token } = await session();
    harness.clock.advance(CLOSED_MILLIS + VOICE_LIMITS.voiceLateReportSeconds * 1000);
    await harness.service.tick();
    expect(await harness.openReservations()).toBe(0);
    expect(await harness.counted()).toBe(WHOLE);
    const { jwt } = await harness.boot({ visitor_id: visitor.visitor_id });
    const late = await harness.fetch('/transcribe-usage', {
      json: { token, elapsed_seconds: 5 },
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(await late.json()).toEqual({ recorded: false, charged_seconds: 0 });
  });

  it("is closed by the visitor's next session and then costs at most its reservation", async () => {
    const { harness, visitor, token } = await session();
    harness.clock.advance(5000);
    const next = (await visitor.token()).json.token;
    expect(await harness.counted()).toBe(2 * WHOLE);
    harness.clock.advance((WHOLE + 50) * 1000);
    expect((await visitor.report(token, WHOLE + 40)).json.charged_seconds).toBe(WHOLE);
    expect((await visitor.report(next, WHOLE + 40)).json.charged_seconds).toBe(WHOLE + 40);
  });

  it('is released when the server crashed before minting its token', async () => {
    const harness = await openVoice(MINTING);
    const { visitor_id } = await harness.visitor();
    const now = harness.clock.now();
    const { voiceReservations } = harness.service.store.in(harness.workspace.id);
    await voiceReservations.reserve(
      {
        id: newId('hold'),
        visitorId: harness.pseudonym({ visitor_id }),
        kind: 'realtime',
        provider: 'provider_a',
        period: new Date(now).toISOString().slice(0, 7),
        openedAt: now,
        isRecordable: true,
      },
      (counted) => grantSession(counted, harness.workspace.settings.voice, now),
    );
    expect(await harness.counted()).toBe(WHOLE);
    harness.clock.advance(2 * 60_000);
    await harness.service.tick();
    expect(await harness.counted()).toBe(0);
    expect(await harness.openReservations()).toBe(0);
  });

  it('leaves only its cost when the visitor is erased', async () => {
    const { harness, visitor, token } = await session();
    const headers = { authorization: `Bearer ${visitor.jwt}` };
    expect((await harness.fetch('/visitor', { method: 'DELETE', headers })).status).toBe(200);
    expect((await visitor.report(token, 1)).status).toBe(401);
    expect(await harness.counted()).toBe(WHOLE);
  });
});

it('never grants or charges more than the cap', () => {
  const count = fc.integer({ min: 0, max: 10_000 });
  fc.assert(
    fc.property(count, count, count, fc.boolean(), (cap, counted, used, isWhole) => {
      const voice = { ...VOICE_DEFAULTS, monthlySecondsMax: cap };
      const granted = isWhole ? grantExpected(used, counted, voice, 0) : grantSession(counted, voice, 0);
      if (!granted) return;
      expect(counted + granted.seconds).toBeLessThanOrEqual(cap);
      const reservation = { ...granted, openedAt: 0 } as VoiceReservation;
      for (const now of [0, granted.closesAt]) {
        const charged = computeCharge(used, reservation, counted, voice, now);
        expect(charged).toBeLessThanOrEqual(used);
        expect(counted + charged).toBeLessThanOrEqual(cap);
        if (now === granted.closesAt) expect(charged).toBeLessThanOrEqual(granted.seconds);
      }
    }),
  );
});

it('estimates more time for syllabic scripts', () => {
  expect(estimateSpokenSeconds('a'.repeat(150))).toBe(10);
  expect(estimateSpokenSeconds('どうもありがとう')).toBe(2);
  expect(estimateSpokenSeconds('!')).toBe(1);
});

it("uses the recording's duration, or the longest possible for its size", () => {
  expect(estimateRecordedSeconds(100_000, 3.2)).toBe(4);
  expect(estimateRecordedSeconds(100_000, undefined)).toBe(50);
});

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
    expect(await harness.counted()).toBe(3 + VOICE_LIMITS.voiceReservedSeconds);
  });

  it('writes a row for an unreported session once it is closed', async () => {
    const harness = await openVoice(PROVIDERS);
    await (await harness.visitor()).token();
    expect(await rows(harness)).toEqual([]);
    harness.clock.advance(2 * 3600_000);
    await harness.service.tick();
    await harness.service.tick();
    expect(await rows(harness)).toEqual([
      { ...USES[0], seconds: VOICE_LIMITS.voiceReservedSeconds, outcome: 'unreported' },
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
