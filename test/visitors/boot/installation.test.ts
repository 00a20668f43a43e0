import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InstallationReply } from '../../../contract/boot.ts';
import { ORIGIN } from '../../support/harness.ts';
import { joinAs, openTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeEach(async () => {
  team = await openTeam();
});
afterEach(() => team.close());

const WILDCARD = 'https://*.shop.example.com';

const installation = async () => (await team.as('member').get<InstallationReply>('/installation')).json;
const now = () => new Date(team.harness.clock.now()).toISOString();

function bootFrom(origin: string, appId = team.harness.appId, type = 'application/json'): Promise<Response> {
  const json = { app_id: appId, origin, path: '/' };
  return team.harness.fetch('/boot', { json, headers: { origin, 'content-type': type } });
}

describe('installation checks', () => {
  it('list every allowed origin, updated by the first boot', async () => {
    expect(await installation()).toStrictEqual({
      origins: [{ origin: ORIGIN }, { origin: WILDCARD }],
      refused: [],
    });
    await bootFrom(ORIGIN);
    const { origins } = await installation();
    expect(origins[0]).toStrictEqual({ origin: ORIGIN, seenOrigin: ORIGIN, lastSeenAt: expect.any(String) });
    expect(origins[0]!.lastSeenAt! <= now()).toBe(true);
    expect(origins[1]).toStrictEqual({ origin: WILDCARD });
  });

  it('ignore crawlers', async () => {
    const json = { app_id: team.harness.appId, origin: ORIGIN, path: '/' };
    const headers = {
      'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    };
    expect((await team.harness.fetch('/boot', { json, headers })).status).toBe(200);
    expect((await installation()).origins[0]).toStrictEqual({ origin: ORIGIN });
  });

  it('show the newest origin that matched a wildcard', async () => {
    await bootFrom('https://a.shop.example.com');
    team.harness.clock.advance(5);
    await bootFrom('https://b.shop.example.com');
    expect((await installation()).origins[1]).toMatchObject({ seenOrigin: 'https://b.shop.example.com' });
  });

  it('survive a restart and a change from origin to wildcard', async () => {
    await bootFrom('https://a.shop.example.com');
    await bootFrom(ORIGIN);
    const before = await installation();
    team = await reopenTeam();
    expect(await installation()).toStrictEqual(before);
    await team.as('owner').patch('', { allowedOrigins: ['https://a.shop.example.com'] });
    expect((await installation()).origins).toMatchObject([
      { origin: 'https://a.shop.example.com', lastSeenAt: before.origins[1]!.lastSeenAt },
    ]);
  });

  it('are stored after the first boot and then at most once a minute', async () => {
    const { service, clock } = team.harness;
    const stored = async () =>
      (await service.store.in(team.workspace.id).installations()).map(({ atMillis }) => atMillis);
    await bootFrom(ORIGIN);
    await service.tick();
    const first = await stored();
    expect(first).toHaveLength(1);
    clock.advance(30_000);
    await bootFrom(ORIGIN);
    await service.tick();
    expect(await stored()).toStrictEqual(first);
    clock.advance(30_001);
    await service.tick();
    expect((await stored())[0]! - first[0]!).toBeGreaterThanOrEqual(30_000);
  });

  it('belong to one workspace', async () => {
    await bootFrom(ORIGIN);
    const path = `/api/tenants/${team.elsewhere.id}/installation`;
    const { origins } = (await team.as('stranger').get<InstallationReply>(path)).json;
    expect(origins.every(({ lastSeenAt }) => lastSeenAt === undefined)).toBe(true);
  });
});

describe('rejected origins', () => {
  it('are listed with their count until they are allowed', async () => {
    await bootFrom('http://localhost:5500');
    await bootFrom('http://localhost:5500');
    team.harness.clock.advance(5);
    await bootFrom('https://copy.example');
    const { refused } = await installation();
    expect(refused.map(({ origin, count }) => ({ origin, count }))).toStrictEqual([
      { origin: 'https://copy.example', count: 1 },
      { origin: 'http://localhost:5500', count: 2 },
    ]);
    await team.as('owner').patch('', { allowedOrigins: [ORIGIN, 'http://localhost:5500'] });
    expect((await installation()).refused.map(({ origin }) => origin)).toStrictEqual([
      'https://copy.example',
    ]);
  });

  it('include pages that boot without a preflight, and tell them nothing about the app', async () => {
    const [known, unknown] = await Promise.all(
      [team.harness.appId, 'gp_nobody'].map(async (appId) => {
        const response = await bootFrom('http://localhost:5500', appId, 'text/plain');
        return [response.status, { ...((await response.json()) as object), request_id: '' }];
      }),
    );
    expect(known).toStrictEqual([403, expect.objectContaining({ error: 'boot/origin_not_allowed' })]);
    expect(unknown).toStrictEqual(known);
    await bootFrom(ORIGIN, team.harness.appId, 'text/plain');
    await bootFrom('null', team.harness.appId, 'text/plain');
    expect((await installation()).refused).toMatchObject([{ origin: 'http://localhost:5500', count: 1 }]);
  });

  it('are limited to the newest twenty, to known apps and to valid lengths', async () => {
    for (let at = 0; at < 25; at += 1) await bootFrom(`https://copy-${at}.example`);
    await bootFrom('https://copy.example', 'gp_nobody');
    await bootFrom(`https://${'a.'.repeat(200)}example`);
    const { refused } = await installation();
    expect(refused).toHaveLength(20);
    expect(refused[0]!.origin).toBe('https://copy-24.example');
  });
});

/** Restarts the server and returns the members of the same workspace. */
async function reopenTeam(): Promise<Team> {
  const harness = await team.harness.restart();
  const [owner, member] = [
    await joinAs(harness, harness.workspace, 'owner'),
    await joinAs(harness, harness.workspace, 'member'),
  ];
  return {
    ...team,
    harness,
    as: (person) => (person === 'owner' ? owner : member),
    close: () => harness.close(),
  };
}
