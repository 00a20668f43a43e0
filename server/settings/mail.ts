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
  MAIL_INBOUND_DOMAIN: z
    .string()
    .regex(/^(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/, 'expected a domain such as reply.example.com')
    .optional()
    .describe(
      'Domain whose mail the provider posts to `/mail/inbound`, such as `reply.example.com`: the team answers questions of visitors by ' +
        'mail. Needs SMTP_URL and MAIL_INBOUND_SECRET.',
    ),
  MAIL_INBOUND_SECRET: z
    .string()
    .regex(/^[\w-]{32,128}$/, 'expected 32 to 128 letters, digits, - and _')
    .optional()
    .describe('Password with which the provider posts mail to `/mail/inbound`.'),
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
  /** Undefined where nobody answers by mail. */
  inbound: InboundSettings | undefined;
};

/** The domain of reply addresses, and the password of the provider that posts their mail. */
type InboundSettings = { domain: string; secret: string };

const SENDER = /^(?:(?<name>[^<>"\p{Cc}]*?)\s*<(?<inner>[^<>]+)>|(?<bare>[^<>\s]+))$/u;
const ADDRESS = /^[^\s@<>,;:"\p{Cc}]{1,64}@[^\s@<>,;:"\p{Cc}]{1,255}$/u;
const SUBMISSION_PORT = 587;
const IMPLICIT_TLS_PORT = 465;

/** Returns undefined when mail is off, and a sentence for settings that are invalid together. */
export function parseMailSettings({
  SMTP_URL: url,
  MAIL_FROM: from,
  MAIL_INBOUND_DOMAIN: domain,
  MAIL_INBOUND_SECRET: secret,
}: z.infer<z.ZodObject<typeof mailSettings>>): MailSettings | string | undefined {
  if ((domain === undefined) !== (secret === undefined))
    return 'MAIL_INBOUND_DOMAIN: set MAIL_INBOUND_SECRET too, or neither';
  if (url === undefined && from === undefined)
    return domain === undefined ? undefined : 'MAIL_INBOUND_DOMAIN: set SMTP_URL and MAIL_FROM too';
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
    inbound: domain !== undefined && secret !== undefined ? { domain, secret } : undefined,
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
