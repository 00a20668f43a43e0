import { LIMITS } from '../../contract/limits.ts';
import { throwApiError } from '../http/errors.ts';
import type { MemberCaller } from '../http/handler.ts';
import type { MemberRole } from '../storage/members.ts';

/**
 * Who may touch whom: admins manage admins and members; what makes, unmakes or concerns an owner is for owners, and only while their
 * password is fresh.
 */
export function requirePowerOver(roles: readonly MemberRole[], caller: MemberCaller, now: number): void {
  if (!roles.includes('owner')) return;
  if (caller.role !== 'owner') throwApiError('tenant/role_required', `${caller.role} over an owner`);
  requireFreshPassword(caller, now);
}

function requireFreshPassword({ confirmedAt }: MemberCaller, now: number): void {
  if (now - confirmedAt > LIMITS.freshPasswordSeconds * 1000) throwApiError('session/password_needed');
}
