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

type Reader = { email: string; locale?: string | undefined };

export function composeNotice(
  template: 'password_changed' | 'new_sign_in' | 'factor_added' | 'factor_removed',
  { email, locale }: Reader,
  ctx: RequestContext,
  { composeMail, clock, baseUrl }: NoticeDeps,
  values: Readonly<Record<string, string>> = {},
): Promise<NewMail | undefined> {
  return composeMail({
    to: email,
    template,
    // Whoever sends the request may be a stranger with a language of their own.
    locales: [...(locale === undefined ? [] : [locale]), ...listLocales(ctx)],
    values: {
      ...values,
      email,
      time: `${new Date(clock.now()).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
      device: getDeviceName(ctx.headers['user-agent']),
      link: `${baseUrl()}/dashboard/password`,
    },
  });
}
