import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type {
  Acceptance,
  Invitation,
  ListedMember,
  Member,
  MemberRole,
} from '../../../server/storage/members.ts';
import { HOUR, MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { auditEntry } from './events.ts';

const GRACE = 'grace@example.com';

export function describeInvitations(subject: () => Subject): void {
  const invite = (invitation: Invitation) =>
    subject().store.in(invitation.workspaceId).invitations.create(invitation, auditEntry(MORNING));
  const accept = (tokenHash: string, changes: Partial<Acceptance> = {}) =>
    subject().store.invitations.accept(acceptance(tokenHash, changes));
  const open = (workspaceId: string) => subject().store.in(workspaceId).invitations.list(MORNING);
  const audit = (workspaceId: string) => subject().store.in(workspaceId).audit.list(100);

  describe('invitations', () => {
    it('lists open invitations newest first', async () => {
      const { here, there } = subject();
      const older = invitation(here, { email: 'a@example.com' });
      const newer = invitation(here, { email: 'b@example.com', createdAt: MORNING + 1 });
      const expired = invitation(here, { email: 'c@example.com', expiresAt: MORNING });
      for (const each of [older, newer, expired, invitation(there)])
        expect(await invite(each)).toBe('created');
      expect(await open(here)).toEqual([newer, older]);
      expect(await audit(here)).toHaveLength(3);
    });

    it('replaces an earlier invitation to the same email in the same workspace', async () => {
      const { store, here, there } = subject();
      const [first, second, elsewhere] = [invitation(here), invitation(here), invitation(there)];
      for (const created of [first, elsewhere, second]) await invite(created);
      expect(await open(here)).toEqual([second]);
      expect(await open(there)).toEqual([elsewhere]);
      expect(await store.invitations.find(first.tokenHash, MORNING)).toBeUndefined();
    });

    it('finds an open invitation by its token, with the workspace name', async () => {
      const { store, here } = subject();
      const newInvitation = invitation(here);
      await invite(newInvitation);
      const found = await store.invitations.find(newInvitation.tokenHash, newInvitation.expiresAt - 1);
      expect(found).toEqual({ ...newInvitation, workspaceName: 'Shop' });
      expect(await store.invitations.find(newInvitation.tokenHash, newInvitation.expiresAt)).toBeUndefined();
      expect(await store.invitations.find('unknown', MORNING)).toBeUndefined();
    });

    it('withdraws an invitation once, and only from its own workspace', async () => {
      const { store, here, there } = subject();
      const newInvitation = invitation(here);
      await invite(newInvitation);
      const withdraw = (from: string) =>
        store
          .in(from)
          .invitations.withdraw(newInvitation.id, { ...auditEntry(MORNING), action: 'withdrawn' });
      expect(await withdraw(there)).toBe('gone');
      expect(await withdraw(here)).toBe('withdrawn');
      expect(await withdraw(here)).toBe('gone');
      expect(await accept(newInvitation.tokenHash)).toBe('gone');
      expect((await audit(here)).map(({ action }) => action).slice(0, -1)).toEqual(['withdrawn']);
      expect(await audit(there)).toEqual([]);
    });
  });

  describe('accepting an invitation', () => {
    it('creates a user with the password, a member with the role, and an audit row', async () => {
      const { store, here } = subject();
      const newInvitation = invitation(here, { role: 'admin' });
      await invite(newInvitation);
      const input = acceptance(newInvitation.tokenHash);
      const member = await store.invitations.accept(input);
      expect(member).toEqual({
        id: input.newMemberId,
        workspaceId: here,
        userId: input.newUserId,
        email: GRACE,
        role: 'admin',
        createdAt: MORNING,
      });
      expect(await store.in(here).members.list()).toEqual([{ ...(member as Member), addressProved: false }]);
      expect(await store.users.listByEmail(GRACE).then(([first]) => first)).toMatchObject({
        id: input.newUserId,
        passwordHash: '$first',
      });
      const [row] = await audit(here);
      expect(row).toMatchObject({
        id: input.auditId,
        atMillis: MORNING,
        actor: input.newMemberId,
        action: 'invitation.accepted',
        subject: newInvitation.id,
      });
    });

    it('succeeds once under concurrent attempts', async () => {
      const { here } = subject();
      const newInvitation = invitation(here);
      await invite(newInvitation);
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => accept(newInvitation.tokenHash)));
      expect(outcomes.filter((outcome) => outcome !== 'gone')).toHaveLength(1);
      expect(await open(here)).toEqual([]);
      expect(await audit(here)).toHaveLength(2);
    });

    it('adds the proved account whose password was verified, and keeps the password', async () => {
      const { store, here, there } = subject();
      const [first, second] = [invitation(here, { provesAddress: true }), invitation(there)];
      for (const one of [first, second]) await invite(one);
      const { userId } = (await accept(first.tokenHash)) as Member;
      const stale = { account: { verifiedHash: '$other' } };
      expect(await accept(second.tokenHash, stale)).toBe('conflict');
      expect(await open(there)).toEqual([second]);
      const joined = await accept(second.tokenHash, { account: { verifiedHash: '$first' } });
      expect(joined).toMatchObject({ userId, workspaceId: there });
      expect(await store.users.find(userId)).toMatchObject({ passwordHash: '$first' });
    });

    it('makes an account of the workspace alone, whichever accounts the address has', async () => {
      const { store, here, there } = subject();
      const [first, second] = [invitation(here), invitation(there)];
      for (const one of [first, second]) await invite(one);
      const mine = (await accept(first.tokenHash)) as Member;
      const other = (await accept(second.tokenHash, { account: { passwordHash: '$second' } })) as Member;
      expect(await store.users.listByEmail(GRACE)).toMatchObject([
        { id: mine.userId, workspaceId: here, passwordHash: '$first' },
        { id: other.userId, workspaceId: there, passwordHash: '$second' },
      ]);
      expect(await store.memberships.ofUser(mine.userId)).toMatchObject([{ workspaceId: here }]);
      expect(await store.in(here).members.list()).toMatchObject([{ addressProved: false }]);
    });

    it('removes an account of the workspace alone with its member', async () => {
      const { store, here } = subject();
      const newInvitation = invitation(here);
      await invite(newInvitation);
      const { id } = (await accept(newInvitation.tokenHash)) as Member;
      expect(await store.in(here).members.remove(id, 'member', auditEntry(MORNING))).toBe('removed');
      expect(await store.users.listByEmail(GRACE)).toEqual([]);
    });

    it('proves the address with the link of an operator, and resets the password of a member', async () => {
      const { store, here } = subject();
      const [first, second] = [invitation(here), invitation(here, { provesAddress: true })];
      await invite(first);
      const member = (await accept(first.tokenHash)) as Member;
      expect(await invite(invitation(here))).toBe('already_member');
      expect(await invite(second)).toBe('created');
      expect(await accept(second.tokenHash, { account: { passwordHash: '$new' } })).toEqual(member);
      const [user] = await store.users.listByEmail(GRACE);
      expect(user).toMatchObject({ id: member.userId, passwordHash: '$new', addressProvedAt: MORNING });
      expect(user?.workspaceId).toBeUndefined();
    });

    it('sets a password once for a member without one', async () => {
      const { store, here } = subject();
      const [first, second, third] = [invitation(here), invitation(here), invitation(here)];
      await invite(first);
      const member = await accept(first.tokenHash, { account: { passwordHash: '' } });
      expect(await invite(second)).toBe('created');
      expect(await accept(second.tokenHash)).toEqual(member);
      expect(await store.users.listByEmail(GRACE)).toMatchObject([{ passwordHash: '$first' }]);
      expect(await invite(third)).toBe('already_member');
      expect(await audit(here)).toHaveLength(4);
    });

    it('rejects a member with another role', async () => {
      const { store, here } = subject();
      const first = invitation(here);
      await invite(first);
      await accept(first.tokenHash, { account: { passwordHash: '' } });
      const other = invitation(here, { role: 'owner' });
      await invite(other);
      expect(await accept(other.tokenHash)).toBe('gone');
      expect(await store.users.listByEmail(GRACE).then(([first]) => first)).toMatchObject({
        passwordHash: '',
      });
    });
  });
}

