import type { Command } from 'commander';
import { verifyChain } from '../consent/consent-log.ts';
import type { Consents, SealedConsent } from '../storage/consents.ts';
import { getWorkspace, withStore } from './open-store.ts';
import { addCommand, CommandFailed, print, type Terminal, UsageError } from './terminal.ts';

const PAGE = 1_000;

type VerifyOptions = { readonly json?: boolean; readonly workspace: string; readonly head?: string };

export function addConsent(program: Command, terminal: Terminal): void {
  const consent = program.command('consent').description('The evidence of what visitors decided.');

  addCommand(consent, 'verify', 'Check the hash chain of a workspace from its first record to its last.')
    .requiredOption('--workspace <id>', 'the workspace whose evidence to check')
    .option(
      '--head <hash>',
      'a newest hash that you kept elsewhere: tells whether the end was cut off before it',
    )
    .action((options: VerifyOptions) => verify(terminal, options));
}

async function verify(terminal: Terminal, options: VerifyOptions): Promise<void> {
  await withStore(terminal, async (store) => {
    const workspace = await getWorkspace(store, options.workspace);
    const records = recordsOf(store.in(workspace.id).consents);
    const verdict = await verifyChain(records, {
      workspaceId: workspace.id,
      ...(options.head === undefined ? {} : { head: headOf(options.head) }),
    });
    const { ok, count, head, why } = verdict;
    const text = ok
      ? `${count} records, every one in its place. Newest hash:\n${head}`
      : `Record ${count + 1} is wrong: ${REASONS[why!]}. The ${count} before it are in their place.`;
    print(
      terminal,
      options,
      { ok, records: count, head, ...(ok ? {} : { broken_at: count + 1, why }) },
      text,
    );
    if (!ok) throw new CommandFailed(`The evidence of ${workspace.name} is not intact.`);
  });
}

function headOf(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new UsageError('--head: expected 64 hexadecimal digits, as the command prints them');
}

const REASONS = {
  hash_mismatch: 'its content is not what was sealed',
  link_broken: 'it does not follow the record before it; one was changed, removed or put in',
  foreign_workspace: 'it belongs to another workspace',
  head_mismatch: 'it is missing, for the chain ends without the head that you kept',
};

/** The chain, read page by page. A position that is missing shows by itself, for the links do not fit. */
async function* recordsOf(consents: Consents): AsyncGenerator<SealedConsent> {
  for (let after: number | undefined; ; ) {
    const page = after === undefined ? await consents.chain(PAGE) : await consents.chain(PAGE, after);
    yield* page;
    after = page.at(-1)?.position;
    if (after === undefined) return;
  }
}
