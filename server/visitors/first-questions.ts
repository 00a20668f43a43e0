import { type Grants, PUBLIC } from '../base/audience.ts';
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
  reader?: Grants,
) => Promise<readonly string[]>;

const TOPICS_MAX = 3;

/** Suggests the questions of the workspace or, where it has none, titles of its articles in the visitor's language. */
export function createFirstQuestions(clock: Clock, cacheMillis: number, store: Store): SuggestFirst {
  const listTitles = memoizeWithTtl(clock, cacheMillis, async (key) => {
    const [workspaceId, locale, reader] = JSON.parse(key) as [string, string, Grants];
    const titles = await store.in(workspaceId).passagesFor(reader).titles(locale, TOPICS_MAX);
    return titles.map(({ title }) => title);
  });
  return async ({ id, settings: { suggestions } }, { wanted: [wanted] }, contentLocale, reader = PUBLIC) => {
    if (suggestions.length > 0) return suggestions;
    const isRead = wanted === undefined || toLanguage(wanted) === toLanguage(contentLocale);
    return isRead ? listTitles(JSON.stringify([id, contentLocale, reader])) : [];
  };
}

const toLanguage = (locale: string) => locale.split('-', 1)[0];
