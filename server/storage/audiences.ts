/** Which articles a reader sees. */

import { type SQL, sql } from 'drizzle-orm';
import type { Grants } from '../base/audience.ts';
import { input } from './statements.ts';

/** Returns the condition that a reader sees an article, as SQL of both engines. Every read for visitors has it. */
export const toVisible = (articleId: string, grants: string) =>
  `NOT EXISTS (SELECT 1 FROM articles AS limited WHERE limited.id = ${articleId} AND limited.audience IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM json_each(limited.audience) AS needed
     JOIN json_each(${grants}) AS granted ON granted.value IN (needed.value, '*')))`;

/** Like `toVisible`, for statements that bind `grants`. */
export function isVisible(articleId: string): SQL {
  const [before, after] = toVisible(articleId, '@grants').split('@grants') as [string, string];
  return sql`${sql.raw(before)}${input('grants')}${sql.raw(after)}`;
}

export const bindGrants = (grants: Grants) => JSON.stringify(grants);

/** Returns an audience as it is stored: sorted, each entry once; null for everyone. */
export const formatAudience = (audience: readonly string[]): string | null =>
  audience.length === 0 ? null : JSON.stringify([...new Set(audience)].sort());
