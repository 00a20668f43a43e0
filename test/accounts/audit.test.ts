import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import { canonicalJson, verifyAuditChain } from '../../server/base/hash-chain.ts';
import { makeKey } from '../support/export-client.ts';
import { expectError, readResponse } from '../support/response.ts';
import { addPerson } from '../support/signed-in-client.ts';
import { openTeam, PASSWORD, type Team } from '../support/team.ts';

type Row = { id: string; at: string; actor: string; action: string; subject: string; details: string };
type Page = { data: Row[]; nextCursor?: string };
describe('GET /audit', () => {
  let team: Team;
  beforeEach(async () => {
    team = await openTeam();
  });
  afterEach(() => team.close());

  const list = async (query = '') => (await team.as('admin').get<Page>(`/audit${query}`)).json;

  it('returns actor, action, subject and time, newest first', async () => {
    await team.as('owner').patch('', { name: 'Books' });
    team.harness.clock.advance(1000);
    await team.as('admin').patch('', { showBranding: false });
    const { data } = await list('?limit=2');
    expect(data.map(({ actor, action, subject }) => ({ actor, action, subject }))).toStrictEqual([
      { actor: team.as('admin').memberId, action: 'workspace.changed', subject: team.workspace.id },
      { actor: team.as('owner').memberId, action: 'workspace.changed', subject: team.workspace.id },
    ]);
    expect(Date.parse(data[0]!.at) - Date.parse(data[1]!.at)).toBeGreaterThanOrEqual(1000);
  });

  it('returns the details as canonical JSON', async () => {
    await team.as('owner').patch('', { voice: { voiceId: 'alloy', enabled: false }, name: 'Books' });
    const [row] = (await list('?limit=1')).data;
    expect(row?.details).toBe(
      '{"after":{"name":"Books","voice":{"enabled":false,"voiceId":"alloy"}},"before":{"name":"A shop","voice":{"enabled":true}}}',
    );
    expect(canonicalJson(JSON.parse(row!.details))).toBe(row?.details);
  });

  it('filters by actor, action, subject and time', async () => {
    await team.as('owner').patch('', { name: 'Books' });
    team.harness.clock.advance(1000);
    await team.as('admin').post('/invitations', { email: 'ada@shop.example', role: 'member' });
    const actions = async (query: string) => (await list(query)).data.map(({ action }) => action);
    const { memberId } = team.as('admin');
    expect(await actions(`?actor=${memberId}`)).toContain('invitation.created');
    expect(await actions(`?actor=${memberId}&action=workspace.changed`)).toStrictEqual([]);
    expect(await actions(`?subject=${team.workspace.id}`)).toStrictEqual([
      'workspace.changed',
      'knowledge.imported',
    ]);
    const created = (await list('?action=invitation.')).data;
    expect(new Set(created.map(({ action }) => action.split('.')[0]))).toStrictEqual(new Set(['invitation']));
    expect(await actions(`?from=${encodeURIComponent(created[0]!.at)}`)).toStrictEqual([
      'invitation.created',
    ]);
    expect(await actions(`?to=${encodeURIComponent(created[0]!.at)}`)).not.toContain(created[0]!.id);
    const paged: string[] = [];
    let cursor = '';
    do {
      const page = await list(`?action=invitation.&limit=1${cursor}`);
      paged.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
    } while (cursor);
    expect(paged).toStrictEqual(created.map(({ id }) => id));
  });

  it('returns pages without gaps while entries are added', async () => {
    for (let at = 0; at < 7; at += 1) await team.as('owner').patch('', { name: `Shop ${at}` });
    const allIds = (await list('?limit=200')).data.map(({ id }) => id);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(`?limit=3${cursor ? `&cursor=${cursor}` : ''}`);
      paged.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
      await team.as('owner').patch('', { name: `Later ${paged.length}` });
    } while (cursor);
    expect(paged).toStrictEqual(allIds);
  });

  it('never returns entries of another workspace, whatever the cursor', async () => {
    await team.as('owner').patch('', { name: 'Ours' });
    const ours = await list('?limit=1');
    const theirs = `/api/tenants/${team.elsewhere.id}/audit`;
    const response = await team.as('stranger').get<Page>(`${theirs}?cursor=${ours.nextCursor}`);
    expect(response.json).toStrictEqual({ data: [] });
    expectError(await team.as('owner').get(theirs), 'tenant/not_found');
  });

  it.each(['x', '!!', Buffer.from('a b').toString('base64url')])('rejects the cursor %s', async (cursor) => {
    const { issues } = expectError(
      await team.as('owner').get(`/audit?cursor=${encodeURIComponent(cursor)}`),
      'request/invalid',
    );
    expect(issues).toMatchObject([{ path: 'query.cursor' }]);
  });

  it('requires the role owner or admin', async () => {
    expectError(await team.as('member').get('/audit'), 'tenant/role_required');
  });
});

