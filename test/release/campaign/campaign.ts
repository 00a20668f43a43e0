import { killAll } from '../../support/service-process.ts';

/** Runs trials against the built service one after the other, and prints a table of expected and observed results. */

/** Resolves with what was observed, and rejects when that is not what was expected. */
export type Trial = {
  name: string;
  expected?: string;
  run: () => Promise<string>;
};

/** Thrown when the trial cannot run on this machine. */
export class Skipped extends Error {}

export function expectThat(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

export function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

type Row = {
  name: string;
  expected: string;
  result: string;
  seen: string;
};

/** Runs the trials whose name contains `only`, or all trials without it. Resolves with the exit code. */
export async function runCampaign(trials: readonly Trial[], only: string | undefined): Promise<number> {
  const rows: Row[] = [];
  for (const { name, expected = '', run } of trials) {
    if (only !== undefined && !name.includes(only)) continue;
    report(`… ${name}`);
    const [result, seen] = await run().then(
      (observed) => ['ok', observed] as const,
      (error: Error) => [error instanceof Skipped ? 'SKIPPED' : 'FAILED', error.message] as const,
    );
    killAll();
    rows.push({ name, expected, result, seen });
    report(`  ${result}: ${seen}`);
  }
  printTable(rows);
  const skipped = rows.filter(({ result }) => result === 'SKIPPED');
  if (skipped.length > 0)
    process.stdout.write(
      `\nNOT TESTED HERE: ${skipped.map(({ name, seen }) => `${name} (${seen})`).join('; ')}\n`,
    );
  return rows.some(({ result }) => result === 'FAILED') ? 1 : 0;
}

const SEEN_CHARS_MAX = 200;

function printTable(rows: readonly Row[]): void {
  const widthOf = (column: 'name' | 'expected') => Math.max(...rows.map((row) => row[column].length));
  const [names, expectations] = [widthOf('name'), widthOf('expected')];
  for (const { name, expected, result, seen } of rows) {
    const cells = [name.padEnd(names), ...(expectations > 0 ? [expected.padEnd(expectations)] : [])];
    process.stdout.write(
      `${[...cells, result.padEnd(7), seen.split('\n')[0]!.slice(0, SEEN_CHARS_MAX)].join('  ')}\n`,
    );
  }
}
