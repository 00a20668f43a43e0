import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import type { ShownPasskey, secondFactorRoutes } from '../../contract/second-factors.ts';
import { toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { normalizeLine } from '../base/text.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers, RequestContext, SessionCaller } from '../http/handler.ts';
import type { Passkey } from '../storage/factors.ts';
import { createAccountAudit } from '../workspaces/audit-trail.ts';
import { composeNotice } from './notices.ts';
import { makePasskeyChallenge, toPasskeyCreation, toPasskeyRequest, verifyNewPasskey } from './passkeys.ts';
import {
  beginStep,
  failFactor,
  findStep,
  makeRecoveryCodes,
  provePasskey,
  readSecondStep,
  toAppOwner,
} from './prove-factor.ts';
import { completeSignIn, openSession, type SessionDeps, toSessionState } from './sign-in.ts';
import { findPeriod, makeTotpSecret, toBase32, toTotpUri } from './totp.ts';

type Routes = typeof secondFactorRoutes;

export function secondFactorHandlers(deps: SessionDeps): Handlers<Routes> {
  return { ...listHandlers(deps), ...passkeyHandlers(deps), ...appHandlers(deps), ...signInHandlers(deps) };
}

function listHandlers(deps: SessionDeps): Pick<Handlers<Routes>, 'readSecondFactors' | 'renewRecoveryCodes'> {
  const { factors } = deps.store;
  return {
    async readSecondFactors({ caller }) {
      const { passkeys, app, recoveryCodesLeft, isRequired } = await factors.ofUser(caller.userId);
      const body = {
        passkeys: passkeys.map(toBody),
        ...(app && { authenticatorApp: { createdAt: toIsoString(app.createdAt) } }),
        recoveryCodesLeft,
        required: isRequired,
      };
      return { status: 200, body };
    },

    async renewRecoveryCodes({ caller, ctx }) {
      const { userId } = caller;
      if (!(await factors.ofUser(userId)).hasAny) return throwApiError('session/second_factor_needed');
      const { codes, hashes } = makeRecoveryCodes();
      const user = (await deps.store.users.find(userId)) ?? caller;
      await factors.renewCodes(userId, hashes, {
        audit: createAccountAudit(deps.clock)(caller, ctx, 'factor.codes_renewed'),
        mail: await composeNotice('recovery_codes_renewed', user, ctx, deps),
      });
      return { status: 200, body: { recoveryCodes: codes } };
    },
  };
}

function passkeyHandlers(
  deps: SessionDeps,
): Pick<Handlers<Routes>, 'startPasskey' | 'addPasskey' | 'renamePasskey' | 'removePasskey'> {
  const { factors } = deps.store;
  return {
    async startPasskey({ caller: { userId, email } }) {
      const { passkeys } = await factors.ofUser(userId);
      const challenge = makePasskeyChallenge();
      const begun = await beginStep({ purpose: 'add_passkey', userId, challenge }, deps);
      const body = toPasskeyCreation(deps.baseUrl(), { id: userId, email }, challenge, passkeys);
      return { status: 200, body, challenge: begun };
    },

    async addPasskey({ caller, body, ctx }) {
      const { userId, sessionId } = caller;
      const name = parseName(body.name);
      const step = await findOwnStep('add_passkey', caller, ctx, deps);
      await step.take();
      const expected = { baseUrl: deps.baseUrl(), challenge: step.challenge };
      const verified = await verifyNewPasskey(body, expected);
      if (!verified) return failFactor(userId, ctx, deps);
      const passkey: Passkey = { ...verified, id: newId('pky'), userId, name, createdAt: deps.clock.now() };
      const { codes, hashes } = makeRecoveryCodes();
      const added = await factors.addPasskey(passkey, ACCOUNT_LIMITS.passkeysMax, {
        sessionId,
        codeHashes: hashes,
        ...(await toChange('added', { factor: 'passkey', name }, caller, ctx, deps)),
      });
      if (typeof added === 'string') return throwApiError(`passkey/${added}`);
      const shown = { passkey: toBody(passkey), ...(added.hasNewCodes && { recoveryCodes: codes }) };
      return { status: 201, body: shown, challenge: 'ended' };
    },

    async renamePasskey({ caller, params, body }) {
      const renamed = await factors.renamePasskey(caller.userId, params.passkeyId, parseName(body.name));
      return renamed ? { status: 200, body: toBody(renamed) } : throwApiError('passkey/not_found');
    },

    async removePasskey({ caller, params: { passkeyId }, ctx }) {
      const { passkeys } = await factors.ofUser(caller.userId);
      const name = passkeys.find(({ id }) => id === passkeyId)?.name;
      if (name === undefined) return throwApiError('passkey/not_found');
      const change = await toChange('removed', { factor: 'passkey', name }, caller, ctx, deps);
      const removed = await factors.removePasskey(caller.userId, passkeyId, change);
      if (removed === 'gone') return throwApiError('passkey/not_found', 'removed by another request');
      if (removed === 'last_factor') return throwApiError('session/last_factor');
      return { status: 200, body: { ok: true } };
    },
  };
}

function appHandlers(
  deps: SessionDeps,
): Pick<Handlers<Routes>, 'startAuthenticatorApp' | 'addAuthenticatorApp' | 'removeAuthenticatorApp'> {
  const { store, secrets, clock, baseUrl } = deps;
  return {
    async startAuthenticatorApp({ caller: { userId, email } }) {
      const secret = makeTotpSecret();
      const challenge = await secrets.seal(secret, toAppOwner(userId));
      const begun = await beginStep({ purpose: 'add_app', userId, challenge }, deps);
      const uri = toTotpUri(secret, email, new URL(baseUrl()).host);
      return { status: 200, body: { secret: toBase32(secret), uri }, challenge: begun };
    },

    async addAuthenticatorApp({ caller, body, ctx }) {
      const { userId, sessionId } = caller;
      const subject = { clientAddress: ctx.clientAddress, account: userId, device: sessionId };
      await deps.consumeRateLimit(['session/device-sign-in'], subject, ctx);
      const step = await findOwnStep('add_app', caller, ctx, deps);
      const secret = await secrets.open(step.challenge, toAppOwner(userId));
      const now = clock.now();
      const code = body.code.replaceAll(/\s/g, '');
      const lastPeriod = secret === undefined ? undefined : findPeriod(secret, code, now);
      if (lastPeriod === undefined) return failFactor(userId, ctx, deps);
      await step.take();
      const { codes, hashes } = makeRecoveryCodes();
      const app = { userId, sealedSecret: step.challenge, lastPeriod, createdAt: now };
      const change = await toChange('added', { factor: 'totp' }, caller, ctx, deps);
      const { hasNewCodes } = await store.factors.putApp(app, { sessionId, codeHashes: hashes, ...change });
      return { status: 200, body: hasNewCodes ? { recoveryCodes: codes } : {}, challenge: 'ended' };
    },

    async removeAuthenticatorApp({ caller, ctx }) {
      const change = await toChange('removed', { factor: 'totp' }, caller, ctx, deps);
      const removed = await store.factors.removeApp(caller.userId, change);
      if (removed === 'gone') return throwApiError('authenticator_app/not_found');
      if (removed === 'last_factor') return throwApiError('session/last_factor');
      return { status: 200, body: { ok: true } };
    },
  };
}

function signInHandlers(
  deps: SessionDeps,
): Pick<Handlers<Routes>, 'startPasskeySignIn' | 'signInWithPasskey' | 'readSecondStep' | 'completeSignIn'> {
  const { store } = deps;
  return {
    async startPasskeySignIn() {
      const challenge = makePasskeyChallenge();
      const begun = await beginStep({ purpose: 'passkey_sign_in', challenge }, deps);
      return { status: 200, body: toPasskeyRequest(deps.baseUrl(), challenge), challenge: begun };
    },

    async signInWithPasskey({ body, ctx }) {
      const step = await findStep('passkey_sign_in', ctx, deps);
      await step.take();
      const { userId } = await provePasskey(body, { challenge: step.challenge }, ctx, deps);
      const user = await store.users.find(userId);
      if (!user) return failFactor(undefined, ctx, deps);
      const opened = await openSession(user, { signedInWith: 'passkey', factor: 'passkey' }, ctx, deps);
      const state = await toSessionState(user, opened.session, deps);
      return { status: 200, body: state, session: opened, challenge: 'ended' };
    },

    readSecondStep: async ({ ctx }) => ({ status: 200, body: await readSecondStep(ctx, deps) }),

    async completeSignIn({ body, ctx }) {
      const { user, opened } = await completeSignIn(body, ctx, deps);
      const state = await toSessionState(user, opened.session, deps);
      return { status: 200, body: state, session: opened, challenge: 'ended' };
    },
  };
}

/** Throws `session/step_ended` unless this user has begun the step. */
async function findOwnStep(
  purpose: 'add_passkey' | 'add_app',
  { userId }: SessionCaller,
  ctx: RequestContext,
  deps: SessionDeps,
) {
  const step = await findStep(purpose, ctx, deps);
  return step.userId === userId ? step : throwApiError('session/step_ended', 'begun by another user');
}

function parseName(text: string): string {
  const name = normalizeLine(text, ACCOUNT_LIMITS.passkeyNameCharsMax);
  const message = `Expected 1 to ${ACCOUNT_LIMITS.passkeyNameCharsMax} visible characters.`;
  return name ?? throwInvalidRequest({ path: 'body.name', code: 'custom', message });
}

type Details = { factor?: 'passkey' | 'totp'; name?: string };

/** Builds the audit rows of a change of factors and the mail that tells of it. */
async function toChange(
  change: 'added' | 'removed',
  details: Details,
  caller: SessionCaller,
  ctx: RequestContext,
  deps: SessionDeps,
) {
  const user = await deps.store.users.find(caller.userId);
  const reader = user ?? caller;
  const mail = await composeNotice(`factor_${change}`, reader, ctx, deps, { factor: details.name ?? 'TOTP' });
  return { audit: createAccountAudit(deps.clock)(caller, ctx, `factor.${change}`, details), mail };
}

const toBody = ({ id, name, createdAt, lastUsedAt }: Passkey): ShownPasskey => ({
  id,
  name,
  createdAt: toIsoString(createdAt),
  ...(lastUsedAt !== undefined && { lastUsedAt: toIsoString(lastUsedAt) }),
});
