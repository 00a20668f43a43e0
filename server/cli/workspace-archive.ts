import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { initializeIndex } from '../knowledge/search/reindex.ts';
import { exportLines } from '../transfer/export.ts';
import { type ArchiveCounts, importArchive } from '../transfer/import.ts';
import { InvalidArchive } from '../transfer/read-archive.ts';
import { getWorkspace, withStore } from './open-store.ts';
import { checkTarget, notWritten } from './target-file.ts';
import { addCommand, CommandFailed, print, type Terminal, UsageError } from './terminal.ts';

/** Where nobody watches, a line every few seconds tells that it goes on. */
const PROGRESS_MILLIS = 3_000;
/** Written in one go. */
const CHARS_AT_ONCE = 64 * 1024;

type ExportOptions = { readonly json?: boolean; readonly workspace: string; readonly out?: string };
type ImportOptions = { readonly json?: boolean; readonly into?: string };

/** The commands about a workspace as a whole; `workspace` is what they stand under. */
export function addWorkspaceArchive(workspace: Command, terminal: Terminal): void {
  addCommand(workspace, 'export', 'Write everything that a workspace owns, a JSON object a line.')
    .requiredOption('--workspace <id>', 'the workspace to export')
    .option('--out <file>', 'write to this file, complete or not at all; standard output by default')
    .action((options: ExportOptions) => exportAll(terminal, options));

  addCommand(workspace, 'import <file>', 'Make a workspace of what `workspace export` has written.')
    .option('--into <id>', 'an empty workspace that gives way to the imported one; its members come along')
    .addHelpText(
      'after',
      `
The workspace keeps the id and the app id that it has in the file. Nobody sees it before it is complete; when anything is wrong,
nothing of it stays. Passwords are not in the file: whoever is new here gets one by \`guidepost member password\` or an invitation.`,
    )
    .action((file: string, options: ImportOptions) => importAll(terminal, file, options));
}

async function exportAll(terminal: Terminal, options: ExportOptions): Promise<void> {
  const { out, json } = options;
  if (json && out === undefined) throw new UsageError('--json: name the file as well, with --out');
  if (out !== undefined) checkTarget(out);
  await withStore(terminal, async (store) => {
    const workspace = await getWorkspace(store, options.workspace);
    const progress = progressLine(terminal);
    const sink = out === undefined ? standardOutput(terminal) : fileSink(out);
    let lines = 0;
    let bytes = 0;
    try {
      let ready = '';
      for await (const line of exportLines(workspace, store)) {
        lines += 1;
        ready += `${line}\n`;
        if (ready.length < CHARS_AT_ONCE) continue;
        bytes += Buffer.byteLength(ready);
        await sink.write(ready);
        ready = '';
        progress.show(`${lines} lines, ${megabytes(bytes)} written`);
      }
      bytes += Buffer.byteLength(ready);
      await sink.write(ready);
      await sink.finish();
    } catch (error) {
      await sink.giveUp();
      throw error;
    } finally {
      progress.end();
    }
    if (out !== undefined) {
      const outcome = { tenant_id: workspace.id, file: out, lines, bytes };
      print(terminal, options, outcome, `Wrote ${lines} lines (${megabytes(bytes)}) to ${out}.`);
    }
  });
}

async function importAll(terminal: Terminal, file: string, options: ImportOptions): Promise<void> {
  await withStore(
    terminal,
    async (store) => {
      const into = options.into === undefined ? undefined : (await getWorkspace(store, options.into)).id;
      const progress = progressLine(terminal);
      const watch = ({ lines, bytesRead }: { readonly lines: number; readonly bytesRead: number }) =>
        progress.show(`${lines} lines, ${megabytes(bytesRead)} read`);
      await initializeIndex(store.passageIndex);
      const { workspace, counts } = await importArchive(file, { store, clock: terminal.clock }, into, watch)
        .catch((error) => {
          throw error instanceof InvalidArchive ? new CommandFailed(error.message) : error;
        })
        .finally(progress.end);
      print(
        terminal,
        options,
        { tenant_id: workspace.id, app_id: workspace.appId, rows: counts },
        `Imported the workspace ${workspace.name} (${workspace.id}): ${sumOf(counts)}.`,
      );
    },
    'create',
  );
}

const sumOf = (counts: ArchiveCounts) =>
  `${counts.article ?? 0} articles, ${counts.translation ?? 0} translations, ${counts.conversation ?? 0} conversations, ` +
  `${counts.event ?? 0} events, ${counts.member ?? 0} members`;

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

type Sink = {
  /** Waits where the reader is slower. */
  write(text: string): Promise<void>;
  finish(): Promise<void>;
  giveUp(): Promise<void>;
};

function standardOutput({ stdout }: Terminal): Sink {
  const done = async () => {};
  return {
    async write(text) {
      if (stdout.write(text) === false && stdout.once) {
        await new Promise<void>((resolve) => {
          stdout.once?.('drain', resolve);
          // Whoever reads no further, such as `head`, is no reason to wait.
          stdout.once?.('close', resolve);
        });
      }
    },
    finish: done,
    giveUp: done,
  };
}

/** The file has its name only once it is complete. Nobody else may read it. */
function fileSink(file: string): Sink {
  const partial = `${file}.${process.pid}.partial`;
  const stream = createWriteStream(partial, { mode: 0o600, flags: 'wx', flush: true });
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure = error;
  });
  const check = () => {
    if (failure) throw notWritten(file, failure);
  };
  return {
    async write(text) {
      check();
      if (!stream.write(text)) {
        await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => {});
      }
      check();
    },
    async finish() {
      stream.end();
      if (!stream.closed) await once(stream, 'close').catch(() => {});
      check();
      await rename(partial, file).catch((error) => {
        throw notWritten(file, error);
      });
    },
    async giveUp() {
      stream.destroy();
      await rm(partial, { force: true });
    },
  };
}

/** On a terminal one line that is written over and over, elsewhere a line now and then. */
function progressLine({ stderr, clock }: Terminal) {
  let toldAt = clock.now();
  let isOpen = false;
  return {
    show(text: string): void {
      if (stderr.isTTY) {
        stderr.write(`\r\u001b[K${text}`);
        isOpen = true;
      } else if (clock.now() - toldAt >= PROGRESS_MILLIS) {
        stderr.write(`${text}\n`);
        toldAt = clock.now();
      }
    },
    end(): void {
      if (isOpen) stderr.write('\r\u001b[K');
    },
  };
}
