/**
 * Returns the canonical form of a locale from a browser, an attribute or storage; undefined if it is invalid, where
 * `Intl` would throw. Browsers on systems with a POSIX locale report tags such as `en-US@posix`.
 */
export function canonicalizeLocale(tag: unknown): string | undefined {
  if (typeof tag !== 'string') return undefined;
  try {
    return Intl.getCanonicalLocales(tag.replace(/[.@].*/, '').replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

/** Returns the canonical forms without duplicates. Leaves out invalid locales. */
export function canonicalizeLocales(tags: readonly unknown[]): string[] {
  return tags
    .map(canonicalizeLocale)
    .filter((tag, at, all): tag is string => tag !== undefined && all.indexOf(tag) === at);
}
