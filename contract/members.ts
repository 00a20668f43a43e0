import { z } from 'zod';
import {
  actor,
  email,
  linkHeader,
  memberId,
  memberRole,
  moment,
  okReply,
  pageOf,
  pageQuery,
  typeId,
  workspaceId,
} from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { changing, EVERYBODY, reading, WHO_CHANGES } from './route-presets.ts';
import { sessionState } from './session.ts';

/** Who belongs to a workspace, and how somebody comes to belong to it. */

const invitationId = z
  .string()
  .regex(typeId('inv'))
  .max(30)
  .describe('An invitation to the workspace: a TypeID with the prefix inv.')
  .meta({ example: 'inv_01kakv2fxse7wtg6x5r0h8rjbm' });

const invitationToken = z
  .string()
  .min(1)
  .max(128)
  .describe('What follows #token= in the link of the invitation.')
  .meta({ example: 'mBv0c3bUQ8bq0f1nV5r2wQH1m0C3Ck2dZk1tJq6r5bE' });

export const member = z
  .strictObject({
    id: memberId,
    email,
    role: memberRole,
    createdAt: moment.describe('When the member joined the workspace.'),
    self: z.boolean().describe('Whether this is the member who asks.'),
  })
  .meta({ id: 'Member', description: 'Somebody who belongs to the workspace.' });

export const memberPage = pageOf('MemberPage', member, 'members of the workspace, oldest first');

export const memberChange = z
  .strictObject({ role: memberRole })
  .meta({ id: 'MemberChange', description: 'The role that a member is to have.' });

const invitationFields = {
  id: invitationId,
  email: email.describe('The address that is invited, in lower case.'),
  role: memberRole,
  invitedBy: actor,
  createdAt: moment.describe('When the invitation was made.'),
  expiresAt: moment.describe('When its link stops working.'),
};

export const invitation = z
  .strictObject(invitationFields)
  .meta({ id: 'Invitation', description: 'An open invitation to the workspace, without its link.' });

export const invitationCreated = z
  .strictObject({
    ...invitationFields,
    link: z
      .string()
      .max(2048)
      .describe('The address to hand to the invited person; it works once. It is shown here and never again.')
      .meta({
        format: 'uri',
        example:
          'https://guide.example/dashboard/invitation#token=mBv0c3bUQ8bq0f1nV5r2wQH1m0C3Ck2dZk1tJq6r5bE',
      }),
  })
  .meta({
    id: 'InvitationCreated',
    description: 'A new invitation with its link, which is shown this once.',
  });

export const newInvitation = z
  .strictObject({
    email: email.describe('The address of the person to invite; upper and lower case are the same.'),
    role: memberRole,
  })
  .meta({ id: 'NewInvitation', description: 'Whom to invite, and as what.' });

export const invitationPage = pageOf(
  'InvitationPage',
  invitation,
  'open invitations of the workspace, newest first',
);

export const invitationReading = z
  .strictObject({ token: invitationToken })
  .meta({ id: 'InvitationReading', description: 'Whose link somebody has followed.' });

const invitationLinkFields = {
  workspaceName: z
    .string()
    .max(LIMITS.workspaceNameCharsMax)
    .describe('The name of the workspace.')
    .meta({ example: 'The bicycle shop' }),
  email: email.describe('The invited email address, in lower case.'),
  role: memberRole,
  expiresAt: moment.describe('When the link stops working.'),
};

export const invitationLink = z
  .strictObject(invitationLinkFields)
  .meta({ id: 'InvitationLink', description: 'An invitation link that still works.' });

export const invitationView = z
  .strictObject({
    ...invitationLinkFields,
    hasAccount: z
      .boolean()
      .describe('True: accept with the password of the account. False: accept with a new password.'),
  })
  .meta({ id: 'InvitationView', description: 'What an invitation is for, as its holder sees it.' });

export const invitationAcceptance = z
  .strictObject({
    token: invitationToken,
    password: z
      .string()
      .min(1)
      .max(LIMITS.passwordCharsMax * 8)
      .describe('The password of the account; where there is none yet, the one to choose for it.')
      .meta({ example: 'correct horse battery staple' }),
  })
  .meta({ id: 'InvitationAcceptance', description: 'Whose link somebody accepts, with a password.' });

export type ShownMember = z.infer<typeof member>;
export type ShownInvitation = z.infer<typeof invitation>;

const tenantParams = z.strictObject({ tenantId: workspaceId });
const memberParams = z.strictObject({ tenantId: workspaceId, memberId });
const invitationParams = z.strictObject({ tenantId: workspaceId, invitationId });

