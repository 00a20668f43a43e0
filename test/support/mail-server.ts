import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A server that takes mails over SMTP and keeps them. */
export type MailServer = {
  url: string;
  port: number;
  /** In the order of arrival: mails that are due at the same time are sent side by side. */
  mails: ReceivedMail[];
  /** The addresses of envelopes, one list for each mail. */
  readonly recipients: string[][];
  /** The mails whose envelope names the address. */
  mailsTo(address: string): ReceivedMail[];
  /** Calls back once the next mail has arrived, and waits before it says that it took the mail. */
  onNext(callback: () => Promise<unknown>): void;
  /** Answers the next mails with these errors, one after the other, at the given command. */
  refuse(...errors: { code: number; text: string; at?: 'recipient' | 'data' }[]): void;
  close(): Promise<void>;
};

type ReceivedMail = ParsedMail & { recipients: string[] };

export async function openMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const errors: { code: number; text: string; at?: 'recipient' | 'data' }[] = [];
  let next: (() => Promise<unknown>) | undefined;
  const takeError = (at: 'recipient' | 'data') => {
    if ((errors[0]?.at ?? 'data') !== at || !errors[0]) return undefined;
    const { code, text } = errors.shift()!;
    return Object.assign(new Error(text), { responseCode: code });
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onRcptTo: (_address, _session, done) => done(takeError('recipient')),
    onData(stream, session, done) {
      simpleParser(stream).then(async (mail) => {
        const error = takeError('data');
        if (error) return done(error);
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({ ...mail, recipients });
        const wait = next;
        next = undefined;
        await wait?.();
        done();
      }, done);
    },
    ...options,
  });
  // A client that gives up is no failure of the server.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    get recipients() {
      return mails.map(({ recipients }) => recipients);
    },
    mailsTo: (address) => mails.filter(({ recipients }) => recipients.includes(address)),
    onNext(callback) {
      next = callback;
    },
    refuse: (...more) => void errors.push(...more),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
