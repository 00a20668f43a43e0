import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import * as fields from '../../contract/fields.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import { newId } from '../base/ids.ts';
import { parseContentLocale } from '../base/locale-registry.ts';
import { getCalendarMonth } from '../base/month.ts';
import { hasAtMostCharacters, normalizeLine } from '../base/text.ts';
import type { Config } from '../settings/config.ts';
import type { Store } from '../storage/store.ts';
import {
  RETENTION_DEFAULTS,
  SETTINGS_DEFAULTS,
  type WorkspaceSettings,
} from '../storage/workspace-settings.ts';
import type { NewOwner, Workspace, WorkspaceChange } from '../storage/workspaces.ts';
import { canonicalizeAllowedOrigin } from '../visitors/allowed-origin.ts';
import { diffSettings, newAppId } from '../workspaces/settings-change.ts';
import { getBytesMax } from '../workspaces/storage-meter.ts';
import { getMonthlyTokensMax } from '../workspaces/token-budget.ts';
import {
  type AccountOptions,
  createProvingLink,
  describeLink,
  EXISTING_ACCOUNT_HELP,
  EXISTING_ACCOUNT_OPTION,
  failForAccount,
  parseEmail,
  readOptionalPassword,
  toAccount,
  warnOfAccounts,
} from './credentials.ts';
import { getWorkspace, newAuditEntry, withStore } from './open-store.ts';
import { addCommand, CommandFailed, collect, print, type Terminal, UsageError } from './terminal.ts';
import { addWorkspaceArchive } from './workspace-archive.ts';

const STRICTNESS = ['region', 'notice', 'opt_out', 'opt_in'] as const;
const NAME_CHARS_MAX = 200;
const PASSWORD_OPTION = '--owner-password-stdin';
const DOMAIN_HELP = 'an origin such as https://shop.example, or https://*.shop.example; repeatable';
const CONSENT_HELP = 'least strict consent rule; `region` follows the law of the region';

type JsonOption = { json?: boolean };

export function addWorkspace(program: Command, terminal: Terminal): void {
  const workspace = program.command('workspace').description('Manage workspaces.');

  addCommand(
    workspace,
    'create',
    'Create a workspace and its first owner. Prints a link for them, unless a password is passed.',
  )
    .requiredOption('--name <name>', 'name that visitors and members see')
    .requiredOption('--domain <origin>', DOMAIN_HELP, collect)
    .requiredOption('--owner-email <address>', 'email of the first owner')
    .option(PASSWORD_OPTION, 'read the password of a new account from the first line of standard input')
    .option(EXISTING_ACCOUNT_OPTION, EXISTING_ACCOUNT_HELP)
    .option('--app-id <id>', 'public id for the script tag, starting with gp_ (default: random)')
    .option('--locale <tag>', 'language of the articles', 'en')
    .addOption(new Option('--consent <rule>', CONSENT_HELP).choices(STRICTNESS).default('region'))
    .option('--no-branding', 'hide the Guidepost branding')
    .action((options: CreateOptions) => create(terminal, options));

  addCommand(workspace, 'list', 'List all workspaces, oldest first.').action((options: JsonOption) =>
    list(terminal, options),
  );

  addCommand(workspace, 'disable <id>', 'Stop serving a workspace. Keeps all its data.').action(
    (id: string, options: JsonOption) => change(terminal, options, id, 'disabled', { enabled: false }),
  );
  addCommand(workspace, 'enable <id>', 'Serve a workspace again.').action((id: string, options: JsonOption) =>
    change(terminal, options, id, 'enabled', { enabled: true }),
  );

  addCommand(workspace, 'set <id>', 'Change the settings of a workspace.')
    .option('--name <name>', 'new name')
    .option('--domain <origin>', `${DOMAIN_HELP}; replaces all current origins`, collect)
    .addOption(new Option('--consent <rule>', CONSENT_HELP).choices(STRICTNESS))
    .option(
      '--suggestion <question>',
      'suggested question; repeatable; replaces all current suggestions',
      collect,
    )
    .option('--branding', 'show the Guidepost branding')
    .option('--no-branding', 'hide the Guidepost branding')
    .action((id: string, options: SetOptions) => set(terminal, id, options));

  addWorkspaceUsage(workspace, terminal);
  addWorkspaceArchive(workspace, terminal);
}

