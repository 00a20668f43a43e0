import * as operations from '../../generated/routes.ts';
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts';
import { isGuideError } from './errors.ts';
import type { CallOptions } from './http.ts';
import { bindMethods } from './methods.ts';
import { openTenant, type Tenant } from './tenant.ts';
import type { SecondFactorProof } from './types.ts';

export type AccountOptions = ConnectionOptions;

/**
 * A user account, signed in or not. In a browser this is the browser's session, which only pages of the service itself may
 * use; elsewhere the session is kept in memory by this object. Every method rejects with a `GuideError`.
 */
export type Account = ReturnType<typeof createAccount>;

/** Opens an account. Nothing is sent before the first call. */
export function createAccount(options: AccountOptions) {
  const connection = openConnection(options);
  const { call, send } = connection;
  const { read, write, pages, removeById } = bindMethods(connection);
  return {
    /**
     * Calls any operation for signed-in users, or for everyone, by its constant from `@guidepost/client/operations`, such as
     * `account.call(changePassword, { body })`. Operations of a workspace are easier to call on its `tenant`.
     */
    call,
    /**
     * Signs in. Rejects with `session/second_factor_asked` if the account has a second factor: `readSecondStep` says which,
     * and `completeSignIn` takes it. Rejects with
     * `session/wrong_credentials` for an unknown email address and for a wrong password, and with
     * `rate_limit/exceeded` after too many attempts; `retryAfterSeconds` says how long to wait.
     */
    signIn: (email: string, password: string, options?: CallOptions) =>
      call(operations.signIn, { body: { email, password }, ...options }),
    /** What is asked after the password. */
    readSecondStep: read(operations.readSecondStep),
    /** Signs in with a code or a passkey after the password. Rejects with `session/wrong_factor` and `session/step_ended`. */
    completeSignIn: (proof: SecondFactorProof, options?: CallOptions) =>
      call(operations.completeSignIn, { body: proof, ...options }),
    /** Ends the session, here and at the service. Does nothing when there is none. */
    signOut: async (options?: CallOptions): Promise<void> =>
      void (await unlessSignedOut(call(operations.signOut, options))),
    /** The user with their workspaces; undefined without a session. */
    session: (options?: CallOptions) => unlessSignedOut(call(operations.readSession, options)),
    /** Confirms the password, which `session/password_needed` asks for. Counts for ten minutes. */
    confirmPassword: (password: string, options?: CallOptions) =>
      call(operations.confirmPassword, { body: { password }, ...options }),
    /** The same with a second factor: a password and a code, or a passkey alone. */
    confirm: write(operations.confirmPassword),
    /**
     * Changes the password and ends all other sessions of the user. Rejects with `request/invalid` when the new password is
     * too easy to guess; `issues` say why.
     */
    changePassword: (currentPassword: string, newPassword: string, options?: CallOptions) => {
      // A repeated request would fail after its own success, with a wrong current password.
      const body = { currentPassword, newPassword };
      return send(operations.changePassword, { body, idempotent: false, ...options });
    },
    passwordResets: openPasswordResets(connection),
    emailChanges: openEmailChanges(connection),
    secondFactors: openSecondFactors(connection),
    /** Sign-in at an identity provider. */
    provider: openProvider(connection),
    /** When the set-up link expires. Rejects with `setup/not_found` when it no longer works. */
    readSetupLink: (token: string, options?: CallOptions) =>
      call(operations.readSetupLink, { headers: toLinkHeader(token), ...options }),
    /** Creates the first owner and workspace, with the token of the link that the service prints when it first starts. */
    setUp: write(operations.setUp),
    sessions: {
      /** The user's sessions on all devices, newest first. */
      list: pages(operations.listSessions),
      /** Signs out another device. */
      revoke: removeById(operations.revokeSession, 'sessionId'),
    },
    /** Invitations that the user has received. The token is the part of the link after `#token=`. */
    invitations: openReceivedInvitations(connection),
    /** Opens one workspace. Nothing is sent before the first call. */
    tenant: (tenantId: string): Tenant => openTenant(connection, tenantId),
  };
}

