import { newId } from '../base/ids.ts';
import type { Config } from '../settings/config.ts';
import { type Finding, ok, problem } from './finding.ts';

const TEST_TEXT = 'This is a test mail: Guidepost can send mail from this server.';

/** Connects to the mail server as the service does, and sends a test mail if there is an address for it. */
export async function* checkMail(
  { mail }: Config,
  to: string | undefined,
  now: () => number,
): AsyncGenerator<Finding> {
  if (!mail) {
    if (to === undefined) yield ok`mail: No mail is sent (SMTP_URL).`;
    else yield problem`mail: No test mail was sent: set SMTP_URL and MAIL_FROM first.`;
    return;
  }
  const { describeSmtpError, openSmtp } = await import('../people/smtp.ts');
  const smtp = openSmtp(mail);
  const server = `${mail.host}:${mail.port}`;
  try {
    await smtp.verify();
    yield ok`mail: ${server} takes mail from ${mail.from.address}.`;
    if (to === undefined) return;
    const content = { subject: 'A test mail from Guidepost', text: TEST_TEXT, html: `<p>${TEST_TEXT}</p>` };
    await smtp.send({ id: newId('mail'), createdAt: now(), to, ...content });
    yield ok`mail: The test mail was accepted. Look into the mailbox of ${to}.`;
  } catch (error) {
    yield problem`mail: ${server} sends no mail (${describeSmtpError(error)}): check address, user, password and certificate (SMTP_URL, MAIL_FROM).`;
  } finally {
    smtp.close();
  }
}
