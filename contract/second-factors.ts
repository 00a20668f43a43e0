import { z } from 'zod';
import { moment, namedObject, okReply, text } from './fields.ts';
import { ACCOUNT_LIMITS } from './limits/accounts.ts';
import { route, router } from './route.ts';
import { ownAccountMeta, sessionState } from './session.ts';
import {
  base64url,
  passkeyDescriptor,
  passkeyId,
  passkeyRequest,
  passkeySignature,
  secondFactorProof,
  secondStep,
} from './sign-in-factors.ts';

/** Passkeys, authenticator apps and recovery codes: how they are set up, and how they sign in. */

const passkeyName = text(ACCOUNT_LIMITS.passkeyNameCharsMax)
  .describe('Extra white space is removed.')
  .meta({ example: 'Laptop' });

const passkey = namedObject('Passkey', 'A passkey of the user.', {
  id: passkeyId,
  name: z.string().max(ACCOUNT_LIMITS.passkeyNameCharsMax).meta({ example: 'Laptop' }),
  createdAt: moment,
  lastUsedAt: moment.optional().describe('Absent until it is used.'),
});

const recoveryCode = z.string().max(32).meta({ example: 'K7Q2-9XTM-4HVC-B3RW' });
const recoveryCodes = z
  .array(recoveryCode)
  .max(ACCOUNT_LIMITS.recoveryCodes)
  .describe('Each signs in once in place of the second factor. Shown only once.');

const secondFactors = namedObject('SecondFactors', 'The second factors of the user.', {
  passkeys: z.array(passkey).max(ACCOUNT_LIMITS.passkeysMax).describe('Oldest first.'),
  authenticatorApp: namedObject('AuthenticatorApp', 'An app that computes codes (RFC 6238).', {
    createdAt: moment,
  })
    .optional()
    .describe('Absent if there is none.'),
  recoveryCodesLeft: z.int32().min(0).max(ACCOUNT_LIMITS.recoveryCodes).meta({ example: 10 }),
  required: z.boolean().describe('Whether a workspace of the user requires one, so that the last one stays.'),
});

