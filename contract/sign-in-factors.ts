import { z } from 'zod';

/** What a person proved to sign in. */

export const signInMethod = z.enum(['password', 'oidc', 'passkey']).meta({
  id: 'SignInMethod',
  description: '`oidc`: at an identity provider by OpenID Connect.',
  example: 'password',
});

export const secondFactor = z.enum(['passkey', 'totp', 'recovery_code', 'provider']).meta({
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

export type SignInMethod = z.infer<typeof signInMethod>;
export type SecondFactor = z.infer<typeof secondFactor>;
