import { hash } from 'node:crypto';
import type { ArticleContent } from '../storage/articles.ts';

/**
 * SHA-256, in hex, of everything that a revision shows: equal exactly when title, answer, aliases (in their order) and
 * address are equal. Revisions are compared by it, so its form never changes.
 */
export function contentHash({ title, answer, aliases, url }: ArticleContent): string {
  return hash('sha256', JSON.stringify([title, answer, aliases, url ?? null]));
}
