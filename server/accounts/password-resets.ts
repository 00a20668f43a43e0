import { LINK_HEADER } from '../../contract/fields.ts';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import type { passwordResets } from '../../contract/password-resets.ts';
import { toIsoString } from '../base/clock.ts';
import { normalizeEmail } from '../base/text.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, RequestContext } from '../http/handler.ts';
import type { AuditEntry, MembershipAudit } from '../storage/audit.ts';
import type { Store } from '../storage/store.ts';
import { hashToken, makeSessionToken } from '../tokens/session-cookie.ts';
import { createMemberAudit } from '../workspaces/audit-trail.ts';
import { composeNotice, listLocales, type NoticeDeps } from './notices.ts';
import { assertStrongPassword, hashPassword } from './password.ts';
import type { SessionDeps } from './sign-in.ts';

type Deps = NoticeDeps &
  Pick<SessionDeps, 'consumeRateLimit'> & {
    store: Pick<Store, 'users' | 'memberships' | 'passwordResets'>;
  };

export function passwordResetHandlers(deps: Deps): Handlers<typeof passwordResets> {
  const { store, clock, composeMail, baseUrl } = deps;
  return {
    async requestPasswordReset({ body, ctx }) {
      const email = normalizeEmail(body.email);
      const subject = { clientAddress: ctx.clientAddress, account: email };
      await deps.consumeRateLimit(['session/network-resets', 'session/account-resets'], subject, ctx);
      const token = makeSessionToken();
      const lifetimeMillis = ACCOUNT_LIMITS.mailedLinkSeconds * 1000;
      // Queued for any address, so that neither response nor time tell which ones have an account. The sender looks.
      const mail = await composeMail({
        to: email,
        template: 'password_reset',
        locales: listLocales(ctx),
        values: {
          email,
          link: `${baseUrl()}/dashboard/password#token=${token}`,
          minutes: String(ACCOUNT_LIMITS.mailedLinkSeconds / 60),
        },
        lifetimeMillis,
      });
      if (!mail) return throwApiError('mail/not_configured');
      const expiresAt = clock.now() + lifetimeMillis;
      await store.passwordResets.add({ tokenHash: hashToken(token), email, expiresAt }, mail);
      return { status: 202, body: { ok: true } };
    },

    async readPasswordResetLink({ headers }) {
      const { email, expiresAt } = await findLink(headers[LINK_HEADER], deps);
      return { status: 200, body: { email, expiresAt: toIsoString(expiresAt) } };
    },

    async resetPassword({ body, ctx }) {
      await resetPassword(body, ctx, deps);
      return { status: 200, body: { ok: true } };
    },
  };
}

/** Throws `password_reset/not_found` unless the link works now. */
async function findLink(token: string, { store, clock }: Deps) {
  const link = await store.passwordResets.find(hashToken(token), clock.now());
  return link ?? throwApiError('password_reset/not_found');
}

/** Makes the row for each member whose password a link has set. */
export const auditPasswordReset =
  (
    ctx: RequestContext,
    { clock }: Pick<Deps, 'clock'>,
    details: AuditEntry['details'] = {},
  ): MembershipAudit =>
  (_, memberId) =>
    createMemberAudit(clock)({ memberId }, ctx, 'password.reset', memberId, details);

async function resetPassword(
  { token, newPassword }: { token: string; newPassword: string },
  ctx: RequestContext,
  deps: Deps,
): Promise<void> {
  const { users, memberships, passwordResets } = deps.store;
  // Check the link before hashing, so that callers without a link cannot cause that work.
  const { email } = await findLink(token, deps);
  const accounts = await users.listByEmail(email);
  const workspaces = await Promise.all(accounts.map(({ id }) => memberships.ofUser(id)));
  const names = workspaces.flat().map(({ workspaceName }) => workspaceName);
  await assertStrongPassword(newPassword, [email, ...names], 'body.newPassword');
  const outcome = await passwordResets.use({
    tokenHash: hashToken(token),
    passwordHash: await hashPassword(newPassword),
    nowMillis: deps.clock.now(),
    audit: auditPasswordReset(ctx, deps),
    mail: await composeNotice('password_changed', accounts[0] ?? { email }, ctx, deps),
  });
  if (outcome === 'gone') throwApiError('password_reset/not_found', 'used by another request');
}
