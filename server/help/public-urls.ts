import type { Retriever, SelectedArticle } from '../knowledge/search/retrieve.ts';
import type { HelpAddresses } from './addresses.ts';

type Linked = { articleId: string; url?: string };

/**
 * Gives every article that a search finds the address of its public page, unless it has a URL of its own. What visitors, agents
 * and members get links there.
 */
export function addPublicUrls(retriever: Retriever, addresses: HelpAddresses): Retriever {
  async function link<T extends Linked>(
    workspaceId: string,
    articles: readonly T[],
    getLocale: (article: T) => string,
  ): Promise<readonly T[]> {
    const unlinked = articles.filter(({ url }) => url === undefined).map(({ articleId }) => articleId);
    if (unlinked.length === 0) return articles;
    const find = await addresses.findUrls(workspaceId, [...new Set(unlinked)]);
    return articles.map((article) => {
      const url = article.url ?? find(article.articleId, getLocale(article));
      return url === undefined ? article : { ...article, url };
    });
  }
  const linkSelected = <T extends SelectedArticle>(workspaceId: string, articles: readonly T[]) =>
    link(workspaceId, articles, ({ contentLocale }) => contentLocale);

  return {
    async retrieve(request) {
      const { workspaceId } = request;
      const found = await retriever.retrieve(request);
      const [results, nearest] = await Promise.all([
        linkSelected(workspaceId, found.results),
        link(workspaceId, found.nearest, ({ locale }) => locale),
      ]);
      return { ...found, results, nearest };
    },
    async readArticle(workspaceId, articleId, preference, reader) {
      const article = await retriever.readArticle(workspaceId, articleId, preference, reader);
      return article && (await linkSelected(workspaceId, [article]))[0];
    },
    readArticles: async (workspaceId, articleIds, preference, reader) =>
      linkSelected(workspaceId, await retriever.readArticles(workspaceId, articleIds, preference, reader)),
    listTopics: async (workspaceId, preference, reader) =>
      link(workspaceId, await retriever.listTopics(workspaceId, preference, reader), ({ locale }) => locale),
  };
}
