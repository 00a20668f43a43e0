import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { SourceConflictRecord } from '../../contract/source-conflicts.ts';
import { toIsoString } from '../base/clock.ts';
import type {
  ArticleState,
  LastApplied,
  ReadText,
  RunItem,
  SourceConflict,
  SourceSummary,
} from '../storage/source-rows.ts';
import type { WorkspaceStore } from '../storage/store.ts';
import { applyGroup } from './apply.ts';
import { type ApplyDeps, toLastApplied } from './writing.ts';

/** Conflicts: texts that were changed both in the workspace and at the source. */

/** Converts conflicts to records with the workspace's current texts. */
export async function describeConflicts(
  conflicts: readonly SourceConflict[],
  source: Pick<SourceSummary, 'id'>,
  store: Pick<WorkspaceStore, 'sources' | 'articles' | 'translations'>,
): Promise<SourceConflictRecord[]> {
  const findArticle = await createArticleFinder(conflicts, source, store);
  const described: SourceConflictRecord[] = [];
  for (const { place, locale, translationOf, snapshot, foundAt } of conflicts) {
    const state = findArticle(place, translationOf, snapshot.slug);
    const isTranslation = translationOf !== undefined;
    const translation = isTranslation
      ? state?.translations.find((each) => each.locale === locale)
      : undefined;
    const current =
      state &&
      (isTranslation
        ? translation && (await store.translations.find(state.id, translation.id))
        : await store.articles.find(state.id));
    described.push({
      ...{ place, locale, foundAt: toIsoString(foundAt) },
      articleId: state?.id,
      translationId: translation?.id,
      current: current && toText(current.content),
      incoming: toText(snapshot.text!),
    });
    await yieldToEventLoop();
  }
  return described;
}

const toText = ({ title, answer, aliases }: Pick<ReadText, 'title' | 'answer' | 'aliases'>) => ({
  title,
  answer,
  aliases: [...aliases],
});

/** Creates a function that finds a document's article: the source's own, or another one with the stated slug. */
async function createArticleFinder(
  conflicts: readonly SourceConflict[],
  { id }: Pick<SourceSummary, 'id'>,
  { sources }: Pick<WorkspaceStore, 'sources'>,
) {
  const places = conflicts.map(({ place, translationOf }) => translationOf ?? place);
  const slugs = conflicts.flatMap(({ snapshot }) => snapshot.slug ?? []);
  const { articles } = await sources.states(id, [...new Set(places)]);
  const slugOwners = await sources.statesBySlug(slugs);
  const byPlace = new Map(articles.map((article) => [article.sourcePlace, article]));
  const bySlug = new Map(slugOwners.map((slugOwner) => [slugOwner.slug, slugOwner]));
  return (
    place: string,
    translationOf: string | undefined,
    slug: string | undefined,
  ): ArticleState | undefined =>
    byPlace.get(translationOf ?? place) ?? (slug === undefined ? undefined : bySlug.get(slug));
}

/** Keeps the members' texts, or replaces them with the source's. Returns the texts to compare later runs with. */
export async function resolveConflicts(
  conflicts: readonly SourceConflict[],
  choice: 'keep' | 'replace',
  deps: Omit<ApplyDeps, 'replaces'>,
): Promise<LastApplied[]> {
  if (choice === 'keep') return conflicts.map(({ snapshot }) => toLastApplied(snapshot));
  const resolved: LastApplied[] = [];
  // Articles come before their translations.
  const ordered = [...conflicts].sort(
    (one, other) => Number(one.translationOf !== undefined) - Number(other.translationOf !== undefined),
  );
  for (const { place, translationOf, snapshot } of ordered) {
    const item: RunItem = { place, root: translationOf ?? place, outcome: 'changed', applied: false };
    const [applied] = await applyGroup([{ item, snapshot }], { ...deps, replaces: true });
    if (applied?.lastApplied) resolved.push(applied.lastApplied);
    await yieldToEventLoop();
  }
  return resolved;
}
