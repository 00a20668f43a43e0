import { type Command, Option } from 'commander';
import * as fields from '../../contract/fields.ts';
import { LIMITS } from '../../contract/limits.ts';
import { diffSettings } from '../accounts/settings-change.ts';
import { newAppId, SETTINGS_DEFAULTS } from '../accounts/workspace-defaults.ts';
import { canonicalAllowedOrigin } from '../boot/allowed-origin.ts';
import { hasAtMostCharacters } from '../characters.ts';
import { newId } from '../ids.ts';
import { canonicalizeLocale } from '../knowledge/locale.ts';
import { normalizeLine } from '../normalize-text.ts';
import type { NewOwner, Workspace, WorkspaceChange, WorkspaceSettings } from '../storage/workspaces.ts';
import { auditRow } from './audit-row.ts';
import { getWorkspace, withStore } from './open-store.ts';
import { emailOf, passwordHashFrom } from './person.ts';
import { addCommand, CommandFailed, collect, print, type Terminal, UsageError } from './terminal.ts';
import { addWorkspaceArchive } from './workspace-archive.ts';

const STRICTNESS = ['region', 'notice', 'opt_out', 'opt_in'] as const;
const NAME_CHARS_MAX = 200;
const PASSWORD_OPTION = '--owner-password-stdin';
const DOMAIN_HELP = 'an origin such as https://shop.example, or https://*.shop.example; again for more';
const CONSENT_HELP = 'the least strict consent rule; region leaves it to the region table';

type JsonOption = { readonly json?: boolean };

export function addWorkspace(program: Command, terminal: Terminal): void {
  const workspace = program
    .command('workspace')
    .description('Workspaces: the sites that the guide is embedded in.');

  addCommand(workspace, 'create', 'Create a workspace and its first owner.')
    .requiredOption('--name <name>', 'what visitors and owners see')
    .requiredOption('--domain <origin>', DOMAIN_HELP, collect)
    .requiredOption('--owner-email <address>', 'the first owner; a known address becomes owner here too')
    .option(PASSWORD_OPTION, "read the owner's password from standard input (its first line)")
    .option('--app-id <id>', 'the public id for the script tag, beginning with gp_; a random one by default')
    .option('--locale <tag>', 'the language that the articles are written in', 'en')
    .addOption(new Option('--consent <rule>', CONSENT_HELP).choices(STRICTNESS).default('region'))
    .option('--no-branding', "hide the service's mark")
    .action((options: CreateOptions) => create(terminal, options));

  addCommand(workspace, 'list', 'List all workspaces, oldest first.').action((options: JsonOption) =>
    list(terminal, options),
  );

  addCommand(workspace, 'disable <id>', 'Stop serving a workspace; nothing of it is lost.').action(
    (id: string, options: JsonOption) => change(terminal, options, id, 'disabled', { enabled: false }),
  );
  addCommand(workspace, 'enable <id>', 'Serve a workspace again.').action((id: string, options: JsonOption) =>
    change(terminal, options, id, 'enabled', { enabled: true }),
  );

  addCommand(workspace, 'set <id>', 'Change the settings of a workspace.')
    .option('--name <name>', 'another name')
    .option('--domain <origin>', `${DOMAIN_HELP}; together they replace all earlier ones`, collect)
    .addOption(new Option('--consent <rule>', CONSENT_HELP).choices(STRICTNESS))
    .option('--suggestion <question>', 'a question to offer; together they replace all earlier ones', collect)
    .option('--branding', "show the service's mark")
    .option('--no-branding', "hide the service's mark")
    .action((id: string, options: SetOptions) => set(terminal, id, options));

  addWorkspaceArchive(workspace, terminal);
}

type CreateOptions = JsonOption & {
  readonly name: string;
  readonly domain: readonly string[];
  readonly ownerEmail: string;
  readonly ownerPasswordStdin?: boolean;
  readonly appId?: string;
  readonly locale: string;
  readonly consent: WorkspaceSettings['consentStrictness'];
  readonly branding: boolean;
};

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  const name = nameOf(options.name);
  const appId = options.appId === undefined ? newAppId() : appIdOf(options.appId);
  const settings: WorkspaceSettings = {
    ...SETTINGS_DEFAULTS,
    allowedOrigins: originsOf(options.domain),
    sourceLocale: localeOf(options.locale),
    showBranding: options.branding,
    consentStrictness: options.consent,
  };
  const email = emailOf(options.ownerEmail, '--owner-email');
  const passwordHash = await passwordHashFrom(terminal, {
    isHandedIn: options.ownerPasswordStdin,
    option: PASSWORD_OPTION,
    known: [email, name],
  });

  await withStore(
    terminal,
    async (store) => {
      const id = newId('ws');
      const createdAt = terminal.clock.now();
      const owner: NewOwner = { memberId: newId('mem'), userId: newId('usr'), email, passwordHash };
      const isKnown = Boolean((await store.users.findByEmail(email))?.passwordHash);
      if (
        (await store.workspaces.create({ id, appId, name, settings, createdAt }, owner)) === 'app_id_taken'
      ) {
        throw new CommandFailed(`The app id ${appId} is taken; choose another.`);
      }
      await store.in(id).audit.append(auditRow(terminal, 'workspace.created', id, { name, appId, settings }));
      if (isKnown) {
        terminal.stderr.write(`${email} is known already and keeps the password that it has.\n`);
      }
      print(
        terminal,
        options,
        { tenant_id: id, app_id: appId, owner_id: owner.memberId },
        `Created the workspace ${name}.\n  tenant id  ${id}\n  app id     ${appId}\n  owner      ${email} (${owner.memberId})`,
      );
    },
    'create',
  );
}