const passkeyCreation = namedObject(
  'PasskeyCreation',
  'What `PublicKeyCredential.parseCreationOptionsFromJSON` of browsers takes.',
  {
    rp: namedObject('PasskeyService', 'The service that the passkey is for.', {
      id: z.string().max(253).meta({ example: 'guide.example.com' }),
      name: z.string().max(64).meta({ example: 'Guidepost' }),
    }),
    user: namedObject('PasskeyUser', 'The account that the passkey is for.', {
      id: base64url(128).meta({ example: 'dXNyXzAx' }),
      name: z.string().max(320).meta({ example: 'ada@shop.example' }),
      displayName: z.string().max(320).meta({ example: 'ada@shop.example' }),
    }),
    challenge: base64url(128).meta({ example: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k' }),
    pubKeyCredParams: z
      .array(
        namedObject('PasskeyAlgorithm', 'An algorithm that the service verifies, by its COSE number.', {
          type: z.literal('public-key'),
          alg: z.int32().meta({ example: -7 }),
        }),
      )
      .max(10),
    timeout: z.int32().describe('Milliseconds.').meta({ example: 300_000 }),
    excludeCredentials: z.array(passkeyDescriptor).max(ACCOUNT_LIMITS.passkeysMax),
    authenticatorSelection: namedObject('PasskeySelection', 'What the authenticator must be able to do.', {
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    attestation: z.literal('none'),
  },
);

const newPasskey = namedObject('NewPasskey', 'A passkey that the browser has made with the options.', {
  name: passkeyName,
  id: base64url(1400).meta({ example: 'AbCdEf0123456789' }),
  clientDataJSON: base64url(4000).meta({ example: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0' }),
  attestationObject: base64url(8000).meta({ example: 'o2NmbXRkbm9uZQ' }),
  transports: z
    .array(text(32).meta({ example: 'internal' }))
    .max(8)
    .optional(),
});

const passkeyAdded = namedObject('PasskeyAdded', 'The new passkey.', {
  passkey,
  recoveryCodes: recoveryCodes.optional().describe('With the first factor only. Shown only once.'),
});

const passkeyChange = namedObject('PasskeyChange', 'The new name.', { name: passkeyName });

const appSecret = namedObject('AuthenticatorAppSecret', 'What the app needs. It is not in use yet.', {
  secret: z.string().max(64).meta({ description: 'In base32.', example: 'JBSWY3DPEHPK3PXP' }),
  uri: z.string().max(1000).describe('For a QR code.').meta({
    example: 'otpauth://totp/Guidepost:ada%40shop.example?secret=JBSWY3DPEHPK3PXP&issuer=Guidepost',
  }),
});

const appCode = namedObject('AuthenticatorAppCode', 'A code that the app shows.', {
  code: text(16).meta({ example: '492039' }),
});

const appAdded = namedObject('AuthenticatorAppAdded', 'The app is in use.', {
  recoveryCodes: recoveryCodes.optional().describe('With the first factor only. Shown only once.'),
});

const newCodes = namedObject('RecoveryCodes', 'New recovery codes.', { recoveryCodes });

export type SecondFactors = z.infer<typeof secondFactors>;
export type ShownPasskey = z.infer<typeof passkey>;
export type NewPasskey = z.infer<typeof newPasskey>;

const freshMeta = { ...ownAccountMeta, freshPassword: true } as const;
const strangerMeta = { credential: 'none', firstParty: true, limits: ['session/ip-rate-limited'] } as const;
const pathParams = z.strictObject({ passkeyId });

export const secondFactorRoutes = router('Session', {
  readSecondFactors: route({
    method: 'GET',
    path: '/api/second-factors',
    summary: 'List second factors',
    description: "Returns the user's passkeys and authenticator app, without their secrets.",
    responses: { 200: secondFactors },
    meta: ownAccountMeta,
  }),
  startPasskey: route({
    method: 'POST',
    path: '/api/passkey-options',
    summary: 'Start to add a passkey',
    description: `Returns what the browser makes the passkey with. Works once, in this browser, for ${ACCOUNT_LIMITS.factorStepSeconds / 60} minutes.`,
    body: null,
    responses: { 200: passkeyCreation },
    meta: freshMeta,
  }),
  addPasskey: route({
    method: 'POST',
    path: '/api/passkeys',
    summary: 'Add a passkey',
    description:
      'Adds the passkey that the browser made. It signs in alone, and after a password. The user is told by mail.',
    body: newPasskey,
    responses: { 201: passkeyAdded },
    errors: ['session/step_ended', 'session/wrong_factor', 'passkey/taken', 'passkey/too_many'],
    meta: { ...ownAccountMeta, bodyBytesMax: 16_384 },
  }),
  renamePasskey: route({
    method: 'PATCH',
    path: '/api/passkeys/:passkeyId',
    summary: 'Rename a passkey',
    description: 'Changes the name that the user sees.',
    pathParams,
    body: passkeyChange,
    responses: { 200: passkey },
    errors: ['passkey/not_found'],
    meta: ownAccountMeta,
  }),
  removePasskey: route({
    method: 'DELETE',
    path: '/api/passkeys/:passkeyId',
    summary: 'Remove a passkey',
    description: 'Recovery codes go with the last factor. The user is told by mail.',
    pathParams,
    responses: { 200: okReply },
    errors: ['passkey/not_found', 'session/last_factor'],
    meta: freshMeta,
  }),
  startAuthenticatorApp: route({
    method: 'POST',
    path: '/api/authenticator-app/options',
    summary: 'Start to set up an authenticator app',
    description: `Returns a secret for the app. It is in use once a code proves it, in this browser, within ${ACCOUNT_LIMITS.factorStepSeconds / 60} minutes.`,
    body: null,
    responses: { 200: appSecret },
    meta: freshMeta,
  }),
  addAuthenticatorApp: route({
    method: 'PUT',
    path: '/api/authenticator-app',
    summary: 'Set up an authenticator app',
    description: 'Takes a code of the app, which replaces an earlier one. The user is told by mail.',
    body: appCode,
    responses: { 200: appAdded },
    errors: ['session/step_ended', 'session/wrong_factor'],
    meta: { ...ownAccountMeta, limitsAfterBody: ['session/device-sign-in'] },
  }),
  removeAuthenticatorApp: route({
    method: 'DELETE',
    path: '/api/authenticator-app',
    summary: 'Remove the authenticator app',
    description: 'Recovery codes go with the last factor. The user is told by mail.',
    responses: { 200: okReply },
    errors: ['authenticator_app/not_found', 'session/last_factor'],
    meta: freshMeta,
  }),
  renewRecoveryCodes: route({
    method: 'POST',
    path: '/api/recovery-codes',
    summary: 'Renew the recovery codes',
    description: 'Earlier codes stop working. Needs a second factor that they can stand in for.',
    body: null,
    responses: { 200: newCodes },
    errors: ['session/second_factor_needed'],
    meta: freshMeta,
  }),
  startPasskeySignIn: route({
    method: 'POST',
    path: '/api/session/passkey/options',
    summary: 'Start to sign in with a passkey',
    description: `Returns what the browser asks for a passkey with, to sign in or to confirm. Works once, in this browser, for ${ACCOUNT_LIMITS.factorStepSeconds / 60} minutes.`,
    body: null,
    responses: { 200: passkeyRequest },
    meta: strangerMeta,
  }),
  signInWithPasskey: route({
    method: 'POST',
    path: '/api/session/passkey',
    summary: 'Sign in with a passkey',
    description:
      'Creates a session and sets its cookie. The passkey is both factors, so nothing else is asked.',
    body: passkeySignature,
    responses: { 200: sessionState },
    errors: ['session/step_ended', 'session/wrong_factor'],
    meta: { ...strangerMeta, bodyBytesMax: 16_384 },
  }),
  readSecondStep: route({
    method: 'GET',
    path: '/api/session/factor',
    summary: 'Retrieve what is asked after the password',
    description: 'Returns the second factors that complete the sign-in which has begun in this browser.',
    responses: { 200: secondStep },
    errors: ['session/step_ended'],
    meta: strangerMeta,
  }),
  completeSignIn: route({
    method: 'POST',
    path: '/api/session/factor',
    summary: 'Complete a sign-in',
    description:
      'Takes the second factor after a password. Creates a session and sets its cookie. Wrong and used codes return the same error.',
    body: secondFactorProof,
    responses: { 200: sessionState },
    errors: ['session/step_ended', 'session/wrong_factor'],
    meta: {
      ...strangerMeta,
      bodyBytesMax: 16_384,
      limitsAfterBody: ['session/device-sign-in', 'session/factor', 'session/account-factor'],
    },
  }),
});
