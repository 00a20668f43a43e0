import { LIMITS } from '../../contract/limits.ts';
import type { MemberCaller } from '../http/handler.ts';
import { refuse } from '../refuse.ts';
import type { MemberRole } from '../storage/members.ts';

/**
 * Who may touch whom: admins manage admins and members; what makes, unmakes or concerns an owner is for owners, and only while their
 * password is fresh.
 */
export function requirePowerOver(roles: readonly MemberRole[], caller: MemberCaller, now: number): void {
  if (!roles.includes('owner')) return;
  if (caller.role !== 'owner') refuse('tenant/role_required', `${caller.role} over an owner`);
  requireFreshPassword(caller, now);
}

function requireFreshPassword({ confirmedAt }: MemberCaller, now: number): void {
  if (now - confirmedAt > LIMITS.freshPasswordSeconds * 1000) refuse('session/password_needed');
}
