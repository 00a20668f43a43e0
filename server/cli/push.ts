import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { createAccount } from '../../client/sdk/account.ts';
import { type GuideError, isGuideError } from '../../client/sdk/errors.ts';
import type { ImportProblem } from '../knowledge/import/article-input.ts';
import { readMarkdownFolder } from '../knowledge/import/markdown.ts';
import { formatDraft, formatProblem } from './knowledge.ts';
import { type PushPlan, planPush, sendPlan } from './push-plan.ts';
import {
  addCommand,
  CommandFailed,
  createProgressLine,
  print,
  type Terminal,
  UsageError,
} from './terminal.ts';

type PushOptions = {
  json?: boolean;
  url: string;
  sessionFile: string;
  prune?: boolean;
  dryRun?: boolean;
};

/** Further slugs are counted, but not listed. */
const LISTED_MAX = 50;

export function addPush(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    'push <folder>',
    'Send a folder of Markdown to a running service as articles, and publish them.',
  )
    .requiredOption('--url <url>', 'URL of the service')
    .requiredOption('--session-file <file>', 'file with the token of an automation session')
    .option('--prune', 'delete the articles that the folder does not have')
    .option('--dry-run', 'show what would change, and change nothing')
    .addHelpText(
      'after',
      `
The folder is read as by \`knowledge import\`. Only what differs is sent. Nothing is sent while a file has an error.`,
    )
    .action((folder: string, options: PushOptions) => push(terminal, folder, options));
}

async function push(terminal: Terminal, folder: string, options: PushOptions): Promise<void> {
  const token = readToken(options.sessionFile);
  if (!URL.canParse(options.url)) throw new UsageError(`--url ${options.url}: expected a URL`);
  if (!statSync(folder).isDirectory()) throw new CommandFailed(`${folder} is not a folder.`);
  const account = createAccount({ baseUrl: options.url, session: token, retry: RETRY });
  try {
    const { tenant, grant, sourceLocale } = await openWorkspace(account);
    const local = await readFolder(terminal, folder, sourceLocale);
    const progress = createProgressLine(terminal);
    const plan = await planPush(local, tenant, grant, (done) =>
      progress.show(`${done} of ${local.length} compared`),
    ).finally(progress.end);
    if (!options.json) terminal.stderr.write(describePlan(plan, options));
    const isSent = !options.dryRun;
    const sent = isSent
      ? await sendPlan(plan, tenant, { ...grant, prune: options.prune ?? false }, (text) =>
          progress.show(text),
        ).finally(progress.end)
      : undefined;
    print(
      terminal,
      options,
      { ...toCounts(plan), ...sent, sent: isSent },
      isSent ? formatSent(plan, sent!) : 'Nothing was sent.',
    );
  } catch (error) {
    if (isGuideError(error)) throw toFailure(error, options.url);
    throw error;
  }
}

/** Patient, because a CI pipeline can wait for rate limits. */
const RETRY = { attemptsMax: 20, waitSecondsMax: 1800, deadlineSeconds: 3600 };

function readToken(file: string): string {
  const token = readFileSync(file, 'utf8').trim();
  if (/^[A-Za-z0-9_-]{43}$/.test(token)) return token;
  throw new UsageError(
    `--session-file ${file}: expected the token of an automation session, and nothing else`,
  );
}

async function openWorkspace(account: ReturnType<typeof createAccount>) {
  const session = await account.session();
  if (!session) throw new CommandFailed('The session has ended. Create a new automation session.');
  const { automation } = session;
  if (!automation) throw new CommandFailed('The token is not that of an automation session.');
  const { areas, mayApproveOwn } = automation;
  if (!areas.includes('articles')) throw new CommandFailed('The automation session needs the area articles.');
  const tenant = account.tenant(automation.tenantId);
  const { sourceLocale } = await tenant.settings.read();
  const canTranslate = areas.includes('translations');
  const canPublishTranslations = canTranslate && areas.includes('review') && mayApproveOwn;
  return {
    tenant,
    sourceLocale,
    grant: { canTranslate, canPublishTranslations },
  };
}

async function readFolder(terminal: Terminal, folder: string, sourceLocale: string) {
  const articles = [];
  const problems: ImportProblem[] = [];
  for await (const item of readMarkdownFolder(folder, sourceLocale, terminal.clock.now())) {
    if ('article' in item) articles.push(item.article);
    else if ('draft' in item) terminal.stderr.write(`${formatDraft(item.draft)}\n`);
    else problems.push(...item.problems);
  }
  if (problems.length === 0) return articles;
  for (const problem of problems.slice(0, LISTED_MAX)) terminal.stderr.write(`${formatProblem(problem)}\n`);
  throw new CommandFailed(
    `${problems.length} ${problems.length === 1 ? 'error' : 'errors'}; nothing was sent.`,
  );
}

function describePlan(plan: PushPlan, { prune }: PushOptions): string {
  const edited = plan.changed.filter(({ isEditedByPerson }) => isEditedByPerson);
  return [
    ...describe(
      '+',
      'to create',
      plan.created.map(({ slug }) => slug),
    ),
    ...describe(
      '~',
      'to update',
      plan.changed.map(({ article }) => article.slug),
    ),
    ...describe(
      '!',
      'edited in the dashboard since; the folder replaces that',
      edited.map(({ article }) => article.slug),
    ),
    ...describe(
      '-',
      prune ? 'to delete' : 'not in the folder; --prune would delete them',
      plan.missing.map(({ slug }) => slug),
    ),
  ].join('');
}

function describe(mark: string, what: string, slugs: readonly string[]): string[] {
  if (slugs.length === 0) return [];
  const more = slugs.length - LISTED_MAX;
  return [
    `${slugs.length} ${what}\n`,
    ...slugs.slice(0, LISTED_MAX).map((slug) => `  ${mark} ${slug}\n`),
    ...(more > 0 ? [`  … and ${more} more\n`] : []),
  ];
}

function toCounts({ created, changed, missing, unchanged, skipped }: PushPlan) {
  return {
    created: created.map(({ slug }) => slug),
    updated: changed.map(({ article }) => article.slug),
    missing: missing.map(({ slug }) => slug),
    unchanged,
    skipped,
  };
}

function formatSent(plan: PushPlan, sent: Awaited<ReturnType<typeof sendPlan>>): string {
  return (
    `${plan.created.length} created, ${plan.changed.length} updated, ${sent.deleted} deleted, ${plan.unchanged} unchanged; ` +
    `${sent.translations} translations sent, ${sent.waiting} of them wait for a review` +
    (plan.skipped > 0 ? `, ${plan.skipped} skipped because the session lacks the area translations` : '')
  );
}

function toFailure(error: GuideError, url: string): CommandFailed {
  const { code, message, issues } = error as GuideError & { issues?: readonly { message: string }[] };
  const detail = issues?.[0] ? ` ${issues[0].message}` : '';
  return new CommandFailed(`${url} answered ${code}: ${message}${detail}`, { cause: error });
}
