import type { Command } from 'commander';
import type { ImportProblem } from '../knowledge/import/article-input.ts';
import { type ImportProgress, importArticles, openImport } from '../knowledge/import/import.ts';
import { initializeIndex } from '../knowledge/search/reindex.ts';
import { OPERATOR } from './audit-row.ts';
import { getWorkspace, withStore } from './open-store.ts';
import { addCommand, CommandFailed, print, type Terminal } from './terminal.ts';

/** Where nobody watches, a line every few seconds tells that it goes on. */
const PROGRESS_MILLIS = 3_000;
/** So many problems are listed; all of them are counted. */
const PROBLEMS_LISTED_MAX = 1_000;

export function addKnowledge(program: Command, terminal: Terminal): void {
  const knowledge = program.command('knowledge').description('The articles that the guide answers from.');

  addCommand(knowledge, 'import <path>', 'Import articles and publish them at once, translations too.')
    .requiredOption('--workspace <id>', 'the workspace to import into')
    .addHelpText(
      'after',
      `
PATH is a file with an article a line (JSONL), or a folder of Markdown files with front matter.
Importing the same again changes nothing. What can't be read is reported and passed over; the exit code is 1 then.`,
    )
    .action((path: string, options: ImportOptions) => importAll(terminal, path, options));
}

type ImportOptions = { readonly json?: boolean; readonly workspace: string };

async function importAll(terminal: Terminal, path: string, options: ImportOptions): Promise<void> {
  await withStore(terminal, async (store) => {
    const workspace = await getWorkspace(store, options.workspace);
    const { articles, audit } = store.in(workspace.id);
    const found = await openImport(path, workspace.settings.sourceLocale);
    const line = progressLine(terminal);
    const problems: ImportProblem[] = [];
    await initializeIndex(store.passageIndex);
    const report = await importArticles(
      found,
      { workspaceId: workspace.id, articles, audit, clock: terminal.clock, actor: OPERATOR },
      {
        onProgress: line.show,
        onProblem(problem) {
          if (problems.length < PROBLEMS_LISTED_MAX) problems.push(problem);
          if (!options.json) line.say(sentenceOf(problem));
        },
      },
    ).finally(line.end);
    print(terminal, options, { ...report, problems }, countsOf(report));
    if (report.errors > 0) {
      throw new CommandFailed(
        `${report.errors} ${report.errors === 1 ? 'thing' : 'things'} could not be imported; the rest is published.`,
      );
    }
  });
}

function sentenceOf({ file, line, field, expected }: ImportProblem): string {
  const place = [file, line, field].filter((part) => part !== undefined).join(':');
  return `${place}: expected ${expected}`;
}

function countsOf({ articles, translations, skipped, errors }: Omit<ImportProgress, 'bytesRead'>): string {
  return `${articles} articles and ${translations} translations published, ${skipped} unchanged, ${errors} errors`;
}

/** On a terminal one line that is written over and over, elsewhere a line now and then. */
function progressLine({ stderr, clock }: Terminal) {
  let toldAt = clock.now();
  let open = false;
  const clear = () => {
    if (open) stderr.write('\r\u001b[K');
    open = false;
  };
  return {
    show(progress: ImportProgress): void {
      const text = `${countsOf(progress)}, ${(progress.bytesRead / 1e6).toFixed(1)} MB read`;
      if (stderr.isTTY) {
        stderr.write(`\r\u001b[K${text}`);
        open = true;
      } else if (clock.now() - toldAt >= PROGRESS_MILLIS) {
        stderr.write(`${text}\n`);
        toldAt = clock.now();
      }
    },
    say(text: string): void {
      clear();
      stderr.write(`${text}\n`);
    },
    end: clear,
  };
}
