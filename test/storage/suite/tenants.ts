import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import { MINUTE, MORNING, settings, workspace } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { auditEntry } from './events.ts';

export function describeTenants(subject: () => Subject): void {
  describe('workspaces', () => {
    it('finds a workspace by id and app id as it was created', async () => {
      const { store } = subject();
      const created = workspace({ name: 'Bücher' });
      expect(await store.workspaces.create(created)).toBe('created');
      const expected = { ...created, enabled: true, version: 1, updatedAt: MORNING };
      expect(await store.workspaces.find(created.id)).toEqual(expected);
      expect(await store.workspaces.findByAppId(created.appId)).toEqual(expected);
      expect(await store.workspaces.find('ws_unknown')).toBeUndefined();
      expect(await store.workspaces.findByAppId('gp_unknown')).toBeUndefined();
    });

    it('rejects a duplicate app id and stores nothing', async () => {
      const { store } = subject();
      const [first, second] = [workspace({ appId: 'gp_same' }), workspace({ appId: 'gp_same' })];
      await store.workspaces.create(first);
      expect(await store.workspaces.create(second, owner('late@example.com'))).toBe('app_id_taken');
      expect(await store.workspaces.find(second.id)).toBeUndefined();
      expect(await store.users.listByEmail('late@example.com').then(([first]) => first)).toBeUndefined();
    });

    it('lists workspaces oldest first', async () => {
      const { store } = subject();
      const newest = workspace({ createdAt: MORNING + 2 });
      const oldest = workspace({ createdAt: MORNING - 2 });
      await store.workspaces.create(newest);
      await store.workspaces.create(oldest);
      const ids = (await store.workspaces.list()).map(({ id }) => id);
      expect(ids).toHaveLength(4);
      expect([ids[0], ids.at(-1)]).toEqual([oldest.id, newest.id]);
    });

    it('counts changes and keeps the fields that a change omits', async () => {
      const { store, here } = subject();
      const before = await store.workspaces.find(here);
      const renamed = await store.workspaces.change(here, { name: 'Books' }, MORNING + 1);
      expect(renamed).toEqual({ ...before, name: 'Books', version: 2, updatedAt: MORNING + 1 });
      const changed = await store.workspaces.change(
        here,
        { enabled: false, settings: settings({ showBranding: false }) },
        MORNING + 2,
      );
      expect(changed).toMatchObject({ name: 'Books', enabled: false, version: 3 });
      expect(changed?.settings.showBranding).toBe(false);
      expect(await store.workspaces.find(here)).toEqual(changed);
      expect(await store.workspaces.change('ws_unknown', { name: 'X' }, MORNING)).toBeUndefined();
    });

    it('computes a change and its audit row from the current state, in one transaction', async () => {
      const { store, here } = subject();
      const row = auditEntry(MORNING);
      const longer = () =>
        store.workspaces.change(
          here,
          ({ name }) => ({ name: `${name}!` }),
          MORNING,
          (before, after) => ({
            ...row,
            id: newId('aud'),
            details: { before: before.name, after: after.name },
          }),
        );
      await Promise.all([longer(), longer()]);
      expect(await store.workspaces.find(here)).toMatchObject({ name: 'Shop!!', version: 3 });
      expect((await store.in(here).audit.list(10)).map(({ details }) => details)).toEqual([
        { before: 'Shop!', after: 'Shop!!' },
        { before: 'Shop', after: 'Shop!' },
      ]);
    });

    it('stores nothing for a change without an audit row', async () => {
      const { store, here } = subject();
      const before = await store.workspaces.find(here);
      const same = await store.workspaces.change(here, { name: 'Else' }, MORNING + 1, () => undefined);
      expect(same).toEqual(before);
      expect(await store.workspaces.find(here)).toEqual(before);
      expect(await store.in(here).audit.list(10)).toEqual([]);
    });
  });

  describe('workspace owners', () => {
    it('creates the owner with a proved account, or adds the account that the address has', async () => {
      const { store } = subject();
      const [first, second] = [workspace(), workspace()];
      const original = owner('ada@example.com');
      await store.workspaces.create(first, original);
      const again = { ...owner('ada@example.com'), passwordHash: '$other' };
      expect(await store.workspaces.create(second, again)).toBe('account_exists');
      expect(await store.workspaces.find(second.id)).toBeUndefined();
      const { passwordHash: _, ...existing } = again;
      expect(await store.workspaces.create(workspace(), { ...existing, email: 'x@example.com' })).toBe(
        'no_account',
      );
      expect(await store.workspaces.create(second, existing)).toBe('created');
      expect(await store.users.listByEmail('ada@example.com').then(([first]) => first)).toEqual({
        id: original.userId,
        email: 'ada@example.com',
        passwordHash: original.passwordHash,
        createdAt: MORNING,
        addressProvedAt: MORNING,
      });
      expect(await store.users.listByEmail('nobody@example.com').then(([first]) => first)).toBeUndefined();
      expect(await store.in(first.id).members.list()).toEqual([
        {
          id: original.memberId,
          workspaceId: first.id,
          userId: original.userId,
          email: 'ada@example.com',
          role: 'owner',
          addressProved: true,
          createdAt: MORNING,
        },
      ]);
      expect((await store.in(second.id).members.list()).map(({ userId }) => userId)).toEqual([
        original.userId,
      ]);
    });
  });

  describe('feature flags', () => {
    it('are off until set and survive a restart', async () => {
      const { store, reopen } = subject();
      expect(await store.featureFlags.isOn('kill_switch')).toBe(false);
      await store.featureFlags.set('kill_switch', true, MORNING);
      expect(await store.featureFlags.isOn('kill_switch')).toBe(true);
      const again = await reopen();
      expect(await again.featureFlags.isOn('kill_switch')).toBe(true);
      await again.featureFlags.set('kill_switch', false, MORNING + 1);
      expect(await again.featureFlags.isOn('kill_switch')).toBe(false);
    });
  });

  describe('sealed keys', () => {
    it('are replaced only by a caller that knows the stored keys, and survive a restart', async () => {
      const { store, reopen } = subject();
      expect(await store.sealedKeys.get()).toBeUndefined();
      const both = await Promise.all(['a', 'b'].map((text) => store.sealedKeys.replace(undefined, text)));
      expect(both.sort()).toEqual(['conflict', 'replaced']);
      const stored = await store.sealedKeys.get();
      expect(await store.sealedKeys.replace(stored, 'c')).toBe('replaced');
      expect(await store.sealedKeys.replace(stored, 'd')).toBe('conflict');
      expect(await (await reopen()).sealedKeys.get()).toBe('c');
    });
  });

  describe('rate-limit windows', () => {
    it('keeps the newest window of each key over a restart until it expires', async () => {
      const { store, reopen } = subject();
      const window = (key: string, points: number, expiresAtMillis: number) => ({
        key,
        points,
        expiresAtMillis,
      });
      await store.rateWindows.save([window('a', 1, 100), window('b', 2, 200)], 50);
      await store.rateWindows.save([window('a', 7, 150)], 60);
      expect(await store.rateWindows.load(149)).toEqual([window('a', 7, 150), window('b', 2, 200)]);
      const again = await reopen();
      expect(await again.rateWindows.load(150)).toEqual([window('b', 2, 200)]);
      await again.rateWindows.save([], 200);
      expect(await again.rateWindows.load(0)).toEqual([]);
    });
  });
}