export const members = router({
  listMembers: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/members',
    summary: 'List the members of a workspace',
    description: 'Everybody who belongs to the workspace, oldest first.',
    pathParams: tenantParams,
    query: z.strictObject(pageQuery),
    answers: { 200: memberPage },
    errors: [],
    meta: { ...reading, tag: 'Members', operationId: 'listMembers' },
  }),
  changeMemberRole: route({
    method: 'PATCH',
    path: '/api/tenants/:tenantId/members/:memberId',
    summary: 'Change the role of a member',
    description:
      'Only an owner makes an owner or lowers one, and only after giving the password within the last ten minutes. The last owner stays ' +
      'one. Open invitations that the member made lapse.',
    pathParams: memberParams,
    body: memberChange,
    answers: { 200: member },
    errors: ['member/not_found', 'member/last_owner', 'session/password_needed'],
    meta: { ...changing, tag: 'Members', operationId: 'changeMemberRole' },
  }),
  removeMember: route({
    method: 'DELETE',
    path: '/api/tenants/:tenantId/members/:memberId',
    summary: 'Remove a member, or leave',
    description:
      'Everybody may leave; owners and admins remove others. Only an owner removes an owner, and for an owner the password has to have ' +
      'been given within the last ten minutes. The last owner stays. Open invitations that the member made lapse.',
    pathParams: memberParams,
    answers: { 200: okReply },
    errors: ['member/not_found', 'member/last_owner', 'session/password_needed', 'tenant/role_required'],
    meta: { ...changing, tag: 'Members', operationId: 'removeMember', roles: EVERYBODY },
  }),
  createInvitation: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/invitations',
    summary: 'Invite somebody',
    description:
      'Answers with a link that lets one person join with one role, once and within seven days. An earlier invitation of the same address ' +
      'lapses. Only an owner invites an owner, after giving the password within the last ten minutes. A member who has no password yet ' +
      'is invited again to choose one.',
    pathParams: tenantParams,
    body: newInvitation,
    answers: { 201: invitationCreated },
    errors: ['invitation/already_member', 'session/password_needed'],
    meta: { ...changing, tag: 'Members', operationId: 'createInvitation' },
  }),
  listInvitations: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/invitations',
    summary: 'List the open invitations of a workspace',
    description: 'Invitations that were neither accepted nor withdrawn and have not expired, newest first.',
    pathParams: tenantParams,
    query: z.strictObject(pageQuery),
    answers: { 200: invitationPage },
    errors: [],
    meta: { ...reading, tag: 'Members', operationId: 'listInvitations', roles: WHO_CHANGES },
  }),
  withdrawInvitation: route({
    method: 'DELETE',
    path: '/api/tenants/:tenantId/invitations/:invitationId',
    summary: 'Withdraw an invitation',
    description: 'Its link stops working at once.',
    pathParams: invitationParams,
    answers: { 200: okReply },
    errors: ['invitation/not_found'],
    meta: { ...changing, tag: 'Members', operationId: 'withdrawInvitation' },
  }),
  readInvitation: route({
    method: 'POST',
    path: '/api/invitations/read',
    summary: 'Read an invitation by its link',
    description: 'What the page of the link shows before the invited person accepts.',
    body: invitationReading,
    answers: { 200: invitationView },
    errors: ['invitation/not_found'],
    meta: {
      operationId: 'readInvitation',
      tag: 'Members',
      credential: 'none',
      promisesNoWrite: true,
      firstParty: true,
      limits: ['session/ip-rate-limited'],
    },
  }),
  readInvitationLink: route({
    method: 'GET',
    path: '/api/invitations/accept',
    summary: 'Check an invitation link',
    description:
      'Returns the invitation, or `invitation/not_found` when it has been used or withdrawn, has expired or never existed. The token ' +
      'travels in a header so that request logs do not record it. Does not reveal whether the address has an account.',
    headers: linkHeader,
    answers: { 200: invitationLink },
    errors: ['invitation/not_found'],
    meta: {
      operationId: 'readInvitationLink',
      tag: 'Members',
      credential: 'none',
      firstParty: true,
      limits: ['session/ip-rate-limited'],
    },
  }),
  acceptInvitation: route({
    method: 'POST',
    path: '/api/invitations/accept',
    summary: 'Accept an invitation',
    description:
      'Joins the workspace and signs in. Who has an account gives its password; who has none chooses one by the same rules as everywhere. ' +
      'A link works once: of two that accept it at the same time, one does.',
    body: invitationAcceptance,
    answers: { 200: sessionState },
    errors: ['invitation/not_found', 'session/wrong_credentials', 'server/overloaded'],
    meta: {
      operationId: 'acceptInvitation',
      tag: 'Members',
      credential: 'none',
      firstParty: true,
      limits: ['session/ip-rate-limited'],
      limitsAfterBody: ['session/sign-in', 'session/account-sign-in'],
    },
  }),
});
