import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { AuditEntry } from '../../../server/storage/audit.ts';
import type { Member, NewMember } from '../../../server/storage/members.ts';
import type { Store } from '../../../server/storage/store.ts';
import type { Session, SetUp } from '../../../server/storage/users.ts';
import { HOUR, MINUTE, MORNING, sweepAll, workspace } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';

/** Sample users and sessions, with the audit rows that go with them. */

const FIRST_HASH = '$argon2id$first';

function joining(workspaceId: string, email: string, changes: Partial<NewMember> = {}): NewMember {
  return {
    newMemberId: newId('mem'),
    newUserId: newId('usr'),
    workspaceId,
    email,
    role: 'owner',
    passwordHash: FIRST_HASH,
    createdAt: MORNING,
    ...changes,
  };
}

async function join(store: Store, workspaceId: string, email: string, changes: Partial<NewMember> = {}) {
  const { passwordHash, ...wanted } = joining(workspaceId, email, changes);
  const isNew = (await store.users.listByEmail(email)).length === 0;
  const account = isNew && passwordHash !== undefined ? { passwordHash } : {};
  const member = await store.memberships.add({ ...wanted, ...account }, row(wanted.newMemberId));
  if (typeof member === 'string') throw new Error(`${email} did not join: ${member}`);
  return member;
}

/** Adds a member whose account belongs to the workspace alone, as an invitation does. */
async function invited(store: Store, workspaceId: string, email: string): Promise<Member> {
  const id = newId('inv');
  const invitation = { id, workspaceId, email, role: 'member', tokenHash: id, invitedBy: 'mem_x' } as const;
  const times = { createdAt: MORNING, expiresAt: MORNING + HOUR, provesAddress: false };
  await store.in(workspaceId).invitations.create({ ...invitation, ...times }, row(id));
  return (await store.invitations.accept({
    tokenHash: id,
    nowMillis: MORNING,
    newMemberId: newId('mem'),
    newUserId: newId('usr'),
    account: { passwordHash: FIRST_HASH },
    auditId: newId('aud'),
    auditReset: () => row('reset'),
  })) as Member;
}

function sessionOf(userId: string, changes: Partial<Session> = {}): Session {
  const id = newId('ses');
  return {
    id,
    userId,
    tokenHash: `hash of ${id}`,
    createdAt: MORNING,
    lastSeenAt: MORNING,
    expiresAt: MORNING + 24 * HOUR,
    confirmedAt: MORNING,
    signedInWith: 'password' as const,
    factor: null,
    identityProvider: null,
    device: 'Firefox on Linux',
    ...changes,
  };
}

function row(subject: string): AuditEntry {
  return { id: newId('aud'), atMillis: MORNING, actor: 'operator', action: 'test', subject, details: {} };
}

