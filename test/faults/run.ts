/**
 * The fault campaign against the built service: CYCLES kills during mixed load (default 200), then one accident after
 * the other. Prints its progress and a table; the exit code is 1 when a promise is broken.
 */
import { type Accident, accidents, Skipped } from './accidents.ts';
import { killCycles } from './kill-cycles.ts';
import { killAll } from './service.ts';

const cycles = Number(process.env.CYCLES ?? 200);
const only = process.argv[2];
const report = (line: string) => void process.stderr.write(`${line}\n`);

const faults: readonly Accident[] = [
  { name: 'kill -9 during mixed load', run: () => killCycles(cycles, report) },
  ...accidents,
].filter(({ name }) => only === undefined || name.includes(only));

const rows: { readonly fault: string; readonly result: string; readonly observed: string }[] = [];
for (const { name, run } of faults) {
  report(`… ${name}`);
  const [result, observed] = await run().then(
    (seen) => ['ok', seen] as const,
    (error: Error) => [error instanceof Skipped ? 'SKIPPED' : 'FAILED', error.message] as const,
  );
  killAll();
  rows.push({ fault: name, result, observed });
  report(`  ${result}: ${observed}`);
}

const width = Math.max(...rows.map(({ fault }) => fault.length));
for (const { fault, result, observed } of rows)
  process.stdout.write(`${fault.padEnd(width)}  ${result.padEnd(7)}  ${observed.split('\n')[0]}\n`);
const skipped = rows.filter(({ result }) => result === 'SKIPPED');
if (skipped.length > 0)
  process.stdout.write(
    `\nNOT TESTED HERE: ${skipped.map(({ fault, observed }) => `${fault} (${observed})`).join('; ')}\n`,
  );
process.exit(rows.some(({ result }) => result === 'FAILED') ? 1 : 0);
