import { z } from 'zod';
import { domainName, domainRecord } from './domain-proof.ts';
import {
  email,
  moment,
  namedObject,
  okReply,
  pattern,
  text,
  visibleText,
  webAddress,
  workspaceId,
} from './fields.ts';
import { PROVIDER_LIMITS } from './limits/identity-providers.ts';
import { editRoute, route, router } from './route.ts';
import { sessionState } from './session.ts';

/** Sign-in with an identity provider that speaks OpenID Connect: that of the installation, or that of a workspace. */

const issuer = webAddress(PROVIDER_LIMITS.issuerCharsMax)
  .describe('Address of the provider, exactly as it states it in its discovery document (`issuer`).')
  .meta({ example: 'https://login.example.com' });

const clientId = pattern(/^[\x21-\x7e]+$/, PROVIDER_LIMITS.clientIdCharsMax).meta({
  description: 'The id that the provider gave to this service.',
  example: 'guidepost',
});

const clientSecret = pattern(/^[\x20-\x7e]+$/, PROVIDER_LIMITS.clientSecretCharsMax).meta({
  description:
    'The secret that the provider gave to this service. If absent, the stored one is kept, for the same issuer and client id only. ' +
    'It is never returned.',
  example: 'a-secret-of-the-provider',
});

const givenRole = z.enum(['admin', 'member']).meta({
  id: 'GivenRole',
  description: 'A role that a provider can give. Owners are named in the workspace alone.',
});

const mode = z.enum(['off', 'optional', 'required']).meta({
  id: 'ProviderMode',
  description:
    '`off`: nobody signs in with the provider. `optional`: passwords work too. `required`: everybody but owners has to sign in with it.',
});

const groupRole = namedObject('GroupRole', 'The role of the members of a group.', {
  group: visibleText(PROVIDER_LIMITS.groupCharsMax)
    .describe('A value of the groups claim.')
    .meta({ example: 'support-leads' }),
  role: givenRole,
});

const domain = domainName.meta({
  description: 'The part of e-mail addresses after the @, in lower case (ASCII).',
  example: 'example.com',
});

const settings = {
  issuer,
  clientId,
  mode,
  defaultRole: givenRole.describe('The role of people who sign in for the first time.'),
  groupsClaim: visibleText(PROVIDER_LIMITS.claimCharsMax)
    .describe('The claim with the groups of a person: a text or a list of texts.')
    .meta({ example: 'groups' }),
  groupRoles: z
    .array(groupRole)
    .max(PROVIDER_LIMITS.groupRolesMax)
    .describe(
      'Set at each sign-in: the highest role of the groups of a person, else `defaultRole`. Empty leaves roles as members have them.',
    ),
};

const signInDomain = namedObject('SignInDomain', 'A domain whose addresses sign in with the provider.', {
  domain,
  record: domainRecord,
  provedAt: moment.optional().describe('When the record was found. Absent until then.'),
});

const identityProvider = namedObject(
  'IdentityProvider',
  'The identity provider of the workspace, without its secret.',
  {
    ...settings,
    hasSecret: z
      .boolean()
      .describe('False if the secret can no longer be decrypted and has to be set again.')
      .meta({ example: true }),
    changedAt: moment,
  },
);

const signInSettings = namedObject('SignInSettings', 'How members sign in to the workspace.', {
  callbackUrl: z
    .string()
    .max(2048)
    .describe('The address to register at the provider: it leads back there.')
    .meta({ example: 'https://guide.example.com/dashboard/sign-in/callback' }),
  provider: identityProvider.optional().describe('Absent without one.'),
  domains: z.array(signInDomain).max(PROVIDER_LIMITS.domainsMax),
});

const providerChange = namedObject(
  'IdentityProviderChange',
  'The identity provider. Replaces the stored one.',
  {
    ...settings,
    clientSecret: clientSecret.optional(),
    domains: z
      .array(domain)
      .min(1)
      .max(PROVIDER_LIMITS.domainsMax)
      .describe('All domains whose addresses sign in with it. What is proved stays proved.'),
  },
);

export const PROVIDER_PROBLEMS = [
  'address_not_allowed',
  'unreachable',
  'no_document',
  'wrong_issuer',
  'no_code_flow',
  'no_endpoint',
] as const;

const providerTrial = namedObject(
  'IdentityProviderTrial',
  'What the discovery document of a provider says.',
  {
    problem: z
      .enum(PROVIDER_PROBLEMS)
      .optional()
      .meta({
        id: 'ProviderProblem',
        description:
          'Why nobody could sign in with it. `address_not_allowed`: not a public https address. `wrong_issuer`: it calls itself `statedIssuer`. ' +
          'Absent if everything is there.',
      }),
    status: z
      .int()
      .min(100)
      .max(599)
      .optional()
      .describe('Status of the response, unless it is 200.')
      .meta({ example: 404 }),
    statedIssuer: z
      .string()
      .max(PROVIDER_LIMITS.issuerCharsMax)
      .optional()
      .meta({ example: 'https://login.example.com' }),
    signInUrl: z
      .string()
      .max(2048)
      .optional()
      .describe('Where people sign in. Absent with a problem.')
      .meta({ example: 'https://login.example.com/authorize' }),
  },
);

