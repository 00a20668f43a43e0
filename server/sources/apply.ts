import { unpublishArticle } from '../knowledge/article-changes.ts';
import { applyEvent } from '../knowledge/translation-changes.ts';
import type {
  AppliedItem,
  ArticleState,
  ItemToApply,
  LastApplied,
  RunItem,
  Snapshot,
} from '../storage/source-rows.ts';
import { type Decision, decide } from './plan.ts';
import { writeDrafts } from './write-drafts.ts';
import { publishTexts } from './write-published.ts';
import {
  type ApplyDeps,
  type GroupState,
  type TextToWrite,
  toChangeDeps,
  toLastApplied,
  toOutdated,
  toTranslationDeps,
  type Written,
} from './writing.ts';

/** Applies what a plan says about one article and its translations. */

/** How often to try again when people change the article while it is being written. */
const ATTEMPTS_MAX = 10;

/** Applies the items of one article and its translations. Applying them again changes nothing. */
export async function applyGroup(
  group: readonly ItemToApply[],
  deps: ApplyDeps,
): Promise<readonly AppliedItem[]> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    // If the source was deleted, its articles are no longer found, and the run would add them again.
    if (attempt > 1 && !(await deps.store.sources.find(deps.sourceId))) return [];
    const applied = await tryGroup(group, deps);
    if (applied !== 'outdated') return applied;
  }
  throw new Error(
    `Could not apply ${group[0]?.item.root}: it changed during each of ${ATTEMPTS_MAX} attempts`,
  );
}

async function tryGroup(
  group: readonly ItemToApply[],
  deps: ApplyDeps,
): Promise<readonly AppliedItem[] | 'outdated'> {
  const { root } = group[0]!.item;
  const places = [...new Set([root, ...group.map(({ item }) => item.place)])];
  const { articles, lastApplied } = await deps.store.sources.states(deps.sourceId, places);
  const lastByPlace = new Map(lastApplied.map((last) => [last.place, last]));
  const own = articles.find(({ sourcePlace }) => sourcePlace === root);
  const slugOwner = own ? undefined : await findSlugOwner(group, deps);
  const article = own ?? (deps.replaces && slugOwner);
  const applied: AppliedItem[] = [];
  const toWrite: TextToWrite[] = [];
  for (const { item, snapshot } of group) {
    if (item.outcome === 'removed') continue;
    const text = snapshot && toText(item, snapshot);
    const decision =
      text && (deps.replaces ? 'changed' : decideAgain(text, lastByPlace.get(item.place), own, slugOwner));
    if (!text || decision === 'unchanged') applied.push({ item });
    else if (decision === 'conflict') applied.push(toConflict(item, text.snapshot, deps));
    else toWrite.push(text);
  }
  const written = await writeTexts({ root, article }, toWrite, deps);
  if (written === 'outdated') return 'outdated';
  applied.push(...toWrite.map((text) => toApplied(text, written)));
  for (const { item } of group) {
    if (item.outcome !== 'removed') continue;
    const removed = await unpublishRemoved(item, lastByPlace.get(item.place), own, deps);
    if (removed === 'outdated') return 'outdated';
    applied.push(removed);
  }
  return applied;
}

function toText(item: RunItem, snapshot: Snapshot): TextToWrite | undefined {
  const { text, locale } = snapshot;
  if (!text || locale === undefined) return undefined;
  // The plan, not the reader, links a translation that was uploaded in a file of its own.
  const translationOf = item.root === item.place ? snapshot.translationOf : item.root;
  return { item, snapshot: { ...snapshot, translationOf, text, locale } };
}

/** Finds an article of another origin with the slug that the document states. */
async function findSlugOwner(
  group: readonly ItemToApply[],
  { store }: ApplyDeps,
): Promise<ArticleState | undefined> {
  const slug = group.find(({ item }) => item.place === item.root)?.snapshot?.slug;
  return slug === undefined ? undefined : (await store.sources.statesBySlug([slug]))[0];
}

/** Decides with the current texts, because people may have changed them since the plan. */
function decideAgain(
  { item, snapshot }: TextToWrite,
  last: LastApplied | undefined,
  article: ArticleState | undefined,
  slugOwner: ArticleState | undefined,
): Decision {
  if (item.place === item.root) return decide(snapshot, last, article, { slugOwner });
  const translation = article?.translations.find(({ locale }) => locale === snapshot.locale);
  return decide(snapshot, last, translation, { isTranslation: true });
}

function toConflict(item: RunItem, snapshot: Snapshot, { clock }: ApplyDeps): AppliedItem {
  return { item: { ...item, outcome: 'conflict' }, conflict: { snapshot, atMillis: clock.now() } };
}

/** Publishes texts or writes drafts. An unpublished article stays unpublished unless its own text is published. */
async function writeTexts(
  state: GroupState,
  texts: readonly TextToWrite[],
  deps: ApplyDeps,
): Promise<readonly Written[] | 'outdated'> {
  if (texts.length === 0) return [];
  const hasRoot = texts.some(({ item }) => item.place === state.root);
  if (!state.article && !hasRoot)
    return texts.map(({ item }) => ({ place: item.place, reason: 'no_source_article' }));
  const isPublished = hasRoot || state.article?.status === 'published';
  return deps.mode === 'publish' && isPublished
    ? publishTexts(state, texts, deps)
    : writeDrafts(state, texts, deps);
}

function toApplied({ item, snapshot }: TextToWrite, written: readonly Written[]): AppliedItem {
  const { reason, detail, articleId, translationId } = written.find(({ place }) => place === item.place)!;
  if (reason !== undefined) return { item: { ...item, outcome: 'refused', reason, detail } };
  // The item was a conflict when it was planned, but no longer is.
  const outcome = item.outcome === 'conflict' ? 'changed' : item.outcome;
  return { item: { ...item, outcome, articleId, translationId }, lastApplied: toLastApplied(snapshot) };
}

/** Unpublishes texts that are gone from the source. Nothing is deleted. */
async function unpublishRemoved(
  item: RunItem,
  last: LastApplied | undefined,
  article: ArticleState | undefined,
  deps: ApplyDeps,
): Promise<AppliedItem | 'outdated'> {
  const applied: AppliedItem = { item, lastApplied: last && { ...last, removed: true } };
  if (!article) return applied;
  const isArticle = item.place === item.root;
  const translation = article.translations.find(({ id }) => id === item.translationId);
  try {
    if (isArticle && article.status === 'published') {
      await unpublishArticle({ articleId: article.id, baseRevision: article.revision }, toChangeDeps(deps));
    }
    if (!isArticle && translation && translation.status !== 'archived') {
      const { id: translationId, revision: baseRevision } = translation;
      await applyEvent(
        { articleId: article.id, translationId, baseRevision },
        'archive',
        toTranslationDeps(deps),
      );
    }
    return applied;
  } catch (error) {
    return toOutdated(error);
  }
}
