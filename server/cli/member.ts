import { type Command, Option } from 'commander';
import { composeOperatorNotice } from '../accounts/notices.ts';
import { hashPassword } from '../accounts/password.ts';
import { newId } from '../base/ids.ts';
import type { MembershipAudit } from '../storage/audit.ts';
import type { MemberRole } from '../storage/members.ts';
import {
  type AccountOptions,
  createProvingLink,
  describeLink,
  EXISTING_ACCOUNT_HELP,
  EXISTING_ACCOUNT_OPTION,
  failForAccount,
  parseEmail,
  readOptionalPassword,
  readPassword,
  toAccount,
  warnOfAccounts,
} from './credentials.ts';
import { getWorkspace, newAuditEntry, withStore } from './open-store.ts';
import { openOperatorNotices } from './operator-notices.ts';
import { addCommand, CommandFailed, print, type Terminal, UsageError } from './terminal.ts';

const ROLES: readonly MemberRole[] = ['owner', 'admin', 'member'];
const PASSWORD_OPTION = '--password-stdin';
const PASSWORD_HELP = 'read the password from standard input (its first line)';

type UserOptions = { json?: boolean; email: string };
type PasswordOptions = UserOptions & { passwordStdin?: boolean };
type MemberOptions = UserOptions & { workspace: string };
type CreateOptions = PasswordOptions & MemberOptions & AccountOptions & { role: MemberRole };

