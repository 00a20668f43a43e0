import { z } from 'zod';
import { hashPassword } from '../accounts/password-hash.ts';
import { findPasswordProblem, PASSWORD_PROBLEMS } from '../accounts/password-strength.ts';
import { CommandFailed, type Terminal, UsageError } from './terminal.ts';

/** Addresses and passwords as they come over the command line. */

const EMAIL_CHARS_MAX = 254;
const PASSWORD_BYTES_MAX = 4096;

export function emailOf(text: string, option: string): string {
  const email = text.trim().normalize('NFC').toLowerCase();
  if (z.email().max(EMAIL_CHARS_MAX).safeParse(email).success) return email;
  throw new UsageError(`${option} ${text}: expected an e-mail address`);
}

/** The hash of the password on standard input. An argument would show it to everybody who lists processes. */
export async function passwordHashFrom(
  { stdin }: Terminal,
  { isHandedIn, option, known }: HandedIn,
): Promise<string> {
  if (!isHandedIn) throw new UsageError(`Hand in the password: printf %s "$PASSWORD" | … ${option}`);
  const password = await firstLine(stdin);
  const problem = await findPasswordProblem(password, known);
  if (problem) throw new CommandFailed(PASSWORD_PROBLEMS[problem]);
  return hashPassword(password);
}

type HandedIn = {
  readonly isHandedIn: boolean | undefined;
  readonly option: string;
  /** What an attacker would try first. */
  readonly known: readonly string[];
};

async function firstLine(stdin: Terminal['stdin']): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const piece = Buffer.from(chunk as Uint8Array);
    bytes += piece.length;
    chunks.push(piece);
    if (piece.includes(0x0a) || bytes > PASSWORD_BYTES_MAX) break;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return /^[^\r\n]*/.exec(text)![0];
}