const signInOptions = namedObject('SignInOptions', 'How people sign in to this installation.', {
  provider: namedObject('InstallationProvider', 'The identity provider of the installation.', {
    name: z.string().max(100).meta({ example: 'Example Login' }),
  })
    .optional()
    .describe('Absent without one. Workspaces may have their own.'),
});

const signInStart = z
  .strictObject({
    email: email
      .optional()
      .describe('Finds the provider by its domain. If absent, the provider of the installation.'),
    fresh: z
      .boolean()
      .optional()
      .describe(
        'Has the provider ask for the credentials again, which confirms the identity as a password does.',
      )
      .meta({ example: false }),
  })
  .meta({
    id: 'ProviderSignInStart',
    description: 'Who wants to sign in.',
    example: { email: 'ada@example.com' },
  });

const signInRedirect = namedObject('ProviderSignInRedirect', 'Where to sign in.', {
  url: z
    .string()
    .max(8192)
    .describe("The provider's page.")
    .meta({ example: 'https://login.example.com/authorize?client_id=guidepost' }),
});

const signInReturn = namedObject('ProviderSignInReturn', 'What the provider leads back with.', {
  query: text(PROVIDER_LIMITS.queryCharsMax)
    .regex(/^\?/)
    .describe('The query of the callback address as the browser has it.')
    .meta({ example: '?code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj' }),
});

export type IdentityProviderChange = z.infer<typeof providerChange>;
export type SignInSettings = z.infer<typeof signInSettings>;
export type ProviderTrial = z.infer<typeof providerTrial>;

const publicMeta = { credential: 'none', firstParty: true, limits: ['session/ip-rate-limited'] } as const;

const base = '/api/tenants/:tenantId/identity-provider';
const pathParams = z.strictObject({ tenantId: workspaceId });
const ownersOnly = { ...editRoute, roles: ['owner'] } as const;

export const identityProviders = router('Session', {
  readSignInOptions: route({
    method: 'GET',
    path: '/api/session/options',
    summary: 'List ways to sign in',
    description: 'Returns what the sign-in page offers. Tells nothing about accounts.',
    responses: { 200: signInOptions },
    meta: publicMeta,
  }),
  startProviderSignIn: route({
    method: 'POST',
    path: '/api/session/provider',
    summary: 'Start to sign in with a provider',
    description:
      'Returns the page of the identity provider to open, and binds the attempt to this browser with a cookie for ' +
      `${PROVIDER_LIMITS.attemptSeconds / 60} minutes.`,
    body: signInStart,
    responses: { 200: signInRedirect },
    errors: ['session/no_provider', 'session/provider_failed'],
    meta: { ...publicMeta, worksReadOnly: true },
  }),
  finishProviderSignIn: route({
    method: 'POST',
    path: '/api/session/provider/return',
    summary: 'Finish to sign in with a provider',
    description:
      'Redeems what the identity provider led back with, once, in the browser that started. Adds people of proved domains to the workspace.',
    body: signInReturn,
    responses: { 200: sessionState },
    errors: [
      'session/attempt_expired',
      'session/provider_failed',
      'session/provider_refused',
      'session/email_not_allowed',
      'session/no_account',
      'session/other_identity',
      'session/provider_required',
    ],
    meta: publicMeta,
  }),
  readIdentityProvider: route({
    method: 'GET',
    path: base,
    summary: 'Retrieve the identity provider',
    description: 'Returns how members sign in with an identity provider of the workspace.',
    pathParams,
    responses: { 200: signInSettings },
    meta: { ...ownersOnly, limits: ['tenant/member-reads'] },
  }),
  setIdentityProvider: route({
    method: 'PUT',
    path: base,
    summary: 'Set the identity provider',
    description:
      'Stores the provider and its domains. Nobody signs in with it before a domain is proved. `required` is refused until then. ' +
      'Requires a password confirmed within ten minutes.',
    pathParams,
    body: providerChange,
    responses: { 200: signInSettings },
    errors: ['identity_provider/no_proved_domain'],
    meta: { ...ownersOnly, freshPassword: true },
  }),
  removeIdentityProvider: route({
    method: 'DELETE',
    path: base,
    summary: 'Remove the identity provider',
    description:
      'Members sign in with their passwords again; who has none needs a new invitation or a password link. Requires a password ' +
      'confirmed within ten minutes.',
    pathParams,
    responses: { 200: okReply },
    errors: ['identity_provider/not_found'],
    meta: { ...ownersOnly, freshPassword: true },
  }),
  tryIdentityProvider: route({
    method: 'POST',
    path: `${base}/trials`,
    summary: 'Try an identity provider',
    description: 'Reads the discovery document of a provider, and says what is wrong.',
    pathParams,
    body: namedObject('IdentityProviderToTry', 'The provider to try.', { issuer }),
    responses: { 200: providerTrial },
    meta: { ...ownersOnly, worksReadOnly: true },
  }),
  proveSignInDomain: route({
    method: 'POST',
    path: `${base}/domains/proofs`,
    summary: 'Prove a domain',
    description:
      'Looks for the TXT record of the domain. A domain belongs to one workspace: that whose record was found last.',
    pathParams,
    body: namedObject('DomainToProve', 'A domain of the identity provider.', { domain }),
    responses: { 200: signInSettings },
    errors: ['identity_provider/domain_not_found', 'identity_provider/record_not_found'],
    meta: ownersOnly,
  }),
});
