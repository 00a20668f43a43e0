import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../server/base/ids.ts';
import { getCalendarMonth } from '../../server/base/month.ts';
import { openTeam, type Team } from '../support/team.ts';
import { defaultSpeech } from '../support/voice-service.ts';

let team: Team;
beforeEach(async () => {
  team = await openTeam({ speech: defaultSpeech() });
});
afterEach(() => team.close());

type Month = { period: string; startsAt: string; endsAt: string };
type Usage = {
  voice: Month & { usedSeconds: number; heldSeconds: number; monthlySecondsMax: number };
  tokens: Month & { usedTokens: number; monthlyTokensMax?: number };
  engine: string;
};

/** Leaves out the stored amounts, which are measured in the background. */
async function read(person: 'owner' | 'admin' | 'member' = 'member'): Promise<Usage> {
  const { storage: _, ...usage } = (await team.as(person).get<Usage & { storage?: unknown }>('/usage')).json;
  return usage;
}
const change = (settings: unknown) => team.as('owner').patch('', settings);

function monthIn(zone: string): Month {
  const { period, startsAt, endsAt } = getCalendarMonth(team.harness.clock.now(), zone);
  return { period, startsAt: new Date(startsAt).toISOString(), endsAt: new Date(endsAt).toISOString() };
}

describe('GET /usage', () => {
  it('returns zeros for a new workspace to every member', async () => {
    for (const person of ['owner', 'admin', 'member'] as const) {
      expect(await read(person)).toStrictEqual({
        voice: { ...monthIn('UTC'), usedSeconds: 0, heldSeconds: 0, monthlySecondsMax: 3600 },
        tokens: { ...monthIn('UTC'), usedTokens: 0 },
        engine: 'extractive',
      });
    }
  });

  it('returns reserved seconds during a voice session and used seconds after it', async () => {
    const { harness } = team;
    const headers = { authorization: `Bearer ${(await harness.boot()).jwt}` };
    const minted = await harness.fetch('/transcribe-token', { headers });
    const { token } = (await minted.json()) as { token: string };
    expect((await read()).voice).toMatchObject({ usedSeconds: 120, heldSeconds: 120 });
    harness.clock.advance(40_000);
    await harness.fetch('/transcribe-usage', { json: { token, elapsed_seconds: 30 }, headers });
    expect((await read()).voice).toMatchObject({ usedSeconds: 30, heldSeconds: 0 });
  });

  it("returns the current month in the workspace's time zone and its limits", async () => {
    await change({
      voice: { timeZone: 'Asia/Kathmandu', monthlySecondsMax: 500 },
      guide: { monthlyTokensMax: 9000 },
    });
    const { service, workspace } = team.harness;
    const { period } = monthIn('Asia/Kathmandu');
    await service.store.in(workspace.id).tokenMonths.reserve(period, () => 1234);
    expect(await read()).toStrictEqual({
      voice: { ...monthIn('Asia/Kathmandu'), usedSeconds: 0, heldSeconds: 0, monthlySecondsMax: 500 },
      tokens: { ...monthIn('Asia/Kathmandu'), usedTokens: 1234, monthlyTokensMax: 9000 },
      engine: 'extractive',
    });
  });

  it('ignores other months and other workspaces', async () => {
    const { service, workspace } = team.harness;
    const { period } = monthIn('UTC');
    const reservation = {
      visitorId: newId('vp'),
      kind: 'realtime',
      provider: 'provider_a',
      isRecordable: true,
    } as const;
    const grant = () => ({ seconds: 10, defaultChargeSeconds: 0, closesAt: 1, purgeAt: 4_000_000_000_000 });
    const reserve = (workspaceId: string, month: string) =>
      service.store
        .in(workspaceId)
        .voiceReservations.reserve({ id: newId('hold'), ...reservation, period: month, openedAt: 0 }, grant);
    await reserve(team.elsewhere.id, period);
    await reserve(workspace.id, '2020-01');
    await service.store.in(team.elsewhere.id).tokenMonths.reserve(period, () => 5);
    await service.store.in(workspace.id).tokenMonths.reserve('2020-01', () => 5);
    const { voice, tokens } = await read();
    expect([voice.usedSeconds, voice.heldSeconds, tokens.usedTokens]).toEqual([0, 0, 0]);
  });
});