export function describeAccounts(subject: () => Subject): void {
  describe('memberships', () => {
    it('creates a proved account, or adds the account that the address has', async () => {
      const { store, here, there } = subject();
      const first = await join(store, here, 'ada@example.com');
      const { passwordHash: _, ...existing } = joining(there, 'ada@example.com', { role: 'member' });
      const wanted = { ...existing, passwordHash: '$other' };
      expect(await store.memberships.add(wanted, row('x'))).toBe('account_exists');
      const stranger = { ...existing, email: 'eve@example.com' };
      expect(await store.memberships.add(stranger, row('x'))).toBe('no_account');
      expect(await store.in(there).members.list()).toEqual([]);
      const again = await store.memberships.add(existing, row(existing.newMemberId));
      expect(again).toMatchObject({ userId: first.userId, workspaceId: there, role: 'member' });
      expect(await store.users.find(first.userId)).toEqual({
        id: first.userId,
        email: 'ada@example.com',
        passwordHash: FIRST_HASH,
        createdAt: MORNING,
        addressProvedAt: MORNING,
      });
      expect(await store.memberships.find(there, first.userId)).toEqual({
        ...(again as object),
        providerMode: null,
      });
      expect((await store.in(there).audit.list(1))[0]).toMatchObject({ subject: existing.newMemberId });
    });

    it('allows one membership for each user and workspace, in existing workspaces only', async () => {
      const { store, here } = subject();
      await join(store, here, 'ada@example.com');
      const { memberships } = store;
      expect(await memberships.add(joining(here, 'ada@example.com'), row('x'))).toBe('already_member');
      expect(await memberships.add(joining(newId('ws'), 'eve@example.com'), row('x'))).toBe('gone');
      expect(await store.users.listByEmail('eve@example.com').then(([first]) => first)).toBeUndefined();
      expect(await store.in(here).audit.list(10)).toHaveLength(1);
    });

    it("lists a user's memberships with their workspace names, oldest first", async () => {
      const { store, here, there } = subject();
      const second = await join(store, there, 'ada@example.com', { createdAt: MORNING + 1, role: 'admin' });
      const first = await join(store, here, 'ada@example.com');
      await join(store, here, 'grace@example.com');
      const names = { workspaceName: 'Shop', providerMode: null, requiresSecondFactor: false };
      expect(await store.memberships.ofUser(first.userId)).toEqual([
        { ...first, ...names, appId: `gp_${here}` },
        { ...second, ...names, appId: `gp_${there}` },
      ]);
      expect(await store.memberships.ofUser('usr_unknown')).toEqual([]);
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
      const exists = async ({ id }: Session) => (await store.sessions.find(id)) !== undefined;
      expect(await Promise.all([kept, ended, foreign].map(exists))).toEqual([true, false, true]);
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
      expect(await users.changePassword({ ...change, from: '$other', keep })).toBe('conflict');
      expect(await users.changePassword({ ...change, from: FIRST_HASH, keep })).toBe('gone');
      const unknown = { ...change, from: FIRST_HASH, keep, userId: 'usr_unknown' };
      expect(await users.changePassword(unknown)).toBe('gone');
      expect((await users.find(userId))?.passwordHash).toBe(FIRST_HASH);
      expect(await store.sessions.find(session.id)).toEqual(session);
      expect(await store.in(here).audit.list(10)).toHaveLength(1);
    });

    it('makes one proved account of all accounts of an address, and ends their sessions', async () => {
      const { store, here, there } = subject();
      await store.workspaces.create(workspace({ id: 'ws_third', appId: 'gp_third' }));
      const [first, second] = [
        await invited(store, here, 'ada@example.com'),
        await invited(store, there, 'ada@example.com'),
      ];
      expect(first.userId).not.toBe(second.userId);
      const proved = await join(store, 'ws_third', 'eve@example.com');
      const sessions = [sessionOf(first.userId), sessionOf(second.userId), sessionOf(proved.userId)];
      for (const session of sessions) await store.sessions.open(session, 10);
      const proof = { passwordHash: '$proved', nowMillis: MORNING + 1, audit: () => row('proved') };
      expect(await store.users.proveAddress({ ...proof, email: 'nobody@example.com' })).toBeUndefined();
      const user = await store.users.proveAddress({ ...proof, email: 'ada@example.com' });
      expect(user).toMatchObject({ id: first.userId, passwordHash: '$proved', addressProvedAt: MORNING + 1 });
      expect(await store.users.listByEmail('ada@example.com')).toEqual([user]);
      expect((await store.memberships.ofUser(first.userId)).map(({ id }) => id)).toEqual([
        first.id,
        second.id,
      ]);
      const remaining = await Promise.all(sessions.map(({ id }) => store.sessions.find(id)));
      expect(remaining.map((session) => session?.userId)).toEqual([undefined, undefined, proved.userId]);
      for (const id of [here, there]) {
        expect((await store.in(id).audit.list(1))[0]).toMatchObject({ subject: 'proved' });
      }
    });

    it('rehashes a password without ending sessions, unless it changed meanwhile', async () => {
      const { store, here } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      const session = sessionOf(userId);
      await store.sessions.open(session, 10);
      await store.users.rehash(userId, '$other', '$lost');
      expect((await store.users.find(userId))?.passwordHash).toBe(FIRST_HASH);
      await store.users.rehash(userId, FIRST_HASH, '$better');
      expect((await store.users.listByEmail('ada@example.com').then(([first]) => first))?.passwordHash).toBe(
        '$better',
      );
      expect(await store.sessions.find(session.id)).toEqual(session);
    });
  });

  describe('first setup', () => {
    it('creates the first workspace and its owner, who also owns workspaces without members', async () => {
      const { store, here, there } = subject();
      await store.workspaces.remove(there, MORNING);
      expect(await store.users.hasAny()).toBe(false);
      await store.users.addSetupLink('link', MORNING + HOUR, MORNING);
      const wanted = setUpOf('link');
      expect(await store.users.setUp(wanted)).toBe('set_up');
      expect(await store.users.hasAny()).toBe(true);
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
      expect(await users.hasAny()).toBe(false);
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

export function describeSessions(subject: () => Subject): void {
  describe('sessions', () => {
    it("finds a session by the hash of its token, with the user's email", async () => {
      const { store, here, reopen } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      const session = sessionOf(userId);
      expect(await store.sessions.open(session, 10, { verifiedHash: FIRST_HASH })).toBe('opened');
      const again = await reopen();
      expect(await again.sessions.findByToken(session.tokenHash)).toEqual({
        ...session,
        email: 'ada@example.com',
      });
      expect(await again.sessions.find(session.id)).toEqual(session);
      expect(await again.sessions.findByToken('unknown')).toBeUndefined();
      expect(await again.sessions.find('ses_unknown')).toBeUndefined();
    });

    it('rejects a session for a password that has changed since, or for an unknown user', async () => {
      const { store, here } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      expect(await store.sessions.open(sessionOf(userId), 10, { verifiedHash: '$other' })).toBe('conflict');
      expect(await store.sessions.open(sessionOf('usr_unknown'), 10)).toBe('gone');
      expect(await store.sessions.list(userId, MORNING, HOUR)).toEqual([]);
    });

    it('keeps only the newest allowed sessions of a user, and all of other users', async () => {
      const { store, here } = subject();
      const ada = await join(store, here, 'ada@example.com');
      const grace = await join(store, here, 'grace@example.com');
      await store.sessions.open(sessionOf(grace.userId, { createdAt: MORNING - 9 }), 3);
      const opened = Array.from({ length: 5 }, (_, at) => sessionOf(ada.userId, { createdAt: MORNING + at }));
      for (const session of opened) await store.sessions.open(session, 3);
      const kept = await store.sessions.list(ada.userId, MORNING, HOUR);
      expect(kept).toEqual(opened.slice(2).reverse());
      expect(await store.sessions.list(grace.userId, MORNING, HOUR)).toHaveLength(1);
    });

    it('lists sessions until they expire or stay idle for too long', async () => {
      const { store, here } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      const session = sessionOf(userId, { expiresAt: MORNING + 3 * HOUR });
      await store.sessions.open(session, 10);
      const isListed = async (at: number) => (await store.sessions.list(userId, at, HOUR)).length === 1;
      expect([await isListed(MORNING + HOUR - 1), await isListed(MORNING + HOUR)]).toEqual([true, false]);
      await store.sessions.recordUse(session.id, MORNING + 3 * HOUR - 1);
      await store.sessions.recordUse(session.id, MORNING);
      expect(await isListed(MORNING + 3 * HOUR - 1)).toBe(true);
      expect(await isListed(MORNING + 3 * HOUR)).toBe(false);
    });

    it('renews the session token when the password is confirmed', async () => {
      const { store, here } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      const session = sessionOf(userId);
      await store.sessions.open(session, 10);
      const confirmation = { tokenHash: 'renewed', atMillis: MORNING + MINUTE, verifiedHash: FIRST_HASH };
      const stale = { ...confirmation, verifiedHash: '$other' };
      expect(await store.sessions.confirm(session.id, stale)).toBeUndefined();
      expect(await store.sessions.confirm('ses_unknown', confirmation)).toBeUndefined();
      const renewed = { ...session, tokenHash: 'renewed', confirmedAt: MORNING + MINUTE };
      expect(await store.sessions.confirm(session.id, confirmation)).toEqual(renewed);
      expect(await store.sessions.find(session.id)).toEqual(renewed);
      expect(await store.sessions.findByToken(session.tokenHash)).toBeUndefined();
    });

    it('ends sessions of their own user only', async () => {
      const { store, here } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      const session = sessionOf(userId);
      await store.sessions.open(session, 10);
      expect(await store.sessions.end('usr_other', session.id)).toBe('gone');
      expect(await store.sessions.end(userId, session.id)).toBe('ended');
      expect(await store.sessions.end(userId, session.id)).toBe('gone');
    });

    it('sweeps expired sessions, invitations and setup links', async () => {
      const { store, here } = subject();
      const { userId, id: memberId } = await join(store, here, 'ada@example.com');
      const [old, current] = [sessionOf(userId, { expiresAt: MORNING }), sessionOf(userId)];
      for (const session of [old, current]) await store.sessions.open(session, 10);
      const invitation = {
        id: newId('inv'),
        workspaceId: here,
        email: 'x@example.com',
        role: 'member',
      } as const;
      const invited = {
        tokenHash: 'invited',
        invitedBy: memberId,
        createdAt: 0,
        expiresAt: MORNING,
        provesAddress: false,
      };
      await store.in(here).invitations.create({ ...invitation, ...invited }, row(invitation.id));
      await store.users.addSetupLink('link', MORNING, 0);
      await sweepAll(store, MORNING);
      expect(await store.sessions.find(old.id)).toBeUndefined();
      expect(await store.sessions.find(current.id)).toEqual(current);
      expect(await store.in(here).invitations.list(0)).toEqual([]);
      expect(await store.users.findSetupLink('link', 0)).toBeUndefined();
    });
  });
}
