/** Written in by the build. By language and script, such as `de-Latn`: the name of the file, what the guide is called, what opens it. */
declare const GUIDE_LANGUAGES: Readonly<Record<string, readonly [file: string, guide: string, open: string]>>;

/** What the loader knows of a language; its other texts come with the panel. */
export type Speech = {
  /** The visitor's language, with the region if the browser names one. */
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  readonly file: string;
  readonly guide: string;
  readonly open: string;
};

/** The first of these languages that there are texts for, else English. */
export function speechIn(wanted: readonly string[]): Speech {
  for (const locale of [...wanted, 'en']) {
    try {
      // Chinese in traditional script is another language to its readers than in the simplified one.
      const { language, script } = new Intl.Locale(locale).maximize();
      const known = GUIDE_LANGUAGES[`${language}-${script}`];
      if (known) {
        const [file, guide, open] = known;
        const direction = /^(Arab|Hebr|Syrc|Thaa|Nkoo|Adlm)$/.test(script ?? '') ? 'rtl' : 'ltr';
        return { locale, direction, file, guide, open };
      }
    } catch {}
  }
  throw new Error('There are no English texts.');
}

/**
 * The language of the page comes first where its visitor reads it; a visitor who does not is spoken to in the first of the
 * browser's languages, and answered in it where there are articles.
 */
export function preferredOf(
  chosen: string | undefined,
  page: string,
  browser: readonly string[],
): readonly string[] {
  const baseOf = (language: string) => language.toLowerCase().split('-')[0];
  // The browser's own variant of the language tells times of day the way that the visitor does.
  const read = page ? browser.filter((language) => baseOf(language) === baseOf(page)) : [];
  return [...new Set([chosen ?? '', ...read, ...browser, page])].filter((language) => language !== '');
}

/** As many languages as fit into what a browser lets a page send without asking the server first. */
export function acceptLanguageOf(languages: readonly string[]): string {
  const ranges = languages
    .slice(0, 9)
    .map((language, rank) => (rank ? `${language};q=0.${10 - rank}` : language));
  while (ranges.join().length > 128) ranges.pop();
  return ranges.join();
}
