import { z } from 'zod';
import { hashPassword } from '../accounts/password-hash.ts';
import { findPasswordProblem, PASSWORD_PROBLEMS } from '../accounts/password-strength.ts';
import { CommandFailed, type Terminal, UsageError } from './terminal.ts';

const EMAIL_CHARS_MAX = 254;
const PASSWORD_BYTES_MAX = 4096;

export function parseEmail(text: string, option: string): string {
  const email = text.trim().normalize('NFC').toLowerCase();
  if (z.email().max(EMAIL_CHARS_MAX).safeParse(email).success) return email;
  throw new UsageError(`${option} ${text}: expected an email address`);
}

/** Reads the password from standard input: arguments are visible in process lists. */
export async function readPasswordHash(
  { stdin }: Terminal,
  { isOnStdin, option, personalWords }: PasswordOptions,
): Promise<string> {
  if (!isOnStdin)
    throw new UsageError(`Pass the password on standard input: printf %s "$PASSWORD" | … ${option}`);
  const password = await readFirstLine(stdin);
  const problem = await findPasswordProblem(password, personalWords);
  if (problem) throw new CommandFailed(PASSWORD_PROBLEMS[problem]);
  return hashPassword(password);
}

type PasswordOptions = {
  readonly isOnStdin: boolean | undefined;
  readonly option: string;
  /** What an attacker tries first. */
  readonly personalWords: readonly string[];
};

async function readFirstLine(stdin: Terminal['stdin']): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const buffer = Buffer.from(chunk as Uint8Array);
    bytes += buffer.length;
    chunks.push(buffer);
    if (buffer.includes(0x0a) || bytes > PASSWORD_BYTES_MAX) break;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return /^[^\r\n]*/.exec(text)![0];
}
