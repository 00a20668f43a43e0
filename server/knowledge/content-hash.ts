import { hash } from 'node:crypto';
import type { ArticleContent } from '../storage/articles.ts';

/**
 * SHA-256, in hex, of what a translator reads: equal exactly when title, answer and aliases (in their order) are equal. The
 * address is not part of it, so that moving a page makes no translation stale. It is stored, so its form never changes.
 */
export function contentHash({ title, answer, aliases }: Omit<ArticleContent, 'url'>): string {
  return hash('sha256', JSON.stringify([title, answer, aliases]));
}
