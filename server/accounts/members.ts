import { LINK_HEADER } from '../../contract/fields.ts';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import type { members, members as router, ShownInvitation, ShownMember } from '../../contract/members.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { normalizeEmail } from '../base/text.ts';
import { paginate } from '../http/cursor.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers, MemberCaller, RequestContext } from '../http/handler.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type {
  Acceptance,
  Invitation,
  InvitationLinks,
  ListedMember,
  Member,
  MemberRole,
  Members,
} from '../storage/members.ts';
import type { Store } from '../storage/store.ts';
import { hashToken, isFresh, makeSessionToken } from '../tokens/session-cookie.ts';
import { createMemberAudit } from '../workspaces/audit-trail.ts';
import { composeNotice, listLocales } from './notices.ts';
import { assertStrongPassword, hashPassword } from './password.ts';
import { auditPasswordReset } from './password-resets.ts';
import {
  continueSignIn,
  findVerified,
  limitPasswordAttempts,
  type SessionDeps,
  type SignedIn,
  toSessionState,
} from './sign-in.ts';

export function memberHandlers(deps: InvitationDeps): Handlers<typeof members> {
  const { store, clock } = deps;
  return {
    async listMembers({ caller, query }) {
      const all = await store.in(caller.workspace.id).members.list();
      const { data, ...page } = paginate(all, query, 'oldest_first');
      return { status: 200, body: { data: data.map((member) => toMemberBody(member, caller)), ...page } };
    },

    changeMemberRole: async ({ caller, params, body, ctx }) => ({
      status: 200,
      body: toMemberBody(await changeRole({ store, clock, ctx }, caller, params.memberId, body.role), caller),
    }),

    async removeMember({ caller, params, ctx }) {
      await removeMember({ store, clock, ctx }, caller, params.memberId);
      return { status: 200, body: { ok: true } };
    },

    ...invitationHandlers(deps),
  };
}

type Deps = { store: Store; clock: Clock; ctx: RequestContext };

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
    if (!isSelf || role === 'owner') assertCanManage([role], caller, clock.now());
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

const newAuditEntry = (
  caller: MemberCaller,
  { clock, ctx }: Omit<Deps, 'store'>,
  action: string,
  { id, email }: Pick<Member, 'id' | 'email'>,
  details: AuditEntry['details'],
): AuditEntry => createMemberAudit(clock)(caller, ctx, action, id, { email, ...details });

function toMemberBody(
  { id, email, role, addressProved, createdAt }: ListedMember,
  caller: MemberCaller,
): ShownMember {
  return { id, email, role, addressProved, createdAt: toIsoString(createdAt), self: id === caller.memberId };
}

type InvitationDeps = SessionDeps & {
  store: Store;
};

type InvitationRoutes = Pick<
  typeof router,
  | 'createInvitation'
  | 'listInvitations'
  | 'withdrawInvitation'
  | 'readInvitation'
  | 'readInvitationLink'
  | 'acceptInvitation'
>;

type ResolvedInvitation = NonNullable<Awaited<ReturnType<InvitationLinks['find']>>>;

function invitationHandlers(deps: InvitationDeps): Handlers<InvitationRoutes> {
  const { store, clock, baseUrl, composeMail } = deps;
  return {
    async createInvitation({ caller, body, ctx }) {
      const { role } = body;
      const email = normalizeEmail(body.email);
      const { members, invitations } = store.in(caller.workspace.id);
      // Inviting a member without a password lets them choose one; they keep their role.
      const member = (await members.list()).find((existing) => existing.email === email);
      assertCanManage(member ? [role, member.role] : [role], caller, clock.now());
      const subject = { clientAddress: ctx.clientAddress, account: email };
      await deps.consumeRateLimit(['tenant/invited-address'], subject, ctx);
      const token = makeSessionToken();
      const invitation = newInvitation({
        workspaceId: caller.workspace.id,
        email,
        role: member?.role ?? role,
        tokenHash: hashToken(token),
        invitedBy: caller.memberId,
        createdAt: clock.now(),
        provesAddress: false,
      });
      const row = newAuditEntry(caller, { clock, ctx }, 'invitation.created', invitation, {
        role: invitation.role,
      });
      const link = toLink(baseUrl(), token);
      const mail = await composeMail({
        workspaceId: caller.workspace.id,
        to: email,
        template: 'invitation',
        // The inviter's languages: those of the invited person are not known yet.
        locales: listLocales(ctx),
        values: {
          workspace: caller.workspace.name,
          inviter: caller.email,
          link,
          days: String(ACCOUNT_LIMITS.invitationSeconds / DAY_SECONDS),
        },
      });
      if ((await invitations.create(invitation, row, mail)) === 'already_member')
        throwApiError('invitation/already_member');
      return {
        status: 201,
        body: { ...toInvitationBody(invitation), mailed: mail !== undefined, link },
      };
    },

    async listInvitations({ caller, query }) {
      const open = await store.in(caller.workspace.id).invitations.list(clock.now());
      const { data, ...page } = paginate(open, query, 'newest_first');
      return { status: 200, body: { data: data.map((invitation) => toInvitationBody(invitation)), ...page } };
    },

    async withdrawInvitation({ caller, params, ctx }) {
      const { invitations } = store.in(caller.workspace.id);
      const known = (await invitations.list(clock.now())).find(({ id }) => id === params.invitationId);
      if (!known) return throwApiError('invitation/not_found');
      const row = newAuditEntry(caller, { clock, ctx }, 'invitation.withdrawn', known, { role: known.role });
      if ((await invitations.withdraw(known.id, row)) === 'gone')
        return throwApiError('invitation/not_found');
      return { status: 200, body: { ok: true } };
    },

    async readInvitation({ body }) {
      const invitation = await resolveInvitation(body.token, deps);
      const { provesAddress } = invitation;
      return { status: 200, body: { ...toLinkBody(invitation), provesAddress } };
    },

    async readInvitationLink({ headers }) {
      return { status: 200, body: toLinkBody(await resolveInvitation(headers[LINK_HEADER], deps)) };
    },

    async acceptInvitation({ body, ctx }) {
      const { user, opened } = await acceptInvitation(body, ctx, deps);
      return { status: 200, body: await toSessionState(user, opened.session, deps), session: opened };
    },
  };
}

