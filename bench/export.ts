/**
 * Compares the export of events with the sqlite3 command line, interleaved in one run, while boots
 * continue.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  fillEvents,
  printedBefore,
  type Read,
  readIterated,
  readPrinted,
  readStream,
  startWatched,
  type Watched,
} from './export-parts.ts';
import { openLoad } from './open-load.ts';
import { fillFolder, ORIGIN } from './prepare.ts';
import { median } from './report.ts';

const help = `Measures the export of events beside the sqlite3 command line. The table goes to stdout, progress to stderr.

  node bench/export.ts [--rows 1000000] [--rounds 5] [--sources]

  --sources   runs the service from its sources; else it needs dist/guidepost.js (make build)
`;

const MIB = 1024 * 1024;
const BOOT_PAUSE_MILLIS = 5;
/** One address may boot 120 times a minute, and each boot comes from a fresh one. */
const BOOTS_A_ROUND = 20_000;

type Round = {
  readonly stream: Read;
  readonly printed: Read;
  readonly watched: Watched;
  readonly bootMillis: readonly number[];
};

type Measured = { readonly rounds: readonly Round[]; readonly before: Watched; readonly beside: string };

async function main(rows: number, rounds: number, fromSources: boolean): Promise<Measured> {
  if (!fromSources && !existsSync(fileURLToPath(new URL('../dist/guidepost.js', import.meta.url)))) {
    throw new Error('There is no dist/guidepost.js yet: run make build first.');
  }
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
  const load = openLoad();
  const hasCommand = spawnSync('sqlite3', ['--version']).status === 0;
  try {
    progress(`${rows} events`);
    const [appId] = await fillFolder(folder, 1);
    const { key, workspaceId } = await fillEvents(folder, rows);
    const service = await startWatched(folder, fromSources);
    load.tell({ origin: ORIGIN, appId: appId!, visitors: [], questions: [] });
    const boots = (seconds: number, round: number) =>
      load.run({
        ...{
          kind: 'boot' as const,
          port: service.port,
          connections: 1,
          pauseMillis: BOOT_PAUSE_MILLIS,
          seconds,
        },
        ...{ first: round * BOOTS_A_ROUND, requestsMax: BOOTS_A_ROUND },
      });
    const print = async () =>
      hasCommand
        ? readPrinted(folder, workspaceId, printedBefore(rows))
        : readIterated(folder, workspaceId, printedBefore(rows));

    progress('warming up');
    await boots(3, 0);
    const before = await service.report();
    const seconds = (await print()).seconds;
    const done: Round[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      progress(`round ${round} of ${rounds}`);
      const printed = await print();
      await service.report();
      // For about as long as the stream takes, if it is as fast as hoped.
      const [stream, booted] = await Promise.all([
        readStream(service.port, key),
        boots(seconds * 0.8, round),
      ]);
      done.push({ stream, printed, watched: await service.report(), bootMillis: booted.wholeMillis });
    }
    await service.stop();
    return {
      rounds: done,
      before,
      beside: hasCommand ? 'the sqlite3 command line' : 'an iterator of better-sqlite3',
    };
  } finally {
    load.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

function table({ rounds, before, beside }: Measured): string {
  const perSecond = ({ rows, seconds }: Read) => rows / seconds;
  const stream = median(rounds.map((round) => perSecond(round.stream)));
  const printed = median(rounds.map((round) => perSecond(round.printed)));
  const ratio = median(rounds.map((round) => perSecond(round.stream) / perSecond(round.printed)));
  const extra = (Math.max(...rounds.map(({ watched }) => watched.peakBytes)) - before.residentBytes) / MIB;
  const loop = median(rounds.map(({ watched }) => watched.loopP99Millis));
  const longest = Math.max(...rounds.map(({ watched }) => watched.loopMaxMillis));
  const boot = median(
    rounds.map(({ bootMillis }) => bootMillis[Math.floor(bootMillis.length * 0.99)] ?? Number.NaN),
  );
  const [first] = rounds;
  const lines: [string, string, string, boolean][] = [
    [`rows a second, ratio to ${beside}`, ratio.toFixed(2), 'at least 1.00', ratio >= 1],
    ['memory on top, MiB', extra.toFixed(1), 'less than 64', extra < 64],
    ['delay of the event loop, p99, ms', loop.toFixed(1), 'less than 10', loop < 10],
    ['boot beside it, p99, ms', boot.toFixed(1), 'less than 10', boot < 10],
  ];
  const missing = beside.includes('iterator')
    ? 'There is no sqlite3 command here; compared with better-sqlite3 instead.\n'
    : '';
  return [
    `Export of events over HTTP (${cpus().length} cores, Node ${process.versions.node}, medians of ${rounds.length} rounds)`,
    `${missing}stream ${Math.round(stream)} rows/s, ${(first!.stream.bytes / MIB).toFixed(0)} MiB; ${beside} ${Math.round(printed)} rows/s; longest delay ${longest.toFixed(1)} ms`,
    '',
    ...lines.map(
      ([what, is, target, isMet]) =>
        `${what.padEnd(56)}${is.padStart(8)}   ${target}${isMet ? '' : '   MISSED'}`,
    ),
    '',
  ].join('\n');
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    sources: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) {
  process.stdout.write(help);
} else {
  try {
    process.stdout.write(table(await main(Number(options.rows), Number(options.rounds), options.sources)));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
