import { type Command, Option } from 'commander';
import { newId } from '../ids.ts';
import type { ApiKey, ApiKeyScope } from '../storage/api-keys.ts';
import type { Store } from '../storage/store.ts';
import { hashSecret, makeApiKey } from '../tokens/api-key.ts';
import { auditRow } from './audit-row.ts';
import { getWorkspace, withStore } from './open-store.ts';
import { addCommand, CommandFailed, print, type Terminal, UsageError } from './terminal.ts';

const SCOPES: readonly ApiKeyScope[] = ['analytics:read', 'events:read'];
/** A public id that is taken is as unlikely as a full lottery win; a second one is no chance but a fault. */
const ATTEMPTS_MAX = 3;

type JsonOption = { readonly json?: boolean };

export function addKey(program: Command, terminal: Terminal): void {
  const key = program.command('key').description('API keys: they read the data of one workspace, by scope.');

  addCommand(key, 'create', 'Create a key. It is shown once and can not be shown again.')
    .requiredOption('--workspace <id>', 'the workspace whose data the key reads')
    .addOption(scopeOption().makeOptionMandatory())
    .action((options: CreateOptions) => create(terminal, options));

  addCommand(key, 'list', 'List keys, without their secrets, newest first; revoked ones too.')
    .option('--workspace <id>', 'only those of this workspace')
    .action((options: JsonOption & { readonly workspace?: string }) => list(terminal, options));

  addCommand(key, 'revoke <id>', 'Revoke a key; it stops working at once and for ever.').action(
    (id: string, options: JsonOption) => revoke(terminal, id, options),
  );
}

function scopeOption(): Option {
  return new Option('--scope <scope>', `${SCOPES.join(' or ')}; again for more`).argParser(
    (value: string, earlier: readonly string[] | undefined) => {
      const scopes = value.split(',').map((scope) => scope.trim());
      const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
      if (unknown !== undefined) throw new UsageError(`--scope ${unknown}: expected ${SCOPES.join(' or ')}`);
      return [...new Set([...(earlier ?? []), ...scopes])];
    },
  );
}

type CreateOptions = JsonOption & { readonly workspace: string; readonly scope: readonly ApiKeyScope[] };

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  await withStore(terminal, async (store) => {
    const workspace = await getWorkspace(store, options.workspace);
    const { id, text } = await storedKey(terminal, store, workspace.id, options.scope);
    const details = { scopes: options.scope };
    await store.in(workspace.id).audit.append(auditRow(terminal, 'api_key.created', id, details));
    print(
      terminal,
      options,
      { id, key: text },
      `Created the key ${id} for ${workspace.name}.\n\n  ${text}\n\nKeep it now: it is secret, and it is not shown again.`,
    );
  });
}

async function storedKey(
  terminal: Terminal,
  store: Store,
  workspaceId: string,
  scopes: readonly ApiKeyScope[],
): Promise<{ id: string; text: string }> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const made = makeApiKey();
    const id = newId('key');
    const stored = await store.apiKeys.create({
      id,
      workspaceId,
      publicId: made.publicId,
      secretHash: hashSecret(made.secret),
      lastFour: made.lastFour,
      scopes,
      createdAt: terminal.clock.now(),
    });
    if (stored === 'created') return { id, text: made.text };
  }
  throw new CommandFailed('No free key could be made; try again.');
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
    for (const { id } of workspaces) keys.push(...(await store.apiKeys.list(id)));
    const lines = keys.map(
      (key) =>
        `${key.id}  ${masked(key)}  ${key.revokedAt === undefined ? 'active ' : 'revoked'}  ${key.scopes.join(' ')}  ${key.workspaceId}`,
    );
    print(terminal, options, keys.map(shown), lines.length === 0 ? 'There is no key.' : lines.join('\n'));
  });
}

async function revoke(terminal: Terminal, id: string, options: JsonOption): Promise<void> {
  await withStore(terminal, async (store) => {
    const key = await store.apiKeys.revoke(id, terminal.clock.now());
    if (!key) throw new CommandFailed(`There is no key ${id}; \`guidepost key list\` shows them.`);
    await store.in(key.workspaceId).audit.append(auditRow(terminal, 'api_key.revoked', id, {}));
    print(terminal, options, shown(key), `The key ${id} is revoked.`);
  });
}

const masked = ({ publicId, lastFour }: ApiKey) => `pk_live_${publicId}…${lastFour}`;

function shown(key: ApiKey) {
  return {
    id: key.id,
    tenant_id: key.workspaceId,
    key: masked(key),
    scopes: key.scopes,
    created_at: new Date(key.createdAt).toISOString(),
    ...(key.revokedAt === undefined ? {} : { revoked_at: new Date(key.revokedAt).toISOString() }),
    ...(key.lastUsedAt === undefined ? {} : { last_used_at: new Date(key.lastUsedAt).toISOString() }),
  };
}
