import type { AliasSuggestion, articles } from '../../../contract/articles.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { throwApiError } from '../../http/errors.ts';
import type { Handlers } from '../../http/handler.ts';
import type { Article, DismissedAlias } from '../../storage/articles.ts';
import type { Store } from '../../storage/store.ts';
import { normalizeForSearch } from '../../text.ts';
import { getArticle } from '../article-changes.ts';
import { normalizeLine, normalizeLocale } from '../article-content.ts';
import { findSpelledSynonyms } from './synonyms.ts';
import { createWordReader } from './words.ts';

type AliasSuggestionHandlers = Pick<
  Handlers<typeof articles>,
  'listAliasSuggestions' | 'dismissAliasSuggestion'
>;

export function aliasSuggestionHandlers({
  store,
}: {
  readonly store: Pick<Store, 'in'>;
}): AliasSuggestionHandlers {
  return {
    async listAliasSuggestions({ caller, params: { articleId } }) {
      const { articles, dictionaries, dismissedAliases } = store.in(caller.workspace.id);
      const article = await getArticle(articleId, articles);
      const spellings = await dictionaries.findSpellings(article.locale);
      if (spellings === undefined) return { status: 200, body: { data: [] } };
      const dismissed = await dismissedAliases.list(articleId);
      return { status: 200, body: { data: suggestAliases(article, spellings, dismissed) } };
    },

    async dismissAliasSuggestion({ caller, params: { articleId }, body: { alias, locale } }) {
      const { dismissedAliases } = store.in(caller.workspace.id);
      const dismissed = { alias: normalizeLine(alias), locale: normalizeLocale(locale, 'body.locale') };
      const outcome = await dismissedAliases.add(articleId, dismissed, LIMITS.dismissedAliasesMax);
      if (outcome === 'gone') throwApiError('article/not_found');
      return { status: 200, body: { ok: true } };
    },
  };
}

/** Suggests synonyms of title words that the article does not contain. Uses the working copy, which members edit. */
function suggestAliases(
  { locale, content: { title, answer, aliases } }: Pick<Article, 'locale' | 'content'>,
  spellings: string,
  dismissed: readonly DismissedAlias[],
): AliasSuggestion[] {
  const { readWords } = createWordReader(locale);
  const titleWords = new Set(readWords(title));
  const ownWords = new Set([...titleWords, ...readWords(answer), ...aliases.flatMap(readWords)]);
  const dismissedTexts = new Set(
    dismissed
      .filter((suggestion) => suggestion.locale === locale)
      .map(({ alias }) => normalizeForSearch(alias, locale)),
  );
  const suggestions = new Map<string, AliasSuggestion>();
  for (const word of titleWords) {
    for (const { spelling, evidence } of findSpelledSynonyms(spellings, word)) {
      const isKnown = readWords(spelling).some((word) => ownWords.has(word));
      if (isKnown || dismissedTexts.has(normalizeForSearch(spelling, locale))) continue;
      if (!suggestions.has(spelling))
        suggestions.set(spelling, { alias: spelling, locale, evidence: [...evidence] });
    }
  }
  return [...suggestions.values()]
    .sort((a, b) => b.evidence.length - a.evidence.length)
    .slice(0, LIMITS.aliasSuggestionsMax);
}
