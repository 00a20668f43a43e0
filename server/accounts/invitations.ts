import { LINK_HEADER } from '../../contract/fields.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { members as router, ShownInvitation } from '../../contract/members.ts';
import { toIsoString } from '../clock.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, MemberCaller, RequestContext } from '../http/handler.ts';
import { newId } from '../ids.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { Invitation, InvitationLinks } from '../storage/invitations.ts';
import type { Store } from '../storage/store.ts';
import type { User } from '../storage/users.ts';
import { hashToken, makeSessionToken } from '../tokens/session-cookie.ts';
import { toAuditOrigin } from './audit-trail.ts';
import { assertCanManage } from './member-permissions.ts';
import { paginate } from './paginate.ts';
import { hashPassword } from './password-hash.ts';
import { assertStrongPassword } from './password-strength.ts';
import {
  limitPasswordAttempts,
  openSession,
  type SessionDeps,
  type SignedIn,
  toSessionState,
  verifyUser,
} from './sign-in.ts';

export type InvitationDeps = SessionDeps & {
  readonly store: Store;
  readonly baseUrl: () => string;
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

export function invitationHandlers(deps: InvitationDeps): Handlers<InvitationRoutes> {
  const { store, clock, baseUrl } = deps;
  return {
    async createInvitation({ caller, body, ctx }) {
      const { role } = body;
      const email = body.email.normalize('NFC').toLowerCase();
      const { members, invitations } = store.in(caller.workspace.id);
      // Inviting a member without a password lets them choose one; they keep their role.
      const member = (await members.list()).find((one) => one.email === email);
      assertCanManage(member ? [role, member.role] : [role], caller, clock.now());
      const token = makeSessionToken();
      const invitation = newInvitation(caller, email, member?.role ?? role, token, clock.now());
      const row = newAuditEntry(caller, ctx, 'invitation.created', invitation, clock.now());
      if ((await invitations.create(invitation, row)) === 'already_member')
        throwApiError('invitation/already_member');
      const link = `${baseUrl()}/dashboard/invitation#token=${token}`;
      return { status: 201, body: { ...toBody(invitation), link } };
    },

    async listInvitations({ caller, query }) {
      const open = await store.in(caller.workspace.id).invitations.list(clock.now());
      const { data, ...page } = paginate(open, query, 'newest_first');
      return { status: 200, body: { data: data.map((one) => toBody(one)), ...page } };
    },

    async withdrawInvitation({ caller, params, ctx }) {
      const { invitations } = store.in(caller.workspace.id);
      const known = (await invitations.list(clock.now())).find(({ id }) => id === params.invitationId);
      if (!known) return throwApiError('invitation/not_found');
      const row = newAuditEntry(caller, ctx, 'invitation.withdrawn', known, clock.now());
      if ((await invitations.withdraw(known.id, row)) === 'gone')
        return throwApiError('invitation/not_found');
      return { status: 200, body: { ok: true } };
    },

    async readInvitation({ body }) {
      const invitation = await resolveInvitation(body.token, deps);
      const hasAccount = (await findAccount(invitation, store)) !== undefined;
      return { status: 200, body: { ...toLinkBody(invitation), hasAccount } };
    },

    async readInvitationLink({ headers }) {
      return { status: 200, body: toLinkBody(await resolveInvitation(headers[LINK_HEADER], deps)) };
    },

    async acceptInvitation({ body, ctx }) {
      const { user, opened } = await acceptInvitation(body, ctx, deps);
      return { status: 200, body: await toSessionState(user, opened.session, store), session: opened };
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

/** Adds the holder of the link to the workspace and signs them in. The link works once. */
async function acceptInvitation(
  { token, password }: { readonly token: string; readonly password: string },
  ctx: RequestContext,
  deps: InvitationDeps,
): Promise<SignedIn> {
  for (;;) {
    const nowMillis = deps.clock.now();
    // Before hashing: without a link, callers must not cause that work.
    const invitation = await resolveInvitation(token, deps);
    const proof = await proveAccount(invitation, password, ctx, deps);
    const member = await deps.store.invitations.accept({
      ...proof,
      tokenHash: hashToken(token),
      nowMillis,
      freshMemberId: newId('mem'),
      newUserId: newId('usr'),
      auditId: newId('aud'),
    });
    if (member === 'gone') return throwApiError('invitation/not_found', 'accepted by another request');
    // Another request changed the password of the address meanwhile: verify against the new one.
    if (member === 'conflict') continue;
    const { userId: id, email } = member;
    const { passwordHash } = proof;
    return { user: { id, email }, opened: await openSession({ id, passwordHash }, ctx, deps) };
  }
}

/** Verifies the password of an existing account, or sets the first one of a new account. */
async function proveAccount(
  invitation: ResolvedInvitation,
  password: string,
  ctx: RequestContext,
  deps: InvitationDeps,
): Promise<{ readonly passwordHash: string; readonly verifiedHash?: string }> {
  const account = await findAccount(invitation, deps.store);
  const { email, workspaceName } = invitation;
  if (!account) {
    await assertStrongPassword(password, [email, workspaceName], 'body.password');
    return { passwordHash: await hashPassword(password) };
  }
  limitPasswordAttempts(email, ctx, deps.consumeRateLimit);
  const { passwordHash } = await verifyUser(account, password, ctx, deps);
  return { passwordHash, verifiedHash: passwordHash };
}

/**
 * The account whose password the holder must give. Undefined when the link itself is proof enough: a new address, or a user without a
 * password who belongs to this workspace only. Users of other workspaces must prove themselves, or an inviter could take over their account.
 */
async function findAccount(
  { email, workspaceId }: Pick<Invitation, 'email' | 'workspaceId'>,
  { users, memberships }: Pick<Store, 'users' | 'memberships'>,
): Promise<User | undefined> {
  const user = await users.findByEmail(email);
  if (user?.passwordHash !== '') return user;
  const all = await memberships.ofUser(user.id);
  return all.some((membership) => membership.workspaceId !== workspaceId) ? user : undefined;
}

function newInvitation(
  { workspace, memberId }: MemberCaller,
  email: string,
  role: Invitation['role'],
  token: string,
  createdAt: number,
): Invitation {
  return {
    id: newId('inv'),
    workspaceId: workspace.id,
    email,
    role,
    tokenHash: hashToken(token),
    invitedBy: memberId,
    createdAt,
    expiresAt: createdAt + LIMITS.invitationSeconds * 1000,
  };
}

function newAuditEntry(
  { memberId: actor }: MemberCaller,
  ctx: RequestContext,
  action: string,
  { id: subject, email, role }: Invitation,
  atMillis: number,
): AuditEntry {
  const origin = toAuditOrigin(ctx);
  return { id: newId('aud'), atMillis, actor, action, subject, details: { email, role }, ...origin };
}

function toBody({ id, email, role, invitedBy, createdAt, expiresAt }: Invitation): ShownInvitation {
  return { id, email, role, invitedBy, createdAt: toIsoString(createdAt), expiresAt: toIsoString(expiresAt) };
}

function toLinkBody({ workspaceName, email, role, expiresAt }: ResolvedInvitation) {
  return { workspaceName, email, role, expiresAt: toIsoString(expiresAt) };
}
