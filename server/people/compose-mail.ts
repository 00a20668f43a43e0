import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { NewMail } from '../storage/mails.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import { type MailTemplate, toMailLocale } from './mail-languages.ts';

/** An entry of a list in a mail. */
export type MailItem = { text: string; detail?: string; url?: string };

/** What fills the placeholders, buttons, quotes and lists of a template. A block without its value is left out. */
export type MailValues = Readonly<Record<string, string | readonly MailItem[]>>;

export type MailDraft = {
  /** Absent for mail about an account. */
  workspaceId?: string;
  /** The visitor whom it names. */
  visitorId?: string;
  to: string;
  template: MailTemplate;
  /** The reader's languages, the best first. */
  locales: readonly string[];
  values: MailValues;
  /** The person whom an answer to the mail goes to. */
  replyTo?: { name: string; address: string };
  /** Where a click or a POST turns off mails of this kind. */
  unsubscribe?: string;
  /** For how long sending is worth trying. */
  lifetimeMillis?: number;
};

/** The encrypted part of a queued mail. */
export type MailContent = Pick<MailDraft, 'to' | 'values' | 'replyTo' | 'unsubscribe'>;

export const toMailOwner = (id: string) => `mail ${id}`;

const LIFETIME_MILLIS = 3 * 24 * 60 * 60_000;

/** Makes a mail to queue; undefined where the service sends none. */
export type ComposeMail = (draft: MailDraft) => Promise<NewMail | undefined>;

export function createComposer({
  secrets,
  clock,
  isOn,
}: {
  secrets: SecretBox;
  clock: Clock;
  isOn: boolean;
}): ComposeMail {
  return async ({
    workspaceId,
    visitorId,
    template,
    locales,
    lifetimeMillis = LIFETIME_MILLIS,
    ...content
  }) => {
    if (!isOn) return undefined;
    const id = newId('mail');
    const createdAt = clock.now();
    const { to, values, replyTo, unsubscribe }: MailContent = content;
    return {
      id,
      workspaceId,
      visitorId,
      template,
      locale: toMailLocale(locales, template),
      sealedContent: await secrets.seal(
        JSON.stringify({ to, values, replyTo, unsubscribe }),
        toMailOwner(id),
      ),
      createdAt,
      expiresAt: createdAt + lifetimeMillis,
    };
  };
}
