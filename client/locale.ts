/**
 * The canonical form of a locale that a browser, an attribute or storage names; undefined if it is invalid, because `Intl` throws for
 * invalid locales. Browsers on systems with a POSIX locale report tags such as `en-US@posix`.
 */
export function canonicalizeLocale(tag: unknown): string | undefined {
  if (typeof tag !== 'string') return undefined;
  try {
    return Intl.getCanonicalLocales(tag.replace(/[.@].*/, '').replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

/** Canonical forms without repetitions. Invalid locales are left out. */
export function canonicalizeLocales(tags: readonly unknown[]): string[] {
  return [...new Set(tags.map(canonicalizeLocale))].filter((tag) => tag !== undefined);
}
