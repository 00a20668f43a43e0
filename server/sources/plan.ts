import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import type { SkipReason } from '../../contract/source-fields.ts';
import type {
  ArticleState,
  LastApplied,
  RunItem,
  SnapshotHead,
  TranslationState,
} from '../storage/source-rows.ts';

/** Decides what a run does. Pure: the same input gives the same plan. */

export type PlanInput = {
  /** The result of a reader. */
  snapshots: readonly SnapshotHead[];
  /** The texts that the last applied run delivered. */
  lastApplied: readonly LastApplied[];
  /** The articles that come from the source. */
  articles: readonly ArticleState[];
  /** Articles of other origins whose slugs the documents state. */
  slugOwners: readonly ArticleState[];
  /** Names of the uploads of this run; undefined for a website. */
  uploads: readonly string[] | undefined;
};

export type Plan = { items: readonly RunItem[]; unchanged: number };

export type Decision = 'added' | 'changed' | 'unchanged' | 'conflict';

type ComparedText = Pick<SnapshotHead, 'contentHash' | 'url' | 'locale'>;

const isSameText = (one: ComparedText, other: ComparedText) =>
  one.contentHash === other.contentHash && (one.url ?? '') === (other.url ?? '');

/** Whether a text was ever applied: one that was only a conflict has no content hash. */
const wasApplied = (last: LastApplied | undefined): last is LastApplied =>
  last !== undefined && last.contentHash !== '';

/**
 * Decides about the text of an article or, with `isTranslation`, of a translation, which has no URL of its own.
 *
 * @param current the article or translation that the text would change
 * @param slugOwner another article with the slug that the document states
 */
export function decide(
  text: ComparedText,
  lastApplied: LastApplied | undefined,
  current: ArticleState | TranslationState | undefined,
  { slugOwner, isTranslation = false }: { slugOwner?: ArticleState; isTranslation?: boolean },
): Decision {
  const last = wasApplied(lastApplied) ? lastApplied : undefined;
  // The source delivers the same text as before, which was applied or declined.
  if (last && !last.removed && last.locale === text.locale && isSameText(text, last)) return 'unchanged';
  if (!current) {
    // A person deleted the article, or chose to keep another one.
    if (last && !last.removed) return 'conflict';
    if (slugOwner) return isSameText(text, slugOwner) ? 'unchanged' : 'conflict';
    return 'added';
  }
  const isHidden = ['unpublished', 'archived'].includes(current.status) && !last?.removed;
  const isCurrent = (other: ComparedText | undefined) =>
    other !== undefined &&
    (isTranslation ? other.contentHash === current.contentHash : isSameText(other, current as ArticleState));
  return !isHidden && (isCurrent(text) || isCurrent(last)) ? 'changed' : 'conflict';
}

/** Reasons by which the source itself says that the text is no longer an article. */
const GONE_REASONS = new Set<string>([
  'duplicate',
  'no_index',
  'draft',
  'off_site',
  'excluded',
] satisfies SkipReason[]);

export function planRun(rawInput: PlanInput): Plan {
  const input = { ...rawInput, snapshots: rawInput.uploads ? linkUploads(rawInput) : rawInput.snapshots };
  const lookup = createLookup(input);
  const items = new Map<string, RunItem>();
  let unchanged = 0;
  const add = (item: RunItem) => items.set(item.place, item);
  const addDecision = (
    { place, locale, title, detail }: SnapshotHead,
    outcome: Decision,
    ids: Pick<RunItem, 'root' | 'articleId' | 'translationId'>,
  ) => {
    if (outcome === 'unchanged') unchanged += 1;
    else add({ place, ...ids, locale, title, detail, outcome, applied: false });
  };

  for (const snapshot of input.snapshots) {
    if (snapshot.kind === 'refused') add(toSkipped(snapshot));
    if (snapshot.kind === 'unchanged') unchanged += 1;
    if (snapshot.kind !== 'document' || lookup.getRoot(snapshot)) continue;
    const { place, slug = '' } = snapshot;
    const article = lookup.articles.get(place);
    const slugOwner = lookup.slugOwners.get(slug);
    const decision = decide(snapshot, lookup.lastApplied.get(place), article, { slugOwner });
    const relatedArticle = article ?? (decision === 'conflict' ? slugOwner : undefined);
    addDecision(snapshot, decision, { root: place, articleId: relatedArticle?.id });
  }
  for (const [root, translations] of groupTranslations(input.snapshots, lookup.getRoot)) {
    const article = lookup.articles.get(root);
    const mayExist = article !== undefined || items.get(root)?.outcome === 'added';
    const { taken, skipped } = chooseTranslations(translations, lookup.getLocale(root), mayExist);
    for (const each of skipped) add(toSkipped(each));
    for (const snapshot of taken) {
      const translation = article?.translations.find(({ locale }) => locale === snapshot.locale);
      const last = lookup.lastApplied.get(snapshot.place);
      const decision = decide(snapshot, last, translation, { isTranslation: true });
      addDecision(snapshot, decision, { root, articleId: article?.id, translationId: translation?.id });
    }
  }
  for (const item of planRemovals(input, lookup)) add({ ...items.get(item.place), ...item });
  return { items: [...items.values()], unchanged };
}

