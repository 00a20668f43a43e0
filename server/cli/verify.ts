import type { Command } from 'commander';
import { type ChainExpectation, type ChainVerdict, verifyAuditChain } from '../base/hash-chain.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import { verifyChain } from '../visitors/consent/consent-log.ts';
import { getWorkspace, withStore } from './open-store.ts';
import { addCommand, CommandFailed, print, type Terminal, UsageError } from './terminal.ts';

/** The commands that verify the hash chains of the consent log and the audit log. */

const PAGE_ROWS = 1_000;
const HEAD_HELP = 'a hash that you noted earlier: also detects removed records at the end';

type VerifyOptions = { json?: boolean; workspace?: string; head?: string };
type VerifyWorkspace = (
  store: Store,
  workspaceId: string,
  expected: ChainExpectation,
) => Promise<ChainVerdict>;

export function addConsent(program: Command, terminal: Terminal): void {
  const consent = program.command('consent').description('Inspect the consent log.');

  addCommand(consent, 'verify', 'Verify the hash chain of the consent log of a workspace.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .option('--head <hash>', HEAD_HELP)
    .action((options: VerifyOptions) => verify(terminal, options, 'consent log', verifyConsents));
}

export function addAudit(program: Command, terminal: Terminal): void {
  const audit = program.command('audit').description('Inspect the audit log.');

  addCommand(audit, 'verify', 'Verify the hash chain of the audit log of one workspace, or of all.')
    .option('--workspace <id>', 'workspace id or app id (default: all workspaces)')
    .option('--head <hash>', `${HEAD_HELP}; needs --workspace`)
    .action((options: VerifyOptions) => verify(terminal, options, 'audit log', verifyAudit));
}

async function verify(
  terminal: Terminal,
  options: VerifyOptions,
  log: string,
  verifyWorkspace: VerifyWorkspace,
): Promise<void> {
  if (options.head !== undefined && options.workspace === undefined)
    throw new UsageError('--head needs --workspace');
  const expected = options.head === undefined ? {} : { head: parseHead(options.head) };
  await withStore(terminal, async (store) => {
    const isSingle = options.workspace !== undefined;
    const workspaces = isSingle
      ? [await getWorkspace(store, options.workspace!)]
      : await store.workspaces.list();
    const reports = [];
    for (const workspace of workspaces) {
      reports.push(report(workspace, await verifyWorkspace(store, workspace.id, expected)));
    }
    const broken = reports.filter(({ json }) => !json.ok).map(({ name }) => name);
    const outcome = isSingle
      ? reports[0]!.json
      : {
          ok: broken.length === 0,
          workspaces: reports.map(({ id, json }) => ({ tenant_id: id, ...json })),
        };
    const texts = isSingle ? [reports[0]!.text] : reports.map(({ id, text }) => `${id}: ${text}`);
    print(terminal, options, outcome, texts.join('\n'));
    if (broken.length > 0) throw new CommandFailed(`The ${log} of ${broken.join(', ')} is not intact.`);
  });
}

function report({ id, name }: Workspace, { ok, count, head, why }: ChainVerdict) {
  const text = ok
    ? `All ${count} records are intact. Latest hash:\n${head}`
    : `Record ${count + 1} is not intact: ${REASONS[why!]}. The ${count} records before it are.`;
  return { id, name, text, json: { ok, records: count, head, ...(ok ? {} : { broken_at: count + 1, why }) } };
}

function parseHead(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new UsageError('--head: expected 64 hexadecimal digits, as this command prints');
}

const REASONS = {
  hash_mismatch: 'its content was changed',
  link_broken: 'it does not follow the record before it: a record was changed, removed or inserted',
  foreign_workspace: 'it belongs to another workspace',
  head_mismatch: 'it is missing: the chain ends before the hash in --head',
};

function verifyConsents(store: Store, workspaceId: string, expected: ChainExpectation) {
  const { consents } = store.in(workspaceId);
  // Missing positions break the chain, so they need no check of their own.
  const records = readAll((after?: { position: number }) =>
    after === undefined ? consents.chain(PAGE_ROWS) : consents.chain(PAGE_ROWS, after.position),
  );
  return verifyChain(records, { workspaceId, ...expected });
}

function verifyAudit(store: Store, workspaceId: string, expected: ChainExpectation) {
  const { audit } = store.in(workspaceId).workspaceExport;
  return verifyAuditChain(
    readAll((after?: Awaited<ReturnType<typeof audit>>[number]) => audit(PAGE_ROWS, after)),
    expected,
  );
}

/** Reads records page by page. */
async function* readAll<Row>(readPage: (after?: Row) => Promise<readonly Row[]>): AsyncGenerator<Row> {
  for (let after: Row | undefined; ; ) {
    const page = await readPage(after);
    yield* page;
    after = page.at(-1);
    if (after === undefined) return;
  }
}
