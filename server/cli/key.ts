import { type Command, Option } from 'commander';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { createKey, rotateKey } from '../accounts/api-keys.ts';
import { parseCidr } from '../base/network.ts';
import { normalizeLine } from '../base/text.ts';
import type { ApiKey, ApiKeyScope } from '../storage/api-keys.ts';
import { getWorkspace, newAuditEntry, OPERATOR, withStore } from './open-store.ts';
import { addCommand, CommandFailed, print, type Terminal, UsageError } from './terminal.ts';

const SCOPES: readonly ApiKeyScope[] = ['analytics:read', 'events:read', 'knowledge:read'];
const SCOPE_LIST = new Intl.ListFormat('en', { type: 'disjunction' }).format(SCOPES);
const NAME_CHARS_MAX = 100;

type JsonOption = { json?: boolean };

export function addKey(program: Command, terminal: Terminal): void {
  const key = program.command('key').description('Manage API keys, which read the data of one workspace.');

  addCommand(key, 'create', 'Create a key. It is shown only once.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .addOption(scopeOption().makeOptionMandatory())
    .addOption(new Option('--name <name>', 'name of the key').argParser(parseName).default('Command line'))
    .addOption(expiresOption(terminal))
    .addOption(allowOption())
    .action((options: CreateOptions) => create(terminal, options));

  addCommand(key, 'rotate <id>', 'Create a key for the same purpose. The old one ends by itself.')
    .addOption(overlapOption().makeOptionMandatory())
    .addOption(expiresOption(terminal))
    .addOption(allowOption())
    .action((id: string, options: RotateOptions) => rotate(terminal, id, options));

  addCommand(key, 'list', 'List keys without their secrets, newest first, including revoked ones.')
    .option('--workspace <id>', 'only keys of this workspace')
    .action((options: JsonOption & { workspace?: string }) => list(terminal, options));

  addCommand(key, 'revoke <id>', 'Revoke a key permanently.').action((id: string, options: JsonOption) =>
    revoke(terminal, id, options),
  );
}

function scopeOption(): Option {
  return new Option('--scope <scope>', `${SCOPE_LIST}; repeatable`).argParser(
    (value: string, earlier: readonly string[] | undefined) => {
      const scopes = value.split(',').map((scope) => scope.trim());
      const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
      if (unknown !== undefined) throw new UsageError(`--scope ${unknown}: expected ${SCOPE_LIST}`);
      return [...new Set([...(earlier ?? []), ...scopes])];
    },
  );
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

/** Returns undefined unless the text is a duration such as 90m, 12h or 7d. */
function parseSeconds(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  return count && unit ? Number(count) * UNIT_SECONDS[unit]! : undefined;
}

function overlapOption(): Option {
  return new Option(
    '--overlap <duration>',
    'how long the old key goes on working: 0, or such as 90m, 12h or 7d',
  ).argParser((text: string) => {
    const seconds = text === '0' ? 0 : parseSeconds(text);
    if (seconds !== undefined && seconds <= ACCOUNT_LIMITS.apiKeyOverlapSecondsMax) return seconds;
    throw new UsageError(
      `--overlap ${text}: expected 0 or a duration such as 90m, 12h or 7d, at most ${ACCOUNT_LIMITS.apiKeyOverlapSecondsMax / UNIT_SECONDS.d!}d`,
    );
  });
}

export function expiresOption({ clock }: Pick<Terminal, 'clock'>, subject = 'key'): Option {
  return new Option(
    '--expires <when>',
    `when the ${subject} stops working: a date or time such as 2027-01-31, or a duration such as 90d`,
  ).argParser((text: string) => {
    const seconds = parseSeconds(text);
    const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text);
    const atMillis =
      seconds === undefined ? (isDate ? Date.parse(text) : Number.NaN) : clock.now() + seconds * 1000;
    if (atMillis > clock.now()) return atMillis;
    throw new UsageError(
      `--expires ${text}: expected a date or time in the future such as 2027-01-31, or a duration such as 90d`,
    );
  });
}

export function allowOption(subject = 'key'): Option {
  return new Option(
    '--allow <network>',
    `an IPv4 or IPv6 address or CIDR block that the ${subject} works from; repeatable (default: all)`,
  ).argParser((text: string, earlier: readonly string[] | undefined) => {
    const network = parseCidr(text);
    if (network === undefined) throw new UsageError(`--allow ${text}: expected an address or CIDR block`);
    const networks = [...new Set([...(earlier ?? []), network])];
    if (networks.length <= ACCOUNT_LIMITS.apiKeyNetworksMax) return networks;
    throw new UsageError(`--allow: expected at most ${ACCOUNT_LIMITS.apiKeyNetworksMax} networks`);
  });
}

function parseName(text: string): string {
  const name = normalizeLine(text, NAME_CHARS_MAX);
  if (name !== undefined) return name;
  throw new UsageError(`--name: expected 1 to ${NAME_CHARS_MAX} characters`);
}

type CreateOptions = JsonOption & {
  workspace: string;
  scope: readonly ApiKeyScope[];
  name: string;
} & RestrictionOptions;
type RestrictionOptions = { expires?: number; allow?: readonly string[] };
type RotateOptions = JsonOption & RestrictionOptions & { overlap: number };

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  await withStore(terminal, async (store) => {
    const workspace = await getWorkspace(store, options.workspace);
    const { key, text } = await createKey(
      { store, clock: terminal.clock },
      {
        workspaceId: workspace.id,
        name: options.name,
        scopes: options.scope,
        createdBy: OPERATOR,
        ...toRestrictions(options),
      },
    );
    print(
      terminal,
      options,
      { id: key.id, key: text },
      `Created the key ${key.id} for ${workspace.name}.\n\n  ${text}\n\nSave it now. It is secret and will not be shown again.`,
    );
  });
}

