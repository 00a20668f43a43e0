import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { nameUnfinished } from '../base/files.ts';
import { initializeIndex } from '../knowledge/search/indexing.ts';
import { InvalidArchive } from '../transfer/codec.ts';
import { exportLines } from '../transfer/export.ts';
import { type ArchiveCounts, importArchive } from '../transfer/import.ts';
import { getWorkspace, newAuditEntry, withStore } from './open-store.ts';
import {
  addCommand,
  assertWritable,
  CommandFailed,
  createProgressLine,
  print,
  type Terminal,
  toWriteError,
  UsageError,
} from './terminal.ts';

const CHUNK_CHARS = 64 * 1024;

type ExportOptions = { json?: boolean; workspace: string; out?: string };
type ImportOptions = { json?: boolean; into?: string };

export function addWorkspaceArchive(workspace: Command, terminal: Terminal): void {
  addCommand(workspace, 'export', 'Export all data of a workspace as JSON lines.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .option('--out <file>', 'write to this file once the export is complete (default: standard output)')
    .action((options: ExportOptions) => runExport(terminal, options));

  addCommand(workspace, 'import <file>', 'Import a file that `workspace export` has written.')
    .option('--into <id>', 'replace this empty workspace and keep its members')
    .addHelpText(
      'after',
      `
The workspace keeps its id and app id. It becomes visible when the import is complete; a failed import leaves nothing behind.
The file contains no passwords: set them with \`guidepost member password\`, or invite the members again.`,
    )
    .action((file: string, options: ImportOptions) => runImport(terminal, file, options));
}

async function runExport(terminal: Terminal, options: ExportOptions): Promise<void> {
  const { out, json } = options;
  if (json && out === undefined) throw new UsageError('--json needs --out <file>');
  if (out !== undefined) assertWritable(out);
  await withStore(terminal, async (store) => {
    const workspace = await getWorkspace(store, options.workspace);
    const row = newAuditEntry(terminal, 'workspace.exported', workspace.id, {});
    await store.in(workspace.id).audit.append(row);
    const progress = createProgressLine(terminal);
    const sink = out === undefined ? createStdoutSink(terminal) : createFileSink(out);
    let lines = 0;
    let bytes = 0;
    try {
      let ready = '';
      for await (const line of exportLines(workspace, store)) {
        lines += 1;
        ready += `${line}\n`;
        if (ready.length < CHUNK_CHARS) continue;
        bytes += Buffer.byteLength(ready);
        await sink.write(ready);
        ready = '';
        progress.show(`${lines} lines, ${formatMegabytes(bytes)} written`);
      }
      bytes += Buffer.byteLength(ready);
      await sink.write(ready);
      await sink.finish();
    } catch (error) {
      await sink.abort();
      throw error;
    } finally {
      progress.end();
    }
    if (out !== undefined) {
      const outcome = { tenant_id: workspace.id, file: out, lines, bytes };
      print(terminal, options, outcome, `Wrote ${lines} lines (${formatMegabytes(bytes)}) to ${out}.`);
    }
  });
}

async function runImport(terminal: Terminal, file: string, options: ImportOptions): Promise<void> {
  await withStore(
    terminal,
    async (store) => {
      const into = options.into === undefined ? undefined : (await getWorkspace(store, options.into)).id;
      const progress = createProgressLine(terminal);
      const showProgress = ({ lines, bytesRead }: { lines: number; bytesRead: number }) =>
        progress.show(`${lines} lines, ${formatMegabytes(bytesRead)} read`);
      await initializeIndex(store.passageIndex);
      const { workspace, counts } = await importArchive(
        file,
        { store, clock: terminal.clock },
        into,
        showProgress,
      )
        .catch((error) => {
          throw error instanceof InvalidArchive ? new CommandFailed(error.message) : error;
        })
        .finally(progress.end);
      print(
        terminal,
        options,
        { tenant_id: workspace.id, app_id: workspace.appId, rows: counts },
        `Imported the workspace ${workspace.name} (${workspace.id}): ${formatCounts(counts)}.`,
      );
    },
    'create',
  );
}

const formatCounts = (counts: ArchiveCounts) =>
  `${counts.article ?? 0} articles, ${counts.translation ?? 0} translations, ${counts.conversation ?? 0} conversations, ` +
  `${counts.event ?? 0} events, ${counts.member ?? 0} members`;

const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

type Sink = {
  /** Waits for slow readers. */
  write(text: string): Promise<void>;
  finish(): Promise<void>;
  abort(): Promise<void>;
};

function createStdoutSink({ stdout }: Terminal): Sink {
  const doNothing = async () => {};
  return {
    async write(text) {
      if (stdout.write(text) === false && stdout.once) {
        await new Promise<void>((resolve) => {
          stdout.once?.('drain', resolve);
          // Readers such as `head` close the pipe early.
          stdout.once?.('close', resolve);
        });
      }
    },
    finish: doNothing,
    abort: doNothing,
  };
}

/** Writes to a temporary file that only its owner can read, and renames it when it is complete. */
function createFileSink(file: string): Sink {
  const partial = nameUnfinished(file);
  const stream = createWriteStream(partial, { mode: 0o600, flags: 'wx', flush: true });
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure = error;
  });
  const throwIfFailed = () => {
    if (failure) throw toWriteError(file, failure);
  };
  return {
    async write(text) {
      throwIfFailed();
      if (!stream.write(text)) {
        await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => {});
      }
      throwIfFailed();
    },
    async finish() {
      stream.end();
      if (!stream.closed) await once(stream, 'close').catch(() => {});
      throwIfFailed();
      await rename(partial, file).catch((error) => {
        throw toWriteError(file, error);
      });
    },
    async abort() {
      stream.destroy();
      await rm(partial, { force: true });
    },
  };
}
