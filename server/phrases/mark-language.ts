import { identity, memoize } from '../base/cache.ts';
import { getLanguage } from '../base/text.ts';

/** Adds the name of its language to a title in another language than the reply. */
export function markLanguage(title: string, locale: string | undefined, replyLocale: string): string {
  if (locale === undefined || getLanguage(locale) === getLanguage(replyLocale)) return title;
  const name = getLanguageNames(replyLocale).of(getLanguage(locale));
  return name === undefined ? title : `${title} (${name})`;
}

const getLanguageNames = memoize(
  (locale: string) => new Intl.DisplayNames([locale, 'en'], { type: 'language', fallback: 'none' }),
  identity,
);
