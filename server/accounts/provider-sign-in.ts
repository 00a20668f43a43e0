import { domainToASCII } from 'node:url';
import type * as OpenidClient from 'openid-client';
import { z } from 'zod';
import { email as emailSchema } from '../../contract/fields.ts';
import type { identityProviders as router } from '../../contract/identity-providers.ts';
import { PROVIDER_LIMITS } from '../../contract/limits/identity-providers.ts';
import { ROLES } from '../../contract/route.ts';
import { newId } from '../base/ids.ts';
import { normalizeEmail } from '../base/text.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, RequestContext } from '../http/handler.ts';
import { INSTALLATION_PROVIDER } from '../http/required-provider.ts';
import type { GroupRole, OidcSettings } from '../settings/oidc.ts';
import type { Arrived } from '../storage/identities.ts';
import type { StoredProvider } from '../storage/identity-providers.ts';
import type { Store } from '../storage/store.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import { readAttempt } from '../tokens/session-cookie.ts';
import { toAuditOrigin } from '../workspaces/audit-trail.ts';
import { toCallbackUrl, toProviderOwner } from './identity-providers.ts';
import { type Provider, type ProviderClient, ProviderUnusable } from './provider-client.ts';
import { openSession, type SessionDeps, type SignedIn, toSessionState } from './sign-in.ts';

/** Sign-in with an identity provider: to the provider, and back. */

type Deps = SessionDeps & {
  store: Store;
  secrets: SecretBox;
  providerClient: ProviderClient;
  /** The provider of the installation. */
  oidc: OidcSettings | undefined;
};

type SignInRoutes = Pick<typeof router, 'readSignInOptions' | 'startProviderSignIn' | 'finishProviderSignIn'>;

/** A provider with the rules for whom it lets in. */
type Way = Provider & {
  /** The workspace whose provider it is; absent for that of the installation. */
  workspaceId?: string;
  groupsClaim: string;
  groupRoles: readonly GroupRole[];
  defaultRole: GroupRole['role'];
};

/** What the browser that started carries back, encrypted. */
const attemptSchema = z.object({
  /** As `Way` has it. */
  workspaceId: z.string().optional(),
  issuer: z.string(),
  clientId: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  isFresh: z.boolean(),
  expiresAt: z.number(),
});
type Attempt = z.infer<typeof attemptSchema>;

const ATTEMPT_OWNER = 'sign-in attempt';

export function providerSignInHandlers(deps: Deps): Handlers<SignInRoutes> {
  const { oidc } = deps;
  return {
    readSignInOptions: async () => ({
      status: 200,
      body: { ...(oidc && { provider: { name: oidc.name } }) },
    }),

    async startProviderSignIn({ body }) {
      const way = await findWay(body.email, deps);
      if (!way) return throwApiError('session/no_provider');
      const { url, attempt } = await start(way, body, deps);
      return { status: 200, body: { url }, attempt };
    },

    async finishProviderSignIn({ body, ctx }) {
      const { user, opened } = await finish(body.query, ctx, deps);
      const state = await toSessionState(user, opened.session, deps);
      return { status: 200, body: state, session: opened, attempt: '' };
    },
  };
}

async function findWay(email: string | undefined, deps: Deps): Promise<Way | undefined> {
  const stored = email && (await deps.store.signInDomains.findProvider(toDomain(email)));
  return stored ? toWay(stored, deps) : toInstallationWay(deps.oidc);
}

async function toWay(stored: StoredProvider, { secrets }: Deps): Promise<Way> {
  const { workspaceId, issuer, clientId, groupsClaim, defaultRole } = stored;
  const clientSecret = await secrets.open(
    stored.sealedSecret,
    toProviderOwner(workspaceId, issuer, clientId),
  );
  if (clientSecret === undefined)
    return throwApiError('session/provider_failed', 'secret cannot be decrypted');
  const groupRoles: GroupRole[] = JSON.parse(stored.groupRoles);
  return {
    ...{ workspaceId, issuer, clientId, clientSecret },
    groupsClaim,
    groupRoles,
    defaultRole,
    isOfOperator: false,
  };
}

const toInstallationWay = (oidc: OidcSettings | undefined): Way | undefined =>
  oidc && { ...oidc, isOfOperator: true };

