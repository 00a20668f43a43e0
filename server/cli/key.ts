import { type Command, Option } from 'commander';
import { createKey } from '../accounts/api-keys.ts';
import { normalizeLine } from '../normalize-text.ts';
import type { ApiKey, ApiKeyScope } from '../storage/api-keys.ts';
import { getWorkspace, newAuditEntry, OPERATOR, withStore } from './open-store.ts';
import { addCommand, CommandFailed, print, type Terminal, UsageError } from './terminal.ts';

const SCOPES: readonly ApiKeyScope[] = ['analytics:read', 'events:read'];
const NAME_CHARS_MAX = 100;

type JsonOption = { readonly json?: boolean };

export function addKey(program: Command, terminal: Terminal): void {
  const key = program.command('key').description('Manage API keys, which read the data of one workspace.');

  addCommand(key, 'create', 'Create a key. It is shown only once.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .addOption(scopeOption().makeOptionMandatory())
    .addOption(new Option('--name <name>', 'name of the key').argParser(parseName).default('Command line'))
    .action((options: CreateOptions) => create(terminal, options));

  addCommand(key, 'list', 'List keys without their secrets, newest first, including revoked ones.')
    .option('--workspace <id>', 'only keys of this workspace')
    .action((options: JsonOption & { readonly workspace?: string }) => list(terminal, options));

  addCommand(key, 'revoke <id>', 'Revoke a key permanently.').action((id: string, options: JsonOption) =>
    revoke(terminal, id, options),
  );
}

function scopeOption(): Option {
  return new Option('--scope <scope>', `${SCOPES.join(' or ')}; repeatable`).argParser(
    (value: string, earlier: readonly string[] | undefined) => {
      const scopes = value.split(',').map((scope) => scope.trim());
      const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
      if (unknown !== undefined) throw new UsageError(`--scope ${unknown}: expected ${SCOPES.join(' or ')}`);
      return [...new Set([...(earlier ?? []), ...scopes])];
    },
  );
}

function parseName(text: string): string {
  const name = normalizeLine(text, NAME_CHARS_MAX);
  if (name !== undefined) return name;
  throw new UsageError(`--name: expected 1 to ${NAME_CHARS_MAX} characters`);
}

type CreateOptions = JsonOption & {
  readonly workspace: string;
  readonly scope: readonly ApiKeyScope[];
  readonly name: string;
};

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  await withStore(terminal, async (store) => {
    const workspace = await getWorkspace(store, options.workspace);
    const { key, text } = await createKey(
      { store, clock: terminal.clock },
      { workspaceId: workspace.id, name: options.name, scopes: options.scope, createdBy: OPERATOR },
    );
    print(
      terminal,
      options,
      { id: key.id, key: text },
      `Created the key ${key.id} for ${workspace.name}.\n\n  ${text}\n\nSave it now. It is secret and will not be shown again.`,
    );
  });
}

async function list(
  terminal: Terminal,
  options: JsonOption & { readonly workspace?: string },
): Promise<void> {
  await withStore(terminal, async (store) => {
    const workspaces = options.workspace
      ? [await getWorkspace(store, options.workspace)]
      : await store.workspaces.list();
    const keys: ApiKey[] = [];
    for (const { id } of workspaces) keys.push(...(await store.in(id).apiKeys.list()));
    const lines = keys.map(
      (key) =>
        `${key.id}  ${maskKey(key)}  ${key.revokedAt === undefined ? 'active ' : 'revoked'}  ${key.scopes.join(' ')}  ${key.workspaceId}`,
    );
    print(terminal, options, keys.map(toJson), lines.length === 0 ? 'No keys.' : lines.join('\n'));
  });
}

async function revoke(terminal: Terminal, id: string, options: JsonOption): Promise<void> {
  await withStore(terminal, async (store) => {
    const known = await store.apiKeys.find(id);
    const row = newAuditEntry(terminal, 'api_key.revoked', id, {});
    const key = known && (await store.in(known.workspaceId).apiKeys.revoke(id, row.atMillis, row));
    if (!key) throw new CommandFailed(`No key with id ${id}. Run \`guidepost key list\` to see all keys.`);
    print(terminal, options, toJson(key), `Revoked the key ${id}.`);
  });
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
  };
}
