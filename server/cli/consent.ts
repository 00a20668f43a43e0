import type { Command } from 'commander';
import { verifyChain } from '../consent/consent-log.ts';
import type { Consents, SealedConsent } from '../storage/consents.ts';
import { getWorkspace, withStore } from './open-store.ts';
import { addCommand, CommandFailed, print, type Terminal, UsageError } from './terminal.ts';

const PAGE = 1_000;

type VerifyOptions = { readonly json?: boolean; readonly workspace: string; readonly head?: string };

export function addConsent(program: Command, terminal: Terminal): void {
  const consent = program.command('consent').description('Inspect the consent log.');

  addCommand(consent, 'verify', 'Verify the hash chain of the consent log of a workspace.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .option('--head <hash>', 'a hash that you noted earlier: also detects removed records at the end')
    .action((options: VerifyOptions) => verify(terminal, options));
}

async function verify(terminal: Terminal, options: VerifyOptions): Promise<void> {
  await withStore(terminal, async (store) => {
    const workspace = await getWorkspace(store, options.workspace);
    const records = readRecords(store.in(workspace.id).consents);
    const verdict = await verifyChain(records, {
      workspaceId: workspace.id,
      ...(options.head === undefined ? {} : { head: parseHead(options.head) }),
    });
    const { ok, count, head, why } = verdict;
    const text = ok
      ? `All ${count} records are intact. Latest hash:\n${head}`
      : `Record ${count + 1} is not intact: ${REASONS[why!]}. The ${count} records before it are.`;
    print(
      terminal,
      options,
      { ok, records: count, head, ...(ok ? {} : { broken_at: count + 1, why }) },
      text,
    );
    if (!ok) throw new CommandFailed(`The consent log of ${workspace.name} is not intact.`);
  });
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

/** Reads the chain page by page. Missing positions break the chain, so they need no check of their own. */
async function* readRecords(consents: Consents): AsyncGenerator<SealedConsent> {
  for (let after: number | undefined; ; ) {
    const page = after === undefined ? await consents.chain(PAGE) : await consents.chain(PAGE, after);
    yield* page;
    after = page.at(-1)?.position;
    if (after === undefined) return;
  }
}
