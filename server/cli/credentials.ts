import { z } from 'zod';
import { newInvitation, toLink } from '../accounts/members.ts';
import { findPasswordProblem, hashPassword, PASSWORD_PROBLEMS } from '../accounts/password.ts';
import { toBaseUrl } from '../base/network.ts';
import { normalizeEmail } from '../base/text.ts';
import type { Config } from '../settings/config.ts';
import type { MemberRole } from '../storage/members.ts';
import type { Store } from '../storage/store.ts';
import type { AccountProblem } from '../storage/workspaces.ts';
import { hashToken, makeSessionToken } from '../tokens/session-cookie.ts';
import { newAuditEntry, OPERATOR } from './open-store.ts';
import { CommandFailed, type Terminal, UsageError } from './terminal.ts';

const EMAIL_CHARS_MAX = 254;
const PASSWORD_BYTES_MAX = 4096;

export function parseEmail(text: string, option: string): string {
  const email = normalizeEmail(text.trim());
  if (z.email().max(EMAIL_CHARS_MAX).safeParse(email).success) return email;
  throw new UsageError(`${option} ${text}: expected an email address`);
}

/**
 * Reads the password from standard input: arguments are visible in process lists. `personalWords` are what an attacker
 * tries first.
 */
export async function readPassword({ stdin }: Terminal, personalWords: readonly string[]): Promise<string> {
  const password = await readFirstLine(stdin);
  const problem = await findPasswordProblem(password, personalWords);
  if (problem) throw new CommandFailed(PASSWORD_PROBLEMS[problem]);
  return password;
}

/** Whether a command adds the address's account. Otherwise it creates an account with a password, or prints a link. */
export type AccountOptions = { existingAccount?: boolean };
export const EXISTING_ACCOUNT_OPTION = '--existing-account';
export const EXISTING_ACCOUNT_HELP =
  'add the account that the address has; without this and without a password, the command prints a link that proves the address';

/** Returns the password from standard input; undefined if none is passed there. */
export async function readOptionalPassword(
  terminal: Terminal,
  isOnStdin: boolean | undefined,
  { existingAccount }: AccountOptions,
  personalWords: readonly string[],
): Promise<string | undefined> {
  if (!isOnStdin) return undefined;
  if (existingAccount)
    throw new UsageError(`${EXISTING_ACCOUNT_OPTION} keeps the password of the account. Do not pass one.`);
  return readPassword(terminal, personalWords);
}

/** Returns the password hash of a new account, or nothing for an existing account. */
export async function toAccount(
  { users }: Pick<Store, 'users'>,
  email: string,
  password: string | undefined,
): Promise<{ passwordHash?: string }> {
  if (password === undefined) return {};
  const [existing] = await users.listByEmail(email);
  return { passwordHash: await hashPassword(password, existing?.passwordHash) };
}

export function failForAccount(problem: AccountProblem, email: string): never {
  throw new CommandFailed(
    problem === 'no_account'
      ? `${email} has no account with a proved address. Leave out ${EXISTING_ACCOUNT_OPTION} to get a link that creates one.`
      : `${email} already has an account, and its password stays as it is. Pass ${EXISTING_ACCOUNT_OPTION} instead of a password to add ` +
          'that account, or neither of them to get a link that proves the address and sets a new password.',
  );
}

/** Warns if the address already has accounts, and says what happens to them. */
export async function warnOfAccounts(
  { stderr }: Terminal,
  { users }: Pick<Store, 'users'>,
  email: string,
  method: 'link' | 'account',
): Promise<void> {
  const accounts = await users.listByEmail(email);
  const isProved = accounts[0]?.addressProvedAt !== undefined;
  if (method === 'link' && accounts.length > 0) {
    stderr.write(
      `${email} already has ${isProved ? 'an account' : 'an account with an unproved address'}. It is not added as it is: the link sets ` +
        'a new password and ends all of its sessions.\n',
    );
  }
  if (method === 'account' && accounts.length > (isProved ? 1 : 0)) {
    stderr.write(
      `${email} also has an account with an unproved address, which stays apart. \`guidepost member link\` makes one account of them.\n`,
    );
  }
}

/** Creates a link that proves the address when it is opened, and returns it for printing. */
export async function createProvingLink(
  terminal: Terminal,
  store: Store,
  config: Config,
  { workspaceId, email, role }: { workspaceId: string; email: string; role: MemberRole },
): Promise<{ link: string; expires_at: string }> {
  const token = makeSessionToken();
  const invitation = newInvitation({
    workspaceId,
    email,
    role,
    tokenHash: hashToken(token),
    invitedBy: OPERATOR,
    createdAt: terminal.clock.now(),
    provesAddress: true,
  });
  const row = newAuditEntry(terminal, 'invitation.created', invitation.id, { email, role });
  const created = await store.in(workspaceId).invitations.create(invitation, row);
  if (created !== 'created') throw new CommandFailed(`${email} is already a member.`);
  const link = toLink(toBaseUrl(config, config.port), token);
  return { link, expires_at: new Date(invitation.expiresAt).toISOString() };
}

export function describeLink(
  email: string,
  { link, expires_at }: { link: string; expires_at: string },
): string {
  return `Hand this link to the owner of ${email} in a way that reaches nobody else. It works once, until ${expires_at}.\n  ${link}`;
}

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
