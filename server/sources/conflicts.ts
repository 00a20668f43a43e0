import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { SourceConflictRecord } from '../../contract/source-conflicts.ts';
import { toIsoString } from '../base/clock.ts';
import type {
  AppliedDocument,
  ArticleState,
  RunItem,
  SourceConflict,
  SourceSummary,
} from '../storage/source-rows.ts';
import type { WorkspaceStore } from '../storage/store.ts';
import { applyGroup } from './apply.ts';
import { type ApplyDeps, toDocument } from './writing.ts';

/** Conflicts: texts that were changed both in the workspace and at the source. */

/** Converts conflicts to records with the workspace's current texts. */
export async function describeConflicts(
  conflicts: readonly SourceConflict[],
  source: Pick<SourceSummary, 'id'>,
  store: Pick<WorkspaceStore, 'sources' | 'articles' | 'translations'>,
): Promise<SourceConflictRecord[]> {
  const findArticle = await createArticleFinder(conflicts, source, store);
  const described: SourceConflictRecord[] = [];
  for (const { place, locale, translationOf, reading, foundAt } of conflicts) {
    const state = findArticle(place, translationOf, reading.slug);
    const translation =
      translationOf === undefined ? undefined : state?.translations.find((each) => each.locale === locale);
    const current = !state
      ? undefined
      : translationOf === undefined
        ? await store.articles.find(state.id)
        : translation && (await store.translations.find(state.id, translation.id));
    const { title, answer, aliases } = reading.text!;
    described.push({
      ...{ place, locale, foundAt: toIsoString(foundAt) },
      ...(state && { articleId: state.id }),
      ...(translation && { translationId: translation.id }),
      ...(current && {
        current: {
          title: current.content.title,
          answer: current.content.answer,
          aliases: [...current.content.aliases],
        },
      }),
      incoming: { title, answer, aliases: [...aliases] },
    });
    await yieldToEventLoop();
  }
  return described;
}

/** Creates a function that finds a document's article: the source's own, or another one with the stated slug. */
async function createArticleFinder(
  conflicts: readonly SourceConflict[],
  { id }: Pick<SourceSummary, 'id'>,
  { sources }: Pick<WorkspaceStore, 'sources'>,
) {
  const places = conflicts.map(({ place, translationOf }) => translationOf ?? place);
  const slugs = conflicts.flatMap(({ reading }) => reading.slug ?? []);
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

/** Keeps the members' texts, or replaces them with the source's. Returns the documents to store for later runs. */
export async function resolveConflicts(
  conflicts: readonly SourceConflict[],
  choice: 'keep' | 'replace',
  deps: Omit<ApplyDeps, 'replaces'>,
): Promise<AppliedDocument[]> {
  if (choice === 'keep') return conflicts.map(({ reading }) => toDocument(reading));
  const documents: AppliedDocument[] = [];
  // Articles come before their translations.
  const ordered = [...conflicts].sort(
    (one, other) => Number(one.translationOf !== undefined) - Number(other.translationOf !== undefined),
  );
  for (const { place, translationOf, reading } of ordered) {
    const item: RunItem = { place, root: translationOf ?? place, outcome: 'changed', applied: false };
    const [applied] = await applyGroup([{ item, reading }], { ...deps, replaces: true });
    if (applied?.document) documents.push(applied.document);
    await yieldToEventLoop();
  }
  return documents;
}