type CreateOptions = JsonOption &
  AccountOptions & {
    name: string;
    domain: readonly string[];
    ownerEmail: string;
    ownerPasswordStdin?: boolean;
    appId?: string;
    locale: string;
    consent: WorkspaceSettings['consentStrictness'];
    branding: boolean;
  };

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  const name = parseName(options.name);
  const appId = options.appId === undefined ? newAppId() : parseAppId(options.appId);
  const settings: WorkspaceSettings = {
    ...SETTINGS_DEFAULTS,
    allowedOrigins: parseOrigins(options.domain),
    sourceLocale: parseLocale(options.locale),
    showBranding: options.branding,
    consentStrictness: options.consent,
  };
  const email = parseEmail(options.ownerEmail, '--owner-email');
  const password = await readOptionalPassword(terminal, options.ownerPasswordStdin, options, [email, name]);
  const isLinked = password === undefined && !options.existingAccount;

  await withStore(
    terminal,
    async (store, config) => {
      const id = newId('ws');
      const createdAt = terminal.clock.now();
      const account = await toAccount(store, email, password);
      const owner: NewOwner = { memberId: newId('mem'), userId: newId('usr'), email, ...account };
      const workspace = { id, appId, name, settings, createdAt };
      const outcome = await store.workspaces.create(workspace, isLinked ? undefined : owner);
      if (outcome === 'app_id_taken')
        throw new CommandFailed(`The app id ${appId} is taken. Choose another one.`);
      if (outcome !== 'created') return failForAccount(outcome, email);
      await store
        .in(id)
        .audit.append(newAuditEntry(terminal, 'workspace.created', id, { name, appId, settings }));
      const text = `Created the workspace ${name}.\n  tenant id  ${id}\n  app id     ${appId}`;
      await warnOfAccounts(terminal, store, email, isLinked ? 'link' : 'account');
      if (isLinked) {
        const invited = { workspaceId: id, email, role: 'owner' } as const;
        const created = await createProvingLink(terminal, store, config, invited);
        const outcome = { tenant_id: id, app_id: appId, ...created };
        print(terminal, options, outcome, `${text}\n${describeLink(email, created)}`);
        return;
      }
      print(
        terminal,
        options,
        { tenant_id: id, app_id: appId, owner_id: owner.memberId },
        `${text}\n  owner      ${email} (${owner.memberId})`,
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
    workspaces.map(toJson),
    lines.length === 0 ? 'No workspaces yet.' : lines.join('\n'),
  );
}

type SetOptions = JsonOption & {
  name?: string;
  domain?: readonly string[];
  consent?: WorkspaceSettings['consentStrictness'];
  suggestion?: readonly string[];
  branding?: boolean;
};

async function set(terminal: Terminal, id: string, options: SetOptions): Promise<void> {
  const { name, domain, consent, suggestion, branding } = options;
  const changed: Partial<WorkspaceSettings> = {
    ...(domain ? { allowedOrigins: parseOrigins(domain) } : {}),
    ...(consent ? { consentStrictness: consent } : {}),
    ...(suggestion ? { suggestions: parseSuggestions(suggestion) } : {}),
    ...(branding === undefined ? {} : { showBranding: branding }),
  };
  if (name === undefined && Object.keys(changed).length === 0) {
    throw new UsageError('Pass at least one setting to change. Use --help to list them.');
  }
  const renamed = name === undefined ? {} : { name: parseName(name) };
  await change(terminal, options, id, 'changed', { ...renamed, settings: changed });
}

async function change(
  terminal: Terminal,
  options: JsonOption,
  id: string,
  outcome: 'enabled' | 'disabled' | 'changed',
  change: WorkspaceChange,
): Promise<void> {
  await withStore(terminal, async (store) => {
    const { id: workspaceId } = await getWorkspace(store, id);
    const atMillis = terminal.clock.now();
    const after = await store.workspaces.change(workspaceId, change, atMillis, (before, after) => {
      const diff = diffSettings(before, after);
      return diff && newAuditEntry(terminal, `workspace.${outcome}`, workspaceId, diff);
    });
    if (!after) throw new CommandFailed(`The workspace ${id} was deleted.`);
    print(terminal, options, toJson(after), `The workspace ${after.name} (${after.id}) is now ${outcome}.`);
  });
}

function toJson({ id, appId, name, enabled, settings, version, createdAt }: Workspace) {
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

function parseName(text: string): string {
  const name = normalizeLine(text, NAME_CHARS_MAX);
  if (name !== undefined) return name;
  throw new UsageError(`--name: expected 1 to ${NAME_CHARS_MAX} characters`);
}

function parseOrigins(texts: readonly string[]): string[] {
  const origins = texts.map((text) => {
    const origin = canonicalizeAllowedOrigin(text);
    if (origin === undefined) throw new UsageError(`--domain ${text}: expected ${DOMAIN_HELP.split(';')[0]}`);
    return origin;
  });
  const distinct = [...new Set(origins)];
  if (distinct.length <= WORKSPACE_LIMITS.allowedOriginsMax) return distinct;
  throw new UsageError(`--domain: expected at most ${WORKSPACE_LIMITS.allowedOriginsMax}`);
}

function parseAppId(text: string): string {
  if (fields.appId.safeParse(text).success) return text;
  throw new UsageError(`--app-id ${text}: expected gp_ and 4 to 64 letters, digits, _ or -`);
}

function parseLocale(text: string): string {
  const locale = parseContentLocale(text);
  if (locale !== undefined) return locale;
  throw new UsageError(`--locale ${text}: expected a language tag such as en or pt-BR`);
}

const SUGGESTIONS_MAX = 10;

function parseSuggestions(texts: readonly string[]): string[] {
  const tooLong = texts.some(
    (text) => text.trim() === '' || !hasAtMostCharacters(ARTICLE_LIMITS.titleCharsMax, text),
  );
  if (texts.length <= SUGGESTIONS_MAX && !tooLong) return texts.map((text) => text.trim());
  throw new UsageError(
    `--suggestion: expected at most ${SUGGESTIONS_MAX}, each of 1 to ${ARTICLE_LIMITS.titleCharsMax} characters`,
  );
}

type UsageOptions = { json?: boolean; workspace?: string };

function addWorkspaceUsage(workspace: Command, terminal: Terminal): void {
  addCommand(workspace, 'usage', 'Show what workspaces store and have used this month.')
    .option('--workspace <id>', 'workspace id or app id (default: all workspaces)')
    .action((options: UsageOptions) => showUsage(terminal, options));
}

async function showUsage(terminal: Terminal, options: UsageOptions): Promise<void> {
  await withStore(terminal, async (store, config) => {
    const all = await store.workspaces.list();
    const chosen = options.workspace === undefined ? all : [await getWorkspace(store, options.workspace)];
    const usedBytes = await store.usedBytes();
    const databaseBytesMax = config.database.bytesMax;
    const bytesMax = getBytesMax({ ...config, databaseBytesMax }, usedBytes, all.length);
    const workspaces = [];
    for (const workspace of chosen) {
      workspaces.push(await summarize(store, workspace, bytesMax, config, terminal.clock.now()));
    }
    const database = { used_bytes: usedBytes, bytes_max: databaseBytesMax };
    const text = [
      `Database: ${formatShare(usedBytes, databaseBytesMax)}`,
      ...workspaces.map(formatUsage),
    ].join('\n\n');
    print(terminal, options, { database, workspaces }, text);
  });
}

async function summarize(
  store: Store,
  { id, name, settings }: Workspace,
  bytesMax: number,
  config: Config,
  nowMillis: number,
) {
  const { storedData, tokenMonths, voiceReservations, model } = store.in(id);
  const { period } = getCalendarMonth(nowMillis, settings.voice.timeZone);
  const [kinds, tokens, voice, ownModel] = await Promise.all([
    storedData.measure(yieldToEventLoop),
    tokenMonths.used(period),
    voiceReservations.inMonth(period),
    model.get(),
  ]);
  const { conversationDays, eventDays } = settings.retention ?? RETENTION_DEFAULTS;
  const tokensMax = ownModel
    ? getMonthlyTokensMax(settings, config.modelLimits.monthlyTokensMax, true)
    : getMonthlyTokensMax(settings, config.llm?.monthlyTokensMax, false);
  return {
    tenant_id: id,
    name,
    used_bytes: kinds.reduce((sum, { bytes }) => sum + bytes, 0),
    bytes_max: bytesMax,
    kinds: kinds.map(({ kind, rows, bytes, oldestAtMillis }) => ({
      kind,
      rows,
      bytes,
      ...(oldestAtMillis === undefined ? {} : { oldest_at: new Date(oldestAtMillis).toISOString() }),
    })),
    retention: { conversation_days: conversationDays, event_days: eventDays },
    month: {
      period,
      tokens,
      tokens_max: tokensMax,
      voice_seconds: voice.countedSeconds,
      voice_seconds_max: settings.voice.monthlySecondsMax,
    },
  };
}

type Usage = Awaited<ReturnType<typeof summarize>>;

function formatUsage({ tenant_id, name, used_bytes, bytes_max, kinds, retention, month }: Usage): string {
  const tokensMax = month.tokens_max === undefined ? '' : ` of ${month.tokens_max}`;
  return [
    `${name} (${tenant_id}): ${formatShare(used_bytes, bytes_max)}`,
    ...kinds.map(
      ({ kind, rows, bytes, oldest_at }) =>
        `  ${kind.padEnd(14)}${formatMegabytes(bytes).padStart(12)}${String(rows).padStart(12)} rows${oldest_at ? `  since ${oldest_at.slice(0, 10)}` : ''}`,
    ),
    `  kept for ${retention.conversation_days} days (conversations), ${retention.event_days} days (events)`,
    `  ${month.period}: ${month.tokens}${tokensMax} tokens, ${month.voice_seconds} of ${month.voice_seconds_max} seconds of voice`,
  ].join('\n');
}

const formatMegabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

const formatShare = (used: number, max: number) =>
  `${formatMegabytes(used)} of ${formatMegabytes(max)} (${Math.round((used / max) * 100)} %)`;
