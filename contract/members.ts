import { z } from 'zod';
import {
  actor,
  buildPage,
  email,
  linkHeader,
  memberId,
  memberRole,
  moment,
  namedObject,
  okReply,
  pageQuery,
  text,
  typeId,
  workspaceId,
} from './fields.ts';
import { ACCOUNT_LIMITS } from './limits/accounts.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { ALL_ROLES, EDITOR_ROLES, editRoute, readRoute, route, router } from './route.ts';
import { sessionState } from './session.ts';

const invitationId = typeId('inv', 'An invitation to the workspace');

const invitationToken = text(128)
  .describe('The token after `#token=` in the invitation link.')
  .meta({ example: 'mBv0c3bUQ8bq0f1nV5r2wQH1m0C3Ck2dZk1tJq6r5bE' });

export const member = namedObject('Member', 'A member of the workspace.', {
  id: memberId,
  email,
  role: memberRole,
  addressProved: z
    .boolean()
    .describe(
      'Whether the email address is proved to be theirs. The account of an invited person belongs to this workspace alone until an ' +
        'operator makes a link for the address.',
    ),
  createdAt: moment,
  self: z.boolean(),
});

const memberPage = buildPage('MemberPage', member);

const memberChange = namedObject('MemberChange', 'The new role of a member.', { role: memberRole });

const invitationFields = {
  id: invitationId,
  email: email.describe('Invited email address, in lower case.'),
  role: memberRole,
  invitedBy: actor,
  createdAt: moment,
  expiresAt: moment,
};

export const invitation = namedObject(
  'Invitation',
  'An open invitation, without its link.',
  invitationFields,
);

const invitationCreated = namedObject('InvitationCreated', 'A new invitation with its link.', {
  ...invitationFields,
  mailed: z
    .boolean()
    .describe('Whether the link is mailed to the address, too. False where the service sends no mail.'),
  link: z.string().max(2048).describe('The invitation link. It works once and is shown only once.').meta({
    format: 'uri',
    example: 'https://guide.example/dashboard/invitation#token=mBv0c3bUQ8bq0f1nV5r2wQH1m0C3Ck2dZk1tJq6r5bE',
  }),
});

export const newInvitation = namedObject('NewInvitation', 'Whom to invite, and their role.', {
  email: email.describe('Email address to invite. Case-insensitive.'),
  role: memberRole,
});

const invitationPage = buildPage('InvitationPage', invitation);

const invitationReading = namedObject('InvitationReading', 'The invitation link that was followed.', {
  token: invitationToken,
});

const invitationLinkFields = {
  workspaceName: z.string().max(WORKSPACE_LIMITS.workspaceNameCharsMax).meta({ example: 'The bicycle shop' }),
  email: email.describe('Invited email address, in lower case.'),
  role: memberRole,
  expiresAt: moment,
};

const invitationLink = namedObject('InvitationLink', 'A valid invitation link.', invitationLinkFields);

const invitationView = namedObject('InvitationView', 'An invitation as the invited person sees it.', {
  ...invitationLinkFields,
  provesAddress: z
    .boolean()
    .describe(
      'Whether an operator made the link. It then proves the address: accepting sets a new password for its account and ends all of ' +
        'its sessions.',
    ),
});

const invitationAcceptance = namedObject(
  'InvitationAcceptance',
  'The invitation to accept, and a password.',
  {
    token: invitationToken,
    password: text(ACCOUNT_LIMITS.passwordCharsMax * 8)
      .describe('Password of the account with this address, or the password for a new one.')
      .meta({ example: 'correct horse battery staple' }),
  },
);

export type ShownMember = z.infer<typeof member>;
export type ShownInvitation = z.infer<typeof invitation>;

const tenantParams = z.strictObject({ tenantId: workspaceId });
const memberParams = z.strictObject({ tenantId: workspaceId, memberId });
const invitationParams = z.strictObject({ tenantId: workspaceId, invitationId });

