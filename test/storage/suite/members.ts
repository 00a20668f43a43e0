import { describe, expect, it } from 'vitest';
import type { Member, MemberRole } from '../../../server/storage/members.ts';
import { MORNING } from '../samples.ts';
import type { Subject } from '../subject.ts';
import { auditEntry } from './events.ts';
import { acceptance, invitation } from './invitations.ts';

export function describeMembers(subject: () => Subject): void {
  const membersOf = (workspaceId: string) => subject().store.in(workspaceId).members;
  const rolesIn = async (workspaceId: string) =>
    (await membersOf(workspaceId).list()).map(({ role }) => role);
  const auditOf = (workspaceId: string) => subject().store.in(workspaceId).audit.list(100);

  /** Adds a member by an invitation. */
  async function join(workspaceId: string, role: MemberRole, email = `${role}@example.com`): Promise<Member> {
    const { store } = subject();
    const one = invitation(workspaceId, { role, email });
    await store.in(workspaceId).invitations.create(one, auditEntry(MORNING));
    return (await store.invitations.accept(acceptance(one.tokenHash))) as Member;
  }

  describe('members', () => {
    it('lists members oldest first and finds them by id, in their own workspace only', async () => {
      const { here, there } = subject();
      const [owner, admin] = [await join(here, 'owner'), await join(here, 'admin')];
      const stranger = await join(there, 'owner', 'stranger@example.com');
      expect(await membersOf(here).list()).toStrictEqual([owner, admin]);
      expect(await membersOf(here).find(admin.id)).toStrictEqual(admin);
      expect(await membersOf(here).find(stranger.id)).toBeUndefined();
    });

    it('changes a role and adds an audit row', async () => {
      const { here } = subject();
      await join(here, 'owner');
      const member = await join(here, 'member');
      const row = auditEntry(MORNING);
      const outcome = await membersOf(here).changeRole(member.id, { from: 'member', to: 'admin' }, row);
      expect(outcome).toBe('changed');
      expect(await membersOf(here).find(member.id)).toStrictEqual({ ...member, role: 'admin' });
      expect((await auditOf(here))[0]).toStrictEqual(row);
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
      expect(await membersOf(here).find(admin.id)).toStrictEqual(admin);
      expect(await auditOf(here)).toStrictEqual(before);
    });

    it('removes a member of its own workspace only, and adds an audit row', async () => {
      const { here, there } = subject();
      const member = await join(here, 'member');
      const row = auditEntry(MORNING);
      expect(await membersOf(there).remove(member.id, 'member', row)).toBe('gone');
      const change = { from: 'member', to: 'admin' } as const;
      expect(await membersOf(there).changeRole(member.id, change, row)).toBe('gone');
      expect(await auditOf(there)).toStrictEqual([]);
      expect(await membersOf(here).remove(member.id, 'member', row)).toBe('removed');
      expect(await membersOf(here).remove(member.id, 'member', auditEntry(MORNING))).toBe('gone');
      expect(await membersOf(here).list()).toStrictEqual([]);
      expect((await auditOf(here))[0]).toStrictEqual(row);
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
      expect(outcomes).toStrictEqual(['removed', 'changed', 'last_owner']);
      expect((await rolesIn(here)).toSorted()).toStrictEqual(['member', 'owner']);
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
      expect(await invitations.list(MORNING)).toStrictEqual([kept]);
      await invitations.create(made, auditEntry(MORNING));
      await membersOf(here).remove(admin.id, 'member', auditEntry(MORNING));
      expect(await invitations.list(MORNING)).toStrictEqual([kept]);
      expect(await store.in(there).invitations.list(MORNING)).toStrictEqual([elsewhere]);
    });
  });
}
