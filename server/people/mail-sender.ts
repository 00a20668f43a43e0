import { once } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type BackgroundJob, createBackgroundJob } from '../knowledge/background-job.ts';
import type { MailSettings } from '../settings/mail.ts';
import type { Mails } from '../storage/mails.ts';
import type { Store } from '../storage/store.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import { type MailContent, toMailOwner } from './compose-mail.ts';
import type { MailTemplate } from './mail-languages.ts';
import { renderMail } from './render-mail.ts';
import { getRetryDelayMillis } from './retry-delay.ts';

type Deps = {
  store: Pick<Store, 'mails' | 'users'>;
  secrets: SecretBox;
  clock: Clock;
  log: Log;
  baseUrl: () => string;
  settings: MailSettings;
};

type DueMail = Awaited<ReturnType<Mails['due']>>[number];

const CHECK_MILLIS = 1_000;
const MAILS_PER_BATCH = 20;
/** How long the log of mails remembers one. */
const KEPT_MILLIS = 30 * 24 * 60 * 60_000;

/**
 * Sends what the queue holds. A mail that was sent just before a crash is sent again, with the same Message-ID, by which mail
 * servers and programs recognize it.
 */
export function createMailSender(deps: Deps): BackgroundJob {
  const { store, clock, settings } = deps;
  // Most installations never send a mail.
  const openOnce = once(async () => {
    const smtp = await import('./smtp.ts');
    return { ...smtp, server: smtp.openSmtp(settings) };
  });
  let isOpen = false;
  const job = createBackgroundJob(clock, CHECK_MILLIS, async (signal) => {
    while (!signal.aborted) {
      const mails = await store.mails.due(clock.now(), MAILS_PER_BATCH);
      if (mails.length === 0) return;
      isOpen = true;
      const smtp = await openOnce();
      await Promise.all(mails.map((mail) => sendOne(mail, smtp, deps)));
    }
  });
  return {
    tick: job.tick,
    async stop() {
      await job.stop();
      if (isOpen) (await openOnce()).server.close();
    },
  };
}

type OpenedSmtp = Pick<typeof import('./smtp.ts'), 'isFinal' | 'describeSmtpError'> & {
  server: import('./smtp.ts').Smtp;
};

async function sendOne(
  mail: DueMail,
  { server, isFinal, describeSmtpError }: OpenedSmtp,
  deps: Deps,
): Promise<void> {
  const { id, attempts } = mail;
  const { store, clock, log } = deps;
  const facts = { mail: id, template: mail.template, attempts: attempts + 1 };
  const giveUp = async (reason: string) => {
    await store.mails.finish(id, clock.now() + KEPT_MILLIS, reason);
    log.error({ ...facts, reason }, 'could not send a mail and gave up');
  };
  if (clock.now() > mail.expiresAt) return giveUp(mail.lastError ?? 'expired before it could be sent');
  const content = await openContent(mail, deps.secrets);
  if (!content) return giveUp('encrypted with the keys of another installation');
  // Decided here and not by the request, which must not tell whether an address has an account.
  if (mail.template === 'password_reset' && (await store.users.listByEmail(content.to)).length === 0)
    return store.mails.drop(id);
  let response: string;
  try {
    response = await server.send({
      ...content,
      ...render(mail, content, deps.baseUrl()),
      id,
      createdAt: mail.createdAt,
    });
  } catch (error) {
    const reason = describeSmtpError(error);
    const nextAttemptAt = clock.now() + (getRetryDelayMillis(attempts + 1) ?? Number.POSITIVE_INFINITY);
    if (isFinal(error) || nextAttemptAt > mail.expiresAt) return giveUp(reason);
    await store.mails.retry(id, nextAttemptAt, reason);
    log.warn({ ...facts, reason }, 'could not send a mail, and will try again');
    return;
  }
  await store.mails.finish(id, clock.now() + KEPT_MILLIS);
  log.info({ ...facts, response }, 'sent a mail');
}

async function openContent(
  { id, sealedContent }: DueMail,
  secrets: SecretBox,
): Promise<MailContent | undefined> {
  const opened = sealedContent === undefined ? undefined : await secrets.open(sealedContent, toMailOwner(id));
  return opened === undefined ? undefined : (JSON.parse(opened) as MailContent);
}

function render({ template, locale }: DueMail, { values }: MailContent, baseUrl: string) {
  return renderMail({
    template: template as MailTemplate,
    locale,
    values,
    host: new URL(baseUrl).host,
  });
}