export const members = router('Members', {
  listMembers: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/members',
    summary: 'List members',
    description: 'Returns the members of the workspace, oldest first.',
    pathParams: tenantParams,
    query: z.strictObject(pageQuery),
    responses: { 200: memberPage },
    meta: readRoute,
  }),
  changeMemberRole: route({
    method: 'PATCH',
    path: '/api/tenants/:tenantId/members/:memberId',
    summary: "Change a member's role",
    description:
      'Within ten minutes of confirming the password. Only owners can grant or revoke the owner role. ' +
      'The last owner cannot be demoted. Open invitations created by the member are ' +
      'withdrawn.',
    pathParams: memberParams,
    body: memberChange,
    responses: { 200: member },
    errors: ['member/not_found', 'member/last_owner', 'session/password_needed'],
    meta: editRoute,
  }),
  removeMember: route({
    method: 'DELETE',
    path: '/api/tenants/:tenantId/members/:memberId',
    summary: 'Remove a member',
    description:
      'Members can remove themselves; owners and admins can remove others, within ten minutes of confirming the password. ' +
      'Only owners can remove an owner. The last owner cannot be removed. Open ' +
      'invitations created by the member are withdrawn.',
    pathParams: memberParams,
    responses: { 200: okReply },
    errors: ['member/not_found', 'member/last_owner', 'session/password_needed', 'tenant/role_required'],
    meta: { ...editRoute, roles: ALL_ROLES },
  }),
  createInvitation: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/invitations',
    summary: 'Create an invitation',
    description:
      'Returns a link that lets one person join with one role, and mails it where the service sends mail. It works once and ' +
      'expires after seven days. An earlier invitation to the same address is withdrawn; an address gets at most five an hour. Only owners can invite owners. ' +
      'Requires a password confirmed within ten minutes. To let a member without a password choose one, ' +
      'invite them again.',
    pathParams: tenantParams,
    body: newInvitation,
    responses: { 201: invitationCreated },
    errors: ['invitation/already_member', 'session/password_needed'],
    meta: {
      ...editRoute,
      limits: [...editRoute.limits, 'tenant/invitations'],
      limitsAfterBody: ['tenant/invited-address'],
      showsSecret: true,
    },
  }),
  listInvitations: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/invitations',
    summary: 'List invitations',
    description: 'Returns open invitations, newest first.',
    pathParams: tenantParams,
    query: z.strictObject(pageQuery),
    responses: { 200: invitationPage },
    meta: { ...readRoute, roles: EDITOR_ROLES },
  }),
  withdrawInvitation: route({
    method: 'DELETE',
    path: '/api/tenants/:tenantId/invitations/:invitationId',
    summary: 'Withdraw an invitation',
    description: 'The link stops working immediately.',
    pathParams: invitationParams,
    responses: { 200: okReply },
    errors: ['invitation/not_found'],
    meta: editRoute,
  }),
  readInvitation: route({
    method: 'POST',
    path: '/api/invitations/read',
    summary: 'Retrieve an invitation',
    description: 'Returns what the invited person sees before accepting.',
    body: invitationReading,
    responses: { 200: invitationView },
    errors: ['invitation/not_found'],
    meta: { credential: 'none', worksReadOnly: true, firstParty: true, limits: ['session/ip-rate-limited'] },
  }),
  readInvitationLink: route({
    method: 'GET',
    path: '/api/invitations/accept',
    summary: 'Check an invitation link',
    description:
      'Returns the invitation, or `invitation/not_found` when it has been used or withdrawn, has expired or never existed. The token ' +
      'travels in a header so that request logs do not record it. Does not reveal whether the address has an account.',
    headers: linkHeader,
    responses: { 200: invitationLink },
    errors: ['invitation/not_found'],
    meta: { credential: 'none', firstParty: true, limits: ['session/ip-rate-limited'] },
  }),
  acceptInvitation: route({
    method: 'POST',
    path: '/api/invitations/accept',
    summary: 'Accept an invitation',
    description:
      'Joins the workspace and signs in. If the account has a second factor, `session/second_factor_asked` says that it has joined, and `GET /api/session/factor` what to prove next. With the password of an account whose address is proved, that account joins. Any other ' +
      'password creates an account of this workspace alone, so the answer does not tell whether the address has an account elsewhere. ' +
      'A link works once, even when it is accepted twice at the same time.',
    body: invitationAcceptance,
    responses: { 200: sessionState },
    errors: ['invitation/not_found', 'session/provider_required', 'session/second_factor_asked'],
    meta: {
      credential: 'none',
      firstParty: true,
      limits: ['session/ip-rate-limited'],
      limitsAfterBody: ['session/sign-in', 'session/account-sign-in'],
    },
  }),
});
