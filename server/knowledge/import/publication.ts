import type { Fields } from './front-matter.ts';
import words from './not-public.json' with { type: 'json' };

/**
 * Returns the field by which a documentation tool marks a text as not public, such as `draft: true`; undefined if the
 * text may be published. Uploads, websites and both commands apply this rule.
 */
export function findDraftMark(fields: Fields, nowMillis: number): string | undefined {
  for (const [name, value] of listFields(fields)) {
    const key = toKey(name);
    const text = typeof value === 'string' ? value.trim() : '';
    if (isNotPublic(key, text, nowMillis) || isNotPublicGroup(key, value)) return describe(name, value);
  }
  return undefined;
}

/** Lists the fields, and those in groups that tools use for fields of their own. */
function listFields(fields: Fields): [string, unknown][] {
  return Object.entries(fields).flatMap(([name, value]): [string, unknown][] =>
    words.groups.includes(toKey(name)) && isObject(value)
      ? [[name, value], ...Object.entries(value)]
      : [[name, value]],
  );
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const toKey = (name: string) => name.toLowerCase().replace(/[\s_:.-]/g, '');

const describe = (name: string, value: unknown) =>
  `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`.replace(/\s+/g, ' ').slice(0, 100);

const TRUE = /^(?:true|yes|y|on|1|x)$/i;
const FALSE = /^(?:false|no|n|off|0|never)$/i;

function isNotPublic(key: string, text: string, nowMillis: number): boolean {
  if (text === '') return false;
  return (
    (words.trueFields.includes(key) && TRUE.test(text)) ||
    (words.falseFields.includes(key) && FALSE.test(text)) ||
    (words.statusFields.includes(key) && hasNotPublicWord(text)) ||
    (key === 'robots' && /\b(?:noindex|none)\b/i.test(text)) ||
    (words.fromFields.includes(key) && toMillis(text) > nowMillis) ||
    (words.untilFields.includes(key) && toMillis(text) <= nowMillis)
  );
}

function hasNotPublicWord(text: string): boolean {
  const lower = text.toLowerCase();
  return (
    words.notPublicPhrases.some((phrase) => lower.replace(/[\s_-]+/g, ' ').includes(phrase)) ||
    [lower.replace(/[\s_-]/g, ''), ...lower.split(/[^\p{L}]+/u)].some((word) =>
      words.notPublicWords.includes(word),
    )
  );
}

/** Returns NaN for other texts than dates, which compares as neither earlier nor later. */
const toMillis = (text: string) =>
  /^\d{4}[-/]\d{1,2}[-/]\d{1,2}/.test(text) ? Date.parse(text.replaceAll('/', '-')) : Number.NaN;

/** Marks that are objects: Hugo's `build`, Material's `search`, and tags for the head of the page. */
function isNotPublicGroup(key: string, value: unknown): boolean {
  if (Array.isArray(value))
    return key === 'head' && /robots[\s\S]*\b(?:noindex|none)\b/i.test(JSON.stringify(value));
  if (!isObject(value)) return false;
  const get = (name: string) => String(value[name] ?? '');
  if (key === 'build') return /^(?:never|false|link)$/i.test(get('render')) || FALSE.test(get('list'));
  if (key === 'search') return TRUE.test(get('exclude')) || FALSE.test(get('index'));
  if (key === 'robots') return FALSE.test(get('index')) || TRUE.test(get('noindex'));
  return false;
}

/** What stands beside the file and says which tool owns it. */
export type Siblings = {
  isJekyll?: boolean;
  isMintlify?: boolean;
  isMkdocs?: boolean;
};

/**
 * The same rule for paths: files and folders whose names begin with an underscore are parts of other pages, as are
 * snippets, templates of new pages, and lists of the pages. `_index.md` is a page of Hugo.
 */
export function findPartialMark(
  path: string,
  { isJekyll, isMintlify, isMkdocs }: Siblings = {},
): string | undefined {
  const parts = path.toLowerCase().split('/');
  const name = parts.at(-1)!;
  const folders = parts.slice(0, -1);
  if (words.navigationFiles.includes(path.split('/').at(-1)!)) return 'a list of pages';
  if (/^_(?!_?index\.)/.test(name) || folders.includes('archetypes')) return 'a part of other pages';
  const isPrivate = (folder: string) =>
    isJekyll ? words.jekyllPrivateFolders.includes(folder) : /^_(?!posts$|pages$|docs$)/.test(folder);
  if (folders.some(isPrivate)) return 'a part of other pages';
  const isSnippet = isMintlify || name.endsWith('.mdx');
  if ((isSnippet && folders.includes('snippets')) || (isMkdocs && folders[0] === 'includes'))
    return 'a part of other pages';
  return undefined;
}
