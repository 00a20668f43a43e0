import { toArticlePath } from '../base/help-paths.ts';
import type { AddressedVariant } from '../storage/article-addresses.ts';
import type { Store } from '../storage/store.ts';
import type { HelpSite, HelpSites } from './sites.ts';

/** What an address of an article stands for. */
export type FoundAddress =
  /** `contentLocale` differs from the locale of the address where the article is not translated. */
  | { kind: 'article'; articleId: string; contentLocale: string; variants: readonly AddressedVariant[] }
  | { kind: 'moved'; slug: string }
  /** An article that is not public any more, or its archived translation. */
  | { kind: 'gone' };

export type HelpAddresses = ReturnType<typeof createHelpAddresses>;

/** The public addresses of articles, and the articles of public addresses. */
export function createHelpAddresses({
  store,
  helpSites,
}: {
  store: Pick<Store, 'in'>;
  helpSites: Pick<HelpSites, 'findByWorkspace'>;
}) {
  return {
    /** Returns the public URL of an article in a locale; undefined while there is none. */
    async findUrl(workspaceId: string, articleId: string, locale: string): Promise<string | undefined> {
      const find = await this.findUrls(workspaceId, [articleId]);
      return find(articleId, locale);
    },

    /** Like `findUrl` for several articles, which are read at once. */
    async findUrls(
      workspaceId: string,
      articleIds: readonly string[],
    ): Promise<(articleId: string, locale: string) => string | undefined> {
      const site = articleIds.length === 0 ? undefined : await helpSites.findByWorkspace(workspaceId);
      if (!site) return () => undefined;
      const variants = await store.in(workspaceId).addresses.list(articleIds);
      return (articleId, locale) => {
        const own = variants.find((each) => each.articleId === articleId && each.locale === locale);
        return own && toBaseUrl(site) + toArticlePath(own);
      };
    },

    /** Finds what a decoded slug in a locale stands for; undefined if it never was an address. */
    async find(workspaceId: string, locale: string, slug: string): Promise<FoundAddress | undefined> {
      const stored = toStoredForm(slug);
      const { rows, variants } = await store.in(workspaceId).addresses.find(stored);
      const [first] = rows;
      if (!first) return undefined;
      const source = variants.find(({ isSource }) => isSource);
      if (!source) return { kind: 'gone' };
      const shown = variants.find((variant) => variant.locale === locale) ?? source;
      if (shown.slug === slug) {
        return {
          kind: 'article',
          articleId: first.articleId,
          contentLocale: shown.locale,
          variants,
        };
      }
      const wasTranslated = shown.locale !== locale && rows.some((row) => row.locale === locale);
      return wasTranslated ? { kind: 'gone' } : { kind: 'moved', slug: shown.slug };
    },

    /** Finds the collection that a decoded slug stands for. */
    async findCollection(workspaceId: string, slug: string) {
      const found = await store.in(workspaceId).collections.findBySlug(toStoredForm(slug));
      if (!found) return undefined;
      return found.slug === slug
        ? { kind: 'collection' as const, id: found.id }
        : { kind: 'moved' as const, slug: found.slug };
    },
  };
}

const toStoredForm = (slug: string) => slug.normalize('NFKC').toLowerCase().normalize('NFC');

/** Where the pages begin, without a trailing slash, such as `https://guide.example.com/help/gp_…`. */
export const toBaseUrl = ({ origin, basePath }: Pick<HelpSite, 'origin' | 'basePath'>) => origin + basePath;
