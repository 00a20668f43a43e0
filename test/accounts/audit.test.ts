import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../server/hash-chain.ts';
import { expectError } from '../fixtures/answer.ts';
import { openTeam, type Team } from './team.ts';

let team: Team;
beforeEach(async () => {
  team = await openTeam();
});
afterEach(() => team.close());

type Row = { id: string; at: string; actor: string; action: string; subject: string; details: string };
type Page = { data: Row[]; nextCursor?: string };

const list = async (query = '') => (await team.as('admin').get<Page>(`/audit${query}`)).json;

describe('GET /audit', () => {
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
    const whole = (await list('?limit=200')).data.map(({ id }) => id);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(`?limit=3${cursor ? `&cursor=${cursor}` : ''}`);
      paged.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
      await team.as('owner').patch('', { name: `Later ${paged.length}` });
    } while (cursor);
    expect(paged).toStrictEqual(whole);
  });

  it('never returns entries of another workspace, whatever the cursor', async () => {
    await team.as('owner').patch('', { name: 'Ours' });
    const ours = await list('?limit=1');
    const theirs = `/api/tenants/${team.elsewhere.id}/audit`;
    const answer = await team.as('stranger').get<Page>(`${theirs}?cursor=${ours.nextCursor}`);
    expect(answer.json).toStrictEqual({ data: [] });
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
