import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { Automation } from '../../../server/storage/automation-sessions.ts';
import type { Session } from '../../../server/storage/users.ts';
import { HOUR, MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { auditEntry } from './events.ts';

const DAY = 24 * HOUR;

export function describeAutomationSessions(subject: () => Subject): void {
  describe('automation sessions', () => {
    const sessionsOf = (workspaceId: string) => subject().store.in(workspaceId).automationSessions;

    async function join(workspaceId: string) {
      const member = await subject().store.memberships.add(
        {
          newMemberId: newId('mem'),
          newUserId: newId('usr'),
          workspaceId,
          email: `${newId('usr')}@example.com`,
          role: 'owner',
          passwordHash: '$hash',
          createdAt: MORNING,
        },
        auditEntry(MORNING),
      );
      if (typeof member === 'string') throw new Error(member);
      return member;
    }

    function automationOf(
      { id: memberId, userId, workspaceId }: { id: string; userId: string; workspaceId: string },
      createdAt = MORNING,
    ): { session: Session; automation: Automation } {
      const id = newId('ses');
      const times = {
        createdAt,
        lastSeenAt: createdAt,
        expiresAt: createdAt + DAY,
        confirmedAt: 0,
        signedInWith: null,
        factor: null,
        identityProvider: null,
      };
      return {
        session: { id, userId, tokenHash: `hash of ${id}`, device: 'Pipeline', ...times },
        automation: {
          workspaceId,
          memberId,
          name: 'Pipeline',
          role: 'admin',
          areas: ['articles', 'review'],
          allowedNetworks: ['203.0.113.0/24'],
          mayApproveOwn: true,
        },
      };
    }

    it('finds and lists a session with what it may do', async () => {
      const { store, here, there } = subject();
      const { session, automation } = automationOf(await join(here));
      const entry = auditEntry(MORNING);
      expect(await sessionsOf(here).create(session, automation, 2, entry)).toBe('created');
      const found = await store.sessions.findByToken(session.tokenHash);
      expect(found).toEqual({ ...session, automation, email: found!.email });
      const { id, createdAt, expiresAt, lastSeenAt } = session;
      const listed = { ...automation, id, createdAt, expiresAt, lastSeenAt };
      expect(await sessionsOf(here).list()).toEqual([listed]);
      expect(await sessionsOf(there).list()).toEqual([]);
      const muchLater = MORNING + DAY - 1;
      expect(await store.sessions.list(session.userId, muchLater, HOUR)).toEqual([
        { ...session, automation },
      ]);
      expect((await store.in(here).audit.list(1))[0]).toEqual(entry);
    });

    it('keeps what an ended session was allowed to do, and does not count it', async () => {
      const { store, here } = subject();
      const member = await join(here);
      const first = automationOf(member);
      const second = automationOf(member, MORNING + 1);
      await sessionsOf(here).create(first.session, first.automation, 1, auditEntry(MORNING));
      const tooMany = sessionsOf(here).create(second.session, second.automation, 1, auditEntry(MORNING));
      expect(await tooMany).toBe('too_many');
      expect(await store.sessions.findByToken(second.session.tokenHash)).toBeUndefined();
      await store.sessions.end(member.userId, first.session.id);
      expect(await sessionsOf(here).create(second.session, second.automation, 1, auditEntry(MORNING))).toBe(
        'created',
      );
      const [newer, older] = await sessionsOf(here).list();
      expect(newer).toMatchObject({ id: second.session.id, lastSeenAt: MORNING + 1 });
      expect(older).toMatchObject({ id: first.session.id, name: 'Pipeline' });
      expect(older).not.toHaveProperty('lastSeenAt');
    });

    it('ends with the membership of its owner', async () => {
      const { store, here } = subject();
      await join(here);
      const member = await join(here);
      const { session, automation } = automationOf(member);
      await sessionsOf(here).create(session, automation, 2, auditEntry(MORNING));
      await store.in(here).members.remove(member.id, 'owner', auditEntry(MORNING));
      expect(await store.sessions.find(session.id)).toBeUndefined();
      const gone = automationOf(member);
      expect(await sessionsOf(here).create(gone.session, gone.automation, 2, auditEntry(MORNING))).toBe(
        'gone',
      );
    });

    it('is neither ended by further sign-ins of its owner nor counted among them', async () => {
      const { store, here } = subject();
      const member = await join(here);
      const { session, automation } = automationOf(member);
      await sessionsOf(here).create(session, automation, 2, auditEntry(MORNING));
      for (const at of [1, 2, 3]) {
        const id = newId('ses');
        const signedIn = { ...session, id, tokenHash: id, createdAt: MORNING + at };
        await store.sessions.open(signedIn, 2);
      }
      const remaining = await store.sessions.list(member.userId, MORNING, HOUR);
      expect(remaining.map(({ createdAt }) => createdAt - MORNING)).toEqual([3, 2, 0]);
    });
  });

  describe('idempotency keys', () => {
    const limits = { abandonedBefore: MORNING - 60_000, keysMax: 3 };

    async function open() {
      const { store, here } = subject();
      const [userId, id] = [newId('usr'), newId('ses')];
      const joining = {
        newMemberId: newId('mem'),
        newUserId: userId,
        workspaceId: here,
        email: `${userId}@example.com`,
      };
      const more = { role: 'owner', passwordHash: '$hash', createdAt: MORNING } as const;
      await store.memberships.add({ ...joining, ...more }, auditEntry(MORNING));
      const times = {
        createdAt: MORNING,
        lastSeenAt: MORNING,
        expiresAt: MORNING + DAY,
        confirmedAt: MORNING,
        signedInWith: 'password' as const,
        factor: null,
        identityProvider: null,
      };
      await store.sessions.open({ id, userId, tokenHash: id, device: 'Firefox', ...times }, 5);
      return { userId, sessionId: id, keys: store.in(here).idempotencyKeys };
    }
    const claimOf = (sessionId: string, key: string, startedAt = MORNING) => ({
      sessionId,
      key,
      payloadHash: 'hash',
      startedAt,
      expiresAt: startedAt + HOUR,
    });

    it('keeps the first response until it expires', async () => {
      const { sessionId, keys } = await open();
      const claim = claimOf(sessionId, 'a');
      expect(await keys.claim(claim, limits)).toBe('claimed');
      expect(await keys.claim(claim, limits)).toEqual({ payloadHash: 'hash' });
      await keys.complete(claim, { status: 201, body: '{}' });
      const kept = { payloadHash: 'hash', status: 201, body: '{}' };
      expect(await keys.claim(claimOf(sessionId, 'a', MORNING + HOUR - 1), limits)).toEqual(kept);
      expect(await keys.claim(claimOf(sessionId, 'a', MORNING + HOUR), limits)).toBe('claimed');
    });

    it('lets another request take a key that was released or abandoned', async () => {
      const { sessionId, keys } = await open();
      await keys.claim(claimOf(sessionId, 'a'), limits);
      await keys.release(claimOf(sessionId, 'a'));
      expect(await keys.claim(claimOf(sessionId, 'a'), limits)).toBe('claimed');
      const later = claimOf(sessionId, 'a', MORNING + 60_001);
      expect(await keys.claim(later, { ...limits, abandonedBefore: MORNING + 1 })).toBe('claimed');
      await keys.complete(claimOf(sessionId, 'a'), { status: 201, body: '"late"' });
      expect(await keys.claim(later, limits)).toEqual({ payloadHash: 'hash' });
    });

    it('keeps the newest keys of a session, and none once it has ended', async () => {
      const { store } = subject();
      const { userId, sessionId, keys } = await open();
      for (const at of [1, 2, 3, 4]) await keys.claim(claimOf(sessionId, `${at}`, MORNING + at), limits);
      expect(await keys.claim(claimOf(sessionId, '2', MORNING + 4), limits)).toEqual({
        payloadHash: 'hash',
      });
      expect(await keys.claim(claimOf(sessionId, '1', MORNING + 5), limits)).toBe('claimed');
      await store.sessions.end(userId, sessionId);
      expect(await keys.claim(claimOf(sessionId, '1', MORNING + 6), limits)).toBe('gone');
    });
  });
}
