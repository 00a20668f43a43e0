import { describe, expect, it } from 'vitest';
import { readConfig } from '../../server/settings/config.ts';

const MAIL_FROM = 'Guidepost <guide@example.com>';
const read = (SMTP_URL: string, from = MAIL_FROM) => readConfig({ SMTP_URL, MAIL_FROM: from }).mail;

describe('the settings of mail', () => {
  it('are off unless they are set', () => {
    expect(readConfig({}).mail).toBeUndefined();
  });

  it('take TLS from the start or STARTTLS, and credentials with any characters', () => {
    expect(read('smtps://us%40er:p%3Ass@mail.example.com')).toEqual({
      host: 'mail.example.com',
      port: 465,
      isImplicitTls: true,
      isLoopback: false,
      credentials: { user: 'us@er', pass: 'p:ss' },
      from: { name: 'Guidepost', address: 'guide@example.com' },
      inbound: undefined,
    });
    expect(read('smtp://mail.example.com', 'guide@example.com')).toMatchObject({
      port: 587,
      isImplicitTls: false,
      credentials: undefined,
      from: { name: '', address: 'guide@example.com' },
    });
    expect(read('smtp://[::1]:25')).toMatchObject({ host: '::1', port: 25, isLoopback: true });
  });

  it('take the domain of replies with the password of the provider', () => {
    const inbound = { MAIL_INBOUND_DOMAIN: 'reply.example.com', MAIL_INBOUND_SECRET: 'a'.repeat(32) };
    const { mail } = readConfig({ SMTP_URL: 'smtp://localhost', MAIL_FROM, ...inbound });
    expect(mail!.inbound).toEqual({ domain: 'reply.example.com', secret: 'a'.repeat(32) });
  });

  it.each([
    [{ MAIL_INBOUND_DOMAIN: 'reply.example.com' }, 'MAIL_INBOUND_DOMAIN: set MAIL_INBOUND_SECRET too'],
    [{ MAIL_INBOUND_SECRET: 'a'.repeat(32) }, 'MAIL_INBOUND_DOMAIN: set MAIL_INBOUND_SECRET too'],
    [
      { MAIL_INBOUND_DOMAIN: 'reply.example.com', MAIL_INBOUND_SECRET: 'a'.repeat(32) },
      'MAIL_INBOUND_DOMAIN: set SMTP_URL',
    ],
    [{ MAIL_INBOUND_DOMAIN: 'reply@example.com' }, 'expected a domain'],
    [{ MAIL_INBOUND_SECRET: 'short' }, 'expected 32 to 128'],
    [{ MAIL_FROM }, 'MAIL_FROM: set SMTP_URL too'],
    [{ SMTP_URL: 'smtp://localhost' }, 'SMTP_URL: set MAIL_FROM too'],
    [{ SMTP_URL: 'https://localhost', MAIL_FROM }, 'SMTP_URL: expected an address that begins with smtps://'],
    [{ SMTP_URL: 'smtp://localhost/path', MAIL_FROM }, 'without a path'],
    [{ SMTP_URL: 'smtp://a:%zz@localhost', MAIL_FROM }, 'percent-encoded'],
    [
      { SMTP_URL: 'smtp://localhost', MAIL_FROM: 'a@b.example, c@d.example' },
      'MAIL_FROM: expected an address',
    ],
    [{ SMTP_URL: 'smtp://localhost', MAIL_FROM: 'a\r\nBcc: c@d.example <a@b.example>' }, 'MAIL_FROM'],
  ])('rejects %j', (env, message) => {
    expect(() => readConfig(env as Record<string, string>)).toThrow(message);
  });
});