async function list(terminal: Terminal, options: JsonOption): Promise<void> {
  const workspaces = await withStore(terminal, (store) => store.workspaces.list());
  const lines = workspaces.map(
    ({ id, appId, enabled, name, settings }) =>
      `${id}  ${appId}  ${enabled ? 'enabled ' : 'disabled'}  ${name}  ${settings.allowedOrigins.join(' ')}`,
  );
  print(
    terminal,
    options,
    workspaces.map(shown),
    lines.length === 0 ? 'There is no workspace yet.' : lines.join('\n'),
  );
}

type SetOptions = JsonOption & {
  readonly name?: string;
  readonly domain?: readonly string[];
  readonly consent?: WorkspaceSettings['consentStrictness'];
  readonly suggestion?: readonly string[];
  readonly branding?: boolean;
};

async function set(terminal: Terminal, id: string, options: SetOptions): Promise<void> {
  const { name, domain, consent, suggestion, branding } = options;
  const changed: Partial<WorkspaceSettings> = {
    ...(domain ? { allowedOrigins: originsOf(domain) } : {}),
    ...(consent ? { consentStrictness: consent } : {}),
    ...(suggestion ? { suggestions: suggestionsOf(suggestion) } : {}),
    ...(branding === undefined ? {} : { showBranding: branding }),
  };
  if (name === undefined && Object.keys(changed).length === 0) {
    throw new UsageError('Name at least one setting to change; --help lists them.');
  }
  const renamed = name === undefined ? {} : { name: nameOf(name) };
  await change(terminal, options, id, 'changed', { ...renamed, settings: changed });
}

async function change(
  terminal: Terminal,
  options: JsonOption,
  id: string,
  what: 'enabled' | 'disabled' | 'changed',
  change: WorkspaceChange,
): Promise<void> {
  await withStore(terminal, async (store) => {
    const { id: workspaceId } = await getWorkspace(store, id);
    const atMillis = terminal.clock.now();
    const after = await store.workspaces.change(workspaceId, change, atMillis, (before, after) => {
      const diff = diffSettings(before, after);
      return diff && auditRow(terminal, `workspace.${what}`, workspaceId, diff);
    });
    if (!after) throw new CommandFailed(`The workspace ${id} is gone.`);
    print(terminal, options, shown(after), `The workspace ${after.name} (${after.id}) is ${what}.`);
  });
}

function shown({ id, appId, name, enabled, settings, version, createdAt }: Workspace) {
  return {
    tenant_id: id,
    app_id: appId,
    name,
    enabled,
    domains: settings.allowedOrigins,
    locale: settings.sourceLocale,
    branding: settings.showBranding,
    consent: settings.consentStrictness,
    suggestions: settings.suggestions,
    version,
    created_at: new Date(createdAt).toISOString(),
  };
}

function nameOf(text: string): string {
  const name = normalizeLine(text, NAME_CHARS_MAX);
  if (name !== undefined) return name;
  throw new UsageError(`--name: expected 1 to ${NAME_CHARS_MAX} characters`);
}

function originsOf(texts: readonly string[]): readonly string[] {
  const origins = texts.map((text) => {
    const origin = canonicalAllowedOrigin(text);
    if (origin === undefined) throw new UsageError(`--domain ${text}: expected ${DOMAIN_HELP.split(';')[0]}`);
    return origin;
  });
  const distinct = [...new Set(origins)];
  if (distinct.length <= LIMITS.allowedOriginsMax) return distinct;
  throw new UsageError(`--domain: expected at most ${LIMITS.allowedOriginsMax}`);
}

function appIdOf(text: string): string {
  if (fields.appId.safeParse(text).success) return text;
  throw new UsageError(`--app-id ${text}: expected gp_ and 4 to 64 letters, digits, _ or -`);
}

function localeOf(text: string): string {
  const locale = canonicalizeLocale(text);
  if (locale !== undefined) return locale;
  throw new UsageError(`--locale ${text}: expected a language tag such as en or pt-BR`);
}

const SUGGESTIONS_MAX = 10;

function suggestionsOf(texts: readonly string[]): readonly string[] {
  const tooLong = texts.some(
    (text) => text.trim() === '' || !hasAtMostCharacters(LIMITS.titleCharsMax, text),
  );
  if (texts.length <= SUGGESTIONS_MAX && !tooLong) return texts.map((text) => text.trim());
  throw new UsageError(
    `--suggestion: expected at most ${SUGGESTIONS_MAX}, each of 1 to ${LIMITS.titleCharsMax} characters`,
  );
}
