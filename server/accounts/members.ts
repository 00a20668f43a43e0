import type { members, ShownMember } from '../../contract/members.ts';
import { type Clock, toIsoString } from '../clock.ts';
import { paginate } from '../cursor.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, MemberCaller, RequestContext } from '../http/handler.ts';
import { newId } from '../ids.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { ListedMember, Member, Members } from '../storage/members.ts';
import type { Store } from '../storage/store.ts';
import { toAuditOrigin } from './audit-trail.ts';
import { type InvitationDeps, invitationHandlers } from './invitations.ts';
import { assertCanManage } from './member-permissions.ts';

export function memberHandlers(deps: InvitationDeps): Handlers<typeof members> {
  const { store, clock } = deps;
  return {
    async listMembers({ caller, query }) {
      const all = await store.in(caller.workspace.id).members.list();
      const { data, ...page } = paginate(all, query, 'oldest_first');
      return { status: 200, body: { data: data.map((one) => toBody(one, caller)), ...page } };
    },

    changeMemberRole: async ({ caller, params, body, ctx }) => ({
      status: 200,
      body: toBody(await changeRole({ store, clock, ctx }, caller, params.memberId, body.role), caller),
    }),

    async removeMember({ caller, params, ctx }) {
      await removeMember({ store, clock, ctx }, caller, params.memberId);
      return { status: 200, body: { ok: true } };
    },

    ...invitationHandlers(deps),
  };
}

type Deps = { readonly store: Store; readonly clock: Clock; readonly ctx: RequestContext };

async function changeRole(
  { store, clock, ctx }: Deps,
  caller: MemberCaller,
  memberId: string,
  to: Member['role'],
): Promise<ListedMember> {
  const members = store.in(caller.workspace.id).members;
  return retryOnConflict(members, memberId, async (member) => {
    const { role: from } = member;
    assertCanManage([from, to], caller, clock.now());
    if (from === to) return member;
    const row = newAuditEntry(caller, { clock, ctx }, 'member.role_changed', member, { from, to });
    const outcome = await members.changeRole(memberId, { from, to }, row);
    return outcome === 'changed' ? { ...member, role: to } : outcome;
  });
}

async function removeMember(
  { store, clock, ctx }: Deps,
  caller: MemberCaller,
  memberId: string,
): Promise<void> {
  const members = store.in(caller.workspace.id).members;
  await retryOnConflict(members, memberId, async (member) => {
    const { role } = member;
    const isSelf = memberId === caller.memberId;
    if (!isSelf && caller.role === 'member') throwApiError('tenant/role_required');
    assertCanManage([role], caller, clock.now());
    const row = newAuditEntry(caller, { clock, ctx }, isSelf ? 'member.left' : 'member.removed', member, {
      role,
    });
    const outcome = await members.remove(memberId, role, row);
    return outcome === 'removed' ? member : outcome;
  });
}

/** Rereads the member and tries again when another request changed their role in between. */
async function retryOnConflict(
  members: Members,
  memberId: string,
  act: (member: ListedMember) => Promise<ListedMember | 'conflict' | 'last_owner' | 'gone'>,
): Promise<ListedMember> {
  for (;;) {
    const member = await members.find(memberId);
    const outcome = member ? await act(member) : 'gone';
    if (outcome === 'gone') return throwApiError('member/not_found');
    if (outcome === 'last_owner') return throwApiError('member/last_owner');
    if (outcome !== 'conflict') return outcome;
  }
}

function newAuditEntry(
  caller: MemberCaller,
  { clock, ctx }: Omit<Deps, 'store'>,
  action: string,
  { id, email }: Member,
  details: AuditEntry['details'],
): AuditEntry {
  return {
    id: newId('aud'),
    atMillis: clock.now(),
    actor: caller.memberId,
    action,
    subject: id,
    details: { email, ...details },
    ...toAuditOrigin(ctx),
  };
}

function toBody(
  { id, email, role, addressProved, createdAt }: ListedMember,
  caller: MemberCaller,
): ShownMember {
  return { id, email, role, addressProved, createdAt: toIsoString(createdAt), self: id === caller.memberId };
}
