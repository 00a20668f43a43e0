import { parse } from 'yaml';
import { decodeUtf8 } from '../../knowledge/import/article-input.ts';
import type { FileEntry } from './zip.ts';

/** Finds the files of an upload that are no pages: parts that other files insert, and what MkDocs leaves out. */

const TEXT_BYTES_MAX = 1024 * 1024;
const MARKDOWN = /\.mdx?$/i;
/** `--8<-- "a.md"`, `{% include "a.md" %}`, `{{% include "a.md" %}}`, `<!--@include: a.md-->`, `import A from './a.mdx'`. */
const INCLUDE =
  /(?:-{1,2}8<-{1,2}\s+|\{[{%][%<-]?\s*(?:include|include-markdown|readfile|snippet)(?:_relative|_cached)?\s+(?:file=)?|<!--\s*@include:\s*|\[!INCLUDE\s*\[[^\]]*\]\(|^import\s+[\w$]+\s+from\s+)["'(]?([^\s"'()<>{}%]+?\.mdx?)/gim;
const PAGE = /^---\r?\n(?:[^\n]*\n)*?(?:title|id|slug|permalink)\s*:/;

/** Returns the paths that are not published, with the reason. */
export async function findUnpublished(entries: readonly FileEntry[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const paths = new Set(entries.map(({ path }) => path));
  const included = new Set<string>();
  const pages = new Set<string>();
  for (const entry of entries) {
    const isSettings = /(?:^|\/)mkdocs\.ya?ml$/.test(entry.path);
    if (!isSettings && !MARKDOWN.test(entry.path)) continue;
    const bytes = await entry.read().catch(() => undefined);
    const text = bytes && bytes.length <= TEXT_BYTES_MAX ? decodeUtf8(bytes) : undefined;
    if (text === undefined) continue;
    if (isSettings)
      for (const path of findExcluded(entry.path, text, paths)) found.set(path, 'excluded by mkdocs.yml');
    if (PAGE.test(text)) pages.add(entry.path);
    for (const [, target] of text.matchAll(INCLUDE)) {
      const path = resolve(entry.path, target!, paths);
      if (path !== undefined && path !== entry.path) included.add(path);
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

function findExcluded(settingsPath: string, text: string, paths: ReadonlySet<string>): readonly string[] {
  const settings = readSettings(text);
  const folder = settingsPath.slice(0, settingsPath.lastIndexOf('/') + 1);
  const docs = `${folder}${String(settings.docs_dir ?? 'docs').replace(/^\.\/|\/+$/g, '')}/`;
  const rules = [settings.exclude_docs, settings.draft_docs].flatMap((patterns) =>
    typeof patterns === 'string' ? [patterns.split('\n').flatMap(toRule)] : [],
  );
  return [...paths].filter(
    (path) =>
      path.startsWith(docs) &&
      rules.some((list) => list.findLast(({ pattern }) => pattern.test(path.slice(docs.length)))?.isExcluded),
  );
}

/** Tags of the tool, such as `!!python/name`, are read as text. */
function readSettings(text: string): Record<string, unknown> {
  try {
    const settings: unknown = parse(text, { schema: 'failsafe', logLevel: 'silent' });
    return typeof settings === 'object' && settings !== null ? (settings as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

type Rule = { pattern: RegExp; isExcluded: boolean };

/** Reads a line in the syntax of `.gitignore`. */
function toRule(line: string): Rule[] {
  const written = line.replace(/(?<!\\)\s+$/, '').trimStart();
  if (written === '' || written.startsWith('#')) return [];
  const isExcluded = !written.startsWith('!');
  const glob = written.replace(/^!/, '');
  const isAnchored = glob.replace(/\/$/, '').includes('/');
  const source = glob
    .replace(/^\/|\/$/g, '')
    .split(/(\*\*\/|\/\*\*|\*|\?)/)
    .map((part) => GLOBS[part] ?? part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('');
  const end = glob.endsWith('/') ? '/' : '(?:/|$)';
  return [{ pattern: new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${source}${end}`), isExcluded }];
}

const GLOBS: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '/**': '/.*',
  '*': '[^/]*',
  '?': '[^/]',
};