const INTERVAL = 15 * 60_000;
const DEVICE = 'Firefox on Linux';
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0';

type StoredRow = {
  actor: string;
  action: string;
  subject: string;
  device?: string;
  network?: string;
  details: string;
};
describe('the audit', () => {
  let team: Team;
  beforeEach(async () => {
    team = await openTeam({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  });
  afterEach(() => team.close());

  /** Sends a request as a browser at this address. */
  const send = (method: string, path: string, json?: unknown, address = '203.0.113.77', headers = {}) =>
    readResponse(
      fetch(`${team.harness.baseUrl}${path}`, {
        method,
        headers: {
          'sec-fetch-site': 'same-origin',
          'user-agent': USER_AGENT,
          'x-forwarded-for': address,
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      }),
    );
  const signIn = (password: string, email = 'owner@shop.example', address?: string) =>
    send('POST', '/api/session', { email, password }, address);
  const rows = async (action: string): Promise<StoredRow[]> =>
    (await team.as('owner').get<{ data: StoredRow[] }>(`/audit?limit=200&action=${action}`)).json.data;

  it('records a sign-in with actor, device and truncated network in each workspace of the user', async () => {
    const { harness, elsewhere } = team;
    const second = await addPerson(harness, 'owner@shop.example', {
      role: 'member',
      workspaceId: elsewhere.id,
    });
    expect((await signIn(PASSWORD)).status).toBe(200);
    const { memberId } = team.as('owner');
    const where = { device: DEVICE, network: '203.0.113.0/24' };
    expect(await rows('session.signed_in')).toMatchObject([{ actor: memberId, subject: memberId, ...where }]);
    const [there] = await harness.service.store.in(elsewhere.id).audit.list(1);
    expect(there).toMatchObject({ actor: second.memberId, action: 'session.signed_in', ...where });
  });

  it('cuts an IPv6 address to 48 bits', async () => {
    await signIn(PASSWORD, undefined, '2001:db8:1:2::5');
    expect(await rows('session.signed_in')).toMatchObject([{ network: '2001:db8:1::/48' }]);
  });

  it('records a failed sign-in without naming an actor', async () => {
    expectError(await signIn('not the password at all'), 'session/wrong_credentials');
    const expected = { actor: 'unknown', subject: team.as('owner').memberId, network: '203.0.113.0/24' };
    expect(await rows('session.sign_in_failed')).toMatchObject([
      { ...expected, device: DEVICE, details: '{}' },
    ]);
  });

  it('writes nothing for a failed sign-in with an unknown address', async () => {
    expectError(await signIn(PASSWORD, 'nobody@shop.example'), 'session/wrong_credentials');
    expect(await rows('session.')).toStrictEqual([]);
  });

  it('counts repeated failures of an account and network in one row per interval', async () => {
    for (let guess = 0; guess < 6; guess += 1) await signIn(`guess number ${guess} of many`);
    await signIn('another guess from elsewhere', undefined, '198.51.100.1');
    expect(await rows('session.sign_in_failed')).toMatchObject([
      { network: '198.51.100.0/24' },
      { network: '203.0.113.0/24' },
    ]);
    team.harness.clock.advance(INTERVAL);
    await team.harness.service.tick();
    const repeats = { network: '203.0.113.0/24', details: '{"repeats":5}' };
    expect(await rows('session.sign_in_failed')).toMatchObject([repeats, {}, {}]);
    await signIn('a guess in the next interval');
    expect(await rows('session.sign_in_failed')).toHaveLength(3);
    team.harness.clock.advance(2 * INTERVAL);
    await team.harness.service.tick();
    await team.harness.service.tick();
    expect(await rows('session.sign_in_failed')).toHaveLength(4);
  });

  it('bounds the rows of failures from many networks', async () => {
    const count = 59;
    const { points, windowSeconds } = BUCKETS['session/account-sign-in'];
    const start = team.harness.clock.now();
    for (let at = 0; at < count; at += 1) {
      if (at > 0 && at % points === 0) team.harness.clock.advance(windowSeconds * 1000);
      await signIn('a guess of a botnet', undefined, `10.0.${at}.1`);
    }
    expect(team.harness.clock.now() - start).toBeLessThan(INTERVAL);
    const atStart = await rows('session.sign_in_failed');
    expect(atStart).toHaveLength(51);
    expect(atStart[0]).toMatchObject({ network: 'several' });
    team.harness.clock.advance(INTERVAL);
    await team.harness.service.tick();
    const [overflow] = await rows('session.sign_in_failed');
    expect(overflow).toMatchObject({ network: 'several', details: `{"repeats":${count - 51}}` });
  });

  it('keeps counted failures when the service stops', async () => {
    for (let guess = 0; guess < 3; guess += 1) await signIn('the same wrong guess');
    team = { ...team, harness: await team.harness.restart() };
    const { store } = team.harness.service;
    const [row] = await store.in(team.workspace.id).audit.list(1);
    expect(row).toMatchObject({ action: 'session.sign_in_failed', details: { repeats: 2 } });
    team = { ...team, close: () => team.harness.close() };
  });

  it('records a failed password confirmation with the member as actor', async () => {
    const { memberId, cookie } = team.as('admin');
    const wrong = { password: 'not the password at all' };
    expectError(
      await send('POST', '/api/session/confirm', wrong, undefined, { cookie }),
      'session/wrong_credentials',
    );
    expect(await rows('session.confirmation_failed')).toMatchObject([{ actor: memberId, device: DEVICE }]);
  });

  it('records where a password was changed', async () => {
    const { cookie, memberId } = team.as('admin');
    const change = { currentPassword: PASSWORD, newPassword: 'copper lantern over the hedge' };
    expect((await send('PUT', '/api/password', change, undefined, { cookie })).status).toBe(200);
    const where = { device: DEVICE, network: '203.0.113.0/24' };
    expect(await rows('password.changed')).toMatchObject([{ actor: memberId, ...where }]);
  });

  it('records an export of the workspace', async () => {
    await team.as('admin').get('/export');
    const { memberId } = team.as('admin');
    expect(await rows('workspace.exported')).toMatchObject([
      { actor: memberId, subject: team.workspace.id, network: '127.0.0.0/24' },
    ]);
  });

  it('records a request that the role does not allow once, however often it is repeated', async () => {
    for (let at = 0; at < 5; at += 1) {
      expectError(await team.as('member').patch('', { name: 'Mine' }), 'tenant/role_required');
    }
    const { memberId } = team.as('member');
    expect(await rows('access.refused')).toMatchObject([
      {
        actor: memberId,
        subject: team.workspace.id,
        details: '{"error":"tenant/role_required","operation":"changeTenant"}',
      },
    ]);
  });

  it('records attempts without a recent password and with a wrong workspace name', async () => {
    team.harness.clock.advance(ACCOUNT_LIMITS.freshPasswordSeconds * 1000 + 1);
    const key = { name: 'Report', scopes: ['events:read'] };
    expectError(await team.as('owner').post('/api-keys', key), 'session/password_needed');
    const owner = await team.signIn(team.as('owner'));
    expectError(await owner.delete('?confirmName=Another'), 'tenant/name_mismatch');
    expect((await rows('access.refused')).map(({ details }) => JSON.parse(details).error)).toStrictEqual([
      'tenant/name_mismatch',
      'session/password_needed',
    ]);
  });

  it('records the use of an API key without the scope, and of a revoked one', async () => {
    const { key, text } = await makeKey(team.harness, ['analytics:read']);
    const ask = () => send('GET', '/api/export/events', undefined, undefined, { 'x-api-key': text });
    expectError(await ask(), 'export/insufficient_scope');
    await team.as('owner').delete(`/api-keys/${key.id}`);
    expectError(await ask(), 'export/unauthorized');
    const attempt = { actor: key.id, network: '203.0.113.0/24' };
    expect(await rows('access.refused')).toMatchObject([
      { ...attempt, details: '{"error":"export/unauthorized","operation":"exportEvents"}' },
      { ...attempt, details: '{"error":"export/insufficient_scope","operation":"exportEvents"}' },
    ]);
  });

  it('has an unbroken hash chain', async () => {
    await signIn(PASSWORD);
    await signIn('not the password at all');
    await team.as('member').patch('', { name: 'Mine' });
    const { workspaceExport } = team.harness.service.store.in(team.workspace.id);
    const all = await workspaceExport.audit(1000);
    expect(await verifyAuditChain(all)).toMatchObject({ ok: true, count: all.length });
  });
});
