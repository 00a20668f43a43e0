import { matchesPath, parsePathPattern } from '../../../contract/path-rules.ts';

/**
 * An include or exclude rule: a URLPattern without regular expressions, as path rules are, so that
 * matching takes time in proportion to pattern times address. A rule that begins with `/` or `*` is
 * compared with the path, and one with a `?` also with the query; other rules begin with an origin.
 */
type UrlRule = { matches(url: URL): boolean };

type PathPattern = NonNullable<ReturnType<typeof parsePathPattern>>;

const ORIGIN = /^(https?:\/\/[^/?#*:{}()\\]+(?::\d+)?)(?=\/|$)/i;
/** A question mark after a wildcard or group makes it optional; elsewhere it starts the query. */
const QUERY = /\\\?|(?<![*}?]|:[A-Za-z_$][\w$]*)\?/;

/** Returns undefined for an invalid rule. */
export function parseUrlRule(rule: string): UrlRule | undefined {
  const text = rule.trim();
  const prefix = ORIGIN.exec(text)?.[1];
  const origin = prefix && URL.parse(prefix)?.origin;
  if (text === '' || (/^https?:/i.test(text) && !origin)) return undefined;
  const rest = text.slice(prefix?.length ?? 0) || '/*';
  const queryAt = QUERY.exec(rest);
  const path = parsePathPattern(queryAt ? rest.slice(0, queryAt.index) || '/*' : rest);
  const query = queryAt && parsePathPattern(`/${rest.slice(queryAt.index + queryAt[0].length)}`);
  if (!path || (queryAt && !query)) return undefined;
  return {
    matches: (url) => (!origin || url.origin === origin) && matchesParts(url, path, query ?? undefined),
  };
}

const matchesParts = (url: URL, path: PathPattern, query: PathPattern | undefined) =>
  matchesPath(path, url.pathname) && (query === undefined || matchesPath(query, `/${url.search.slice(1)}`));

/** Creates a function that returns whether a run reads an address. */
export function createUrlFilter(rules: {
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
}): (url: string) => boolean {
  const parse = (list: readonly string[] = []) => list.flatMap((rule) => parseUrlRule(rule) ?? []);
  const [include, exclude] = [parse(rules.include), parse(rules.exclude)];
  const includesAll = !rules.include?.length;
  return (text) => {
    const url = new URL(text);
    return (
      (includesAll || include.some((rule) => rule.matches(url))) && !exclude.some((rule) => rule.matches(url))
    );
  };
}
