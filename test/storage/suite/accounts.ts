import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/ids.ts';
import type { Session } from '../../../server/storage/sessions.ts';
import type { SetUp } from '../../../server/storage/users.ts';
import { FIRST_HASH, join, joining, row, sessionOf } from '../account-samples.ts';
import { HOUR, MINUTE, MORNING, workspace } from '../samples.ts';
import type { Subject } from '../subject.ts';

export function describeAccounts(subject: () => Subject): void {
  describe('memberships', () => {
    it('creates a user, or reuses the one with the same email and keeps its password', async () => {
      const { store, here, there } = subject();
      const first = await join(store, here, 'ada@example.com');
      const again = await join(store, there, 'ada@example.com', { role: 'member', passwordHash: '$other' });
      expect(again.userId).toBe(first.userId);
      expect(await store.users.find(first.userId)).toStrictEqual({
        id: first.userId,
        email: 'ada@example.com',
        passwordHash: FIRST_HASH,
        createdAt: MORNING,
      });
      expect(await store.memberships.find(there, first.userId)).toStrictEqual(again);
      expect((await store.in(there).audit.list(1))[0]).toMatchObject({ subject: again.id });
    });

    it('sets a password for a user who has none', async () => {
      const { store, here, there } = subject();
      const { userId } = await join(store, here, 'ada@example.com', { passwordHash: '' });
      await join(store, there, 'ada@example.com', { passwordHash: '$second' });
      expect((await store.users.find(userId))?.passwordHash).toBe('$second');
    });

    it('allows one membership for each user and workspace, in existing workspaces only', async () => {
      const { store, here } = subject();
      await join(store, here, 'ada@example.com');
      const { memberships } = store;
      expect(await memberships.add(joining(here, 'ada@example.com'), row('x'))).toBe('already_member');
      expect(await memberships.add(joining(newId('ws'), 'eve@example.com'), row('x'))).toBe('gone');
      expect(await store.users.findByEmail('eve@example.com')).toBeUndefined();
      expect(await store.in(here).audit.list(10)).toHaveLength(1);
    });

    it("lists a user's memberships with their workspace names, oldest first", async () => {
      const { store, here, there } = subject();
      const second = await join(store, there, 'ada@example.com', { createdAt: MORNING + 1, role: 'admin' });
      const first = await join(store, here, 'ada@example.com');
      await join(store, here, 'grace@example.com');
      const names = { workspaceName: 'Shop' };
      expect(await store.memberships.ofUser(first.userId)).toStrictEqual([
        { ...first, ...names, appId: `gp_${here}` },
        { ...second, ...names, appId: `gp_${there}` },
      ]);
      expect(await store.memberships.ofUser('usr_unknown')).toStrictEqual([]);
      expect(await store.memberships.find(here, 'usr_unknown')).toBeUndefined();
    });

    it('deletes memberships with their workspace', async () => {
      const { store, here, there } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      await join(store, there, 'ada@example.com');
      await store.workspaces.remove(here, MORNING);
      expect(await store.memberships.find(here, userId)).toBeUndefined();
      expect((await store.memberships.ofUser(userId)).map(({ workspaceId }) => workspaceId)).toEqual([there]);
      expect(await store.memberships.add(joining(here, 'eve@example.com'), row('x'))).toBe('gone');
    });
  });

  describe('passwords', () => {
    it('ends every session but the current one after a password change, and renews its token', async () => {
      const { store, here, there } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      await join(store, there, 'ada@example.com');
      const other = await join(store, here, 'grace@example.com');
      const [kept, ended, foreign] = [sessionOf(userId), sessionOf(userId), sessionOf(other.userId)];
      for (const session of [kept, ended, foreign]) await store.sessions.open(session, 10);
      const keep = { sessionId: kept.id, tokenHash: 'renewed', atMillis: MORNING + MINUTE };
      const change = { userId, from: FIRST_HASH, to: '$new', keep, audit: () => row('changed') };
      expect(await store.users.changePassword(change)).toBe('changed');
      expect((await store.users.find(userId))?.passwordHash).toBe('$new');
      const isThere = async ({ id }: Session) => (await store.sessions.find(id)) !== undefined;
      expect(await Promise.all([kept, ended, foreign].map(isThere))).toEqual([true, false, true]);
      expect((await store.sessions.findByToken('renewed'))?.id).toBe(kept.id);
      for (const id of [here, there]) {
        expect((await store.in(id).audit.list(1))[0]).toMatchObject({ subject: 'changed' });
      }
    });

    it('does not change a password that is no longer the verified one, or after the session ended', async () => {
      const { store, here } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      const session = sessionOf(userId);
      await store.sessions.open(session, 10);
      const { users } = store;
      const change = { userId, to: '$new', audit: () => row('changed') };
      const keep = { sessionId: 'ses_unknown', tokenHash: 'renewed', atMillis: MORNING };
      expect(await users.changePassword({ ...change, from: '$other' })).toBe('conflict');
      expect(await users.changePassword({ ...change, from: FIRST_HASH, keep })).toBe('gone');
      expect(await users.changePassword({ ...change, userId: 'usr_unknown' })).toBe('gone');
      expect((await users.find(userId))?.passwordHash).toBe(FIRST_HASH);
      expect(await store.sessions.find(session.id)).toStrictEqual(session);
      expect(await store.in(here).audit.list(10)).toHaveLength(1);
      expect(await users.changePassword(change)).toBe('changed');
      expect(await store.sessions.find(session.id)).toBeUndefined();
    });

    it('rehashes a password without ending sessions, unless it changed meanwhile', async () => {
      const { store, here } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      const session = sessionOf(userId);
      await store.sessions.open(session, 10);
      await store.users.rehash(userId, '$other', '$lost');
      expect((await store.users.find(userId))?.passwordHash).toBe(FIRST_HASH);
      await store.users.rehash(userId, FIRST_HASH, '$better');
      expect((await store.users.findByEmail('ada@example.com'))?.passwordHash).toBe('$better');
      expect(await store.sessions.find(session.id)).toStrictEqual(session);
    });
  });

  describe('first setup', () => {
    it('creates the first workspace and its owner, who also owns workspaces without members', async () => {
      const { store, here, there } = subject();
      await store.workspaces.remove(there, MORNING);
      expect(await store.users.any()).toBe(false);
      await store.users.addSetupLink('link', MORNING + HOUR, MORNING);
      const wanted = setUpOf('link');
      expect(await store.users.setUp(wanted)).toBe('set_up');
      expect(await store.users.any()).toBe(true);
      const { userId, memberId } = wanted.owner;
      const belongs = await store.memberships.ofUser(userId);
      expect(belongs.map(({ workspaceId, id, role }) => [workspaceId, id, role]).sort()).toEqual(
        [
          [wanted.workspace.id, memberId, 'owner'],
          [here, `mem_of_${here}`, 'owner'],
        ].sort(),
      );
      expect(await store.in(here).audit.list(1)).toMatchObject([{ subject: `mem_of_${here}` }]);
      expect(await store.in(wanted.workspace.id).audit.list(1)).toMatchObject([{ subject: 'created' }]);
    });

    it('succeeds once, whichever setup link is used', async () => {
      const { store } = subject();
      for (const link of ['one', 'two']) await store.users.addSetupLink(link, MORNING + HOUR, MORNING);
      const done = await Promise.all([
        store.users.setUp(setUpOf('one')),
        store.users.setUp(setUpOf('one')),
        store.users.setUp(setUpOf('two')),
      ]);
      expect(done.sort()).toEqual(['gone', 'gone', 'set_up']);
      expect(await store.workspaces.list()).toHaveLength(3);
      expect(await store.users.findSetupLink('two', MORNING)).toBeUndefined();
    });

    it('requires an unexpired link, a free app id and no existing users', async () => {
      const { store, here } = subject();
      const { users } = store;
      await users.addSetupLink('link', MORNING + HOUR, MORNING);
      expect(await users.setUp(setUpOf('other'))).toBe('gone');
      expect(await users.setUp({ ...setUpOf('link'), nowMillis: MORNING + HOUR })).toBe('gone');
      const taken = workspace({ appId: `gp_${here}` });
      expect(await users.setUp({ ...setUpOf('link'), workspace: taken })).toBe('app_id_taken');
      expect(await users.any()).toBe(false);
      expect(await users.findSetupLink('link', MORNING + HOUR - 1)).toBeDefined();
      await join(store, here, 'ada@example.com');
      expect(await users.setUp(setUpOf('link'))).toBe('gone');
      expect(await store.workspaces.list()).toHaveLength(2);
    });
  });
}

function setUpOf(tokenHash: string): SetUp {
  return {
    tokenHash,
    nowMillis: MORNING,
    workspace: workspace(),
    owner: {
      memberId: newId('mem'),
      userId: newId('usr'),
      email: 'ada@example.com',
      passwordHash: FIRST_HASH,
    },
    audit: row('created'),
    adopt: (workspaceId) => ({ memberId: `mem_of_${workspaceId}`, audit: row(`mem_of_${workspaceId}`) }),
  };
}
