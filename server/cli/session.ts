import { type Command, Option } from 'commander';
import { AUTOMATION_NAME_CHARS_MAX } from '../../contract/automation-sessions.ts';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { AREAS, type Area, ROLES, type Role } from '../../contract/route.ts';
import { createAutomationSession } from '../accounts/automation-sessions.ts';
import { normalizeLine } from '../base/text.ts';
import type { AutomationSession } from '../storage/automation-sessions.ts';
import type { ListedMember } from '../storage/members.ts';
import type { Store } from '../storage/store.ts';
import { allowOption, expiresOption } from './key.ts';
import { getWorkspace, newAuditEntry, OPERATOR, withStore } from './open-store.ts';
import { addCommand, CommandFailed, print, type Terminal, UsageError } from './terminal.ts';

const AREA_LIST = new Intl.ListFormat('en', { type: 'disjunction' }).format(AREAS);

type JsonOption = { json?: boolean };

export function addSession(program: Command, terminal: Terminal): void {
  const session = program
    .command('session')
    .description('Manage automation sessions, with which programs change one workspace.');

  addCommand(session, 'create', 'Create an automation session. Its token is shown only once.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .addOption(
      new Option('--name <name>', 'what the session is for').argParser(parseName).makeOptionMandatory(),
    )
    .addOption(areaOption().makeOptionMandatory())
    .addOption(expiresOption(terminal, 'session').makeOptionMandatory())
    .addOption(new Option('--role <role>', 'role of the session').choices(ROLES).default('admin'))
    .addOption(allowOption('session'))
    .option('--may-approve-own', 'let the session approve translations that it wrote itself')
    .option('--owner <email>', 'the owner in whose name it acts (default: the only owner)')
    .action((options: CreateOptions) => create(terminal, options));

  addCommand(
    session,
    'list',
    'List automation sessions without their tokens, newest first, including ended ones.',
  )
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .action((options: JsonOption & { workspace: string }) => list(terminal, options));

  addCommand(session, 'end <id>', 'End an automation session permanently.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .action((id: string, options: JsonOption & { workspace: string }) => end(terminal, id, options));
}

function areaOption(): Option {
  return new Option('--area <area>', `area that the session may change: ${AREA_LIST}; repeatable`).argParser(
    (value: string, earlier: readonly string[] | undefined) => {
      const areas = value.split(',').map((area) => area.trim());
      const unknown = areas.find((area) => !(AREAS as readonly string[]).includes(area));
      if (unknown !== undefined) throw new UsageError(`--area ${unknown}: expected ${AREA_LIST}`);
      return [...new Set([...(earlier ?? []), ...areas])];
    },
  );
}

function parseName(text: string): string {
  const name = normalizeLine(text, AUTOMATION_NAME_CHARS_MAX);
  if (name !== undefined) return name;
  throw new UsageError(`--name: expected 1 to ${AUTOMATION_NAME_CHARS_MAX} characters`);
}

type CreateOptions = JsonOption & {
  workspace: string;
  name: string;
  area: readonly Area[];
  expires: number;
  role: Role;
  allow?: readonly string[];
  mayApproveOwn?: boolean;
  owner?: string;
};

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  const { clock } = terminal;
  if (options.expires > clock.now() + ACCOUNT_LIMITS.automationSessionSecondsMax * 1000) {
    throw new UsageError('--expires: expected a time within a year');
  }
  await withStore(terminal, async (store) => {
    const workspace = await getWorkspace(store, options.workspace);
    const owner = await findOwner(store, workspace.id, options.owner);
    const automation = {
      workspaceId: workspace.id,
      memberId: owner.id,
      name: options.name,
      role: options.role,
      areas: options.area,
      allowedNetworks: options.allow ?? [],
      mayApproveOwn: options.mayApproveOwn ?? false,
    };
    const origin = { actor: OPERATOR };
    const created = await createAutomationSession(
      { store, clock },
      owner.userId,
      automation,
      options.expires,
      origin,
    );
    if (created === 'too_many') {
      throw new CommandFailed(
        `${workspace.name} has ${ACCOUNT_LIMITS.automationSessionsMax} automation sessions. End one first.`,
      );
    }
    if (created === 'gone') throw new CommandFailed(`${owner.email} is no longer a member.`);
    const { session, token } = created;
    print(
      terminal,
      options,
      { id: session.id, token },
      `Created the automation session ${session.id} for ${workspace.name}, in the name of ${owner.email}.\n\n  ${token}\n\nSave it now. It is secret and will not be shown again.`,
    );
  });
}

async function findOwner(
  store: Store,
  workspaceId: string,
  email: string | undefined,
): Promise<ListedMember> {
  const owners = (await store.in(workspaceId).members.list()).filter(({ role }) => role === 'owner');
  const candidates =
    email === undefined ? owners : owners.filter((owner) => owner.email === email.toLowerCase());
  const [owner, another] = candidates;
  if (!owner) throw new CommandFailed(`The workspace has no owner${email ? ` ${email}` : ''}.`);
  if (another) throw new CommandFailed('The workspace has several owners. Name one with --owner.');
  return owner;
}

async function list(terminal: Terminal, options: JsonOption & { workspace: string }): Promise<void> {
  await withStore(terminal, async (store) => {
    const { id } = await getWorkspace(store, options.workspace);
    const sessions = await store.in(id).automationSessions.list();
    const now = terminal.clock.now();
    const lines = sessions.map(
      (session) =>
        `${session.id}  ${isActive(session, now) ? 'active' : 'ended '}  ${session.role}  ${session.areas.join(' ')}  ${session.name}`,
    );
    const text = lines.length === 0 ? 'No automation sessions.' : lines.join('\n');
    print(
      terminal,
      options,
      sessions.map((session) => toJson(session, now)),
      text,
    );
  });
}

async function end(
  terminal: Terminal,
  sessionId: string,
  options: JsonOption & { workspace: string },
): Promise<void> {
  await withStore(terminal, async (store) => {
    const { id } = await getWorkspace(store, options.workspace);
    const known = (await store.in(id).automationSessions.list()).find((session) => session.id === sessionId);
    const session = known && (await store.sessions.find(sessionId));
    if (!session) throw new CommandFailed(`No active automation session has the id ${sessionId}.`);
    await store.sessions.end(session.userId, sessionId);
    const details = { name: known.name };
    await store.in(id).audit.append(newAuditEntry(terminal, 'automation_session.ended', sessionId, details));
    print(terminal, options, { id: sessionId }, `Ended the automation session ${sessionId}.`);
  });
}

const isActive = ({ lastSeenAt, expiresAt }: AutomationSession, nowMillis: number) =>
  lastSeenAt !== undefined && expiresAt > nowMillis;

function toJson(session: AutomationSession, nowMillis: number) {
  return {
    id: session.id,
    tenant_id: session.workspaceId,
    name: session.name,
    role: session.role,
    areas: session.areas,
    allowed_networks: session.allowedNetworks,
    may_approve_own: session.mayApproveOwn,
    created_by: session.memberId,
    created_at: new Date(session.createdAt).toISOString(),
    expires_at: new Date(session.expiresAt).toISOString(),
    active: isActive(session, nowMillis),
  };
}
