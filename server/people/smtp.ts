import { createTransport } from 'nodemailer';
import type { MailSettings } from '../settings/mail.ts';
import type { MailContent } from './compose-mail.ts';
import type { RenderedMail } from './render-mail.ts';

/** The server that takes mails, spoken to over SMTP. */

const CONNECTION_MILLIS = 15_000;
const SILENCE_MILLIS = 60_000;
const CONNECTIONS_MAX = 3;

export type OutgoingMail = Pick<MailContent, 'to' | 'replyTo' | 'unsubscribe'> &
  RenderedMail & { id: string; createdAt: number };

export type Smtp = ReturnType<typeof openSmtp>;

export function openSmtp({ host, port, isImplicitTls, isLoopback, credentials, from }: MailSettings) {
  const transport = createTransport({
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    host,
    port,
    secure: isImplicitTls,
    // A certificate for this machine's own name is rare, and nothing leaves it.
    ...(isLoopback ? { ignoreTLS: true } : { requireTLS: true }),
    tls: { minVersion: 'TLSv1.2' },
    ...(credentials && { auth: credentials }),
    connectionTimeout: CONNECTION_MILLIS,
    greetingTimeout: CONNECTION_MILLIS,
    dnsTimeout: CONNECTION_MILLIS,
    socketTimeout: SILENCE_MILLIS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    /** Returns what the server said. Rejects with the reason; `isFinal` tells whether trying again is in vain. */
    async send({ id, createdAt, to, replyTo, unsubscribe, ...content }: OutgoingMail): Promise<string> {
      const { response } = await transport.sendMail({
        ...content,
        from,
        // As objects, so that nothing in an address is read as a list of addresses.
        to: { name: '', address: to },
        ...(replyTo && { replyTo }),
        messageId: `<${id}@${domain}>`,
        date: new Date(createdAt),
        headers: {
          'Auto-Submitted': 'auto-generated',
          // RFC 8058: mail programs show a button that unsubscribes at once.
          ...(unsubscribe && {
            'List-Unsubscribe': `<${unsubscribe}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      });
      return redact(response ?? '');
    },
    /** Connects and signs in. */
    async verify(): Promise<void> {
      await transport.verify();
    },
    close: () => transport.close(),
  };
}

type SmtpError = {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
  message: string;
};

/** Whether the server refused this mail for good. It may refuse a sign-in for good, too, but the operator can correct that. */
export function isFinal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as SmtpError;
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
}

/** Describes a failure without addresses and names of accounts. */
export function describeSmtpError(error: unknown): string {
  const { code, response, message } = error as SmtpError;
  return redact([code, response ?? message].filter(Boolean).join(': '));
}

const CHARS_MAX = 200;
const redact = (text: string) =>
  text
    .replace(/\S+@\S+/g, '…')
    .replace(/\s+/g, ' ')
    .slice(0, CHARS_MAX);
