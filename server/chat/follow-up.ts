import type { SearchContext } from '../knowledge/search/readings.ts';

export type ConversationTurn = {
  question: string;
  /** The articles that its answer cited. */
  articleIds: readonly string[];
};

/**
 * Returns what a message may continue: the question before it, and the articles of the last answer that cited any.
 * Undefined before the first question.
 */
export function summarizeConversation(
  turns: readonly ConversationTurn[],
  isSmallTalk: (text: string) => boolean,
): SearchContext | undefined {
  const before = turns.findLast(({ question }) => !isSmallTalk(question));
  if (!before) return undefined;
  const articleIds = turns.findLast((turn) => turn.articleIds.length > 0)?.articleIds ?? [];
  return { text: before.question, articleIds };
}
