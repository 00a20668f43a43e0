import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { MEMBERSHIPS_SHOWN_MAX, type SessionState } from '../../contract/session.ts';
import type { SecondFactor, SecondFactorProof, SignInMethod } from '../../contract/sign-in-factors.ts';
import { toIsoString } from '../base/clock.ts';
import { getDeviceName } from '../base/device-name.ts';
import { newId } from '../base/ids.ts';
import { throwApiError } from '../http/errors.ts';
import type {
  AuditEvent,
  AuditTrail,
  ConsumeRateLimit,
  RequestContext,
  SessionCaller,
} from '../http/handler.ts';
import { isClosedTo } from '../http/required-provider.ts';
import type { NewMail } from '../storage/mails.ts';
import type { Store } from '../storage/store.ts';
import type { Session, User } from '../storage/users.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import { type Devices, hashToken, makeSessionToken, readSessionToken } from '../tokens/session-cookie.ts';
import { composeNotice, listLocales, type NoticeDeps } from './notices.ts';
import { hashPassword, matchPassword, needsRehash } from './password.ts';
import {
  askSecondFactor,
  findStep,
  listFactors,
  parseProof,
  proveCode,
  provePasskey,
} from './prove-factor.ts';

export type SessionDeps = NoticeDeps & {
  store: Pick<Store, 'users' | 'sessions' | 'memberships' | 'factors'>;
  consumeRateLimit: ConsumeRateLimit;
  audit: AuditTrail;
  devices: Devices;
  /** Whether the installation requires its identity provider. */
  isProviderRequired: boolean;
  secrets: SecretBox;
};

/** What the user has proved. `notice` tells them of the sign-in. */
export type Proof = {
  signedInWith: SignInMethod;
  factor: SecondFactor | null;
  notice?: NewMail | undefined;
  /** The workspace whose identity provider vouched for the user, or `installation`. */
  identityProvider?: string | null;
  /** When the identity was proved, if not now. */
  confirmedAt?: number;
};

type OpenedSession = {
  session: Session;
  token: string;
  expiresAt: number;
  device: string;
};
export type SignedIn = { user: Pick<User, 'id' | 'email'>; opened: OpenedSession };