async function start(
  way: Way,
  { email, fresh = false }: { email?: string | undefined; fresh?: boolean | undefined },
  { clock, secrets, providerClient, baseUrl }: Deps,
) {
  const configuration = await openProvider(way, providerClient);
  const client = await import('openid-client');
  const verifier = client.randomPKCECodeVerifier();
  const { workspaceId, issuer, clientId } = way;
  const attempt: Attempt = {
    ...{ workspaceId, issuer, clientId, verifier },
    state: client.randomState(),
    nonce: client.randomNonce(),
    isFresh: fresh,
    expiresAt: clock.now() + PROVIDER_LIMITS.attemptSeconds * 1000,
  };
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: toCallbackUrl(baseUrl()),
    scope: 'openid email profile',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(email !== undefined && { login_hint: email }),
    ...(fresh && { max_age: '0' }),
  });
  return { url: url.href, attempt: await secrets.seal(JSON.stringify(attempt), ATTEMPT_OWNER) };
}

async function finish(query: string, ctx: RequestContext, deps: Deps): Promise<SignedIn> {
  const attempt = await openAttempt(ctx, deps);
  const way = attempt && (await findWayOfAttempt(attempt, deps));
  if (!way) return throwApiError('session/attempt_expired');
  const configuration = await openProvider(way, deps.providerClient);
  const claims = await redeem(configuration, query, attempt, way, deps.baseUrl());
  const email = await findAllowedEmail(claims, way, deps);
  const arrived = await admit(claims, email, way, ctx, deps);
  if (arrived.outcome === 'no_account') return throwApiError('session/no_account');
  if (arrived.outcome === 'other_identity') return throwApiError('session/other_identity');
  const now = deps.clock.now();
  const opened = await openSession(
    arrived.user,
    {
      signedInWith: 'oidc',
      factor: namesSecondFactor(claims) ? 'provider' : null,
      identityProvider: way.workspaceId ?? INSTALLATION_PROVIDER,
      confirmedAt: attempt.isFresh ? now : Math.min(now, (claims.auth_time ?? 0) * 1000),
    },
    ctx,
    deps,
  );
  return { user: arrived.user, opened };
}

async function openAttempt({ headers, isSecure }: RequestContext, deps: Deps): Promise<Attempt | undefined> {
  const sealed = readAttempt(headers.cookie, isSecure);
  const text = sealed && (await deps.secrets.open(sealed, ATTEMPT_OWNER));
  const attempt = text ? attemptSchema.parse(JSON.parse(text)) : undefined;
  return attempt && attempt.expiresAt > deps.clock.now() ? attempt : undefined;
}

/** Returns undefined if the provider has been replaced or turned off since. */
async function findWayOfAttempt(attempt: Attempt, deps: Deps): Promise<Way | undefined> {
  const { workspaceId } = attempt;
  const stored = workspaceId && (await deps.store.in(workspaceId).identityProvider.find());
  const isOn = stored && stored.mode !== 'off';
  const way = workspaceId ? isOn && (await toWay(stored, deps)) : toInstallationWay(deps.oidc);
  return way && way.issuer === attempt.issuer && way.clientId === attempt.clientId ? way : undefined;
}

async function openProvider(way: Way, providerClient: ProviderClient): Promise<OpenidClient.Configuration> {
  const { issuer, clientId, clientSecret, isOfOperator } = way;
  try {
    return await providerClient.open({ issuer, clientId, clientSecret, isOfOperator });
  } catch (error) {
    if (!(error instanceof ProviderUnusable)) throw error;
    return throwApiError('session/provider_failed', error.message);
  }
}

type Claims = Readonly<Record<string, unknown>> & { sub: string; auth_time?: number };

