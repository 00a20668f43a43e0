import languages from 'language-subtag-registry/data/json/language.json' with { type: 'json' };
import regions from 'language-subtag-registry/data/json/region.json' with { type: 'json' };
import scripts from 'language-subtag-registry/data/json/script.json' with { type: 'json' };
import noLanguages from 'language-subtag-registry/data/json/special.json' with { type: 'json' };
import variants from 'language-subtag-registry/data/json/variant.json' with { type: 'json' };
import { canonicalizeLocale, TAG_CHARS_MAX } from './locale.ts';

/** Checks the locales of texts. Intl accepts any well-formed tag, and names only one registered language in ten. */

/** Regions registered for private use. The registry lists other private codes as ranges, which match no subtag. */
const PRIVATE_REGIONS: readonly string[] = ['aa', 'zz'];

/**
 * Returns the canonical form of a tag whose subtags are all registered at IANA (BCP 47), or undefined.
 * Rejects private codes, `und`, and extensions: visitors' languages are matched without them, so such
 * a text would never be served.
 */
export function parseContentLocale(tag: string): string | undefined {
  const locale = canonicalizeLocale(tag);
  if (locale === undefined || locale.length > TAG_CHARS_MAX) return undefined;
  const [language = '', ...others] = locale.toLowerCase().split('-');
  const isLanguage = Object.hasOwn(languages, language) && !Object.hasOwn(noLanguages, language);
  return isLanguage && others.every(isRegistered) ? locale : undefined;
}

/**
 * Looks a subtag up by its form: scripts have four letters, regions two letters or three digits,
 * variants five or more characters or four with a digit.
 */
function isRegistered(subtag: string): boolean {
  if (/^[a-z]{4}$/.test(subtag)) return Object.hasOwn(scripts, subtag);
  if (subtag.length > 3) return Object.hasOwn(variants, subtag);
  return Object.hasOwn(regions, subtag) && !PRIVATE_REGIONS.includes(subtag);
}
