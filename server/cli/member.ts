import { type Command, Option } from 'commander';
import { newId } from '../ids.ts';
import type { MemberRole } from '../storage/members.ts';
import { parseEmail, readPasswordHash } from './credentials.ts';
import { getWorkspace, newAuditEntry, withStore } from './open-store.ts';
import { addCommand, CommandFailed, print, type Terminal } from './terminal.ts';

const ROLES: readonly MemberRole[] = ['owner', 'admin', 'member'];
const PASSWORD_OPTION = '--password-stdin';
const PASSWORD_HELP = 'read the password from standard input (its first line)';

type UserOptions = { readonly json?: boolean; readonly email: string; readonly passwordStdin?: boolean };

export function addMember(program: Command, terminal: Terminal): void {
  const member = program.command('member').description('Manage members and their passwords.');

  addCommand(member, 'create', 'Add a member without an invitation.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .requiredOption('--email <address>', 'email; an existing user keeps their password')
    .addOption(new Option('--role <role>', 'role in the workspace').choices(ROLES).makeOptionMandatory())
    .option(PASSWORD_OPTION, PASSWORD_HELP)
    .action((options: CreateOptions) => create(terminal, options));

  addCommand(member, 'password', 'Set the password of a user and end all their sessions.')
    .requiredOption('--email <address>', 'email of the user')
    .option(PASSWORD_OPTION, PASSWORD_HELP)
    .action((options: UserOptions) => setPassword(terminal, options));
}

type CreateOptions = UserOptions & { readonly workspace: string; readonly role: MemberRole };

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  const { role, passwordStdin: isOnStdin } = options;
  const email = parseEmail(options.email, '--email');
  await withStore(terminal, async (store) => {
    const { id: workspaceId, name } = await getWorkspace(store, options.workspace);
    const passwordHash = await readPasswordHash(terminal, {
      isOnStdin,
      option: PASSWORD_OPTION,
      personalWords: [email, name],
    });
    const isKnown = Boolean((await store.users.findByEmail(email))?.passwordHash);
    const freshMemberId = newId('mem');
    const row = newAuditEntry(terminal, 'member.added', freshMemberId, { email, role });
    const member = await store.memberships.add(
      {
        freshMemberId,
        newUserId: newId('usr'),
        workspaceId,
        email,
        role,
        passwordHash,
        createdAt: row.atMillis,
      },
      row,
    );
    if (member === 'already_member') throw new CommandFailed(`${email} is already a member of ${name}.`);
    if (member === 'gone') throw new CommandFailed(`The workspace ${workspaceId} was deleted.`);
    if (isKnown) terminal.stderr.write(`${email} already has an account and keeps its password.\n`);
    print(
      terminal,
      options,
      { id: member.id, user_id: member.userId, tenant_id: workspaceId, email, role },
      `Added ${email} to ${name} as ${role} (${member.id}).`,
    );
  });
}

async function setPassword(terminal: Terminal, options: UserOptions): Promise<void> {
  const email = parseEmail(options.email, '--email');
  await withStore(terminal, async (store) => {
    const user = await store.users.findByEmail(email);
    if (!user) throw new CommandFailed(`No user with email ${email}.`);
    const memberships = await store.memberships.ofUser(user.id);
    const passwordHash = await readPasswordHash(terminal, {
      isOnStdin: options.passwordStdin,
      option: PASSWORD_OPTION,
      personalWords: [email, ...memberships.map(({ workspaceName }) => workspaceName)],
    });
    const changed = await store.users.changePassword({
      userId: user.id,
      to: passwordHash,
      audit: (_, memberId) => newAuditEntry(terminal, 'password.reset', user.id, { memberId }),
    });
    if (changed !== 'changed') throw new CommandFailed(`No user with email ${email}.`);
    print(
      terminal,
      options,
      { user_id: user.id, email },
      `Changed the password of ${email} and ended all sessions.`,
    );
  });
}
