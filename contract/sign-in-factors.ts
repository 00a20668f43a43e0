import { z } from 'zod';
import { moment, namedObject, pattern, text, typeId } from './fields.ts';
import { ACCOUNT_LIMITS } from './limits/accounts.ts';

/** What a person proved to sign in. */

const signInMethod = z.enum(['password', 'oidc', 'passkey']).meta({
  id: 'SignInMethod',
  description: '`oidc`: at an identity provider by OpenID Connect.',
  example: 'password',
});

const secondFactor = z.enum(['passkey', 'totp', 'recovery_code', 'provider']).meta({
  id: 'SecondFactor',
  description:
    '`totp`: a code of an authenticator app. `provider`: the identity provider asked for a second factor.',
  example: 'totp',
});

export const signInFields = {
  signedInWith: signInMethod.optional().describe('Absent for an automation session.'),
  factor: secondFactor
    .optional()
    .describe('The second factor that was proved last. Absent if there was none.'),
};

export const base64url = (charsMax: number) => pattern(/^[A-Za-z0-9_-]+$/, charsMax);

export const passkeyId = typeId('pky', 'A passkey');

export const passkeyDescriptor = namedObject('PasskeyDescriptor', 'A passkey, as browsers name it.', {
  type: z.literal('public-key'),
  id: base64url(1400).meta({ example: 'AbCdEf0123456789' }),
  transports: z
    .array(z.string().max(32).meta({ example: 'internal' }))
    .max(8)
    .optional(),
});

export const passkeyRequest = namedObject(
  'PasskeyRequest',
  'What `PublicKeyCredential.parseRequestOptionsFromJSON` of browsers takes.',
  {
    challenge: base64url(128).meta({ example: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k' }),
    rpId: z.string().max(253).meta({ example: 'guide.example.com' }),
    timeout: z.int32().describe('Milliseconds.').meta({ example: 300_000 }),
    allowCredentials: z
      .array(passkeyDescriptor)
      .max(ACCOUNT_LIMITS.passkeysMax)
      .optional()
      .describe('Absent where any passkey for this service may be used.'),
    userVerification: z.literal('required'),
  },
);

export const passkeySignature = namedObject(
  'PasskeySignature',
  'What the authenticator returned to the browser.',
  {
    id: base64url(1400).meta({ example: 'AbCdEf0123456789' }),
    clientDataJSON: base64url(4000).meta({ example: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0' }),
    authenticatorData: base64url(2000).meta({ example: 'SZYN5YgOjGh0NBcPZHZgW4' }),
    signature: base64url(2000).meta({ example: 'MEUCIQDz' }),
    userHandle: base64url(128).optional().meta({ example: 'dXNyXzAx' }),
  },
);

const code = text(64)
  .describe('A code of the authenticator app, or a recovery code. Spaces, hyphens and case do not matter.')
  .meta({ example: '492039' });

export const proofFields = {
  code: code.optional(),
  passkey: passkeySignature.optional(),
};

export const secondFactorProof = namedObject('SecondFactorProof', 'Either a code or a passkey.', proofFields);

/** The kinds of factors that an account has, other than recovery codes. */
export const accountFactors = z
  .array(z.enum(['passkey', 'totp']))
  .max(2)
  .meta({ example: ['totp'] });

export const secondStep = namedObject('SecondStep', 'What is asked after the password.', {
  factors: accountFactors,
  passkeyRequest: passkeyRequest.optional().describe('Absent if the account has no passkey.'),
  expiresAt: moment,
});

export type PasskeyRequest = z.infer<typeof passkeyRequest>;
export type PasskeySignature = z.infer<typeof passkeySignature>;
export type SecondFactorProof = z.infer<typeof secondFactorProof>;
export type SecondStep = z.infer<typeof secondStep>;
export type SignInMethod = z.infer<typeof signInMethod>;
export type SecondFactor = z.infer<typeof secondFactor>;
