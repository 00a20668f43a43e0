import type { AliasSuggestion, articles } from '../../../contract/articles.ts';
import { ARTICLE_LIMITS } from '../../../contract/limits/articles.ts';
import { getLanguage, normalizeForSearch } from '../../base/text.ts';
import { throwApiError } from '../../http/errors.ts';
import type { Handlers } from '../../http/handler.ts';
import type { Article } from '../../storage/article-queries.ts';
import type { DismissedAlias } from '../../storage/articles.ts';
import type { InboxRepresentative } from '../../storage/inbox.ts';
import type { Store } from '../../storage/store.ts';
import { getArticle } from '../article-changes.ts';
import { normalizeLine, normalizeLocale } from '../article-content.ts';
import { findSpelledSynonyms } from './synonyms.ts';
import { createWordReader } from './words.ts';

type AliasSuggestionHandlers = Pick<
  Handlers<typeof articles>,
  'listAliasSuggestions' | 'dismissAliasSuggestion'
>;

/** Questions are read from the inbox, before those are left out that cannot be an alias. */
const QUESTIONS_READ_MAX = 100;
const QUESTIONS_MAX = 5;

export function aliasSuggestionHandlers({ store }: { store: Pick<Store, 'in'> }): AliasSuggestionHandlers {
  return {
    async listAliasSuggestions({ caller, params: { articleId } }) {
      const { articles, dictionaries, dismissedAliases, inbox } = store.in(caller.workspace.id);
      const article = await getArticle(articleId, articles);
      const [spellings, asked, dismissed] = await Promise.all([
        dictionaries.findSpellings(article.locale),
        inbox.askedNear(articleId, QUESTIONS_READ_MAX),
        dismissedAliases.list(articleId),
      ]);
      const isNew = createFilter(article, dismissed);
      const questions = selectQuestions(article.locale, asked).filter(({ alias }) => isNew(alias));
      const words = suggestWords(article, spellings ?? '').filter(({ alias }) => isNew(alias));
      const data = [...questions.slice(0, QUESTIONS_MAX), ...words].slice(
        0,
        ARTICLE_LIMITS.aliasSuggestionsMax,
      );
      return { status: 200, body: { data } };
    },

    async dismissAliasSuggestion({ caller, params: { articleId }, body: { alias, locale } }) {
      const { dismissedAliases } = store.in(caller.workspace.id);
      const dismissed = { alias: normalizeLine(alias), locale: normalizeLocale(locale, 'body.locale') };
      const outcome = await dismissedAliases.add(articleId, dismissed, ARTICLE_LIMITS.dismissedAliasesMax);
      if (outcome === 'gone') throwApiError('article/not_found');
      return { status: 200, body: { ok: true } };
    },
  };
}

type SuggestedFor = Pick<Article, 'locale' | 'content'>;

/** Returns whether a suggestion is neither dismissed nor already an alias or the title. */
function createFilter(
  { locale, content: { title, aliases } }: SuggestedFor,
  dismissed: readonly DismissedAlias[],
): (alias: string) => boolean {
  const dismissedHere = dismissed.filter((suggestion) => suggestion.locale === locale);
  const known = new Set(
    [title, ...aliases, ...dismissedHere.map(({ alias }) => alias)].map((text) =>
      normalizeForSearch(text, locale),
    ),
  );
  return (alias) => !known.has(normalizeForSearch(alias, locale));
}

/** Selects questions in the article's language that are short enough for an alias, each once. */
function selectQuestions(
  locale: string,
  asked: readonly Pick<InboxRepresentative, 'question' | 'requestedLocale'>[],
): AliasSuggestion[] {
  const different = new Map(
    asked
      .filter(({ requestedLocale }) => getLanguage(requestedLocale) === getLanguage(locale))
      .map(({ question }) => normalizeLine(question))
      .filter((question) => question.length <= ARTICLE_LIMITS.aliasCharsMax)
      .map((question) => [normalizeForSearch(question, locale), question]),
  );
  return [...different.values()].map((alias) => ({ alias, locale, evidence: [] }));
}

/** Suggests synonyms of title words that the article does not contain. Uses the working copy, which members edit. */
function suggestWords(
  { locale, content: { title, answer, aliases } }: SuggestedFor,
  spellings: string,
): AliasSuggestion[] {
  const { readWords } = createWordReader(locale);
  const titleWords = new Set(readWords(title));
  const ownWords = new Set([...titleWords, ...readWords(answer), ...aliases.flatMap(readWords)]);
  const suggestions = new Map<string, AliasSuggestion>();
  for (const word of titleWords) {
    for (const { spelling, evidence } of findSpelledSynonyms(spellings, word)) {
      if (suggestions.has(spelling) || readWords(spelling).some((other) => ownWords.has(other))) continue;
      suggestions.set(spelling, { alias: spelling, locale, evidence: [...evidence] });
    }
  }
  return [...suggestions.values()].sort((a, b) => b.evidence.length - a.evidence.length);
}
