import { decodeUtf8 } from '../../knowledge/import/article-input.ts';
import { findLeftOut, isToolSettings } from './tool-settings.ts';
import type { FileEntry } from './zip.ts';

/** Finds the files of an upload that are no pages: parts that other files insert, and what settings of a tool leave out. */

const TEXT_BYTES_MAX = 1024 * 1024;
const MARKDOWN = /\.mdx?$/i;
/** `--8<-- "a.md"`, `{% include "a.md" %}`, `{{% include "a.md" %}}`, `<!--@include: a.md-->`, `import A from './a.mdx'`. */
const INCLUDE =
  /(?:-{1,2}8<-{1,2}\s+|\{[{%][%<-]?\s*(?:include|include-markdown|readfile|snippet)(?:_relative|_cached)?\s+(?:file=)?|<!--\s*@include:\s*|\[!INCLUDE\s*\[[^\]]*\]\(|^import\s+[\w$]+\s+from\s+)["'(]?([^\s"'()<>{}%]+?\.mdx?)/gim;
const PAGE = /^---\r?\n(?:[^\n]*\n)*?(?:title|id|slug|permalink)\s*:/;

/**
 * Returns the paths that are not published, with the reason.
 * @param entries all files, also hidden ones
 */
export async function findUnpublished(
  entries: readonly FileEntry[],
  nowMillis: number,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const paths = new Set(entries.map(({ path }) => path));
  const markdown = [...paths].filter((path) => MARKDOWN.test(path));
  const included = new Set<string>();
  const pages = new Set<string>();
  for (const entry of entries) {
    const { path } = entry;
    const isSettings = isToolSettings(path);
    if (!isSettings && !MARKDOWN.test(path)) continue;
    const bytes = await entry.read().catch(() => undefined);
    const text = bytes && bytes.length <= TEXT_BYTES_MAX ? decodeUtf8(bytes) : undefined;
    if (text === undefined) continue;
    if (isSettings)
      for (const page of findLeftOut(path, text, markdown, nowMillis)) found.set(page, `left out by ${path}`);
    if (PAGE.test(text)) pages.add(path);
    for (const [, target] of text.matchAll(INCLUDE)) {
      const part = resolve(path, target!, paths);
      if (part !== undefined && part !== path) included.add(part);
    }
  }
  for (const path of included) if (!pages.has(path)) found.set(path, 'a part of other pages');
  return found;
}

/** Paths are relative to the file, or to a folder of the tool. */
function resolve(from: string, target: string, paths: ReadonlySet<string>): string | undefined {
  const relative = decodeURI(new URL(target, `file:///${encodeURI(from)}`).pathname).slice(1);
  if (paths.has(relative)) return relative;
  const ending = `/${target.replace(/^(?:@site\/|[./@]+)/, '')}`;
  return [...paths].find((path) => `/${path}`.endsWith(ending));
}
