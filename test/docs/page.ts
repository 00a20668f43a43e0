import { readFileSync } from 'node:fs';

/** A block of code on a page for people. */
export type Block = {
  readonly kind: 'sh' | 'ts' | 'text';
  readonly text: string;
};

/** Every block of a page, in order. A kind that nobody would run or compare is an error: nothing on a page is left out. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  const fences = text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm);
  return Array.from(fences, ([, kind, body]) => {
    if (kind !== 'sh' && kind !== 'ts' && kind !== 'text')
      throw new Error(`${page}.md has a block of \`${kind}\`, which no test runs.`);
    return { kind, text: body! };
  });
}

/** What stands between two of these is what the block before printed. */
const END_OF_BLOCK = '@@end of block@@';

/** Files in `$MARKS` with which the shell and whoever looks at its work wait for each other. */
export const NEARLY_DONE = 'nearly-done';
export const LOOKED_AT = 'looked-at';

/**
 * One script that does what a reader does: types every block of `sh` into the same shell, and saves every block of `ts`
 * under the name that its first line says. Before the last block, which ends what runs, it lets somebody look.
 */
export function scriptOf(blocks: readonly Block[]): string {
  const steps = blocks.map(({ kind, text }) => {
    if (kind === 'text') return '';
    const command = kind === 'sh' ? text : `cat > ${nameOf(text)} <<'END_OF_FILE'\n${text}END_OF_FILE\n`;
    return `${command}printf '%s\\n' '${END_OF_BLOCK}'\n`;
  });
  const last = blocks.findLastIndex(({ kind }) => kind !== 'text');
  const pause = `touch "$MARKS/${NEARLY_DONE}"\nuntil [ -e "$MARKS/${LOOKED_AT}" ]; do sleep 0.1; done\n`;
  return `set -e\n${steps.slice(0, last).join('')}${pause}${steps.slice(last).join('')}`;
}

/** What the page says that a block prints, beside what it printed. `…` stands for what differs from time to time. */
export function promisesOf(blocks: readonly Block[], printed: string): { said: RegExp; printed: string }[] {
  const outputs = printed.split(`${END_OF_BLOCK}\n`);
  let at = -1;
  return blocks.flatMap(({ kind, text }) => {
    if (kind !== 'text') at += 1;
    if (kind !== 'text') return [];
    const lines = text
      .trim()
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('…', '.*');
    return [{ said: new RegExp(`^${lines}$`, 's'), printed: (outputs[at] ?? '').trim() }];
  });
}

export function nameOf(source: string): string {
  const name = /^\/\/ ([a-z-]+\.ts)\n/.exec(source)?.[1];
  if (!name) throw new Error(`The first line of a block of TypeScript names its file: ${source}`);
  return name;
}