/** Redeems the code, and returns what the provider says about the person. The library checks state, nonce, issuer, audience, times and signature. */
async function redeem(
  configuration: OpenidClient.Configuration,
  query: string,
  { state, nonce, verifier, isFresh }: Attempt,
  { groupsClaim, groupRoles }: Way,
  baseUrl: string,
): Promise<Claims> {
  const client = await import('openid-client');
  const url = new URL(toCallbackUrl(baseUrl));
  url.search = query;
  try {
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
      ...(isFresh && { maxAge: 0 }),
    });
    const claims = tokens.claims() as Claims;
    if (!SUBJECT.test(claims.sub)) throw new Error('invalid sub');
    const isComplete = 'email' in claims && (groupRoles.length === 0 || groupsClaim in claims);
    if (isComplete || !configuration.serverMetadata().userinfo_endpoint) return claims;
    const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return { ...more, ...claims };
  } catch (error) {
    const { code, error: reason } = error as { code?: string; error?: string };
    return throwApiError(
      'session/provider_refused',
      `${reason ?? code ?? (error as Error).message}`.slice(0, 200),
    );
  }
}

/** Returns the address if the provider may vouch for it, in lower case. */
async function findAllowedEmail(claims: Claims, way: Way, { store, oidc }: Deps): Promise<string> {
  const parsed = emailSchema.safeParse(claims.email);
  if (!parsed.success) return throwApiError('session/email_not_allowed', 'no e-mail claim');
  const email = normalizeEmail(parsed.data);
  if (claims.email_verified === false || claims.email_verified === 'false')
    return throwApiError('session/email_not_allowed', 'e-mail not verified');
  const domains = way.workspaceId
    ? ((await store.in(way.workspaceId).identityProvider.find())?.domains ?? [])
        .filter(({ provedAt }) => provedAt !== undefined)
        .map(({ domain }) => domain)
    : oidc!.emailDomains;
  if (way.workspaceId === undefined && domains.length === 0) {
    const isVerified = claims.email_verified === true || claims.email_verified === 'true';
    return isVerified ? email : throwApiError('session/email_not_allowed', 'e-mail not verified');
  }
  // A personal account at Google may have any address; `hd` says that the domain manages the account.
  const domain = way.issuer === GOOGLE && claims.hd !== toDomain(email) ? '' : toDomain(email);
  return domains.includes(domain) ? email : throwApiError('session/email_not_allowed', 'domain not allowed');
}

/** As OpenID Connect limits it. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

const GOOGLE = 'https://accounts.google.com';

const toDomain = (email: string) => domainToASCII(email.slice(email.lastIndexOf('@') + 1)).toLowerCase();

async function admit(
  claims: Claims,
  email: string,
  way: Way,
  ctx: RequestContext,
  { store, clock, oidc }: Deps,
): Promise<Arrived> {
  const { workspaceId, issuer, clientId } = way;
  const nowMillis = clock.now();
  const joined =
    workspaceId ?? (oidc?.appId && (await store.workspaces.findByAppId(oidc.appId))?.id) ?? undefined;
  const joins = joined
    ? {
        workspaceId: joined,
        newMemberId: newId('mem'),
        role: chooseRole(claims, way),
        setsRole: way.groupRoles.length > 0,
        audit: (action: string, memberId: string, details: Readonly<Record<string, unknown>>) => ({
          id: newId('aud'),
          atMillis: nowMillis,
          actor: memberId,
          action,
          subject: memberId,
          details: { ...details, issuer },
          ...toAuditOrigin(ctx),
        }),
      }
    : undefined;
  const arrival = { workspaceId, issuer, clientId, subject: claims.sub, email, nowMillis };
  return store.identities.admit({
    ...arrival,
    newUserId: newId('usr'),
    newIdentityId: newId('idn'),
    joins,
  });
}

/** Returns the highest role that the groups of the person give. */
function chooseRole(claims: Claims, { groupsClaim, groupRoles, defaultRole }: Way): GroupRole['role'] {
  const groups = [claims[groupsClaim] ?? []].flat().slice(0, PROVIDER_LIMITS.groupsMax);
  const roles = groupRoles.filter(({ group }) => groups.includes(group)).map(({ role }) => role);
  return ROLES.find((role): role is GroupRole['role'] => roles.includes(role as never)) ?? defaultRole;
}

/** Methods of RFC 8176 that are more than a password. */
const SECOND_FACTORS = [
  'mfa',
  'otp',
  'hwk',
  'swk',
  'sms',
  'tel',
  'sc',
  'pop',
  'fpt',
  'face',
  'iris',
  'retina',
  'vbm',
];

const namesSecondFactor = ({ amr }: Claims) =>
  Array.isArray(amr) && amr.some((method) => SECOND_FACTORS.includes(method));