/** Throws `invitation/not_found` unless the link works now. */
async function resolveInvitation(
  token: string,
  { store, clock }: Pick<InvitationDeps, 'store' | 'clock'>,
): Promise<ResolvedInvitation> {
  const found = await store.invitations.find(hashToken(token), clock.now());
  return found ?? throwApiError('invitation/not_found');
}

/** Adds the holder of the link to the workspace and signs them in, or asks for their second factor. The link works once. */
async function acceptInvitation(
  { token, password }: { token: string; password: string },
  ctx: RequestContext,
  deps: InvitationDeps,
): Promise<SignedIn> {
  for (;;) {
    const nowMillis = deps.clock.now();
    // Check the link before hashing, so that callers without a link cannot cause that work.
    const invitation = await resolveInvitation(token, deps);
    const account = await chooseAccount(invitation, password, ctx, deps);
    const resetNotice = invitation.provesAddress
      ? await composeNotice('password_changed', invitation, ctx, deps)
      : undefined;
    const member = await deps.store.invitations.accept({
      account,
      tokenHash: hashToken(token),
      nowMillis,
      newMemberId: newId('mem'),
      newUserId: newId('usr'),
      auditId: newId('aud'),
      resetNotice,
      auditReset: auditPasswordReset(ctx, deps, { invitationId: invitation.id }),
    });
    if (member === 'gone') return throwApiError('invitation/not_found', 'accepted by another request');
    // Another request changed the password meanwhile: verify against the new password.
    if (member === 'conflict') continue;
    const { userId: id, email } = member;
    const passwordHash = 'verifiedHash' in account ? account.verifiedHash : account.passwordHash;
    return continueSignIn({ id, email, passwordHash }, ctx, deps, { isNewDevice: false });
  }
}

/**
 * Chooses the account that joins. A link from an operator's command proves the address, so it sets the password of the
 * address's account. An invitation link proves nothing, because the inviter could open it too. With an invitation, the
 * password of the address's proved account adds that account, and any other password adds an account of this
 * workspace alone; the response does not tell which.
 */
async function chooseAccount(
  { email, workspaceName, provesAddress, workspaceId }: ResolvedInvitation,
  password: string,
  ctx: RequestContext,
  deps: InvitationDeps,
): Promise<Acceptance['account']> {
  const accounts = await deps.store.users.listByEmail(email);
  if (!provesAddress) {
    await limitPasswordAttempts(email, ctx, deps.consumeRateLimit);
    const user = await findVerified(accounts, password, deps);
    if (user?.addressProvedAt !== undefined) return { verifiedHash: user.passwordHash };
    // A sign-in could not tell two accounts with the same password apart.
    if (user && user.workspaceId !== workspaceId) throwPasswordInUse();
  }
  await assertStrongPassword(password, [email, workspaceName], 'body.password');
  return { passwordHash: await hashPassword(password, accounts[0]?.passwordHash) };
}

const DAY_SECONDS = 86_400;

function throwPasswordInUse(): never {
  throwInvalidRequest({
    path: 'body.password',
    code: 'in_use',
    message: 'This password belongs to an account with an unconfirmed address in another workspace.',
  });
}

export const toLink = (baseUrl: string, token: string) => `${baseUrl}/dashboard/invitation#token=${token}`;

export function newInvitation(invitation: Omit<Invitation, 'id' | 'expiresAt'>): Invitation {
  const expiresAt = invitation.createdAt + ACCOUNT_LIMITS.invitationSeconds * 1000;
  return { ...invitation, id: newId('inv'), expiresAt };
}

function toInvitationBody({ id, email, role, invitedBy, createdAt, expiresAt }: Invitation): ShownInvitation {
  return { id, email, role, invitedBy, createdAt: toIsoString(createdAt), expiresAt: toIsoString(expiresAt) };
}

function toLinkBody({ workspaceName, email, role, expiresAt }: ResolvedInvitation) {
  return { workspaceName, email, role, expiresAt: toIsoString(expiresAt) };
}

/** Throws unless the caller may manage these roles and has confirmed their identity recently. Only owners manage owners. */
function assertCanManage(roles: readonly MemberRole[], caller: MemberCaller, now: number): void {
  if (roles.includes('owner') && caller.role !== 'owner')
    throwApiError('tenant/role_required', `${caller.role} cannot manage owners`);
  if (!isFresh(caller, now)) throwApiError('session/password_needed');
}
