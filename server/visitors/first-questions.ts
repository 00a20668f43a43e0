import { memoizeWithTtl } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import type { Preference } from '../base/locale.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';

/** Returns the first questions that a guide suggests. */
export type SuggestFirst = (
  workspace: Workspace,
  preference: Preference,
  /** The language that most answers to this visitor will be in. */
  contentLocale: string,
) => Promise<readonly string[]>;

const TOPICS_MAX = 3;

/** Suggests the questions of the workspace or, where it has none, titles of its articles in the visitor's language. */
export function createFirstQuestions(clock: Clock, cacheMillis: number, store: Store): SuggestFirst {
  const listTitles = memoizeWithTtl(clock, cacheMillis, async (key) => {
    const [workspaceId, locale] = key.split(' ') as [string, string];
    const titles = await store.in(workspaceId).passages.titles(locale, TOPICS_MAX);
    return titles.map(({ title }) => title);
  });
  return async ({ id, settings: { suggestions } }, { wanted: [wanted] }, contentLocale) => {
    if (suggestions.length > 0) return suggestions;
    const isRead = wanted === undefined || toLanguage(wanted) === toLanguage(contentLocale);
    return isRead ? listTitles(`${id} ${contentLocale}`) : [];
  };
}

const toLanguage = (locale: string) => locale.split('-', 1)[0];
