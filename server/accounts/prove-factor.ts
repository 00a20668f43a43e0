import { randomInt } from 'node:crypto';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import type {
  PasskeySignature,
  SecondFactor,
  SecondFactorProof,
  SecondStep,
} from '../../contract/sign-in-factors.ts';
import { toIsoString } from '../base/clock.ts';
import { ApiError, throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { AuditTrail, RequestContext } from '../http/handler.ts';
import type { FactorChallenge, Factors, Passkey } from '../storage/factors.ts';
import type { Store } from '../storage/store.ts';
import type { User } from '../storage/users.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import { hashToken, makeSessionToken, readChallengeToken } from '../tokens/session-cookie.ts';
import { composeNotice, type NoticeDeps } from './notices.ts';
import { makePasskeyChallenge, toPasskeyRequest, verifySignature } from './passkeys.ts';
import { findPeriod, makeTotpSecret } from './totp.ts';

/** The steps of sign-ins and set-ups, each bound to one browser by a cookie, and the proof of a factor. */

export type FactorDeps = NoticeDeps & {
  store: Pick<Store, 'factors' | 'users'>;
  secrets: SecretBox;
  audit: AuditTrail;
};

type Purpose = FactorChallenge['purpose'];
type Begun = { token: string; expiresAt: number };

/** Begins a step in this browser; the response sets its cookie. */
export async function beginStep(
  step: Pick<FactorChallenge, 'purpose' | 'challenge'> & Partial<FactorChallenge>,
  { store, clock }: FactorDeps,
): Promise<Begun> {
  const token = makeSessionToken();
  const now = clock.now();
  const expiresAt = now + ACCOUNT_LIMITS.factorStepSeconds * 1000;
  await store.factors.addChallenge(
    { isNewDevice: false, ...step, tokenHash: hashToken(token), expiresAt },
    now,
  );
  return { token, expiresAt };
}

type FoundStep = FactorChallenge & { take: () => Promise<void> };

/** Throws `session/step_ended` unless this browser has begun such a step. `take` ends it, or throws if another request has. */
export async function findStep(
  purpose: Purpose,
  { headers, isSecure }: RequestContext,
  { store, clock }: FactorDeps,
): Promise<FoundStep> {
  const token = readChallengeToken(headers.cookie, isSecure);
  const tokenHash = hashToken(token ?? '');
  const step = await store.factors.findChallenge(tokenHash, clock.now());
  if (!token || step?.purpose !== purpose) return throwApiError('session/step_ended');
  const take = async () => {
    if (!(await store.factors.takeChallenge(tokenHash, clock.now())))
      throwApiError('session/step_ended', 'completed by another request');
  };
  return { ...step, take };
}

/** Throws `session/second_factor_asked`, with which the step begins that `completeSignIn` ends. */
export async function askSecondFactor(
  { id: userId, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
  isNewDevice: boolean,
  deps: FactorDeps,
): Promise<never> {
  const challenge = makePasskeyChallenge();
  const verified = { userId, verifiedHash: passwordHash, isNewDevice };
  const error = new ApiError('session/second_factor_asked');
  error.challenge = await beginStep({ purpose: 'second_step', challenge, ...verified }, deps);
  throw error;
}

export async function readSecondStep(ctx: RequestContext, deps: FactorDeps): Promise<SecondStep> {
  const { userId = '', challenge, expiresAt } = await findStep('second_step', ctx, deps);
  const { passkeys, app } = await deps.store.factors.ofUser(userId);
  return {
    factors: listFactors({ passkeys, app }),
    ...(passkeys.length > 0 && { passkeyRequest: toPasskeyRequest(deps.baseUrl(), challenge, passkeys) }),
    expiresAt: toIsoString(expiresAt),
  };
}

export const listFactors = ({ passkeys, app }: Pick<Factors, 'passkeys' | 'app'>): SecondStep['factors'] => [
  ...(passkeys.length > 0 ? (['passkey'] as const) : []),
  ...(app ? (['totp'] as const) : []),
];

/** Throws `request/invalid` unless the proof is either a code or a passkey. */
export function parseProof({
  code,
  passkey,
}: SecondFactorProof): { code: string } | { passkey: PasskeySignature } {
  if (code !== undefined && passkey === undefined) return { code };
  if (passkey !== undefined && code === undefined) return { passkey };
  const message = 'Expected either a code or a passkey.';
  return throwInvalidRequest({ path: 'body', code: 'custom', message });
}

/** Throws `session/wrong_factor`, and counts the failure in the audit of the account. */
export function failFactor(userId: string | undefined, ctx: RequestContext, { audit }: FactorDeps): never {
  const failure = { action: 'session.factor_failed', isUnproven: true } as const;
  if (userId !== undefined) audit.count({ ...failure, by: { userId } }, ctx);
  return throwApiError('session/wrong_factor');
}

/** A secret of nobody, so that codes take the same time for accounts without an app. */
const DUMMY_SECRET = makeTotpSecret();

/** Uses up a code of the app or a recovery code. Throws `session/wrong_factor`. */
export async function proveCode(
  userId: string,
  code: string,
  ctx: RequestContext,
  deps: FactorDeps,
): Promise<SecondFactor> {
  const { store, secrets, clock } = deps;
  const { app, recoveryCodesLeft } = await store.factors.ofUser(userId);
  const typed = code.replaceAll(/[\s-]/g, '').toUpperCase();
  const secret = app && (await secrets.open(app.sealedSecret, toAppOwner(userId)));
  const period = findPeriod(secret ?? DUMMY_SECRET, typed, clock.now());
  if (secret && period !== undefined && (await store.factors.useCode(userId, period))) return 'totp';
  // Most wrong codes are of an app, and need no mail.
  if (typed.length !== CODE_CHARS) return failFactor(userId, ctx, deps);
  const user = await store.users.find(userId);
  const left = String(recoveryCodesLeft - 1);
  const mail = user && (await composeNotice('recovery_code_used', user, ctx, deps, { left }));
  if (await store.factors.useRecoveryCode(userId, hashToken(typed), mail)) return 'recovery_code';
  return failFactor(userId, ctx, deps);
}

/** Returns the passkey that made the signature. Throws `session/wrong_factor`, also for a passkey of another user. */
export async function provePasskey(
  signature: PasskeySignature,
  { challenge, userId }: { challenge: string; userId?: string },
  ctx: RequestContext,
  deps: FactorDeps,
): Promise<Passkey> {
  const { store, clock, baseUrl } = deps;
  const passkey = await store.factors.findPasskey(signature.id);
  if (!passkey || passkey.userId !== (userId ?? passkey.userId)) return failFactor(userId, ctx, deps);
  const counter = await verifySignature(signature, passkey, { baseUrl: baseUrl(), challenge });
  const isUsed = counter !== undefined && (await store.factors.usePasskey(passkey.id, counter, clock.now()));
  return isUsed ? passkey : failFactor(passkey.userId, ctx, deps);
}

export const toAppOwner = (userId: string) => `authenticator app of ${userId}`;

/** Without letters and digits that look alike. */
const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const CODE_CHARS = 16;

export function makeRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const pick = () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)];
  const plain = Array.from({ length: ACCOUNT_LIMITS.recoveryCodes }, () =>
    Array.from({ length: CODE_CHARS }, pick).join(''),
  );
  return { codes: plain.map((code) => code.match(/.{4}/g)!.join('-')), hashes: plain.map(hashToken) };
}
