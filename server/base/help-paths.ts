/** The paths of the help centre's pages below its start. */

/** @param slug decoded */
export const toArticlePath = ({ locale, slug }: { locale: string; slug: string }) =>
  `/${locale}/${encodeURIComponent(slug)}`;

export const toCollectionPath = (locale: string, slug: string) =>
  `/${locale}/collections/${encodeURIComponent(slug)}`;
