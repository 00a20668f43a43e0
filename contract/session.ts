import { z } from 'zod';
import { automation, sessionId } from './automation-sessions.ts';
import {
  appId,
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
import { AREAS, route, router } from './route.ts';
import { accountFactors, proofFields, signInFields } from './sign-in-factors.ts';

const userId = typeId('usr', 'A user');

/** Rejects oversized passwords early; the rules for new passwords are stricter. */
const PASSWORD_UNITS_MAX = 1024;
const passwordText = text(PASSWORD_UNITS_MAX);
const currentPasswordField = passwordText.meta({
  example: 'violet spoon under the desk',
});
export const newPassword = passwordText
  .describe(
    `The new password: ${ACCOUNT_LIMITS.passwordCharsMin} to ${ACCOUNT_LIMITS.passwordCharsMax} characters that are hard to guess.`,
  )
  .meta({ example: 'violet spoon under the desk' });

const sessionMembership = namedObject('SessionMembership', 'Membership of a user in a workspace.', {
  tenantId: workspaceId,
  appId,
  name: z.string().max(WORKSPACE_LIMITS.workspaceNameCharsMax).meta({ example: 'Shop' }),
  memberId,
  role: memberRole,
  closed: z
    .boolean()
    .optional()
    .describe(
      'True if the workspace requires its identity provider, which this session was opened without. Absent otherwise.',
    ),
  needsSecondFactor: z
    .boolean()
    .describe(
      'Whether the workspace refuses this session until the user sets up or confirms a second factor.',
    ),
});

export const MEMBERSHIPS_SHOWN_MAX = 1000;

export const sessionState = namedObject(
  'SessionState',
  "The signed-in user, the session and the user's workspaces.",
  {
    userId,
    email,
    sessionId,
    createdAt: moment,
    expiresAt: moment.describe('When the session expires. It ends earlier if unused.'),
    freshUntil: moment.describe(
      'Until when actions that require a recent password are allowed. May be in the past.',
    ),
    ...signInFields,
    secondFactors: accountFactors.describe('The second factors that the account has.'),
    memberships: z
      .array(sessionMembership)
      .max(MEMBERSHIPS_SHOWN_MAX)
      .describe("The user's workspaces, oldest membership first. An automation session has only its own."),
    automation: automation.optional().describe('Absent unless it is an automation session.'),
  },
);

const signInRequest = namedObject('SignInRequest', 'Email address and password.', {
  email,
  password: currentPasswordField,
});

const passwordConfirmation = namedObject(
  'PasswordConfirmation',
  'The password of the signed-in user, with a code if the account has a second factor; or a passkey alone. Who signed in ' +
    'at an identity provider may send a code alone.',
  { password: currentPasswordField.optional(), ...proofFields },
);

const signedInDevice = namedObject('SignedInDevice', 'A session of the user.', {
  id: sessionId,
  device: z
    .string()
    .max(64)
    .describe('Browser and operating system, or the name of an automation session.')
    .meta({ example: 'Firefox on Linux' }),
  createdAt: moment,
  lastSeenAt: moment.describe('When the session was last used, to the minute.'),
  expiresAt: moment.describe('When the session expires. It ends earlier if unused.'),
  ...signInFields,
  current: z.boolean(),
  automation: automation.optional().describe('Absent unless it is an automation session.'),
});

const passwordChangeRequest = namedObject('PasswordChangeRequest', 'The current and the new password.', {
  currentPassword: currentPasswordField,
  newPassword: newPassword.meta({ example: 'eleven green lamps at dusk' }),
});

const setUpRequest = namedObject('SetUpRequest', 'The first owner and the first workspace.', {
  token: text(128)
    .regex(/^[A-Za-z0-9_-]+$/)
    .describe('The token after `#token=` in the setup URL that the service prints on startup.')
    .meta({ example: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k' }),
  email,
  password: newPassword,
  workspaceName: text(WORKSPACE_LIMITS.workspaceNameCharsMax)
    .describe('Visible to visitors and members. Extra white space is removed.')
    .meta({ example: 'The bicycle shop' }),
  allowedOrigins: z
    .array(
      text(512)
        .describe(
          'An origin such as https://shop.example.com, or https://*.shop.example.com for all its subdomains.',
        )
        .meta({ example: 'https://shop.example.com' }),
    )
    .min(1)
    .max(WORKSPACE_LIMITS.allowedOriginsMax)
    .describe('Origins where the guide may be embedded.'),
  sourceLocale: z
    .string()
    .min(2)
    .max(64)
    .regex(/^[A-Za-z0-9-]+$/)
    .default('en')
    .meta({ description: 'Language of the articles, a BCP 47 tag.', example: 'en' }),
});

const setupLink = namedObject('SetupLink', 'A set-up link that is still valid.', { expiresAt: moment });

export type SessionState = z.infer<typeof sessionState>;
export type SetupLink = z.infer<typeof setupLink>;
export type SetUpRequest = z.infer<typeof setUpRequest>;

/** Of routes about the signed-in user. */
export const ownAccountMeta = {
  credential: 'session',
  unauthorized: 'session/unauthorized',
  limits: ['session/account-burst'],
  limitsWithoutCredential: ['session/ip-rate-limited'],
} as const;
const passwordLimits = ['session/device-sign-in'] as const;

export const session = router('Session', {
  signIn: route({
    method: 'POST',
    path: '/api/session',
    summary: 'Sign in',
    description: `Creates a session and sets its cookie. If the account has a second factor, \`session/second_factor_asked\` says that the password is right, and \`GET /api/session/factor\` what to prove next. Unknown addresses and wrong passwords return the same error after the same time. Each user keeps the newest ${ACCOUNT_LIMITS.sessionsPerAccountMax} sessions.`,
    body: signInRequest,
    responses: { 200: sessionState },
    errors: ['session/wrong_credentials', 'session/provider_required', 'session/second_factor_asked'],
    meta: {
      credential: 'none',
      firstParty: true,
      limits: ['session/ip-rate-limited'],
      limitsAfterBody: [...passwordLimits, 'session/sign-in', 'session/account-sign-in'],
    },
  }),
  readSession: route({
    method: 'GET',
    path: '/api/session',
    summary: 'Retrieve the current session',
    description: "Returns the signed-in user and the user's workspaces.",
    responses: { 200: sessionState },
    meta: { ...ownAccountMeta, areas: AREAS },
  }),
  signOut: route({
    method: 'DELETE',
    path: '/api/session',
    summary: 'Sign out',
    description: 'Ends the session on the server and clears its cookie.',
    responses: { 200: okReply },
    meta: { ...ownAccountMeta, areas: AREAS, alwaysServed: true },
  }),
  confirmPassword: route({
    method: 'POST',
    path: '/api/session/confirm',
    summary: 'Confirm the password',
    description:
      'Some endpoints require the password, and a second factor if the account has one, to have been confirmed within the last ten minutes. The ' +
      'session continues with a new cookie; the old one stops working immediately.',
    body: passwordConfirmation,
    responses: { 200: sessionState },
    errors: [
      'session/wrong_credentials',
      'session/wrong_factor',
      'session/step_ended',
      'session/second_factor_needed',
    ],
    meta: { ...ownAccountMeta, bodyBytesMax: 16_384, limitsAfterBody: passwordLimits },
  }),
  listSessions: route({
    method: 'GET',
    path: '/api/sessions',
    summary: 'List sessions',
    description: "Returns the user's sessions on all devices, newest first.",
    query: z.strictObject(pageQuery),
    responses: { 200: buildPage('SessionPage', signedInDevice) },
    meta: ownAccountMeta,
  }),
  revokeSession: route({
    method: 'DELETE',
    path: '/api/sessions/:sessionId',
    summary: 'Revoke a session',
    description:
      "Ends one of the user's sessions immediately. Revoking the current session also clears its " +
      'cookie.',
    pathParams: z.strictObject({ sessionId }),
    responses: { 200: okReply },
    errors: ['session/not_found'],
    meta: ownAccountMeta,
  }),
  changePassword: route({
    method: 'PUT',
    path: '/api/password',
    summary: 'Change the password',
    description:
      'Ends all other sessions of the user, automation sessions too; the current one continues with a new cookie. An account with a ' +
      'second factor must have proved it within ten minutes. A password ' +
      "that is too easy to guess returns `request/invalid` with the reason in the issue's code. The " +
      "change is recorded in the audit log of each of the user's workspaces.",
    body: passwordChangeRequest,
    responses: { 200: okReply },
    errors: ['session/wrong_credentials', 'session/password_needed'],
    meta: { ...ownAccountMeta, limitsAfterBody: passwordLimits },
  }),
  readSetupLink: route({
    method: 'GET',
    path: '/api/setup',
    summary: 'Check a setup link',
    description:
      'Returns when the link expires, or `setup/not_found` when it has been used, has expired or never existed. The token travels in ' +
      'a header so that request logs do not record it.',
    headers: linkHeader,
    responses: { 200: setupLink },
    errors: ['setup/not_found'],
    meta: { credential: 'none', firstParty: true, limits: ['session/ip-rate-limited'] },
  }),
  setUp: route({
    method: 'POST',
    path: '/api/setup',
    summary: 'Set up the service',
    description:
      'Creates the first workspace and its owner, with the link that the service prints on startup ' +
      'while there are no users. The owner is signed in and also becomes owner of workspaces without ' +
      'members. Works once.',
    body: setUpRequest,
    responses: { 201: sessionState },
    errors: ['setup/not_found'],
    meta: { credential: 'none', firstParty: true, limits: ['session/ip-rate-limited'] },
  }),
});
