import type { Command } from 'commander';
import type { ImportDraft, ImportProblem } from '../knowledge/import/article-input.ts';
import { type ImportProgress, importArticles, openImport } from '../knowledge/import/import.ts';
import { initializeIndex } from '../knowledge/search/indexing.ts';
import { getWorkspace, OPERATOR, withStore } from './open-store.ts';
import { addCommand, CommandFailed, createProgressLine, print, type Terminal } from './terminal.ts';

/** Further problems are counted, but not listed. */
const PROBLEMS_LISTED_MAX = 1_000;

export function addKnowledge(program: Command, terminal: Terminal): void {
  const knowledge = program
    .command('knowledge')
    .description('Manage the articles that the guide answers from.');

  addCommand(knowledge, 'import <path>', 'Import articles with their translations and publish them.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .addHelpText(
      'after',
      `
PATH is a JSONL file with one article per line, or a folder of Markdown files with front matter.
Importing the same articles again changes nothing. Articles with errors are reported and skipped; the exit code is then 1.
Drafts and other texts that are not public are listed and not published.`,
    )
    .action((path: string, options: ImportOptions) => runImport(terminal, path, options));
}

type ImportOptions = { json?: boolean; workspace: string };

async function runImport(terminal: Terminal, path: string, options: ImportOptions): Promise<void> {
  await withStore(terminal, async (store) => {
    const workspace = await getWorkspace(store, options.workspace);
    const { articles, audit } = store.in(workspace.id);
    const articleSource = await openImport(path, workspace.settings.sourceLocale, terminal.clock.now());
    const progress = createProgressLine(terminal);
    const problems: ImportProblem[] = [];
    const drafts: ImportDraft[] = [];
    await initializeIndex(store.passageIndex);
    const report = await importArticles(
      articleSource,
      { workspaceId: workspace.id, articles, audit, clock: terminal.clock, actor: OPERATOR },
      {
        onProgress: (counts) =>
          progress.show(`${formatCounts(counts)}, ${(counts.bytesRead / 1e6).toFixed(1)} MB read`),
        onProblem(problem) {
          if (problems.length < PROBLEMS_LISTED_MAX) problems.push(problem);
          if (!options.json) progress.printLine(formatProblem(problem));
        },
        onDraft(draft) {
          if (drafts.length < PROBLEMS_LISTED_MAX) drafts.push(draft);
          if (!options.json) progress.printLine(formatDraft(draft));
        },
      },
    ).finally(progress.end);
    print(terminal, options, { ...report, problems, drafts }, formatCounts(report));
    if (report.errors > 0) {
      throw new CommandFailed(
        `${report.errors} ${report.errors === 1 ? 'error' : 'errors'}; everything else was imported and published.`,
      );
    }
  });
}

export function formatProblem({ file, line, field, expected }: ImportProblem): string {
  const place = [file, line, field].filter((part) => part !== undefined).join(':');
  return `${place}: expected ${expected}`;
}

export function formatDraft({ file, line, mark }: ImportDraft): string {
  return `${line === undefined ? file : `${file}:${line}`}: not published, because it is not public (${mark})`;
}

function formatCounts({
  articles,
  translations,
  skipped,
  errors,
}: Omit<ImportProgress, 'bytesRead'>): string {
  return `${articles} articles and ${translations} translations published, ${skipped} unchanged, ${errors} errors`;
}
