import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { COMPILER } from '../../scripts/pack-client.ts';
import { openBrowser } from '../support/browser.ts';
import { field, openPanel } from '../support/demo-site.ts';
import { USER_AGENT } from '../support/harness.ts';
import { tempDir } from '../support/temp-dir.ts';

type Block = {
  kind: 'sh' | 'ts' | 'text';
  text: string;
};

/** Returns every code block of a page, in order. Throws on a kind of block that no test runs or compares. */
function parseBlocks(page: string): Block[] {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  const fences = text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm);
  return Array.from(fences, ([, kind, body]) => {
    if (kind !== 'sh' && kind !== 'ts' && kind !== 'text')
      throw new Error(`${page}.md has a \`${kind}\` block, which no test runs.`);
    return { kind, text: body! };
  });
}

/** Separates the outputs of the blocks. */
const BLOCK_END = '@@end of block@@';

/** Files in `$MARKS` by which the shell and the test wait for each other. */
const PAUSED = 'nearly-done';
const INSPECTED = 'looked-at';

/**
 * Returns one script that does what a reader does: runs each `sh` block in the same shell and saves each `ts` block
 * under the file name in its first line. The script pauses for inspection before the last block, which stops the
 * servers.
 */
function toScript(blocks: readonly Block[]): string {
  const steps = blocks.map(({ kind, text }) => {
    if (kind === 'text') return '';
    const command =
      kind === 'sh' ? text : `cat > ${parseFileName(text)} <<'END_OF_FILE'\n${text}END_OF_FILE\n`;
    return `${command}printf '%s\\n' '${BLOCK_END}'\n`;
  });
  const last = blocks.findLastIndex(({ kind }) => kind !== 'text');
  const pause = `touch "$MARKS/${PAUSED}"\nuntil [ -e "$MARKS/${INSPECTED}" ]; do sleep 0.1; done\n`;
  return `set -e\n${steps.slice(0, last).join('')}${pause}${steps.slice(last).join('')}`;
}

/** Returns each output that the page promises, with what was printed. `…` stands for values that vary. */
function pairOutputs(blocks: readonly Block[], printed: string): { expected: RegExp; printed: string }[] {
  const outputs = printed.split(`${BLOCK_END}\n`);
  let at = -1;
  return blocks.flatMap(({ kind, text }) => {
    if (kind !== 'text') at += 1;
    if (kind !== 'text') return [];
    const lines = text
      .trim()
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('…', '.*');
    return [{ expected: new RegExp(`^${lines}$`, 's'), printed: (outputs[at] ?? '').trim() }];
  });
}

function parseFileName(source: string): string {
  const name = /^\/\/ ([a-z-]+\.ts)\n/.exec(source)?.[1];
  if (!name) throw new Error(`The first line of a TypeScript block must name its file: ${source}`);
  return name;
}

/**
 * Runs each page from its first block to its last in one shell, against the service that its own commands start. Only
 * the ports are replaced, by free ones.
 */

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
/** Leaves out the page that sets up a machine, which `make test-deploy` follows. */
const PAGES = readdirSync(join(ROOT, 'docs')).flatMap(
  (name) => /^(quick-start-(?!operator\.).*)\.md$/.exec(name)?.[1] ?? [],
);
const MINUTES = 60_000;

/** Makes a copy of the project, by symbolic links, without its data. */
function openCheckout(): string {
  const folder = tempDir();
  const excluded = new Set(['data', 'quick-start', '.git']);
  for (const name of readdirSync(ROOT))
    if (!excluded.has(name)) symlinkSync(join(ROOT, name), join(folder, name));
  return folder;
}

/** Checks of each page, in the browser, before its last block stops the servers. */
const INSPECTIONS: Readonly<Record<string, (address: string) => Promise<void>>> = {
  'quick-start-site-owner': async (address) => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ userAgent: USER_AGENT });
      await page.goto(address);
      await openPanel(page);
      await field(page).fill('How do I return an order?');
      await field(page).press('Enter');
      const answer = page.getByText('You have thirty days to return an order.').first();
      await answer.waitFor({ timeout: MINUTES });
    } finally {
      await browser.close();
    }
  },
};

async function inspect(
  page: string,
  folder: string,
  address: string,
  hasExited: () => boolean,
): Promise<void> {
  const nearlyDone = join(folder, PAUSED);
  while (!existsSync(nearlyDone)) {
    if (hasExited()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  try {
    await INSPECTIONS[page]?.(address);
  } finally {
    writeFileSync(join(folder, INSPECTED), '');
  }
}

async function runPage(page: string) {
  const folder = openCheckout();
  const blocks = parseBlocks(page);
  const ports = { '8787': await freePort(), '8000': await freePort() };
  const replacePorts = (text: string) =>
    text.replaceAll(/\b(8787|8000)\b/g, (port) => `${ports[port as '8787']}`);
  const moved = blocks.map(({ kind, text }) => ({ kind, text: replacePorts(text) }));
  const shell = spawn('bash', ['-s'], {
    cwd: folder,
    detached: true,
    env: {
      PATH: `${ROOT}/node_modules/.bin:${process.env.PATH}`,
      HOME: folder,
      MARKS: folder,
      // No registry can be reached.
      npm_config_registry: 'http://127.0.0.1:9',
      npm_config_fetch_retries: '0',
      // Other tests keep the machine busy, which a server would treat as overload.
      LOOP_DELAY_MILLIS_MAX: '60000',
    },
  });
  shell.stdin.end(toScript(moved));
  const ended = new Promise<number | null>((resolve) => shell.on('exit', resolve));
  // A failed script leaves its servers running.
  ended.then(() => endGroup(shell.pid!));
  const address = `http://localhost:${ports['8000']}`;
  const looking = inspect(page, folder, address, () => shell.exitCode !== null);
  const outcome = Promise.all([text(shell.stdout), text(shell.stderr), ended]);
  const [[printed, stderr, code]] = await Promise.all([outcome, looking]);
  const close = () => rmSync(folder, { recursive: true, force: true });
  return { folder, moved, printed, stderr, code, close };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid);
  } catch {
    // All processes of the group have exited.
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('quick starts: every command works and prints what the page says', () => {
  test.concurrent.each(PAGES)('%s', { timeout: 3 * MINUTES }, async (page) => {
    const { folder, moved, printed, stderr, code, close } = await runPage(page);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { expected, printed: output } of pairOutputs(moved, printed)) expect(output).toMatch(expected);
    const sources = moved.flatMap(({ kind, text }) => (kind === 'ts' ? [parseFileName(text)] : []));
    if (sources.length > 0) await checkTypes(join(folder, 'quick-start/my-page'), sources);
    close();
  });
});

async function checkTypes(folder: string, files: readonly string[]): Promise<void> {
  const compilerOptions = {
    ...{ noEmit: true, strict: true, types: [], module: 'nodenext', target: 'es2022' },
    lib: ['es2022', 'dom', 'dom.asynciterable'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  await run(COMPILER, ['-p', '.'], { cwd: folder }).catch(({ stdout }) => expect.fail(stdout));
}
