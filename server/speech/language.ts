/** `de` of `de-CH`; undefined when a locale is none, or says nothing about the language. */
export function languageOf(locale: string | undefined): string | undefined {
  if (locale === undefined) return undefined;
  try {
    const { language } = new Intl.Locale(locale);
    return language === 'und' ? undefined : language;
  } catch {
    return undefined;
  }
}
