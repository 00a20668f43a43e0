import { z } from 'zod';
import { isLoopbackHost } from '../base/network.ts';

/** Settings of the server that sends mail. Without them, no mail is sent. */

export const mailSettings = {
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'expected an address that begins with smtps:// or smtp://' })
    .optional()
    .describe(
      'Server through which the service sends mail, such as `smtps://user:password@mail.example.com`: `smtps` for TLS from the start ' +
        '(port 465), `smtp` for STARTTLS (port 587). Unencrypted only on this machine. Needs MAIL_FROM. Without it, no mail is sent.',
    ),
  MAIL_FROM: z
    .string()
    .max(320)
    .optional()
    .describe(
      'Sender of mails, such as `Guidepost <guide@example.com>` or only the address. Needs SMTP_URL.',
    ),
};

export type MailSettings = {
  /** Without credentials. */
  host: string;
  port: number;
  /** Whether TLS begins with the connection; otherwise STARTTLS follows, except on this machine. */
  isImplicitTls: boolean;
  isLoopback: boolean;
  credentials: { user: string; pass: string } | undefined;
  from: { name: string; address: string };
};

const SENDER = /^(?:(?<name>[^<>"\p{Cc}]*?)\s*<(?<inner>[^<>]+)>|(?<bare>[^<>\s]+))$/u;
const ADDRESS = /^[^\s@<>,;:"\p{Cc}]{1,64}@[^\s@<>,;:"\p{Cc}]{1,255}$/u;
const SUBMISSION_PORT = 587;
const IMPLICIT_TLS_PORT = 465;

/** Returns undefined when mail is off, and a sentence for settings that are invalid together. */
export function parseMailSettings({
  SMTP_URL: url,
  MAIL_FROM: from,
}: z.infer<z.ZodObject<typeof mailSettings>>): MailSettings | string | undefined {
  if (url === undefined && from === undefined) return undefined;
  if (url === undefined) return 'MAIL_FROM: set SMTP_URL too, or neither';
  if (from === undefined) return 'SMTP_URL: set MAIL_FROM too, or neither';
  const sender = parseSender(from);
  if (!sender)
    return 'MAIL_FROM: expected an address, or a name and an address as in Guidepost <guide@example.com>';
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(url);
  if (hostname === '' || !/^\/?$/.test(pathname) || search !== '' || hash !== '')
    return 'SMTP_URL: expected smtps://user:password@host:port, without a path or a query';
  const isImplicitTls = protocol === 'smtps:';
  const credentials = decodeCredentials(username, password);
  if (credentials === 'invalid') return 'SMTP_URL: write user and password percent-encoded';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isImplicitTls ? IMPLICIT_TLS_PORT : SUBMISSION_PORT) : Number(port),
    isImplicitTls,
    isLoopback: isLoopbackHost(hostname),
    credentials,
    from: sender,
  };
}

function parseSender(text: string): MailSettings['from'] | undefined {
  const { name = '', inner, bare } = SENDER.exec(text.trim())?.groups ?? {};
  const address = inner ?? bare ?? '';
  return ADDRESS.test(address) ? { name, address } : undefined;
}

function decodeCredentials(user: string, pass: string): MailSettings['credentials'] | 'invalid' {
  if (user === '' && pass === '') return undefined;
  try {
    return { user: decodeURIComponent(user), pass: decodeURIComponent(pass) };
  } catch {
    return 'invalid';
  }
}
