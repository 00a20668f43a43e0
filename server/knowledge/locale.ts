/** Which language a visitor wishes, and which variant of an article serves that wish. */
import { locale as localeField } from '../../contract/fields.ts';
import { identity, memoize } from '../cache.ts';

const headerCharactersMax = 1_024;
const rangesMax = 32;
/** A longer one is no locale of the contract, and a turn that asked for it could be neither streamed nor shown. */
export const tagCharactersMax = localeField.maxLength!;

/** Canonical tags without extensions, most wanted first. */
export interface Preference {
  readonly wanted: readonly string[];
  readonly refused: readonly string[];
}

export interface Served {
  /** The wish that was met; where none was, the first one; `und` where nothing was wished. */
  readonly requestedLocale: string;
  readonly contentLocale: string;
  /** Absent when the visitor reads exactly what was wished, or wished nothing. */
  readonly fallbackReason?: FallbackReason;
}

export type FallbackReason = 'base_language' | 'source_article';

/** The canonical form of a BCP 47 tag; undefined for what isn't one. */
export function canonicalizeLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** Without Unicode extensions, other singletons and private use, which say nothing about which text to show. */
function withoutExtensions(locale: string): string {
  return locale.replace(/-(?:[0-9a-wyz]|x)-.*$/i, '');
}

const rangePattern =
  /^\s*([A-Za-z0-9*]+(?:-[A-Za-z0-9]+)*)\s*(?:;\s*[qQ]\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/;

/** Reads `Accept-Language`. A bad range drops only itself, and what is too long its end. Never throws. */
export function parseAcceptLanguage(header: string | undefined): Preference {
  if (!header) return { wanted: [], refused: [] };
  if (header.length <= headerCharactersMax) return preferenceOf(header);
  return preferenceOf(header.slice(0, Math.max(0, header.lastIndexOf(',', headerCharactersMax))));
}

const preferenceOf = memoize((header): Preference => {
  const ranges: { locale: string; quality: number }[] = [];
  for (const part of header.split(',').slice(0, rangesMax)) {
    const match = rangePattern.exec(part);
    if (!match) continue;
    const quality = match[2] === undefined ? 1 : Number(match[2]);
    const locale = match[1] === '*' ? '*' : canonicalizeLocale(match[1]!);
    const plain = locale && withoutExtensions(locale);
    if (plain && plain.length <= tagCharactersMax) ranges.push({ locale: plain, quality });
  }
  const wanted = ranges.filter((range) => range.quality > 0).sort((a, b) => b.quality - a.quality);
  const end = wanted.findIndex((range) => range.locale === '*');
  return {
    wanted: unique((end < 0 ? wanted : wanted.slice(0, end)).map((range) => range.locale)),
    refused: unique(ranges.filter((range) => range.quality === 0).map((range) => range.locale)),
  };
}, identity);

/** The wish of someone who names one locale; none for a bad tag. */
export function toPreference(tag: string): Preference {
  const locale = canonicalizeLocale(tag);
  return { wanted: locale ? [withoutExtensions(locale)] : [], refused: [] };
}

function unique(locales: readonly string[]): string[] {
  return [...new Set(locales)];
}

/** Norwegian is written under two names for the same thing. */
const sameLanguage: Readonly<Record<string, string>> = { no: 'nb', nb: 'no' };

/** The locales that satisfy one wish, closest first: itself, then with its script, then shorter down to the language. */
export function getLookupChain(wish: string): readonly string[] {
  const steps: string[] = [];
  for (let rest = wish; rest !== ''; rest = rest.slice(0, Math.max(0, rest.lastIndexOf('-')))) {
    if (/-[0-9a-z]$/i.test(rest)) continue;
    steps.push(rest, ...scriptTwins(rest));
    const language = sameLanguage[rest];
    if (language) steps.push(language);
  }
  const base = steps.filter((step) => !step.includes('-'));
  return unique([...steps.filter((step) => step.includes('-')), ...base]);
}

/** zh-TW is zh-Hant-TW and before plain zh comes zh-Hant; and the other way about. */
function scriptTwins(tag: string): string[] {
  const locale = new Intl.Locale(tag);
  const { language, region, script } = locale;
  if (!region) return [];
  const implied = new Intl.Locale(`${language}-${region}`).maximize().script;
  if (script) return script === implied ? [`${language}-${region}`] : [];
  if (!implied) return [];
  return [`${language}-${implied}-${region}`, `${language}-${implied}`];
}

/**
 * The one variant of an article that this visitor reads.
 * @param available canonical locales of the live translations, with or without the source's own
 * @param source the source's own canonical locale; undefined while the source isn't live
 * @returns undefined when neither a translation fits nor the source is live
 */
export function selectLocale(
  preference: Preference,
  available: readonly string[],
  source: string | undefined,
): Served | undefined {
  for (const wish of preference.wanted) {
    for (const step of stepsOf(wish)) {
      if (preference.refused.includes(step)) continue;
      if (step !== source && !available.includes(step)) continue;
      return step === wish
        ? { requestedLocale: wish, contentLocale: step }
        : { requestedLocale: wish, contentLocale: step, fallbackReason: 'base_language' };
    }
  }
  if (source === undefined) return undefined;
  const first = preference.wanted[0];
  return first === undefined
    ? { requestedLocale: 'und', contentLocale: source }
    : { requestedLocale: first, contentLocale: source, fallbackReason: 'source_article' };
}

const knownSteps = new Map<string, readonly string[]>();

function stepsOf(wish: string): readonly string[] {
  let steps = knownSteps.get(wish);
  if (!steps) {
    steps = getLookupChain(wish);
    if (knownSteps.size >= 1_000) knownSteps.clear();
    knownSteps.set(wish, steps);
  }
  return steps;
}

/** Every locale that can satisfy the preference, closest first; the sources' own locales are not among them. */
export function getLocaleChain(preference: Preference): string[] {
  return unique(preference.wanted.flatMap((wish) => stepsOf(wish))).filter(
    (locale) => !preference.refused.includes(locale),
  );
}
