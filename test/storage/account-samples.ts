import { newId } from '../../server/ids.ts';
import type { AuditEntry } from '../../server/storage/audit.ts';
import type { NewMember } from '../../server/storage/members.ts';
import type { Session } from '../../server/storage/sessions.ts';
import type { Store } from '../../server/storage/store.ts';
import { HOUR, MORNING } from './samples.ts';

/** Sample users and sessions, with the audit rows that go with them. */

export const FIRST_HASH = '$argon2id$first';

export function joining(workspaceId: string, email: string, changes: Partial<NewMember> = {}): NewMember {
  return {
    freshMemberId: newId('mem'),
    newUserId: newId('usr'),
    workspaceId,
    email,
    role: 'owner',
    passwordHash: FIRST_HASH,
    createdAt: MORNING,
    ...changes,
  };
}

export async function join(
  store: Store,
  workspaceId: string,
  email: string,
  changes: Partial<NewMember> = {},
) {
  const wanted = joining(workspaceId, email, changes);
  const member = await store.memberships.add(wanted, row(wanted.freshMemberId));
  if (typeof member === 'string') throw new Error(`${email} did not join: ${member}`);
  return member;
}

export function sessionOf(userId: string, changes: Partial<Session> = {}): Session {
  const id = newId('ses');
  return {
    id,
    userId,
    tokenHash: `hash of ${id}`,
    createdAt: MORNING,
    lastSeenAt: MORNING,
    expiresAt: MORNING + 24 * HOUR,
    confirmedAt: MORNING,
    device: 'Firefox on Linux',
    ...changes,
  };
}

export function row(subject: string): AuditEntry {
  return { id: newId('aud'), atMillis: MORNING, actor: 'operator', action: 'test', subject, details: {} };
}
