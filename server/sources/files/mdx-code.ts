import { CODE } from './markdown-marks.ts';

/** Takes the code out of MDX: imports and exports, which may be long and are no text. */

const IMPORT = /^import\s*(?:type\s+)?(?:[\w$*{][^'"]*?\bfrom\s*)?["']/;
const EXPORT =
  /^export\s+(?:const|let|var|function|default|async|class|type|interface|enum)\b|^export\s*[{*]/;
/** Strings, comments and templates, in which brackets do not count. */
const UNCOUNTED =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g;

/** Returns the text without its code, and the code. A statement ends at a blank line outside of brackets. */
export function splitCode(text: string): { text: string; code: string } {
  const lines = text.split('\n');
  const fenced = findFencedLines(text);
  const kept: string[] = [];
  const code: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    const isStart =
      !fenced.has(at) &&
      (IMPORT.test(`${line} ${lines[at + 1] ?? ''}`) || EXPORT.test(line) || /^import\s*\{\s*$/.test(line));
    if (!isStart) {
      kept.push(line);
      continue;
    }
    const end = findStatementEnd(lines, at);
    code.push(...lines.slice(at, end));
    kept.push('');
    at = end - 1;
  }
  return { text: kept.join('\n'), code: code.join('\n') };
}

function findFencedLines(text: string): ReadonlySet<number> {
  const fenced = new Set<number>();
  for (const { 0: block, index } of text.matchAll(CODE)) {
    // A template in code looks like a span.
    if (!/^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?:`{3}|~{3})/.test(block)) continue;
    const first = text.slice(0, index).split('\n').length - 1;
    for (const offset of block.split('\n').keys()) fenced.add(first + offset);
  }
  return fenced;
}

/** Longer statements are cut at the next blank line. */
const STATEMENT_LINES_MAX = 20_000;

function findStatementEnd(lines: readonly string[], start: number): number {
  const blanks: number[] = [];
  for (let at = start + 1; at <= Math.min(lines.length, start + STATEMENT_LINES_MAX); at += 1)
    if ((lines[at] ?? '').trim() === '') blanks.push(at);
  let [depth, from] = [0, start];
  let open = '';
  for (const end of blanks) {
    open += `\n${lines.slice(from, end).join('\n')}`;
    // A template or comment that goes on is counted again with the rest.
    const counted = open.replace(UNCOUNTED, '""');
    if (/`|\/\*/.test(counted)) {
      from = end;
      continue;
    }
    depth += (counted.match(/[{[(]/g)?.length ?? 0) - (counted.match(/[}\])]/g)?.length ?? 0);
    open = '';
    from = end;
    if (depth <= 0) return end;
  }
  return blanks[0] ?? lines.length;
}
