import { z } from 'zod';
import {
  appId,
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

/** Signing in to the dashboard, the sessions of one person, their password, and the very first owner. */

const userId = z
  .string()
  .regex(typeId('usr'))
  .max(30)
  .describe('A person who can sign in: a TypeID with the prefix usr.')
  .meta({ example: 'usr_01kakv2fxse7wtg6x5r0h8rjbm' });

const sessionId = z
  .string()
  .regex(typeId('ses'))
  .max(30)
  .describe('Somebody signed in on one device: a TypeID with the prefix ses.')
  .meta({ example: 'ses_01kakv2fxse7wtg6x5r0h8rjbm' });

/** What is too long for any password is refused before it is looked at; the rules of new ones say more. */
const PASSWORD_UNITS_MAX = 1024;
const passwordText = z.string().min(1).max(PASSWORD_UNITS_MAX);
const givenPassword = passwordText.describe('The password of the person, exactly as it was chosen.').meta({
  example: 'violet spoon under the desk',
});
const newPassword = passwordText
  .describe(
    `The password to have from now on: ${LIMITS.passwordCharsMin} to ${LIMITS.passwordCharsMax} characters that nobody would guess.`,
  )
  .meta({ example: 'violet spoon under the desk' });

const sessionMembership = z
  .strictObject({
    tenantId: workspaceId,
    appId,
    name: z
      .string()
      .max(LIMITS.workspaceNameCharsMax)
      .describe('The name of the workspace, as its owners wrote it.')
      .meta({ example: 'Shop' }),
    memberId,
    role: memberRole,
  })
  .meta({ id: 'SessionMembership', description: 'A workspace that the person belongs to, and as what.' });

export const MEMBERSHIPS_SHOWN_MAX = 1000;

export const sessionState = z
  .strictObject({
    userId,
    email,
    sessionId,
    createdAt: moment.describe('When this session began.'),
    expiresAt: moment.describe('When this session ends at the latest; it ends earlier when it is not used.'),
    freshUntil: moment.describe(
      'Until when the password counts as given just now, as some routes ask for; it may lie in the past.',
    ),
    memberships: z
      .array(sessionMembership)
      .max(MEMBERSHIPS_SHOWN_MAX)
      .describe('The workspaces that the person belongs to, oldest membership first.'),
  })
  .meta({ id: 'SessionState', description: 'Who is signed in, until when, and in which workspaces.' });

export const signInRequest = z
  .strictObject({ email, password: givenPassword })
  .meta({ id: 'SignInRequest', description: 'The address and the password of somebody who signs in.' });

export const passwordConfirmation = z.strictObject({ password: givenPassword }).meta({
  id: 'PasswordConfirmation',
  description: 'The password of the person who is signed in, once more.',
});

export const signedInDevice = z
  .strictObject({
    id: sessionId,
    device: z
      .string()
      .max(64)
      .describe('The browser and the system in a few words, as the browser named them.')
      .meta({ example: 'Firefox on Linux' }),
    createdAt: moment.describe('When this session began.'),
    lastSeenAt: moment.describe('When this session was used last, to the minute.'),
    expiresAt: moment.describe('When this session ends at the latest; it ends earlier when it is not used.'),
    current: z.boolean().describe('True for the session that asks.'),
  })
  .meta({ id: 'SignedInDevice', description: 'One session of the person: where they are signed in.' });

export const passwordChangeRequest = z
  .strictObject({ currentPassword: givenPassword, newPassword })
  .meta({ id: 'PasswordChangeRequest', description: 'The password as it is, and as it shall be.' });

export const setUpRequest = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(128)
      .regex(/^[A-Za-z0-9_-]+$/)
      .describe('What stands behind #token= in the set-up address that the service prints at its start.')
      .meta({ example: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k' }),
    email: email.describe('The address that the first owner signs in with.'),
    password: newPassword,
    workspaceName: z
      .string()
      .min(1)
      .max(LIMITS.workspaceNameCharsMax)
      .describe('What visitors and members see; white space is tidied.')
      .meta({ example: 'The bicycle shop' }),
    allowedOrigins: z
      .array(
        z
          .string()
          .min(1)
          .max(512)
          .describe(
            'An origin such as https://shop.example, or https://*.shop.example for every host below it.',
          )
          .meta({ example: 'https://shop.example' }),
      )
      .min(1)
      .max(LIMITS.allowedOriginsMax)
      .describe('The origins that the guide may be embedded in.'),
    sourceLocale: z
      .string()
      .min(2)
      .max(64)
      .regex(/^[A-Za-z0-9-]+$/)
      .default('en')
      .describe('The language that articles are written in, a BCP 47 tag.')
      .meta({ example: 'en' }),
  })
  .meta({ id: 'SetUpRequest', description: 'The first owner, and the first workspace.' });

export const setupLink = z
  .strictObject({ expiresAt: moment.describe('When the link stops working.') })
  .meta({ id: 'SetupLink', description: 'A set-up link that still works.' });

export type SessionState = z.infer<typeof sessionState>;
export type SetupLink = z.infer<typeof setupLink>;
export type SetUpRequest = z.infer<typeof setUpRequest>;

const ofOneself = {
  tag: 'Session',
  credential: 'session',
  unauthorized: 'session/unauthorized',
  limits: ['session/account-burst'],
  limitsWithoutCredential: ['session/ip-rate-limited'],
} as const;
const guarded = ['session/sign-in', 'session/account-sign-in'] as const;

export const session = router({
  signIn: route({
    method: 'POST',
    path: '/api/session',
    summary: 'Sign in',
    description:
      'Begins a session and sets its cookie. An unknown address and a wrong password are refused alike, after the same time. Of one ' +
      `person's sessions the newest ${LIMITS.sessionsPerAccountMax} go on.`,
    body: signInRequest,
    answers: { 200: sessionState },
    errors: ['session/wrong_credentials', 'server/overloaded'],
    meta: {
      operationId: 'signIn',
      tag: 'Session',
      credential: 'none',
      firstParty: true,
      limits: ['session/ip-rate-limited'],
      limitsAfterBody: guarded,
    },
  }),
  readSession: route({
    method: 'GET',
    path: '/api/session',
    summary: 'Read who is signed in',
    description: 'Answers with the person behind the session cookie and the workspaces that they belong to.',
    answers: { 200: sessionState },
    errors: [],
    meta: { ...ofOneself, operationId: 'readSession' },
  }),
  signOut: route({
    method: 'DELETE',
    path: '/api/session',
    summary: 'Sign out',
    description: 'Ends this session at once, on the server too, and clears its cookie.',
    answers: { 200: okReply },
    errors: [],
    meta: { ...ofOneself, operationId: 'signOut' },
  }),
  confirmPassword: route({
    method: 'POST',
    path: '/api/session/confirm',
    summary: 'Give the password again',
    description:
      'Some routes ask for a password that was given within the last ten minutes. The session goes on under a new cookie; the old one ' +
      'stops at once.',
    body: passwordConfirmation,
    answers: { 200: sessionState },
    errors: ['session/wrong_credentials', 'server/overloaded'],
    meta: { ...ofOneself, operationId: 'confirmPassword', limitsAfterBody: guarded },
  }),
  listSessions: route({
    method: 'GET',
    path: '/api/sessions',
    summary: 'List where one is signed in',
    description: "The person's sessions on all devices, newest first.",
    query: z.strictObject(pageQuery),
    answers: { 200: pageOf('SessionPage', signedInDevice, 'where the person is signed in, newest first') },
    errors: [],
    meta: { ...ofOneself, operationId: 'listSessions' },
  }),
  revokeSession: route({
    method: 'DELETE',
    path: '/api/sessions/:sessionId',
    summary: 'Sign out on another device',
    description:
      'Ends one session of the person at once. It may be the one that asks; then its cookie is cleared.',
    pathParams: z.strictObject({ sessionId }),
    answers: { 200: okReply },
    errors: ['session/not_found'],
    meta: { ...ofOneself, operationId: 'revokeSession' },
  }),
  changePassword: route({
    method: 'PUT',
    path: '/api/password',
    summary: 'Change the password',
    description:
      'Every other session of the person ends; this one goes on under a new cookie. A password that is too easy to guess is ' +
      '`request/invalid`, and the code of the issue says why. Every workspace of the person notes it in its audit.',
    body: passwordChangeRequest,
    answers: { 200: okReply },
    errors: ['session/wrong_credentials', 'server/overloaded'],
    meta: { ...ofOneself, operationId: 'changePassword', limitsAfterBody: guarded },
  }),
  readSetupLink: route({
    method: 'GET',
    path: '/api/setup',
    summary: 'Check a set-up link',
    description:
      'Returns when the link expires, or `setup/not_found` when it has been used, has expired or never existed. The token travels in ' +
      'a header so that request logs do not record it.',
    headers: linkHeader,
    answers: { 200: setupLink },
    errors: ['setup/not_found'],
    meta: {
      operationId: 'readSetupLink',
      tag: 'Session',
      credential: 'none',
      firstParty: true,
      limits: ['session/ip-rate-limited'],
    },
  }),
  setUp: route({
    method: 'POST',
    path: '/api/setup',
    summary: 'Create the first owner',
    description:
      'With the link that the service prints at its start while nobody can sign in: creates the first workspace and its owner, who is ' +
      'signed in and owns every workspace that has no members too. Works once; afterwards no link works.',
    body: setUpRequest,
    answers: { 201: sessionState },
    errors: ['setup/not_found', 'server/overloaded'],
    meta: {
      operationId: 'setUp',
      tag: 'Session',
      credential: 'none',
      firstParty: true,
      limits: ['session/ip-rate-limited'],
    },
  }),
});