export function addMember(program: Command, terminal: Terminal): void {
  const member = program.command('member').description('Manage members and their passwords.');

  addCommand(member, 'create', 'Add a member. Prints a link for them, unless a password is passed.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .requiredOption('--email <address>', 'email of the member')
    .addOption(new Option('--role <role>', 'role in the workspace').choices(ROLES).makeOptionMandatory())
    .option(PASSWORD_OPTION, `${PASSWORD_HELP} for a new account`)
    .option(EXISTING_ACCOUNT_OPTION, EXISTING_ACCOUNT_HELP)
    .action((options: CreateOptions) => create(terminal, options));

  addCommand(member, 'link', 'Print a link that proves the address of a member and sets a new password.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .requiredOption('--email <address>', 'email of the member')
    .action((options: MemberOptions) => link(terminal, options));

  addCommand(member, 'password', 'Set the password of an address, which proves it, and end all sessions.')
    .requiredOption('--email <address>', 'email of the user')
    .option(PASSWORD_OPTION, PASSWORD_HELP)
    .action((options: PasswordOptions) => setPassword(terminal, options));

  addCommand(member, 'reset-factors', 'Remove the second factors of an address, and end all sessions.')
    .requiredOption('--email <address>', 'email of the user')
    .action((options: UserOptions) => resetFactors(terminal, options));
}

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  const { role, existingAccount } = options;
  const email = parseEmail(options.email, '--email');
  await withStore(terminal, async (store, config) => {
    const { id: workspaceId, name } = await getWorkspace(store, options.workspace);
    const members = await store.in(workspaceId).members.list();
    if (members.some((member) => member.email === email))
      throw new CommandFailed(`${email} is already a member of ${name}.`);
    const password = await readOptionalPassword(terminal, options.passwordStdin, options, [email, name]);
    if (password === undefined && !existingAccount) {
      await warnOfAccounts(terminal, store, email, 'link');
      const created = await createProvingLink(terminal, store, config, { workspaceId, email, role });
      const text = `${email} joins ${name} as ${role} with a link.\n${describeLink(email, created)}`;
      print(terminal, options, { tenant_id: workspaceId, email, role, ...created }, text);
      return;
    }
    const newMemberId = newId('mem');
    const row = newAuditEntry(terminal, 'member.added', newMemberId, { email, role });
    const member = await store.memberships.add(
      {
        newMemberId,
        newUserId: newId('usr'),
        workspaceId,
        email,
        role,
        createdAt: row.atMillis,
        ...(await toAccount(store, email, password)),
      },
      row,
    );
    if (member === 'already_member') throw new CommandFailed(`${email} is already a member of ${name}.`);
    if (member === 'gone') throw new CommandFailed(`The workspace ${workspaceId} was deleted.`);
    if (typeof member === 'string') return failForAccount(member, email);
    await warnOfAccounts(terminal, store, email, 'account');
    print(
      terminal,
      options,
      { id: member.id, user_id: member.userId, tenant_id: workspaceId, email, role },
      `Added ${email} to ${name} as ${role} (${member.id}).`,
    );
  });
}

async function link(terminal: Terminal, options: MemberOptions): Promise<void> {
  const email = parseEmail(options.email, '--email');
  await withStore(terminal, async (store, config) => {
    const { id: workspaceId, name } = await getWorkspace(store, options.workspace);
    const members = await store.in(workspaceId).members.list();
    const member = members.find((existing) => existing.email === email);
    if (!member)
      throw new CommandFailed(
        `${email} is not a member of ${name}. Add them with \`guidepost member create\`.`,
      );
    const { role } = member;
    const created = await createProvingLink(terminal, store, config, { workspaceId, email, role });
    print(
      terminal,
      options,
      { tenant_id: workspaceId, email, role, ...created },
      `It proves the address, sets a new password and ends all sessions.\n${describeLink(email, created)}`,
    );
  });
}

async function setPassword(terminal: Terminal, options: PasswordOptions): Promise<void> {
  const email = parseEmail(options.email, '--email');
  if (!options.passwordStdin)
    throw new UsageError(`Pass the password on standard input: printf %s "$PASSWORD" | … ${PASSWORD_OPTION}`);
  await withStore(terminal, async (store, config) => {
    const accounts = await store.users.listByEmail(email);
    if (accounts.length === 0) throw new CommandFailed(`No user with email ${email}.`);
    const notices = await openOperatorNotices(terminal, store, config);
    const memberships = await Promise.all(accounts.map(({ id }) => store.memberships.ofUser(id)));
    const names = memberships.flat().map(({ workspaceName }) => workspaceName);
    const password = await readPassword(terminal, [email, ...names]);
    const user = await store.users.proveAddress({
      email,
      passwordHash: await hashPassword(password),
      nowMillis: terminal.clock.now(),
      audit: (_, memberId) => newAuditEntry(terminal, 'password.reset', accounts[0]!.id, { memberId }),
      mail: await composeOperatorNotice(
        'password_changed',
        accounts[0]!,
        'guidepost member password',
        notices,
      ),
    });
    if (!user) throw new CommandFailed(`No user with email ${email}.`);
    print(
      terminal,
      options,
      { user_id: user.id, email },
      `Changed the password of ${email} and ended all sessions.`,
    );
  });
}

/** For members who have lost their second factors and recovery codes. Make sure that it is they who ask. */
async function resetFactors(terminal: Terminal, options: UserOptions): Promise<void> {
  const email = parseEmail(options.email, '--email');
  await withStore(terminal, async (store, config) => {
    const accounts = await store.users.listByEmail(email);
    if (accounts.length === 0) throw new CommandFailed(`No user with email ${email}.`);
    const notices = await openOperatorNotices(terminal, store, config);
    const reset: string[] = [];
    for (const account of accounts) {
      const { id } = account;
      const audit: MembershipAudit = (_, memberId) =>
        newAuditEntry(terminal, 'factor.reset', id, { memberId });
      const { passkeys, app } = await store.factors.ofUser(id);
      const factor = [...passkeys.map(({ name }) => name), ...(app ? ['TOTP'] : [])].join(', ');
      const command = 'guidepost member reset-factors';
      const mail = await composeOperatorNotice('factor_removed', account, command, notices, { factor });
      if (await store.factors.reset(id, { audit, mail })) reset.push(id);
    }
    if (reset.length === 0) throw new CommandFailed(`${email} has no second factors.`);
    print(
      terminal,
      options,
      { user_ids: reset, email },
      `Removed the second factors of ${email} and ended all sessions.`,
    );
  });
}
