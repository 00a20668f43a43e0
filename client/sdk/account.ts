import {
  acceptInvitation,
  changePassword,
  confirmPassword,
  listSessions,
  readInvitation,
  readInvitationLink,
  readSession,
  readSetupLink,
  revokeSession,
  setUp,
  signIn,
  signOut,
} from '../../generated/routes.ts';
import { type ConnectionOptions, openConnection } from './connection.ts';
import { isGuideError } from './errors.ts';
import type { CallOptions } from './guide.ts';
import type { Answer } from './http.ts';
import type { RowList } from './pages.ts';
import { openTenant, type Tenant } from './tenant.ts';
import type {
  InvitationLink,
  InvitationView,
  ListOptions,
  SessionState,
  SetUpDetails,
  SetupLink,
  SignedInDevice,
} from './types.ts';

export type AccountOptions = ConnectionOptions;

/**
 * A person with an account, who is signed in or not. In a browser that is the session of the browser on the pages of the
 * service itself, the only ones that may use it; elsewhere it is that of this object, kept in memory. Every method
 * rejects with a `GuideError`.
 */
export type Account = {
  /**
   * Rejects with `session/wrong_credentials` for an unknown address as for a wrong password, and with
   * `rate_limit/exceeded` after too many attempts; `retryAfterSeconds` says how long to wait then.
   */
  signIn(email: string, password: string, options?: CallOptions): Answer<SessionState>;
  /** Ends the session, here and at the service. Harmless when there is none. */
  signOut(options?: CallOptions): Promise<void>;
  /** Who is signed in, and the workspaces that they belong to; undefined when nobody is. */
  session(options?: CallOptions): Promise<SessionState | undefined>;
  /** Gives the password once more, for what rejects with `session/password_needed`; it counts for ten minutes. */
  confirmPassword(password: string, options?: CallOptions): Answer<SessionState>;
  /**
   * Ends every other session of the person. A new password that is too easy to guess rejects with `request/invalid`, and
   * `issues` say why.
   */
  changePassword(currentPassword: string, newPassword: string, options?: CallOptions): Answer<void>;
  /** When the set-up link expires. Rejects with `setup/not_found` when it no longer works. */
  readSetupLink(token: string, options?: CallOptions): Answer<SetupLink>;
  /** Creates the first owner and the first workspace, with the token of the link that the service prints at its start. */
  setUp(details: SetUpDetails, options?: CallOptions): Answer<SessionState>;
  readonly sessions: {
    /** Where the person is signed in, newest first. */
    list(options?: ListOptions): RowList<SignedInDevice>;
    /** Signs out on another device. */
    revoke(sessionId: string, options?: CallOptions): Answer<void>;
  };
  /** Invitations that the person was sent; the token is what follows `#token=` in the link. */
  readonly invitations: {
    read(token: string, options?: CallOptions): Answer<InvitationView>;
    /** The same without `hasAccount`. Rejects with `invitation/not_found` when the link no longer works. */
    readLink(token: string, options?: CallOptions): Answer<InvitationLink>;
    /** Joins the workspace and signs in, with the password of the account or with the first one of a new account. */
    accept(token: string, password: string, options?: CallOptions): Answer<SessionState>;
  };
  /** The door to one workspace. Nothing is sent before its first call. */
  tenant(tenantId: string): Tenant;
};

/** Somebody who signs in. Nothing is sent before the first call. */
export function createAccount(options: AccountOptions): Account {
  const connection = openConnection(options);
  const { ask, tell, list } = connection;
  return {
    signIn: (email, password, call) => ask(signIn, { body: { email, password } }, call),
    signOut: async (call) => void (await unlessSignedOut(ask(signOut, {}, call))),
    session: (call) => unlessSignedOut(ask<SessionState>(readSession, {}, call)),
    confirmPassword: (password, call) => ask(confirmPassword, { body: { password } }, call),
    changePassword: (currentPassword, newPassword, call) => {
      // Sent once more after it was done unheard, it would be told that the password is wrong.
      const body = { currentPassword, newPassword };
      return tell(changePassword, { body, harmlessAgain: false }, call);
    },
    readSetupLink: (token, call) => ask(readSetupLink, { headers: toLinkHeader(token) }, call),
    setUp: (body, call) => ask(setUp, { body }, call),
    sessions: {
      list: ({ signal, limit } = {}) => list(listSessions, { query: { limit } }, { signal }),
      revoke: (sessionId, call) => tell(revokeSession, { parameters: { sessionId } }, call),
    },
    invitations: {
      read: (token, call) => ask(readInvitation, { body: { token } }, call),
      readLink: (token, call) => ask(readInvitationLink, { headers: toLinkHeader(token) }, call),
      accept: (token, password, call) => ask(acceptInvitation, { body: { token, password } }, call),
    },
    tenant: (tenantId) => openTenant(connection, tenantId),
  };
}

const toLinkHeader = (token: string) => ({ 'x-guidepost-link': token });

export type TenantOptions = { readonly tenantId: string } & (
  | AccountOptions
  | {
      /** Whoever is signed in; without it, that is the session of the browser. */
      readonly account: Account;
    }
);

/** The door to one workspace. Nothing is sent before the first call. */
export function createTenant(options: TenantOptions): Tenant {
  const account = 'account' in options ? options.account : createAccount(options);
  return account.tenant(options.tenantId);
}

async function unlessSignedOut<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isGuideError(error, 'session/unauthorized')) return undefined;
    throw error;
  }
}
