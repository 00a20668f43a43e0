import { LIMITS } from '../../contract/limits.ts';
import { throwApiError } from '../http/errors.ts';
import type { MemberCaller } from '../http/handler.ts';
import type { MemberRole } from '../storage/members.ts';

/** Only owners manage owners, and only with a recently confirmed password. Routes check for admins themselves. */
export function assertCanManage(roles: readonly MemberRole[], caller: MemberCaller, now: number): void {
  if (!roles.includes('owner')) return;
  if (caller.role !== 'owner') throwApiError('tenant/role_required', `${caller.role} cannot manage owners`);
  if (now - caller.confirmedAt > LIMITS.freshPasswordSeconds * 1000) throwApiError('session/password_needed');
}
