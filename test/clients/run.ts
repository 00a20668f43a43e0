/** Makes a client of the published document with every generator, and lets each of them talk to a real server. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { fetchGeneratorJar } from './generator-jar.ts';
import { GENERATORS, type Generator } from './generators.ts';
import { installed } from './installing.ts';
import { pageOf, type Row, tableOf } from './table.ts';
import { isThere } from './toolchains.ts';
import { tryOut } from './walking.ts';

const help = `Tries the published document with generators of clients. The table goes to stdout, progress to stderr.

  node test/clients/run.ts [--only NAME] [--jobs 1|2]

  --only NAME   only the generators of that name or language; the page in docs/ stays as it is
  --jobs N      how many at a time, 1 or 2; 1 when not given
  --help        this

A generator whose toolchain is missing is left out and named. It fails when a client does not compile or a step of its walk
fails, and, where CI is set, when anything that the machine offers is not tried.
`;

const PAGE = new URL('../../docs/generated-clients.md', import.meta.url);
const DOCUMENT = new URL('../../openapi.yaml', import.meta.url);

const say = (what: string) => process.stderr.write(`${what}\n`);

let jar: Promise<void> | undefined;

async function rowOf(generator: Generator): Promise<Row> {
  const missing = generator.deps.filter((tool) => !isThere(tool));
  const called = `${generator.language} by ${generator.name}`;
  if (missing.length > 0) {
    say(`${called}: left out, no ${missing.join(', no ')}`);
    return { generator, missing };
  }
  if (generator.deps.includes('java')) {
    jar ??= fetchGeneratorJar();
    await jar;
  }
  const tell = (what: string) => say(`${called}: ${what.length > 100 ? `${what.slice(0, 100)}…` : what}`);
  const trouble = await installed(generator, tell);
  const outcome = trouble
    ? { compiles: false, steps: {}, trouble: [trouble] }
    : await tryOut(generator, tell);
  for (const words of outcome.trouble) say(`${called}: FAILED\n${words}`);
  return { generator, outcome };
}

/** In the order of the table, with at most so many under way. */
async function inLanes(generators: readonly Generator[], lanes: number): Promise<Row[]> {
  const rows: Row[] = [];
  const left = [...generators.entries()];
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) rows[next[0]] = await rowOf(next[1]);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return rows;
}

function asked() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      jobs: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  if (!['1', '2'].includes(values.jobs)) throw new Error('--jobs is 1 or 2');
  const wanted = values.only?.toLowerCase();
  const chosen = GENERATORS.filter(
    ({ name, language }) => !wanted || [name, language.toLowerCase()].includes(wanted),
  );
  if (chosen.length === 0) throw new Error(`no generator is called ${values.only}`);
  return { chosen, isWhole: !wanted, lanes: Number(values.jobs) };
}

const { chosen, isWhole, lanes } = asked();
const rows = await inLanes(chosen, lanes);
process.stdout.write(tableOf(rows));
if (isWhole) {
  const { info } = parse(readFileSync(DOCUMENT, 'utf8')) as { info: { version: string } };
  writeFileSync(PAGE, pageOf(rows, info.version));
  say('wrote docs/generated-clients.md');
}
const failed = rows.filter((row) => 'outcome' in row && row.outcome.trouble.length > 0);
if (failed.length > 0) say(`${failed.length} of ${rows.length} failed`);
if (process.env.CI && !isWhole) say('in CI every generator that the machine offers has to be tried');
process.exit(failed.length > 0 || (process.env.CI && !isWhole) ? 1 : 0);