const toRestrictions = ({ expires, allow }: RestrictionOptions) => ({
  ...(expires === undefined ? {} : { expiresAt: expires }),
  ...(allow === undefined ? {} : { allowedNetworks: allow }),
});

async function rotate(terminal: Terminal, id: string, options: RotateOptions): Promise<void> {
  await withStore(terminal, async (store) => {
    const old = await store.apiKeys.find(id);
    if (!old) throw unknownKey(id);
    const deps = { store, clock: terminal.clock };
    const changes = { createdBy: OPERATOR, ...toRestrictions(options) };
    const rotated = await rotateKey(deps, old, options.overlap, changes);
    if (rotated === 'gone') throw unknownKey(id);
    if (rotated === 'inactive')
      throw new CommandFailed(`The key ${id} is revoked, expired or already replaced.`);
    const { key, text } = rotated;
    const endsAt = new Date((await store.apiKeys.find(id))!.expiresAt!).toISOString();
    print(
      terminal,
      options,
      { id: key.id, key: text, replaces: id, old_key_ends_at: endsAt },
      `Created the key ${key.id}.\n\n  ${text}\n\nSave it now. It is secret and will not be shown again.\nThe key ${id} stops working at ${endsAt}.`,
    );
  });
}

const unknownKey = (id: string) =>
  new CommandFailed(`No key with id ${id}. Run \`guidepost key list\` to see all keys.`);

async function list(terminal: Terminal, options: JsonOption & { workspace?: string }): Promise<void> {
  await withStore(terminal, async (store) => {
    const workspaces = options.workspace
      ? [await getWorkspace(store, options.workspace)]
      : await store.workspaces.list();
    const keys: ApiKey[] = [];
    for (const { id } of workspaces) keys.push(...(await store.in(id).apiKeys.list()));
    const lines = keys.map(
      (key) =>
        `${key.id}  ${maskKey(key)}  ${getState(key, terminal.clock.now())}  ${key.scopes.join(' ')}  ${key.workspaceId}`,
    );
    print(terminal, options, keys.map(toJson), lines.length === 0 ? 'No keys.' : lines.join('\n'));
  });
}

async function revoke(terminal: Terminal, id: string, options: JsonOption): Promise<void> {
  await withStore(terminal, async (store) => {
    const known = await store.apiKeys.find(id);
    const row = newAuditEntry(terminal, 'api_key.revoked', id, {});
    const key = known && (await store.in(known.workspaceId).apiKeys.revoke(id, row.atMillis, row));
    if (!key) throw unknownKey(id);
    print(terminal, options, toJson(key), `Revoked the key ${id}.`);
  });
}

function getState({ revokedAt, expiresAt }: ApiKey, nowMillis: number): string {
  if (revokedAt !== undefined) return 'revoked';
  return (expiresAt ?? Infinity) <= nowMillis ? 'expired' : 'active ';
}

const maskKey = ({ publicId, lastFour }: ApiKey) => `pk_live_${publicId}…${lastFour}`;

function toJson(key: ApiKey) {
  return {
    id: key.id,
    tenant_id: key.workspaceId,
    name: key.name,
    key: maskKey(key),
    scopes: key.scopes,
    created_at: new Date(key.createdAt).toISOString(),
    ...(key.revokedAt === undefined ? {} : { revoked_at: new Date(key.revokedAt).toISOString() }),
    ...(key.lastUsedAt === undefined ? {} : { last_used_at: new Date(key.lastUsedAt).toISOString() }),
    last_used_network: key.lastUsedNetwork,
    allowed_networks: key.allowedNetworks,
    ...(key.expiresAt === undefined ? {} : { expires_at: new Date(key.expiresAt).toISOString() }),
    replaced_by: key.replacedBy,
  };
}
