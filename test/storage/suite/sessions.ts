import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/ids.ts';
import { FIRST_HASH, join, row, sessionOf } from '../account-samples.ts';
import { HOUR, MINUTE, MORNING } from '../samples.ts';
import type { Subject } from '../subject.ts';

export function describeSessions(subject: () => Subject): void {
  describe('sessions', () => {
    it("finds a session by the hash of its token, with the user's email", async () => {
      const { store, here, reopen } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      const session = sessionOf(userId);
      expect(await store.sessions.open(session, 10, FIRST_HASH)).toBe('opened');
      const again = await reopen();
      expect(await again.sessions.findByToken(session.tokenHash)).toStrictEqual({
        ...session,
        email: 'ada@example.com',
      });
      expect(await again.sessions.find(session.id)).toStrictEqual(session);
      expect(await again.sessions.findByToken('unknown')).toBeUndefined();
      expect(await again.sessions.find('ses_unknown')).toBeUndefined();
    });

    it('rejects a session for a password that has changed since, or for an unknown user', async () => {
      const { store, here } = subject();
      const { userId } = await join(store, here, 'ada@example.com');
      expect(await store.sessions.open(sessionOf(userId), 10, '$other')).toBe('conflict');
      expect(await store.sessions.open(sessionOf('usr_unknown'), 10)).toBe('gone');
      expect(await store.sessions.list(userId, MORNING, HOUR)).toStrictEqual([]);
    });

    it('keeps only the newest allowed sessions of a user, and all of other users', async () => {
      const { store, here } = subject();
      const ada = await join(store, here, 'ada@example.com');
      const grace = await join(store, here, 'grace@example.com');
      await store.sessions.open(sessionOf(grace.userId, { createdAt: MORNING - 9 }), 3);
      const opened = Array.from({ length: 5 }, (_, at) => sessionOf(ada.userId, { createdAt: MORNING + at }));
      for (const session of opened) await store.sessions.open(session, 3);
      const kept = await store.sessions.list(ada.userId, MORNING, HOUR);
      expect(kept).toStrictEqual(opened.slice(2).reverse());
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
      expect(await store.sessions.confirm(session.id, confirmation)).toStrictEqual(renewed);
      expect(await store.sessions.find(session.id)).toStrictEqual(renewed);
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
      const invited = { tokenHash: 'invited', invitedBy: memberId, createdAt: 0, expiresAt: MORNING };
      await store.in(here).invitations.create({ ...invitation, ...invited }, row(invitation.id));
      await store.users.addSetupLink('link', MORNING, 0);
      await store.sweep(MORNING);
      expect(await store.sessions.find(old.id)).toBeUndefined();
      expect(await store.sessions.find(current.id)).toStrictEqual(current);
      expect(await store.in(here).invitations.list(0)).toStrictEqual([]);
      expect(await store.users.findSetupLink('link', 0)).toBeUndefined();
    });
  });
}
