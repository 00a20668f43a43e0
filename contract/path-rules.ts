/**
 * Finds the rule for a page. Runs on the server, in the script tag and in the dashboard, so it is plain code without
 * packages.
 *
 * Patterns are the linear part of URLPattern's pathname syntax: text, `*`, `:name`, `{…}` and `?` behind one of the
 * last three. Matching takes time proportional to pattern times path, whatever they are. Regular expressions, also
 * those that URLPattern makes of repeated wildcards, could block the event loop.
 */

export type PathRule = {
  pattern: string;
  mode: 'shown' | 'hidden' | 'opened';
  suggestions?: readonly string[] | undefined;
};

type Part =
  | { kind: 'text'; text: string }
  /** Any characters, also none. */
  | { kind: 'any' }
  /** One or more characters of one segment. */
  | { kind: 'segment' }
  | { kind: 'optional'; parts: readonly Part[] };

type PathPattern = readonly Part[];

/** Groups cannot be nested, and nothing but `*` can be repeated. */
const TOKEN =
  /\\(.)|(\*\*?|:[A-Za-z_$][\w$]*(?![\w$]))(\??)(?![*+?])|(\{)|(\}\??)(?![*+?])|([^\\*:{}()+?#]+)/suy;

const WILDCARDS_MAX = 6;

/** Parses a pattern, which begins with `/` or `*` and has at most six wildcards. Returns undefined for other text. */
export function parsePathPattern(pattern: string): PathPattern | undefined {
  if (!/^[/*]/.test(pattern) || !pattern.isWellFormed()) return undefined;
  const whole: Part[] = [];
  let group: Part[] | undefined;
  let wildcards = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < pattern.length) {
    const [, escaped, wildcard, optional, opening, closing, text] = TOKEN.exec(pattern) ?? [];
    const parts = group ?? whole;
    if (wildcard) {
      wildcards += 1;
      addWildcard(parts, wildcard, optional === '?');
    } else if (opening && !group) group = [];
    else if (closing && group) {
      if (closing === '}?') whole.push({ kind: 'optional', parts: group });
      else whole.push(...group);
      group = undefined;
    } else if (escaped ?? text) addText(parts, escaped ?? text!);
    else return undefined;
  }
  return group || wildcards > WILDCARDS_MAX ? undefined : whole;
}

/** Adds a wildcard. As in URLPattern, an optional one includes the slash before it: `/books/:id?` matches `/books`. */
function addWildcard(parts: Part[], wildcard: string, isOptional: boolean): void {
  const part: Part = { kind: wildcard.startsWith('*') ? 'any' : 'segment' };
  const before = parts.at(-1);
  if (!isOptional && wildcard !== '**') parts.push(part);
  else if (before?.kind === 'text' && before.text.endsWith('/')) {
    parts.pop();
    addText(parts, before.text.slice(0, -1));
    parts.push({ kind: 'optional', parts: [{ kind: 'text', text: '/' }, part] });
  } else parts.push({ kind: 'optional', parts: [part] });
}

function addText(parts: Part[], text: string): void {
  if (text !== '') parts.push({ kind: 'text', text: encodePath(text) });
}

/** Encodes what a browser encodes in a path, and nothing twice. */
function encodePath(text: string): string {
  return encodeURI(text.toWellFormed())
    .replace(/%25(?=[0-9A-Fa-f]{2})/g, '%')
    .replace(/%5B/g, '[')
    .replace(/%5D/g, ']');
}

export function matchesPath(pattern: PathPattern, path: string): boolean {
  const [first] = pattern;
  if (first?.kind === 'text' && !path.startsWith(first.text)) return false;
  const start = new Uint8Array(path.length + 1);
  start[0] = 1;
  return advance(pattern, start, path)[path.length] === 1;
}

/** Returns the positions that a match can reach after these parts, given those before them. */
function advance(parts: PathPattern, from: Uint8Array, path: string): Uint8Array {
  return parts.reduce((reached, part) => {
    if (part.kind === 'optional') return union(reached, advance(part.parts, reached, path));
    const next = new Uint8Array(reached.length);
    let isOpen = false;
    for (let at = 0; at < reached.length; at += 1) {
      if (part.kind === 'text') {
        if (reached[at] && path.startsWith(part.text, at)) next[at + part.text.length] = 1;
      } else if (part.kind === 'any') {
        isOpen ||= reached[at] === 1;
        next[at] = Number(isOpen);
      } else {
        next[at] = Number(isOpen);
        isOpen = path[at] !== '/' && (isOpen || reached[at] === 1);
      }
    }
    return next;
  }, from);
}

const union = (one: Uint8Array, other: Uint8Array) => one.map((reached, at) => reached | other[at]!);

/** Patterns are parsed once for each list of rules. */
const parsedLists = new WeakMap<readonly PathRule[], readonly (PathPattern | undefined)[]>();

/** Returns the first rule that matches a path, without its query and fragment. */
export function findPathRule<Rule extends PathRule>(rules: readonly Rule[], path: string): Rule | undefined {
  if (rules.length === 0) return undefined;
  let patterns = parsedLists.get(rules);
  if (!patterns) {
    patterns = rules.map(({ pattern }) => parsePathPattern(pattern));
    parsedLists.set(rules, patterns);
  }
  const encoded = encodePath(path.split(/[?#]/, 1)[0]!);
  const at = patterns.findIndex((pattern) => pattern && matchesPath(pattern, encoded));
  return rules[at];
}
