import { type Command, Option } from 'commander';
import { newId } from '../ids.ts';
import type { MemberRole } from '../storage/members.ts';
import { auditRow } from './audit-row.ts';
import { getWorkspace, withStore } from './open-store.ts';
import { emailOf, passwordHashFrom } from './person.ts';
import { addCommand, CommandFailed, print, type Terminal } from './terminal.ts';

const ROLES: readonly MemberRole[] = ['owner', 'admin', 'member'];
const PASSWORD_OPTION = '--password-stdin';
const PASSWORD_HELP = 'read the password from standard input (its first line)';

type PersonOptions = { readonly json?: boolean; readonly email: string; readonly passwordStdin?: boolean };

export function addMember(program: Command, terminal: Terminal): void {
  const member = program.command('member').description('People: who signs in to which workspace.');

  addCommand(member, 'create', 'Let somebody sign in to a workspace, without an invitation.')
    .requiredOption('--workspace <id>', 'the workspace to join')
    .requiredOption('--email <address>', 'who; a known address keeps the password that it has')
    .addOption(new Option('--role <role>', 'what they may do there').choices(ROLES).makeOptionMandatory())
    .option(PASSWORD_OPTION, PASSWORD_HELP)
    .action((options: CreateOptions) => create(terminal, options));

  addCommand(member, 'password', 'Set a new password for somebody, and sign them out everywhere.')
    .requiredOption('--email <address>', 'whose')
    .option(PASSWORD_OPTION, PASSWORD_HELP)
    .action((options: PersonOptions) => setPassword(terminal, options));
}

type CreateOptions = PersonOptions & { readonly workspace: string; readonly role: MemberRole };

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  const { role, passwordStdin: isHandedIn } = options;
  const email = emailOf(options.email, '--email');
  await withStore(terminal, async (store) => {
    const { id: workspaceId, name } = await getWorkspace(store, options.workspace);
    const known = [email, name];
    const passwordHash = await passwordHashFrom(terminal, { isHandedIn, option: PASSWORD_OPTION, known });
    const isKnown = Boolean((await store.users.findByEmail(email))?.passwordHash);
    const freshMemberId = newId('mem');
    const row = auditRow(terminal, 'member.added', freshMemberId, { email, role });
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
    if (member === 'already_member') throw new CommandFailed(`${email} is a member of ${name} already.`);
    if (member === 'gone') throw new CommandFailed(`The workspace ${workspaceId} is gone.`);
    if (isKnown) terminal.stderr.write(`${email} is known already and keeps the password that it has.\n`);
    print(
      terminal,
      options,
      { id: member.id, user_id: member.userId, tenant_id: workspaceId, email, role },
      `${email} is ${role} of ${name} (${member.id}).`,
    );
  });
}

async function setPassword(terminal: Terminal, options: PersonOptions): Promise<void> {
  const email = emailOf(options.email, '--email');
  await withStore(terminal, async (store) => {
    const user = await store.users.findByEmail(email);
    if (!user) throw new CommandFailed(`Nobody has the address ${email}.`);
    const memberships = await store.memberships.ofUser(user.id);
    const passwordHash = await passwordHashFrom(terminal, {
      isHandedIn: options.passwordStdin,
      option: PASSWORD_OPTION,
      known: [email, ...memberships.map(({ workspaceName }) => workspaceName)],
    });
    const changed = await store.users.changePassword({
      userId: user.id,
      to: passwordHash,
      audit: (_, memberId) => auditRow(terminal, 'password.reset', user.id, { memberId }),
    });
    if (changed !== 'changed') throw new CommandFailed(`Nobody has the address ${email} any more.`);
    print(
      terminal,
      options,
      { user_id: user.id, email },
      `${email} has a new password and is signed out everywhere.`,
    );
  });
}