function owner(email: string) {
  return { memberId: newId('mem'), userId: newId('usr'), email, passwordHash: '$argon2id$first' };
}

const DOMAIN = 'https://*.shop.example';
const allowed = ['https://shop.example', DOMAIN];

export function describeInstallations(subject: () => Subject): void {
  const allow = (workspaceId: string, allowedOrigins: string[] = allowed) =>
    subject().store.workspaces.change(workspaceId, { settings: settings({ allowedOrigins }) }, MORNING);
  const check = (atMillis = MORNING, domain = DOMAIN) => ({
    workspaceId: subject().here,
    domain,
    origin: 'https://a.shop.example',
    atMillis,
  });
  const listChecks = () => subject().store.in(subject().here).installations();
  const shown = ({ workspaceId: _, ...row }: ReturnType<typeof check>) => row;

  describe('installation checks', () => {
    it('keeps the newest check for each allowed domain of its workspace', async () => {
      const { store, there } = subject();
      await allow(subject().here);
      const newer = { ...check(MORNING + MINUTE), origin: 'https://b.shop.example' };
      const exact = { ...check(MORNING, 'https://shop.example'), origin: 'https://shop.example' };
      await store.installations.keep([check(), newer, exact]);
      await store.installations.keep([check()]);
      const rows = (await listChecks()).toSorted((a, b) => (a.domain < b.domain ? -1 : 1));
      expect(rows).toEqual([shown(newer), shown(exact)]);
      expect(await store.in(there).installations()).toEqual([]);
    });

    it('drops the checks of a domain that is no longer allowed', async () => {
      const { store, here } = subject();
      await allow(here);
      await store.installations.keep([check()]);
      await allow(here, ['https://shop.example']);
      await store.installations.keep([check(MORNING + MINUTE), check(MORNING, 'https://shop.example')]);
      expect((await listChecks()).map(({ domain }) => domain)).toEqual(['https://shop.example']);
    });

    it('keeps checks over a restart', async () => {
      const { store, here, reopen } = subject();
      await allow(here);
      await store.installations.keep([check()]);
      expect(await (await reopen()).in(here).installations()).toEqual([shown(check())]);
    });
  });
}