/** Signs a user in, or asks for their second factor. Unknown addresses and wrong passwords get the same error after the same time. */
export async function signIn(
  credentials: { email: string; password: string },
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<SignedIn> {
  const email = credentials.email.toLowerCase();
  const accounts = await deps.store.users.listByEmail(email);
  const known = await verifyOnOwnDevice(accounts, credentials.password, ctx, deps);
  if (known) return continueSignIn(known, ctx, deps, { isNewDevice: false });
  const user = await verifyAsStranger(email, accounts, credentials.password, ctx, deps);
  return continueSignIn(user, ctx, deps, { isNewDevice: !isKnownBrowser(user, ctx, deps) });
}

/** Opens a session after the password was verified, or asks for the second factor that the account has. */
export async function continueSignIn(
  user: Pick<User, 'id' | 'email' | 'passwordHash' | 'locale'>,
  ctx: RequestContext,
  deps: SessionDeps,
  { isNewDevice }: { isNewDevice: boolean },
): Promise<SignedIn> {
  const factors = await deps.store.factors.ofUser(user.id);
  if (factors.hasAny) return askSecondFactor(user, isNewDevice, deps);
  const notice = isNewDevice ? await composeNotice('new_sign_in', user, ctx, deps) : undefined;
  return { user, opened: await openSession(user, { ...WITH_PASSWORD, notice }, ctx, deps) };
}

/** Opens a session once the second factor follows the password. */
export async function completeSignIn(
  body: SecondFactorProof,
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<SignedIn> {
  const proof = parseProof(body);
  const step = await findStep('second_step', ctx, deps);
  const user = step.userId === undefined ? undefined : await deps.store.users.find(step.userId);
  if (!user || user.passwordHash !== step.verifiedHash)
    return throwApiError('session/step_ended', 'password changed during sign-in');
  const factor = await proveSecondFactor(user, proof, step, ctx, deps);
  const notice = step.isNewDevice ? await composeNotice('new_sign_in', user, ctx, deps) : undefined;
  return { user, opened: await openSession(user, { signedInWith: 'password', factor, notice }, ctx, deps) };
}

/** A wrong code leaves the step open, and is counted; a passkey ends it. */
async function proveSecondFactor(
  user: User,
  proof: ReturnType<typeof parseProof>,
  step: Awaited<ReturnType<typeof findStep>>,
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<SecondFactor> {
  if ('passkey' in proof) {
    await step.take();
    await provePasskey(proof.passkey, { challenge: step.challenge, userId: user.id }, ctx, deps);
    return 'passkey';
  }
  const { clientAddress, headers, isSecure } = ctx;
  const device = deps.devices.read(headers.cookie, isSecure);
  const isKnown = device && deps.devices.isOf(device, user);
  const subject = { clientAddress, account: user.id, ...(isKnown && { device: device.id }) };
  const buckets = isKnown
    ? (['session/device-sign-in'] as const)
    : (['session/factor', 'session/account-factor'] as const);
  await deps.consumeRateLimit(buckets, subject, ctx);
  const factor = await proveCode(user.id, proof.code, ctx, deps);
  await step.take();
  return factor;
}

/** A browser in which the user has signed in with an earlier password is not new to them. */
function isKnownBrowser(
  user: Pick<User, 'id'>,
  { headers, isSecure }: RequestContext,
  { devices }: Pick<SessionDeps, 'devices'>,
): boolean {
  const device = devices.read(headers.cookie, isSecure);
  return device !== undefined && devices.isKnown(device, user);
}

/**
 * Verifies the account that has signed in on this browser before. Counts its attempts apart from those of other
 * browsers, so that guesses made elsewhere do not lock the owner out. Returns undefined when no account has signed in
 * here, or when the password may be that of another account.
 */
async function verifyOnOwnDevice(
  accounts: readonly User[],
  password: string,
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<User | undefined> {
  const { headers, isSecure, clientAddress } = ctx;
  const device = deps.devices.read(headers.cookie, isSecure);
  const deviceOwner = device && accounts.find((account) => deps.devices.isOf(device, account));
  if (!deviceOwner) return undefined;
  const subject = { clientAddress, account: deviceOwner.id, device: device.id };
  await deps.consumeRateLimit(['session/device-sign-in'], subject, ctx);
  const user = await findVerified([deviceOwner], password, deps);
  // Without a proved address, the response must not reveal whether the address has further accounts.
  const isOnlyAccount = deviceOwner.addressProvedAt !== undefined && accounts.length === 1;
  return user ?? (isOnlyAccount ? failVerification(accounts, ctx, deps) : undefined);
}

async function verifyAsStranger(
  email: string,
  accounts: readonly User[],
  password: string,
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<User> {
  await limitPasswordAttempts(email, ctx, deps.consumeRateLimit);
  return (await findVerified(accounts, password, deps)) ?? failVerification(accounts, ctx, deps);
}

/** Verifies the password of a signed-in user again. Counts attempts per session, so that others cannot use them up. */
export async function verifyCaller(
  caller: SessionCaller,
  password: string,
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<User> {
  const { userId, sessionId } = caller;
  const subject = { clientAddress: ctx.clientAddress, account: userId, device: sessionId };
  await deps.consumeRateLimit(['session/device-sign-in'], subject, ctx);
  const user = await deps.store.users.find(userId);
  const verified = await findVerified(user ? [user] : [], password, deps);
  return (
    verified ?? failVerification(user ? [user] : [], ctx, deps, { action: 'session.confirmation_failed' })
  );
}

/** Counts attempts per address, whether or not it has an account, before any work is done. */
export function limitPasswordAttempts(
  email: string,
  ctx: RequestContext,
  consumeRateLimit: ConsumeRateLimit,
): Promise<void> {
  const { clientAddress } = ctx;
  return consumeRateLimit(
    ['session/sign-in', 'session/account-sign-in'],
    { clientAddress, account: email },
    ctx,
  );
}

const SIGN_IN_FAILED = { action: 'session.sign_in_failed', isUnproven: true } as const;

/** Throws `session/wrong_credentials`, and counts the failure in the audit of the accounts. */
function failVerification(
  accounts: readonly User[],
  ctx: RequestContext,
  { audit }: Pick<SessionDeps, 'audit'>,
  failure: Pick<AuditEvent, 'action' | 'isUnproven'> = SIGN_IN_FAILED,
): never {
  for (const { id: userId } of accounts) audit.count({ ...failure, by: { userId } }, ctx);
  return throwApiError('session/wrong_credentials');
}

/** Returns the first account with the password. Rehashes the password when it was hashed with older parameters. */
export async function findVerified(
  accounts: readonly User[],
  password: string,
  { store }: Pick<SessionDeps, 'store'>,
): Promise<User | undefined> {
  const matchedHash = await matchPassword(
    password,
    accounts.map(({ passwordHash }) => passwordHash),
  );
  const user = accounts.find(({ passwordHash }) => passwordHash === matchedHash);
  if (!user || matchedHash === undefined || !needsRehash(matchedHash)) return user;
  const passwordHash = await hashPassword(password, matchedHash);
  await store.users.rehash(user.id, matchedHash, passwordHash);
  return { ...user, passwordHash };
}

export const WITH_PASSWORD = { signedInWith: 'password', factor: null } as const;

type OpenDeps = Pick<SessionDeps, 'store' | 'clock' | 'audit' | 'devices' | 'isProviderRequired'>;

/**
 * Throws if every workspace of the user requires its identity provider, and this sign-in was without. Audits owners, who may come in
 * without.
 */
async function assertWayIn(
  userId: string,
  identityProvider: string | null,
  ctx: RequestContext,
  { store, audit, isProviderRequired }: OpenDeps,
): Promise<void> {
  const all = await store.memberships.ofUser(userId);
  const isClosed = (member: (typeof all)[number]) => isClosedTo(identityProvider, member, isProviderRequired);
  if (all.length > 0 && all.every(isClosed)) throwApiError('session/provider_required');
  for (const member of all) {
    const { workspaceId, id } = member;
    if (member.role !== 'owner' || !isClosed({ ...member, role: 'member' })) continue;
    await audit.record({ action: 'session.provider_bypassed', by: { workspaceId, id } }, ctx);
  }
}

/** Opens a session and ends the browser's earlier one. Call only right after the user was verified. */
export async function openSession(
  { id: userId, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
  { signedInWith, factor, notice, identityProvider = null, confirmedAt }: Proof,
  ctx: RequestContext,
  deps: OpenDeps,
): Promise<OpenedSession> {
  const { store, clock, audit, devices } = deps;
  const { sessions } = store;
  const { headers, isSecure } = ctx;
  await assertWayIn(userId, identityProvider, ctx, deps);
  const token = makeSessionToken();
  const now = clock.now();
  const expiresAt = now + ACCOUNT_LIMITS.sessionSeconds * 1000;
  const session: Session = {
    id: newId('ses'),
    userId,
    tokenHash: hashToken(token),
    createdAt: now,
    lastSeenAt: now,
    expiresAt,
    confirmedAt: confirmedAt ?? now,
    signedInWith,
    factor,
    identityProvider,
    device: getDeviceName(headers['user-agent']),
  };
  const opened = await sessions.open(session, ACCOUNT_LIMITS.sessionsPerAccountMax, {
    verifiedHash: passwordHash,
    locale: listLocales(ctx)[0],
    mail: notice,
  });
  if (opened !== 'opened')
    return throwApiError('session/wrong_credentials', 'password changed during sign-in');
  await audit.record({ action: 'session.signed_in', by: { userId } }, ctx);
  const earlierToken = readSessionToken(headers.cookie, isSecure);
  const earlier = earlierToken && (await sessions.findByToken(hashToken(earlierToken)));
  if (earlier) await sessions.end(earlier.userId, earlier.id);
  return { session, token, expiresAt, device: devices.issue({ id: userId, passwordHash }) };
}

export const toSignInFields = ({ signedInWith, factor }: Pick<Session, 'signedInWith' | 'factor'>) => ({
  ...(signedInWith && { signedInWith }),
  ...(factor && { factor }),
});

type StateDeps = Pick<SessionDeps, 'isProviderRequired'> & { store: Pick<Store, 'memberships' | 'factors'> };

export async function toSessionState(
  { id: userId, email }: Pick<User, 'id' | 'email'>,
  { id: sessionId, createdAt, expiresAt, confirmedAt, ...session }: Session,
  { store, isProviderRequired }: StateDeps,
): Promise<SessionState> {
  const [all, owned] = await Promise.all([store.memberships.ofUser(userId), store.factors.ofUser(userId)]);
  return {
    userId,
    email,
    sessionId,
    createdAt: toIsoString(createdAt),
    expiresAt: toIsoString(expiresAt),
    freshUntil: toIsoString(confirmedAt + ACCOUNT_LIMITS.freshPasswordSeconds * 1000),
    ...toSignInFields(session),
    secondFactors: listFactors(owned),
    memberships: all.slice(0, MEMBERSHIPS_SHOWN_MAX).map((member) => ({
      tenantId: member.workspaceId,
      appId: member.appId,
      name: member.workspaceName,
      memberId: member.id,
      role: member.role,
      ...(isClosedTo(session.identityProvider, member, isProviderRequired) && { closed: true }),
      needsSecondFactor: member.requiresSecondFactor && session.factor === null,
    })),
  };
}
