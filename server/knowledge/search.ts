import type { KnowledgeHit } from '../../contract/article-record.ts';
import type { articles } from '../../contract/articles.ts';
import type { Handler } from '../http/handler.ts';
import { keptLocale } from './given-content.ts';
import { preferenceFor } from './locale.ts';
import type { Result, Retriever } from './retrieve.ts';
import { searchSummary } from './summary.ts';

/** What a visitor who asks this would be served. */
export function searchHandler(retriever: Retriever): Handler<(typeof articles)['searchKnowledge']> {
  return async ({ caller, query: { q, locale, limit } }) => {
    const preference = locale === undefined ? undefined : preferenceFor(keptLocale(locale, 'query.locale'));
    const { results, found, confidence } = await retriever.retrieve({
      workspaceId: caller.workspace.id,
      question: q,
      limit,
      ...(preference && { preference }),
    });
    return { status: 200, body: { data: results.map(hitOf), found, confidence: part(confidence) } };
  };
}

export function hitOf(result: Result): KnowledgeHit {
  const { articleId, slug, translationId, title, url, requestedLocale, contentLocale, fallbackReason } =
    result;
  return {
    articleId,
    slug,
    ...(translationId === undefined ? {} : { translationId }),
    title,
    snippet: snippetOf(result),
    ...(url === undefined ? {} : { url }),
    score: part(result.score),
    requestedLocale,
    contentLocale,
    ...(fallbackReason === undefined ? {} : { fallbackReason }),
  };
}

/** The sentences that answer best, in the order of the text. */
function snippetOf({ sentences, answer, contentLocale }: Result): string {
  const quoted = sentences.toSorted((a, b) => a.start - b.start).map(({ text }) => text);
  return searchSummary(quoted.length === 0 ? answer : quoted.join(' '), contentLocale);
}

export const part = (value: number) => Math.min(1, Math.max(0, value));