function invitation(workspaceId: string, changes: Partial<Invitation> = {}): Invitation {
  const id = newId('inv');
  return {
    id,
    workspaceId,
    email: GRACE,
    role: 'member',
    tokenHash: `hash of ${id}`,
    invitedBy: 'operator',
    createdAt: MORNING,
    expiresAt: MORNING + HOUR,
    provesAddress: false,
    ...changes,
  };
}

function acceptance(tokenHash: string, changes: Partial<Acceptance> = {}): Acceptance {
  return {
    tokenHash,
    nowMillis: MORNING,
    newMemberId: newId('mem'),
    newUserId: newId('usr'),
    account: { passwordHash: '$first' },
    auditId: newId('aud'),
    auditReset: () => auditEntry(MORNING),
    ...changes,
  };
}

export function describeMembers(subject: () => Subject): void {
  const membersOf = (workspaceId: string) => subject().store.in(workspaceId).members;
  const rolesIn = async (workspaceId: string) =>
    (await membersOf(workspaceId).list()).map(({ role }) => role);
  const auditOf = (workspaceId: string) => subject().store.in(workspaceId).audit.list(100);

  /** Adds a member by an invitation. */
  async function join(
    workspaceId: string,
    role: MemberRole,
    email = `${role}@example.com`,
  ): Promise<ListedMember> {
    const { store } = subject();
    const newInvitation = invitation(workspaceId, { role, email });
    await store.in(workspaceId).invitations.create(newInvitation, auditEntry(MORNING));
    const member = (await store.invitations.accept(acceptance(newInvitation.tokenHash))) as Member;
    return { ...member, addressProved: false };
  }

  describe('members', () => {
    it('lists members oldest first and finds them by id, in their own workspace only', async () => {
      const { here, there } = subject();
      const [owner, admin] = [await join(here, 'owner'), await join(here, 'admin')];
      const stranger = await join(there, 'owner', 'stranger@example.com');
      expect(await membersOf(here).list()).toEqual([owner, admin]);
      expect(await membersOf(here).find(admin.id)).toEqual(admin);
      expect(await membersOf(here).find(stranger.id)).toBeUndefined();
    });

    it('changes a role and adds an audit row', async () => {
      const { here } = subject();
      await join(here, 'owner');
      const member = await join(here, 'member');
      const row = auditEntry(MORNING);
      const outcome = await membersOf(here).changeRole(member.id, { from: 'member', to: 'admin' }, row);
      expect(outcome).toBe('changed');
      expect(await membersOf(here).find(member.id)).toEqual({ ...member, role: 'admin' });
      expect((await auditOf(here))[0]).toEqual(row);
    });

    it('changes nothing when the role is not the expected one', async () => {
      const { here } = subject();
      await join(here, 'owner');
      const admin = await join(here, 'admin');
      const before = await auditOf(here);
      const lowered = membersOf(here).changeRole(
        admin.id,
        { from: 'member', to: 'member' },
        auditEntry(MORNING),
      );
      expect(await lowered).toBe('conflict');
      expect(await membersOf(here).remove(admin.id, 'member', auditEntry(MORNING))).toBe('conflict');
      expect(await membersOf(here).find(admin.id)).toEqual(admin);
      expect(await auditOf(here)).toEqual(before);
    });

    it('removes a member of its own workspace only, and adds an audit row', async () => {
      const { here, there } = subject();
      const member = await join(here, 'member');
      const row = auditEntry(MORNING);
      expect(await membersOf(there).remove(member.id, 'member', row)).toBe('gone');
      const change = { from: 'member', to: 'admin' } as const;
      expect(await membersOf(there).changeRole(member.id, change, row)).toBe('gone');
      expect(await auditOf(there)).toEqual([]);
      expect(await membersOf(here).remove(member.id, 'member', row)).toBe('removed');
      expect(await membersOf(here).remove(member.id, 'member', auditEntry(MORNING))).toBe('gone');
      expect(await membersOf(here).list()).toEqual([]);
      expect((await auditOf(here))[0]).toEqual(row);
    });

    it('keeps one owner when several leave or step down concurrently', async () => {
      const { here, there } = subject();
      await join(there, 'owner', 'stranger@example.com');
      const owners = [];
      for (const name of ['a', 'b', 'c']) owners.push(await join(here, 'owner', `${name}@example.com`));
      const [a, b, c] = owners.map(({ id }) => id) as [string, string, string];
      const outcomes = await Promise.all([
        membersOf(here).remove(a, 'owner', auditEntry(MORNING)),
        membersOf(here).changeRole(b, { from: 'owner', to: 'member' }, auditEntry(MORNING)),
        membersOf(here).remove(c, 'owner', auditEntry(MORNING)),
      ]);
      expect(outcomes).toEqual(['removed', 'changed', 'last_owner']);
      expect((await rolesIn(here)).toSorted()).toEqual(['member', 'owner']);
    });

    it("deletes invitations by a removed member, and those to the member's email", async () => {
      const { store, here, there } = subject();
      await join(here, 'owner');
      const admin = await join(here, 'admin');
      const { invitations } = store.in(here);
      const kept = invitation(here, { email: 'kept@example.com' });
      const elsewhere = invitation(there, { invitedBy: admin.id });
      const made = invitation(here, { email: 'made@example.com', invitedBy: admin.id });
      for (const one of [kept, made]) await invitations.create(one, auditEntry(MORNING));
      await store.in(there).invitations.create(elsewhere, auditEntry(MORNING));
      await membersOf(here).changeRole(admin.id, { from: 'admin', to: 'member' }, auditEntry(MORNING));
      expect(await invitations.list(MORNING)).toEqual([kept]);
      await invitations.create(made, auditEntry(MORNING));
      await membersOf(here).remove(admin.id, 'member', auditEntry(MORNING));
      expect(await invitations.list(MORNING)).toEqual([kept]);
      expect(await store.in(there).invitations.list(MORNING)).toEqual([elsewhere]);
    });
  });
}
