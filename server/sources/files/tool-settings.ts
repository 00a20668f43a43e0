import { posix } from 'node:path';
import { parse } from 'yaml';
import { escapePattern } from '../../base/text.ts';
import { type Fields, splitFrontMatter } from '../../knowledge/import/front-matter.ts';
import { findDraftMark } from '../../knowledge/import/publication.ts';

/** Finds the pages that the settings of a documentation tool keep from the public. */

/** Tells whether a page is left out, by its path below the folder of the settings. */
type LeavesOut = (path: string) => boolean;

type SettingsFile = {
  text: string;
  /** The last part of its path. */
  name: string;
  /** The pages below its folder. */
  pages: readonly string[];
  nowMillis: number;
};

type SettingsReader = {
  pattern: RegExp;
  /** Returns undefined if it leaves out nothing. */
  read(file: SettingsFile): LeavesOut | undefined;
};

const READERS: readonly SettingsReader[] = [
  { pattern: /(?:^|\/)mkdocs\.ya?ml$/, read: readMkdocs },
  { pattern: /(?:^|\/)_config\.ya?ml$/, read: readJekyll },
  { pattern: /(?:^|\/)(?:docs|mint)\.json$/, read: readMintlify },
  { pattern: /(?:^|\/)\.mintignore$/, read: ({ text }) => toFilter(text.split('\n')) },
  { pattern: /(?:^|\/)docusaurus\.config\.[cm]?[jt]s$/, read: readDocusaurus },
  { pattern: /(?:^|\/)\.vitepress\/config\.[cm]?[jt]s$/, read: readVitePress },
  { pattern: /(?:^|\/)_meta\.(?:json|[cm]?[jt]sx?)$/, read: readNextra },
  { pattern: /(?:^|\/)SUMMARY\.md$/, read: readSummary },
  { pattern: /(?:^|\/)(?:_index\.md|\.meta\.ya?ml)$/, read: readFolderFields },
];

const findReader = (path: string) => READERS.find(({ pattern }) => pattern.test(path));

export const isToolSettings = (path: string): boolean => findReader(path) !== undefined;

/**
 * Returns the pages that a file with settings keeps from the public.
 * @param pages the paths of all pages of the upload
 */
export function findLeftOut(
  path: string,
  text: string,
  pages: readonly string[],
  nowMillis: number,
): readonly string[] {
  const folder = path.replace(/(?:\.vitepress\/)?[^/]*$/, '');
  const inFolder = pages.flatMap((page) => (page.startsWith(folder) ? [page.slice(folder.length)] : []));
  const name = posix.basename(path);
  const leavesOut = findReader(path)?.read({ text, name, pages: inFolder, nowMillis });
  return leavesOut ? inFolder.filter(leavesOut).map((page) => folder + page) : [];
}

