import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { hashToken } from '../../server/tokens/session-cookie.ts';
import { expectError } from '../support/response.ts';
import { joinAs, type MemberClient, openAutomation, openTeam, PASSWORD, type Team } from '../support/team.ts';

const DAY = 86_400_000;
const ARTICLE = { title: 'Gift wrapping', answer: 'Choose gift wrapping at the checkout.' };
const GERMAN = { title: 'Geschenkverpackung', answer: 'Wählen Sie sie an der Kasse.' };

type Made = { id: string; revision: number };
type Created = { id: string; token: string; active: boolean; name: string };

describe('automation sessions', () => {
  let team: Team;
  let owner: MemberClient;
  beforeEach(async () => {
    team = await openTeam();
    owner = team.as('owner');
  });
  afterEach(() => team.close());

  const wanted = (changes: object = {}) => ({
    name: 'Docs pipeline',
    role: 'admin',
    areas: ['articles'],
    expiresAt: new Date(team.harness.clock.now() + 30 * DAY).toISOString(),
    ...changes,
  });
  const automate = (granted?: Parameters<typeof openAutomation>[1]) =>
    openAutomation({ harness: team.harness, memberClient: owner }, granted);
  const audit = () => team.harness.service.store.in(team.workspace.id).audit.list(100);

  describe('creation', () => {
    it('shows the token once and stores only its hash', async () => {
      const response = await owner.post<Created>('/automation-sessions', wanted());
      expect(response.status).toBe(201);
      const { token, ...rest } = response.json;
      expect(rest).toMatchObject({ name: 'Docs pipeline', active: true, createdBy: owner.memberId });
      const session = await team.harness.service.store.sessions.findByToken(hashToken(token));
      expect(session?.id).toBe(rest.id);
      expect(JSON.stringify(session)).not.toContain(token);
      const listed = await owner.get('/automation-sessions');
      expect(listed.json).toStrictEqual({ data: [rest] });
      expect((await audit())[0]).toMatchObject({
        action: 'automation_session.created',
        actor: owner.memberId,
        subject: rest.id,
        details: { name: 'Docs pipeline', role: 'admin', areas: ['articles'], mayApproveOwn: false },
      });
    });

    it('requires an owner', async () => {
      for (const person of ['admin', 'member'] as const)
        expectError(await team.as(person).post('/automation-sessions', wanted()), 'tenant/role_required');
      expectError(await team.as('stranger').post('/automation-sessions', wanted()), 'tenant/not_found');
    });

    it('rejects an expiry in the past or over a year ahead, an empty list of areas, and invalid networks', async () => {
      const at = (days: number) => ({
        expiresAt: new Date(team.harness.clock.now() + days * DAY + 1).toISOString(),
      });
      const cases = [at(-1), at(366), { areas: [] }, { areas: ['members'] }, { allowedNetworks: ['home'] }];
      for (const change of cases)
        expectError(await owner.post('/automation-sessions', wanted(change)), 'request/invalid');
      expect((await owner.get<{ data: unknown[] }>('/automation-sessions')).json.data).toEqual([]);
    });

    it('rejects a session beyond the maximum until another has ended', async () => {
      const all: MemberClient[] = [];
      for (let at = 0; at < ACCOUNT_LIMITS.automationSessionsMax; at += 1) all.push(await automate());
      expectError(await owner.post('/automation-sessions', wanted()), 'session/too_many_automations');
      await owner.delete(`/api/sessions/${all[0]!.memberId}`);
      expect((await owner.post('/automation-sessions', wanted())).status).toBe(201);
    });
  });

  describe('an automation session', () => {
    it('is listed and ended with the other sessions of its owner', async () => {
      const automation = await automate();
      const { data } = (await owner.get<{ data: { id: string; device: string }[] }>('/api/sessions')).json;
      expect(data.find(({ id }) => id === automation.memberId)).toMatchObject({
        device: 'Docs pipeline',
        automation: { tenantId: team.workspace.id, areas: ['articles'] },
      });
      expect((await owner.delete(`/api/sessions/${automation.memberId}`)).status).toBe(200);
      expectError(await automation.get('/knowledge/articles'), 'session/unauthorized');
      expect((await audit())[0]).toMatchObject({
        action: 'automation_session.ended',
        subject: automation.memberId,
      });
      const listed = await owner.get<{ data: Created[] }>('/automation-sessions');
      expect(listed.json.data).toMatchObject([{ id: automation.memberId, active: false }]);
    });

    it('appears under its own id in the audit log and in revisions', async () => {
      const automation = await automate();
      const { id, revision } = (await automation.post<Made>('/knowledge/articles', ARTICLE)).json;
      await automation.post(`/knowledge/articles/${id}/publish`, { baseRevision: revision });
      const rows = (await audit()).filter(({ subject }) => subject === id);
      expect(rows.map(({ action, actor }) => [action, actor])).toEqual([
        ['article.published', automation.memberId],
        ['article.created', automation.memberId],
      ]);
      expect((await owner.get(`/knowledge/articles/${id}`)).json).toMatchObject({
        createdBy: automation.memberId,
      });
    });

    it('sees only its own workspace, with its permissions', async () => {
      await joinAs(team.harness, team.elsewhere, 'owner', owner.email);
      const automation = await automate({ role: 'member', areas: ['review'] });
      expect((await automation.get('/api/session')).json).toMatchObject({
        memberships: [{ tenantId: team.workspace.id, role: 'member' }],
        automation: { name: 'Docs pipeline', areas: ['review'], mayApproveOwn: false },
      });
      const elsewhere = `/api/tenants/${team.elsewhere.id}`;
      expect((await owner.get(elsewhere)).status).toBe(200);
      expectError(await automation.get(elsewhere), 'tenant/not_found');
    });

    it('has at most its own role and the current role of its owner', async () => {
      const reader = await automate({ role: 'member' });
      expectError(await reader.post('/knowledge/articles', ARTICLE), 'tenant/role_required');
      const writer = await automate({ role: 'admin' });
      expect((await writer.post('/knowledge/articles', ARTICLE)).status).toBe(201);
      const second = await joinAs(team.harness, team.workspace, 'owner');
      await second.patch(`/members/${owner.memberId}`, { role: 'member' });
      expectError(await writer.post('/knowledge/articles', ARTICLE), 'tenant/role_required');
      expect((await writer.get('/knowledge/articles')).status).toBe(200);
    });

    it('ends for good when its owner leaves the workspace', async () => {
      const automation = await automate();
      const second = await joinAs(team.harness, team.workspace, 'owner');
      expect((await second.delete(`/members/${owner.memberId}`)).status).toBe(200);
      await joinAs(team.harness, team.workspace, 'owner', owner.email);
      expectError(await automation.get('/knowledge/articles'), 'session/unauthorized');
    });

    it('ends when its owner changes the password', async () => {
      const automation = await automate();
      const body = { currentPassword: PASSWORD, newPassword: 'eleven green lamps at dusk' };
      expect((await owner.put('/api/password', body)).status).toBe(200);
      expectError(await automation.get('/knowledge/articles'), 'session/unauthorized');
    });

    it('works until it expires, even when idle', async () => {
      const automation = await automate();
      team.harness.clock.advance(29 * DAY);
      expect((await automation.get('/knowledge/articles')).status).toBe(200);
      team.harness.clock.advance(DAY);
      expectError(await automation.get('/knowledge/articles'), 'session/unauthorized');
    });

    it('is not ended by further sign-ins and ends no other session', async () => {
      const automation = await automate();
      for (let at = 0; at <= ACCOUNT_LIMITS.sessionsPerAccountMax; at += 1) await team.signIn(owner);
      expect((await automation.get('/knowledge/articles')).status).toBe(200);
      const { data } = (await (await team.signIn(owner)).get<{ data: unknown[] }>('/api/sessions')).json;
      expect(data).toHaveLength(ACCOUNT_LIMITS.sessionsPerAccountMax + 1);
    });

    it('works only from its networks', async () => {
      const near = await automate({ allowedNetworks: ['127.0.0.0/8'] });
      expect((await near.get('/knowledge/articles')).status).toBe(200);
      const far = await automate({ allowedNetworks: ['203.0.113.0/24'] });
      for (const path of ['/knowledge/articles', '/api/session'])
        expectError(await far.get(path), 'session/address_not_allowed');
    });

    it('requires the origin of the service, like every session', async () => {
      const { cookie } = await automate();
      const url = `${team.harness.baseUrl}/api/tenants/${team.workspace.id}/knowledge/articles`;
      const headers = { cookie, 'content-type': 'application/json', origin: 'https://evil.example' };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(ARTICLE) });
      expect(((await response.json()) as { error: string }).error).toBe('session/cross_site');
    });

    it('can end itself by signing out', async () => {
      const automation = await automate();
      expect((await automation.delete('/api/session')).status).toBe(200);
      expectError(await automation.get('/api/session'), 'session/unauthorized');
      expect((await owner.get('/api/session')).status).toBe(200);
    });
  });

  describe('an automation session that approves', () => {
    async function submitted(writer: MemberClient): Promise<{ path: string; baseRevision: number }> {
      const article = (await owner.post<Made>('/knowledge/articles', ARTICLE)).json;
      const base = `/knowledge/articles/${article.id}/translations`;
      const draft = (await writer.post<Made>(base, { locale: 'de', ...GERMAN })).json;
      const path = `${base}/${draft.id}`;
      const { revision } = (
        await writer.post<Made>(`${path}/submit-review`, { baseRevision: draft.revision })
      ).json;
      return { path, baseRevision: revision };
    }
    const approve = (who: MemberClient, { path, baseRevision }: { path: string; baseRevision: number }) =>
      who.post(`${path}/review`, { baseRevision, decision: 'approve' });

    it('cannot approve a text that it wrote, and nothing is stored', async () => {
      const automation = await automate({ areas: ['translations', 'review'] });
      const text = await submitted(automation);
      expectError(await approve(automation, text), 'translation/own_text');
      expect((await owner.get(text.path)).json).toMatchObject({ status: 'in_review' });
      const changes = {
        baseRevision: text.baseRevision,
        decision: 'request_changes',
        reviewNote: 'Shorter.',
      };
      expect((await automation.post(`${text.path}/review`, changes)).status).toBe(200);
    });

    it('can approve texts by others, including its owner', async () => {
      const automation = await automate({ areas: ['review'] });
      expect((await approve(automation, await submitted(owner))).status).toBe(200);
    });

    it('can let a source publish only if it may approve its own texts', async () => {
      const website = { startUrls: ['https://shop.example.com/'] };
      const source = (mode: 'publish' | 'review') => ({ name: 'Site', type: 'website', website, mode });
      const { type: _, ...publishing } = source('publish');
      const all = ['articles', 'translations', 'review'] as const;
      for (const granted of [{ areas: all }, { areas: ['articles'], mayApproveOwn: true }] as const) {
        const automation = await automate({ ...granted, areas: [...granted.areas] });
        const rejected = await automation.post('/knowledge/sources', source('publish'));
        expectError(rejected, 'source/publish_not_allowed');
        const { id } = (await automation.post<{ id: string }>('/knowledge/sources', source('review'))).json;
        const path = `/knowledge/sources/${id}`;
        expectError(await automation.put(path, publishing), 'source/publish_not_allowed');
        expect((await owner.put(path, publishing)).status).toBe(200);
        expect((await automation.put(path, { ...publishing, paused: true })).status).toBe(200);
      }
      const trusted = await automate({ areas: [...all], mayApproveOwn: true });
      expect((await trusted.post('/knowledge/sources', source('publish'))).status).toBe(201);
    });

    it('can approve its own text when its owner allowed that', async () => {
      const automation = await automate({ areas: ['translations', 'review'], mayApproveOwn: true });
      const response = await approve(automation, await submitted(automation));
      expect(response.json).toMatchObject({ status: 'approved', review: { selfReview: true } });
    });
  });
});
