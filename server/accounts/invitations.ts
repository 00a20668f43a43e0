import { LINK_HEADER } from '../../contract/fields.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { members as router, ShownInvitation } from '../../contract/members.ts';
import { type Clock, toIsoString } from '../clock.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, MemberCaller } from '../http/handler.ts';
import { newId } from '../ids.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { Invitation, InvitationLinks } from '../storage/invitations.ts';
import type { Store } from '../storage/store.ts';
import { hashToken, makeSessionToken } from '../tokens/session-cookie.ts';
import { accountOf } from './account-of-link.ts';
import { pageOfList } from './list-page.ts';
import { requirePowerOver } from './member-rules.ts';

export type InvitationDeps = {
  readonly store: Store;
  readonly clock: Clock;
  readonly baseUrl: () => string;
};

type InvitationOfLink = NonNullable<Awaited<ReturnType<InvitationLinks['find']>>>;

type InvitationRoutes = Pick<
  typeof router,
  'createInvitation' | 'listInvitations' | 'withdrawInvitation' | 'readInvitation' | 'readInvitationLink'
>;

export function invitationHandlers({ store, clock, baseUrl }: InvitationDeps): Handlers<InvitationRoutes> {
  const findByLink = async (token: string) =>
    (await store.invitations.find(hashToken(token), clock.now())) ?? throwApiError('invitation/not_found');

  return {
    async createInvitation({ caller, body }) {
      const { role } = body;
      const email = body.email.normalize('NFC').toLowerCase();
      const { members, invitations } = store.in(caller.workspace.id);
      // A member without a password chooses one by the link: it gives what the member has.
      const already = (await members.list()).find((member) => member.email === email);
      requirePowerOver(already ? [role, already.role] : [role], caller, clock.now());
      const token = makeSessionToken();
      const made = invitationOf(caller, email, already?.role ?? role, token, clock.now());
      const row = auditOf(caller, 'invitation.created', made, clock.now());
      if ((await invitations.create(made, row)) === 'already_member')
        throwApiError('invitation/already_member');
      const link = `${baseUrl()}/dashboard/invitation#token=${token}`;
      return { status: 201, body: { ...shown(made), link } };
    },

    async listInvitations({ caller, query }) {
      const open = await store.in(caller.workspace.id).invitations.list(clock.now());
      const { data, ...rest } = pageOfList(open, query, 'newest_first');
      return { status: 200, body: { data: data.map((one) => shown(one)), ...rest } };
    },

    async withdrawInvitation({ caller, params }) {
      const { invitations } = store.in(caller.workspace.id);
      const known = (await invitations.list(clock.now())).find(({ id }) => id === params.invitationId);
      if (!known) return throwApiError('invitation/not_found');
      const row = auditOf(caller, 'invitation.withdrawn', known, clock.now());
      if ((await invitations.withdraw(known.id, row)) === 'gone')
        return throwApiError('invitation/not_found');
      return { status: 200, body: { ok: true } };
    },

    async readInvitation({ body }) {
      const found = await findByLink(body.token);
      const hasAccount = (await accountOf(store, found)) !== undefined;
      return { status: 200, body: { ...toLinkBody(found), hasAccount } };
    },

    async readInvitationLink({ headers }) {
      return { status: 200, body: toLinkBody(await findByLink(headers[LINK_HEADER])) };
    },
  };
}

function toLinkBody({ workspaceName, email, role, expiresAt }: InvitationOfLink) {
  return { workspaceName, email, role, expiresAt: toIsoString(expiresAt) };
}

function invitationOf(
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

function auditOf(
  { memberId }: MemberCaller,
  action: string,
  { id, email, role }: Invitation,
  atMillis: number,
): AuditEntry {
  return { id: newId('aud'), atMillis, actor: memberId, action, subject: id, details: { email, role } };
}

function shown({ id, email, role, invitedBy, createdAt, expiresAt }: Invitation): ShownInvitation {
  return { id, email, role, invitedBy, createdAt: toIsoString(createdAt), expiresAt: toIsoString(expiresAt) };
}