/** Tags of a tool, such as `!!python/name`, are read as text. */
function readYaml(text: string): Fields {
  try {
    const settings: unknown = parse(text, { schema: 'failsafe', logLevel: 'silent' });
    return isObject(settings) ? settings : {};
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const toTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

function readMkdocs({ text }: SettingsFile): LeavesOut {
  const settings = readYaml(text);
  const docs = `${String(settings.docs_dir ?? 'docs').replace(/^\.\/|\/+$/g, '')}/`;
  const filters = [settings.exclude_docs, settings.draft_docs].flatMap((patterns) =>
    typeof patterns === 'string' ? [toFilter(patterns.split('\n'))] : [],
  );
  return (path) => path.startsWith(docs) && filters.some((filter) => filter(path.slice(docs.length)));
}

function readJekyll({ text, nowMillis }: SettingsFile): LeavesOut {
  const { exclude, defaults } = readYaml(text);
  const excluded = toTexts(exclude).map((pattern) => (pattern.startsWith('/') ? pattern : `/${pattern}`));
  const hidden = (Array.isArray(defaults) ? defaults : []).flatMap((rule: unknown) => {
    const { scope, values } = isObject(rule) ? rule : {};
    const path = isObject(scope) && typeof scope.path === 'string' ? scope.path : undefined;
    return path && isObject(values) && findDraftMark(values, nowMillis)
      ? [`/${path.replace(/^\/|\/$/g, '')}`]
      : [];
  });
  return toFilter([...excluded, ...hidden]);
}

/** A page that the navigation lacks, or hides, is hidden. */
function readMintlify({ text, pages }: SettingsFile): LeavesOut | undefined {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch {
    return undefined;
  }
  // Navigation in other files cannot be told from pages that are left out.
  if (!isObject(settings) || text.includes('"$ref"')) return undefined;
  const shown = new Set<string>();
  collectPages(settings.navigation, shown);
  const isShown = (path: string) => shown.has(path.replace(/\.mdx?$/, ''));
  return pages.some(isShown) ? (path) => !isShown(path) : undefined;
}

function collectPages(node: unknown, into: Set<string>): void {
  if (typeof node === 'string') into.add(node.replace(/^\/|\.mdx?$/g, ''));
  else if (Array.isArray(node)) for (const each of node) collectPages(each, into);
  else if (isObject(node) && node.hidden !== true)
    for (const each of Object.values(node)) collectPages(each, into);
}

/** The literals of `name: ['…', '…']` in a program. */
const findLists = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`\\b${name}\\s*:\\s*\\[([^\\]]*)\\]`, 'g'))].flatMap(([, list]) =>
    [...list!.matchAll(/(["'`])(.*?)\1/g)].map(([, , literal]) => literal!),
  );

/** The patterns are relative to the folder of the pages, whose name is in the program. */
function readDocusaurus({ text }: SettingsFile): LeavesOut {
  return toFilter(findLists(text, 'exclude').map((pattern) => `**/${pattern}`));
}

function readVitePress({ text }: SettingsFile): LeavesOut {
  const [, folder = ''] = /\bsrcDir\s*:\s*["'`](?:\.?\/)?([^"'`]*?)\/*["'`]/.exec(text) ?? [];
  return toFilter(findLists(text, 'srcExclude').map((pattern) => posix.join('/', folder, pattern)));
}

const HIDDEN_KEY =
  /(?:(["'`])([^"'`\n]+)\1|([\w$]+))\s*:\s*\{(?:[^{}]|\{[^{}]*\})*?["']?\bdisplay["']?\s*:\s*["'`]hidden["'`]/g;

function readNextra({ text }: SettingsFile): LeavesOut {
  const names = [...text.matchAll(HIDDEN_KEY)].map(([, , quoted, plain]) => quoted ?? plain!);
  return (path) => names.some((name) => path.startsWith(`${name}/`) || path.replace(/\.mdx?$/, '') === name);
}

/** Lines of a list of pages: headings, links, and items. */
const SUMMARY_LINE = /^\s*(?:#|[-*+]\s|\[|-{3,}|<!--|\||$)/;
const SUMMARY_LINK = /\]\(\s*<?([^()<>]+?\.md)(?:#[^()<>\s]*)?>?(?:\s+["'][^()]*)?\s*\)/g;

/** GitBook and mdBook publish only what the list of pages names. */
function readSummary({ text, pages }: SettingsFile): LeavesOut | undefined {
  if (!text.split(/\r?\n/).every((line) => SUMMARY_LINE.test(line))) return undefined;
  const listed = new Set(
    [...text.matchAll(SUMMARY_LINK)].map(([, target]) => posix.normalize(decode(target!)).replace(/^\//, '')),
  );
  if (!pages.some((page) => listed.has(page))) return undefined;
  const inner = pages
    .filter((page) => /.\/SUMMARY\.md$/.test(page))
    .map((page) => page.slice(0, -'SUMMARY.md'.length));
  return (path) =>
    path !== 'README.md' && !listed.has(path) && !inner.some((folder) => path.startsWith(folder));
}

function decode(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** Fields for all pages of a folder: Hugo's `cascade`, and the file `.meta.yml` of Material for MkDocs. */
function readFolderFields({ text, name, nowMillis }: SettingsFile): LeavesOut | undefined {
  const all = name === '_index.md' ? readCascade(text) : [readYaml(text)];
  return all.some((fields) => findDraftMark(fields, nowMillis)) ? () => true : undefined;
}

function readCascade(text: string): readonly Fields[] {
  const front = splitFrontMatter(text);
  const cascade = front && 'fields' in front ? front.fields.cascade : undefined;
  // A rule with a target is for some pages of the folder.
  return (Array.isArray(cascade) ? cascade : [cascade])
    .filter(isObject)
    .filter(({ target, _target }) => target === undefined && _target === undefined);
}

type Rule = { pattern: RegExp; isExcluded: boolean };

/** Filters paths by lines in the syntax of `.gitignore`. */
function toFilter(lines: readonly string[]): LeavesOut {
  const rules = lines.flatMap(toRule);
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.isExcluded ?? false;
}

function toRule(line: string): Rule[] {
  const written = line.replace(/(?<!\\)\s+$/, '').trimStart();
  if (written === '' || written.startsWith('#')) return [];
  const isExcluded = !written.startsWith('!');
  const glob = written.replace(/^!/, '');
  const isAnchored = glob.replace(/\/$/, '').includes('/');
  const source = glob
    .replace(/^\/|\/$/g, '')
    .split(/(\*\*\/|\/\*\*|\*|\?)/)
    .map((part) => GLOBS[part] ?? escapePattern(part))
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
