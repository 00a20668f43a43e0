/** The paths of help centres. Those of pages are below the start of a help centre. */

/** Where the pages of all help centres begin. */
export const HELP_PATH = '/help';

/** @param slug decoded */
export const toArticlePath = ({ locale, slug }: { locale: string; slug: string }) =>
  `/${locale}/${encodeURIComponent(slug)}`;

export const toCollectionPath = (locale: string, slug: string) =>
  `/${locale}/collections/${encodeURIComponent(slug)}`;
