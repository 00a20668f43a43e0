import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const withoutIndentation = (code: string) => code.replaceAll(/^ +/gm, '').trim();

export const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Returns the file and the code of each excerpt in a section of docs/contract.md: a comment names its file. */
export function readExcerpts(title: string): (readonly [path: string, code: string])[] {
  const section = new RegExp(`^## ${title}$([\\s\\S]*?)^## `, 'm').exec(read('docs/contract.md'))![1]!;
  return Array.from(
    section.matchAll(/^ *```tsx?\n *\/\/ (\S+)\n([\s\S]*?)^ *```$/gm),
    ([, path, code]) => [path!, code!] as const,
  );
}

/** Tells whether a file contains the code of an excerpt, whatever its indentation. */
export const isCurrent = (path: string, code: string) =>
  withoutIndentation(read(path)).includes(withoutIndentation(code));

const COMMENT_LINE = /^\s*(?:\/\/|\/?\*).*$/gm;

/** Lists the files that match the pattern and name the word in their code, in order. Keys of texts (`word.…`) do not count. */
export function listMentions(pattern: string, word: string): string[] {
  const mentions = new RegExp(`(?<!\`)\\b${word}\\b`);
  return globSync(pattern, { cwd: ROOT })
    .filter((path) => mentions.test(read(path).replaceAll(COMMENT_LINE, '')))
    .sort();
}
