import type { emailChanges } from '../../contract/email-changes.ts';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { normalizeEmail } from '../base/text.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, RequestContext, SessionCaller } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import { createAccountAudit } from '../workspaces/audit-trail.ts';
import { composeNotice, listLocales, type NoticeDeps } from './notices.ts';
import type { SessionDeps } from './sign-in.ts';

/** What a mailed link says, sealed for its account: the server stores no links. */
type EmailChange = { from: string; to: string; expiresAt: number };

type Deps = NoticeDeps &
  Pick<SessionDeps, 'consumeRateLimit'> & { store: Pick<Store, 'users' | 'mails'>; secrets: SecretBox };

export function emailChangeHandlers(deps: Deps): Handlers<typeof emailChanges> {
  const { store, clock, composeMail, baseUrl, secrets } = deps;
  return {
    async requestEmailChange({ caller, body, ctx }) {
      const to = normalizeEmail(body.email);
      await deps.consumeRateLimit(
        ['session/network-resets', 'session/account-resets'],
        { clientAddress: ctx.clientAddress, account: to },
        ctx,
      );
      const lifetimeMillis = ACCOUNT_LIMITS.mailedLinkSeconds * 1000;
      const change: EmailChange = { from: caller.email, to, expiresAt: clock.now() + lifetimeMillis };
      const token = await secrets.seal(JSON.stringify(change), toOwner(caller.userId));
      const mail = await composeMail({
        to,
        template: 'email_change',
        locales: listLocales(ctx),
        values: {
          email: caller.email,
          newEmail: to,
          link: `${baseUrl()}/dashboard/account#token=${token}`,
          minutes: String(ACCOUNT_LIMITS.mailedLinkSeconds / 60),
        },
        lifetimeMillis,
      });
      if (!mail) return throwApiError('mail/not_configured');
      await store.mails.queue(mail);
      return { status: 202, body: { ok: true } };
    },

    async changeEmail({ caller, body, ctx }) {
      const change = await openChange(body.token, caller, deps);
      await changeEmail(change, caller, ctx, deps);
      return { status: 200, body: { email: change.to } };
    },
  };
}

const toOwner = (userId: string) => `email change of ${userId}`;

/** Throws `email_change/not_found` unless the link is the caller's and works now. */
async function openChange(
  token: string,
  { userId }: SessionCaller,
  { secrets, clock }: Deps,
): Promise<EmailChange> {
  const text = await secrets.open(token, toOwner(userId));
  const change = text === undefined ? undefined : (JSON.parse(text) as EmailChange);
  if (!change || change.expiresAt <= clock.now()) return throwApiError('email_change/not_found');
  return change;
}

async function changeEmail(
  { from, to }: EmailChange,
  caller: SessionCaller,
  ctx: RequestContext,
  deps: Deps,
): Promise<void> {
  const outcome = await deps.store.users.changeEmail({
    ...{ userId: caller.userId, from, to },
    keepSessionId: caller.sessionId,
    nowMillis: deps.clock.now(),
    audit: createAccountAudit(deps.clock)(caller, ctx, 'email.changed'),
    mail: await composeNotice('email_changed', { email: from }, ctx, deps, { newEmail: to }),
  });
  if (outcome === 'gone') throwApiError('email_change/not_found', 'the account has another address');
  if (outcome === 'taken') throwApiError('email_change/not_available');
}