function openSecondFactors(connection: Connection) {
  const { read, write, writeById, removeById } = bindMethods(connection);
  const { call } = connection;
  return {
    /** The user's passkeys and authenticator app. */
    read: read(operations.readSecondFactors),
    /** What a browser asks for a passkey with, to sign in or to confirm. */
    startPasskeySignIn: read(operations.startPasskeySignIn),
    /** Signs in with a passkey alone. */
    signInWithPasskey: write(operations.signInWithPasskey),
    /** What a browser makes a passkey with. Needs a password confirmed lately, as do the other changes. */
    startPasskey: read(operations.startPasskey),
    addPasskey: write(operations.addPasskey),
    renamePasskey: writeById(operations.renamePasskey, 'passkeyId'),
    removePasskey: removeById(operations.removePasskey, 'passkeyId'),
    /** The secret of an authenticator app; a code of it proves the app. */
    startApp: read(operations.startAuthenticatorApp),
    addApp: write(operations.addAuthenticatorApp),
    removeApp: async (options?: CallOptions): Promise<void> =>
      void (await call(operations.removeAuthenticatorApp, options)),
    /** New recovery codes in place of the earlier ones. */
    renewRecoveryCodes: read(operations.renewRecoveryCodes),
  };
}

function openProvider(connection: Connection) {
  const { read, write } = bindMethods(connection);
  return {
    /** The provider of the installation, if it has one. */
    options: read(operations.readSignInOptions),
    /** Returns the page of the provider to open. Rejects with `session/no_provider` where there is none. */
    start: write(operations.startProviderSignIn),
    /** Signs in with the query with which the provider leads back. Works once. */
    finish: (query: string, options?: CallOptions) =>
      connection.call(operations.finishProviderSignIn, { body: { query }, idempotent: false, ...options }),
  };
}

function openPasswordResets({ call, send }: Connection) {
  return {
    /** Mails a link, if the address has an account. Rejects with `mail/not_configured` where the service sends no mail. */
    request: (email: string, options?: CallOptions) =>
      call(operations.requestPasswordReset, { body: { email }, ...options }),
    /** Whose password a link changes. Rejects with `password_reset/not_found` when it no longer works. */
    readLink: (token: string, options?: CallOptions) =>
      call(operations.readPasswordResetLink, { headers: toLinkHeader(token), ...options }),
    /** Sets a new password and ends all sessions. The token is the part of the link after `#token=`. */
    complete: (token: string, newPassword: string, options?: CallOptions) =>
      send(operations.resetPassword, { body: { token, newPassword }, idempotent: false, ...options }),
  };
}

function openEmailChanges({ call }: Connection) {
  return {
    /** Mails a link to the new address. Rejects with `mail/not_configured` where the service sends no mail. */
    request: (email: string, options?: CallOptions) =>
      call(operations.requestEmailChange, { body: { email }, ...options }),
    /**
     * Gives the account the new address and ends all other sessions. The token is the part of the link after `#token=`. Rejects
     * with `email_change/not_found` when it no longer works.
     */
    confirm: (token: string, options?: CallOptions) =>
      call(operations.changeEmail, { body: { token }, idempotent: false, ...options }),
  };
}

function openReceivedInvitations({ call }: Connection) {
  return {
    /** The workspace and role of an invitation. Rejects with `invitation/not_found` when it is unknown, used or expired. */
    read: (token: string, options?: CallOptions) =>
      call(operations.readInvitation, { body: { token }, ...options }),
    /** The same without `provesAddress`. Rejects with `invitation/not_found` when the link no longer works. */
    readLink: (token: string, options?: CallOptions) =>
      call(operations.readInvitationLink, { headers: toLinkHeader(token), ...options }),
    /**
     * Joins the workspace and signs in: with the password of the account whose address is proved, or with any other
     * password as a new account of this workspace alone. A link that proves the address sets the password instead.
     */
    accept: (token: string, password: string, options?: CallOptions) =>
      call(operations.acceptInvitation, { body: { token, password }, ...options }),
  };
}

const toLinkHeader = (token: string) => ({ 'x-guidepost-link': token });

export type TenantOptions = { tenantId: string } & (
  | AccountOptions
  | {
      /** The signed-in account. Without it, the browser's session is used. */
      account: Account;
    }
);

/** Opens one workspace. Nothing is sent before the first call. */
export function createTenant(options: TenantOptions): Tenant {
  const account = 'account' in options ? options.account : createAccount(options);
  return account.tenant(options.tenantId);
}

async function unlessSignedOut<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (isGuideError(error, 'session/unauthorized')) return undefined;
    throw error;
  }
}
