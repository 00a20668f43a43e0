import { readFileSync } from 'node:fs';

export type Block = {
  readonly kind: 'sh' | 'ts' | 'text';
  readonly text: string;
};

/**
 * Every code block of a page, in order. Throws on a kind of block that no test runs or compares.
 */
export function parseBlocks(page: string): Block[] {
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
export const PAUSED = 'nearly-done';
export const INSPECTED = 'looked-at';

/**
 * One script that does what a reader does: runs each `sh` block in the same shell and saves each
 * `ts` block under the file name in its first line. It pauses for inspection before the last block,
 * which stops the servers.
 */
export function toScript(blocks: readonly Block[]): string {
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

/** Each output that the page promises, with what was printed. `…` stands for values that vary. */
export function pairOutputs(
  blocks: readonly Block[],
  printed: string,
): { expected: RegExp; printed: string }[] {
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

export function parseFileName(source: string): string {
  const name = /^\/\/ ([a-z-]+\.ts)\n/.exec(source)?.[1];
  if (!name) throw new Error(`The first line of a TypeScript block must name its file: ${source}`);
  return name;
}
