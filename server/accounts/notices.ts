import type { Clock } from '../base/clock.ts';
import { getDeviceName } from '../base/device-name.ts';
import { parseAcceptLanguage } from '../base/locale.ts';
import type { RequestContext } from '../http/handler.ts';
import type { ComposeMail } from '../people/compose-mail.ts';
import type { NewMail } from '../storage/mails.ts';

/** Mails that tell the owner of an account what happened to it. Nobody can turn them off. */

export type NoticeDeps = { composeMail: ComposeMail; clock: Clock; baseUrl: () => string };

/** Returns the languages of the browser, the best first. */
export const listLocales = ({ headers }: RequestContext): readonly string[] =>
  parseAcceptLanguage(headers['accept-language']).wanted;

export const composePasswordNotice = (email: string, ctx: RequestContext, deps: NoticeDeps) =>
  composeNotice('password_changed', email, ctx, deps);

export const composeSignInNotice = (email: string, ctx: RequestContext, deps: NoticeDeps) =>
  composeNotice('new_sign_in', email, ctx, deps);

function composeNotice(
  template: 'password_changed' | 'new_sign_in',
  email: string,
  ctx: RequestContext,
  { composeMail, clock, baseUrl }: NoticeDeps,
): Promise<NewMail | undefined> {
  return composeMail({
    to: email,
    template,
    locales: listLocales(ctx),
    values: {
      email,
      time: `${new Date(clock.now()).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
      device: getDeviceName(ctx.headers['user-agent']),
      link: `${baseUrl()}/dashboard/password`,
    },
  });
}
