/** Parses visitors' language preferences and selects the variant of an article to serve. */
import { locale as localeField } from '../../contract/fields.ts';
import { identity, memoize } from './cache.ts';

const HEADER_CHARS_MAX = 1_024;
const RANGES_MAX = 32;
/** The contract's limit. Longer tags are dropped, since responses could not carry them. */
export const TAG_CHARS_MAX = localeField.maxLength!;

/** Canonical tags without extensions, most preferred first. */
export interface Preference {
  wanted: readonly string[];
  excluded: readonly string[];
}

export interface LocaleSelection {
  /** The first requested locale, whether or not it matched; `und` without a preference. */
  requestedLocale: string;
  contentLocale: string;
  /** Absent when the content is in a requested locale, is a source in its base language, or nothing was requested. */
  fallbackReason?: FallbackReason;
}

export type FallbackReason = 'base_language' | 'source_article';

/** Returns the canonical form of a BCP 47 tag, or undefined for an invalid one. */
export function canonicalizeLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/**
 * Removes all extensions and private-use subtags, since they do not affect which text is served.
 */
function withoutExtensions(locale: string): string {
  return locale.replace(/-(?:[0-9a-wyz]|x)-.*$/i, '');
}

const RANGE_PATTERN =
  /^\s*([A-Za-z0-9*]+(?:-[A-Za-z0-9]+)*)\s*(?:;\s*[qQ]\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/;

/**
 * Parses `Accept-Language`. Invalid ranges are skipped, an overlong header is truncated. Never
 * throws.
 */
export function parseAcceptLanguage(header: string | undefined): Preference {
  if (!header) return { wanted: [], excluded: [] };
  if (header.length <= HEADER_CHARS_MAX) return parsePreference(header);
  return parsePreference(header.slice(0, Math.max(0, header.lastIndexOf(',', HEADER_CHARS_MAX))));
}

const parsePreference = memoize((header): Preference => {
  const ranges: { locale: string; quality: number }[] = [];
  for (const part of header.split(',').slice(0, RANGES_MAX)) {
    const match = RANGE_PATTERN.exec(part);
    if (!match) continue;
    const quality = match[2] === undefined ? 1 : Number(match[2]);
    const locale = match[1] === '*' ? '*' : canonicalizeLocale(match[1]!);
    const plain = locale && withoutExtensions(locale);
    if (plain && plain.length <= TAG_CHARS_MAX) ranges.push({ locale: plain, quality });
  }
  const wanted = ranges.filter((range) => range.quality > 0).sort((a, b) => b.quality - a.quality);
  const end = wanted.findIndex((range) => range.locale === '*');
  return {
    wanted: unique((end < 0 ? wanted : wanted.slice(0, end)).map((range) => range.locale)),
    excluded: unique(ranges.filter((range) => range.quality === 0).map((range) => range.locale)),
  };
}, identity);

/** Converts a single locale to a preference; an invalid tag gives an empty one. */
export function toPreference(tag: string): Preference {
  const locale = canonicalizeLocale(tag);
  return { wanted: locale ? [withoutExtensions(locale)] : [], excluded: [] };
}

function unique(locales: readonly string[]): string[] {
  return [...new Set(locales)];
}

/** Norwegian Bokmål is tagged both `no` and `nb`. */
const LANGUAGE_ALIASES: Readonly<Record<string, string>> = { no: 'nb', nb: 'no' };

/**
 * Returns the locales that match a requested one, closest first: exact, with its script, then truncated down
 * to the language.
 */
function getLookupChain(requested: string): readonly string[] {
  const chain: string[] = [];
  for (let rest = requested; rest !== ''; rest = rest.slice(0, Math.max(0, rest.lastIndexOf('-')))) {
    if (/-[0-9a-z]$/i.test(rest)) continue;
    chain.push(rest, ...getScriptVariants(rest));
    const language = LANGUAGE_ALIASES[rest];
    if (language) chain.push(language);
  }
  const base = chain.filter((candidate) => !candidate.includes('-'));
  return unique([...chain.filter((candidate) => candidate.includes('-')), ...base]);
}

/**
 * Returns equivalent tags with and without the script: zh-TW also matches zh-Hant-TW, and zh-Hant
 * before plain zh.
 */
function getScriptVariants(tag: string): string[] {
  const locale = new Intl.Locale(tag);
  const { language, region, script } = locale;
  if (!region) return [];
  const implied = new Intl.Locale(`${language}-${region}`).maximize().script;
  if (script) return script === implied ? [`${language}-${region}`] : [];
  if (!implied) return [];
  return [`${language}-${implied}-${region}`, `${language}-${implied}`];
}

/**
 * Selects the variant of an article to serve.
 * @param available canonical locales of the live translations, with or without the source's own
 * @param source the source's own canonical locale; undefined while the source is not live
 * @returns undefined when no translation fits and the source is not live
 */
export function selectLocale(
  preference: Preference,
  available: readonly string[],
  source: string | undefined,
): LocaleSelection | undefined {
  const requestedLocale = preference.wanted[0] ?? 'und';
  for (const requested of preference.wanted) {
    for (const candidate of getCachedLookupChain(requested)) {
      if (preference.excluded.includes(candidate)) continue;
      if (candidate !== source && !available.includes(candidate)) continue;
      return candidate === requested || (candidate === source && usesScriptOf(requested, source))
        ? { requestedLocale, contentLocale: candidate }
        : { requestedLocale, contentLocale: candidate, fallbackReason: 'base_language' };
    }
  }
  if (source === undefined) return undefined;
  return preference.wanted.length === 0
    ? { requestedLocale, contentLocale: source }
    : { requestedLocale, contentLocale: source, fallbackReason: 'source_article' };
}

/** An article in `en` is in the language of a visitor who prefers `en-GB`; one in `zh` may be unreadable in `zh-TW`. */
function usesScriptOf(requested: string, source: string): boolean {
  return getScript(source) === getScript(requested);
}

const getScript = memoize((tag) => new Intl.Locale(tag).maximize().script, identity);

const getCachedLookupChain = memoize(getLookupChain, identity, 1_000);

/** Returns all locales that match the preference, closest first. Does not add source locales. */
export function getLocaleChain(preference: Preference): string[] {
  return unique(preference.wanted.flatMap((requested) => getCachedLookupChain(requested))).filter(
    (locale) => !preference.excluded.includes(locale),
  );
}