/** Links translations uploaded separately, as in `lamp.de.md` and `lamp.md`; readers link those of one upload. */
function linkUploads({ snapshots, lastApplied }: PlanInput): readonly SnapshotHead[] {
  const places = new Set([...snapshots, ...lastApplied].map(({ place }) => place));
  return snapshots.map((snapshot) => {
    const { kind, place, upload, locale = '', translationOf } = snapshot;
    const [, stem, tag, ending] = /^(.+)\.([A-Za-z0-9-]+)(\.[^./#]+)$/.exec(place) ?? [];
    const isSuffixed = tag?.toLowerCase() === locale.toLowerCase() && places.has(`${stem}${ending}`);
    const isLinked = kind === 'document' && translationOf === undefined && place === upload && isSuffixed;
    return isLinked ? { ...snapshot, translationOf: `${stem}${ending}` } : snapshot;
  });
}

type Lookup = ReturnType<typeof createLookup>;

function createLookup({ snapshots, lastApplied, articles, slugOwners }: PlanInput) {
  const lastAppliedByPlace = new Map(lastApplied.map((last) => [last.place, last]));
  const snapshotsByPlace = new Map(snapshots.map((snapshot) => [snapshot.place, snapshot]));
  return {
    lastApplied: lastAppliedByPlace,
    snapshots: snapshotsByPlace,
    articles: new Map(articles.map((article) => [article.sourcePlace ?? '', article])),
    slugOwners: new Map(slugOwners.map((slugOwner) => [slugOwner.slug, slugOwner])),
    /** The place of the article that a text translates; undefined for an article. */
    getRoot: ({ place, translationOf }: Pick<SnapshotHead, 'place' | 'translationOf'>) =>
      translationOf === place ? undefined : translationOf,
    getLocale: (root: string) => snapshotsByPlace.get(root)?.locale ?? lastAppliedByPlace.get(root)?.locale,
  };
}

function groupTranslations(snapshots: readonly SnapshotHead[], getRoot: Lookup['getRoot']) {
  const getGroup = (snapshot: SnapshotHead) =>
    snapshot.kind === 'document' ? (getRoot(snapshot) ?? '') : '';
  const groups = Map.groupBy(snapshots, getGroup);
  groups.delete('');
  return groups;
}

/** Chooses at most one translation for each locale, and none for the article's own. */
function chooseTranslations(
  translations: readonly SnapshotHead[],
  sourceLocale: string | undefined,
  hasArticle: boolean,
): { taken: readonly SnapshotHead[]; skipped: readonly SnapshotHead[] } {
  const skipped: SnapshotHead[] = [];
  const taken = new Map<string, SnapshotHead>();
  for (const snapshot of translations) {
    const { locale = '', translationOf } = snapshot;
    const skip = (reason: SkipReason, detail = locale) => skipped.push({ ...snapshot, reason, detail });
    if (!hasArticle) skip('no_source_article', translationOf?.slice(0, SOURCE_LIMITS.skipDetailCharsMax));
    else if (locale === sourceLocale || taken.has(locale)) skip('duplicate');
    else if (taken.size >= ARTICLE_LIMITS.localesPerArticleMax) skip('too_many_locales');
    else taken.set(locale, snapshot);
  }
  return { taken: [...taken.values()], skipped };
}

function toSkipped({ place, locale, title, reason = 'unreadable', detail }: SnapshotHead): RunItem {
  return { place, root: place, outcome: 'refused', locale, title, reason, detail, applied: true };
}

/** Plans to remove texts that are gone from the source. */
function planRemovals({ snapshots, lastApplied, uploads }: PlanInput, lookup: Lookup): RunItem[] {
  const skipped = snapshots.filter(({ kind }) => kind === 'refused');
  // When the limit of pages was reached, missing pages may still exist.
  const isPartial = skipped.some(({ reason }) => reason === 'too_many_pages');
  const isKept = uploads ? matchUnreadFiles(skipped) : matchUnreadPages(skipped);
  const isInScope = ({ upload }: LastApplied) => (uploads ? uploads.includes(upload) : !isPartial);
  const goneReasons = new Map<string, string>();
  for (const { place, readUrl, reason = '' } of skipped) {
    if (GONE_REASONS.has(reason)) for (const url of [place, readUrl ?? place]) goneReasons.set(url, reason);
  }
  return lastApplied.flatMap((last): RunItem[] => {
    const { place, locale, removed, translationOf, readUrl = '' } = last;
    const root = lookup.getRoot(last) ?? place;
    const article = lookup.articles.get(root);
    const kind = lookup.snapshots.get(place)?.kind;
    if (removed || !wasApplied(last) || !article || kind === 'document' || kind === 'unchanged') return [];
    const reason = goneReasons.get(place) ?? goneReasons.get(readUrl);
    const isGone = kind === 'gone' || reason !== undefined;
    if (!isGone && (!isInScope(last) || isKept(last))) return [];
    const translation =
      translationOf === undefined ? undefined : article.translations.find((each) => each.locale === locale);
    const ids = { articleId: article.id, translationId: translation?.id };
    return [{ place, root, outcome: 'removed', locale, reason, ...ids, applied: false }];
  });
}

/** Matches pages that could not be read in this run, which are kept. */
function matchUnreadPages(skipped: readonly SnapshotHead[]): (last: LastApplied) => boolean {
  const kept = new Set(skipped.flatMap(({ place, readUrl }) => [place, readUrl ?? place]));
  return ({ place, readUrl }) => kept.has(place) || (readUrl !== undefined && kept.has(readUrl));
}

/** Matches texts of files that could not be read in this run, which are kept. */
function matchUnreadFiles(skipped: readonly SnapshotHead[]): (last: LastApplied) => boolean {
  const kept = new Set(skipped.map(({ place }) => place));
  return ({ place }) => {
    const ends = [place.length, ...[...place.matchAll(/[/#]/g)].map(({ index }) => index)];
    return ends.some((end) => kept.has(place.slice(0, end)));
  };
}
