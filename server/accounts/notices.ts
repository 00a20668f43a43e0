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

type Notice =
  | 'password_changed'
  | 'email_changed'
  | 'new_sign_in'
  | 'factor_added'
  | 'factor_removed'
  | 'recovery_code_used'
  | 'recovery_codes_renewed';
type Values = Readonly<Record<string, string>>;

export const composeNotice = (
  template: Notice,
  { email, locale }: Reader,
  ctx: RequestContext,
  deps: NoticeDeps,
  values: Values = {},
): Promise<NewMail | undefined> =>
  // Whoever sends the request may be a stranger with a language of their own.
  compose(template, email, [...(locale === undefined ? [] : [locale]), ...listLocales(ctx)], deps, {
    ...values,
    device: getDeviceName(ctx.headers['user-agent']),
  });

/** Tells of what the operator did, by the name of the command. */
export const composeOperatorNotice = (
  template: Notice,
  { email, locale = 'en' }: Reader,
  command: string,
  deps: NoticeDeps,
  values: Values = {},
): Promise<NewMail | undefined> => compose(template, email, [locale], deps, { ...values, device: command });

function compose(
  template: Notice,
  email: string,
  locales: readonly string[],
  { composeMail, clock, baseUrl }: NoticeDeps,
  values: Values,
): Promise<NewMail | undefined> {
  const time = `${new Date(clock.now()).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const link = `${baseUrl()}/dashboard/password`;
  return composeMail({ to: email, template, locales, values: { ...values, email, time, link } });
}
