import { LIMITS } from '../../contract/limits.ts';
import type { RefusalReason } from '../../contract/source-fields.ts';
import type {
  AppliedDocument,
  ArticleState,
  ItemOutcome,
  ReadingHead,
  RunItem,
  TranslationState,
} from '../storage/source-rows.ts';

/** Decides what a run does. Pure: the same readings, documents and articles give the same plan. */

export type PlanInput = {
  /** The result of a reader. */
  readings: readonly ReadingHead[];
  /** The documents that the last applied run delivered. */
  documents: readonly AppliedDocument[];
  /** The articles that come from the source. */
  articles: readonly ArticleState[];
  /** Articles of other origins whose slugs the documents state. */
  slugOwners: readonly ArticleState[];
  /** Names of the uploads of this run; undefined for a website. */
  uploads: readonly string[] | undefined;
};

export type Plan = { items: readonly RunItem[]; unchanged: number };

export type Decision = 'added' | 'changed' | 'unchanged' | 'conflict';

type ComparedText = Pick<ReadingHead, 'contentHash' | 'url' | 'locale'>;

const isSameText = (one: ComparedText, other: ComparedText) =>
  one.contentHash === other.contentHash && (one.url ?? '') === (other.url ?? '');

/** Whether the document was ever applied: one that was only a conflict has no content hash. */
const wasApplied = (document: AppliedDocument | undefined): document is AppliedDocument =>
  document !== undefined && document.contentHash !== '';

/** Whether the source delivers the same text as before, which was applied or declined. */
const isDelivered = (text: ComparedText, last: AppliedDocument) =>
  !last.removed && last.locale === text.locale && isSameText(text, last);

/** @param slugOwner another article with the slug that the document states */
export function decideArticle(
  text: ComparedText,
  applied: AppliedDocument | undefined,
  article: ArticleState | undefined,
  slugOwner: ArticleState | undefined,
): Decision {
  const last = wasApplied(applied) ? applied : undefined;
  if (last && isDelivered(text, last)) return 'unchanged';
  if (!article) {
    // A person deleted the article, or chose to keep another one.
    if (last && !last.removed) return 'conflict';
    if (slugOwner) return isSameText(text, slugOwner) ? 'unchanged' : 'conflict';
    return 'added';
  }
  const isHidden = article.status === 'unpublished' && !last?.removed;
  if (isSameText(text, article) && !isHidden) return 'changed';
  return last && isSameText(last, article) && !isHidden ? 'changed' : 'conflict';
}

export function decideTranslation(
  text: ComparedText,
  applied: AppliedDocument | undefined,
  translation: TranslationState | undefined,
): Decision {
  const last = wasApplied(applied) ? applied : undefined;
  if (last && isDelivered(text, last)) return 'unchanged';
  if (!translation) return last && !last.removed ? 'conflict' : 'added';
  const isHidden = translation.status === 'archived' && !last?.removed;
  if (text.contentHash === translation.contentHash && !isHidden) return 'changed';
  return last?.contentHash === translation.contentHash && !isHidden ? 'changed' : 'conflict';
}

/** Refusals by which the website itself says that the page is no longer an article. */
const GONE_REASONS: readonly (string | undefined)[] = [
  'duplicate',
  'no_index',
  'off_site',
  'excluded',
] satisfies RefusalReason[];

export function planRun(rawInput: PlanInput): Plan {
  const input = { ...rawInput, readings: rawInput.uploads ? linkUploads(rawInput) : rawInput.readings };
  const lookup = createLookup(input);
  const items = new Map<string, RunItem>();
  let unchanged = 0;
  const add = (item: RunItem) => items.set(item.place, item);
  const decide = (reading: ReadingHead, decision: Decision, item: Omit<RunItem, 'outcome' | 'applied'>) => {
    if (decision === 'unchanged') unchanged += 1;
    else add({ ...item, ...describe(reading), outcome: decision, applied: false });
  };

  for (const reading of input.readings) {
    if (reading.kind === 'refused') add(toRefused(reading));
    if (reading.kind === 'unchanged') unchanged += 1;
    if (reading.kind !== 'document' || lookup.getRoot(reading)) continue;
    const { place } = reading;
    const article = lookup.articles.get(place);
    const slugOwner = reading.slug === undefined ? undefined : lookup.slugOwners.get(reading.slug);
    const decision = decideArticle(reading, lookup.documents.get(place), article, slugOwner);
    const relatedArticle = article ?? (decision === 'conflict' ? slugOwner : undefined);
    decide(reading, decision, {
      place,
      root: place,
      ...(relatedArticle && { articleId: relatedArticle.id }),
    });
  }
  for (const [root, translations] of groupTranslations(input.readings, lookup.getRoot)) {
    const article = lookup.articles.get(root);
    const mayExist = article !== undefined || items.get(root)?.outcome === 'added';
    const { taken, refused } = chooseTranslations(translations, lookup.getLocale(root), mayExist);
    for (const each of refused) add(toRefused(each));
    for (const reading of taken) {
      const { place } = reading;
      const translation = article?.translations.find(({ locale }) => locale === reading.locale);
      const decision = decideTranslation(reading, lookup.documents.get(place), translation);
      const ids = {
        ...(article && { articleId: article.id }),
        ...(translation && { translationId: translation.id }),
      };
      decide(reading, decision, { place, root, ...ids });
    }
  }
  for (const item of planRemovals(input, lookup)) add({ ...items.get(item.place), ...item });
  return { items: [...items.values()], unchanged };
}

/** Links translations uploaded separately, as in `lamp.de.md` and `lamp.md`; readers link those of one upload. */
function linkUploads({ readings, documents }: PlanInput): readonly ReadingHead[] {
  const places = new Set([...readings, ...documents].map(({ place }) => place));
  return readings.map((reading) => {
    const { kind, place, upload, locale = '', translationOf } = reading;
    const [, stem, tag, ending] = /^(.+)\.([A-Za-z0-9-]+)(\.[^./#]+)$/.exec(place) ?? [];
    const isSuffixed = tag?.toLowerCase() === locale.toLowerCase() && places.has(`${stem}${ending}`);
    const isLinked = kind === 'document' && translationOf === undefined && place === upload && isSuffixed;
    return isLinked ? { ...reading, translationOf: `${stem}${ending}` } : reading;
  });
}

type Lookup = ReturnType<typeof createLookup>;

function createLookup({ readings, documents, articles, slugOwners: owners }: PlanInput) {
  const documentsByPlace = new Map(documents.map((document) => [document.place, document]));
  const readingsByPlace = new Map(readings.map((reading) => [reading.place, reading]));
  const articlesByPlace = new Map(articles.map((article) => [article.sourcePlace ?? '', article]));
  return {
    documents: documentsByPlace,
    readings: readingsByPlace,
    articles: articlesByPlace,
    slugOwners: new Map(owners.map((slugOwner) => [slugOwner.slug, slugOwner])),
    /** The place of the article that a text translates; undefined for an article. */
    getRoot: ({ place, translationOf }: Pick<ReadingHead, 'place' | 'translationOf'>) =>
      translationOf === undefined || translationOf === place ? undefined : translationOf,
    getLocale: (root: string) => readingsByPlace.get(root)?.locale ?? documentsByPlace.get(root)?.locale,
  };
}

function groupTranslations(
  readings: readonly ReadingHead[],
  getRoot: Lookup['getRoot'],
): ReadonlyMap<string, readonly ReadingHead[]> {
  const groups = new Map<string, ReadingHead[]>();
  for (const reading of readings) {
    const root = reading.kind === 'document' ? getRoot(reading) : undefined;
    if (root === undefined) continue;
    const group = groups.get(root);
    if (group) group.push(reading);
    else groups.set(root, [reading]);
  }
  return groups;
}

/** Chooses at most one translation for each locale, and none for the article's own. */
function chooseTranslations(
  translations: readonly ReadingHead[],
  sourceLocale: string | undefined,
  hasArticle: boolean,
): { taken: readonly ReadingHead[]; refused: readonly ReadingHead[] } {
  const refused: ReadingHead[] = [];
  const taken = new Map<string, ReadingHead>();
  for (const reading of translations) {
    const locale = reading.locale ?? '';
    const reason: RefusalReason | undefined = !hasArticle
      ? 'no_source_article'
      : locale === sourceLocale || taken.has(locale)
        ? 'duplicate'
        : taken.size >= LIMITS.localesPerArticleMax
          ? 'too_many_locales'
          : undefined;
    if (reason === undefined) taken.set(locale, reading);
    else refused.push({ ...reading, reason, detail: getDetail(reason, reading) });
  }
  return { taken: [...taken.values()], refused };
}

const getDetail = (reason: RefusalReason, { translationOf, locale }: ReadingHead) =>
  reason === 'no_source_article' ? translationOf?.slice(0, LIMITS.refusalDetailCharsMax) : locale;

const describe = ({ locale, title }: ReadingHead) => ({
  ...(locale !== undefined && { locale }),
  ...(title !== undefined && { title }),
});

function toRefused(reading: ReadingHead): RunItem {
  const { place, reason, detail } = reading;
  return {
    place,
    root: place,
    outcome: 'refused' satisfies ItemOutcome,
    ...describe(reading),
    reason: reason ?? 'unreadable',
    ...(detail !== undefined && { detail }),
    applied: true,
  };
}

/** Plans to remove texts that are gone from the source. */
function planRemovals({ readings, documents, uploads }: PlanInput, lookup: Lookup): RunItem[] {
  const refused = readings.filter(({ kind }) => kind === 'refused');
  // When the limit of pages was reached, missing pages may still exist.
  const isPartial = refused.some(({ reason }) => reason === 'too_many_pages');
  const isKept = uploads === undefined ? matchUnreadPages(refused) : matchUnreadFiles(refused);
  const isInScope = uploads === undefined ? () => !isPartial : matchUploads(uploads);
  const goneUrls = new Map<string, string>();
  for (const { place, readUrl, reason } of refused) {
    if (!GONE_REASONS.includes(reason) || reason === undefined) continue;
    goneUrls.set(place, reason);
    if (readUrl !== undefined) goneUrls.set(readUrl, reason);
  }
  return documents.flatMap((document): RunItem[] => {
    const { place, locale, removed, translationOf, readUrl } = document;
    const root = lookup.getRoot(document) ?? place;
    const article = lookup.articles.get(root);
    const kind = lookup.readings.get(place)?.kind;
    if (removed || !wasApplied(document) || !article || kind === 'document' || kind === 'unchanged')
      return [];
    const reason = goneUrls.get(place) ?? (readUrl === undefined ? undefined : goneUrls.get(readUrl));
    const isGone = kind === 'gone' || reason !== undefined;
    if (!isGone && (!isInScope(document) || isKept(document))) return [];
    const translation =
      translationOf === undefined ? undefined : article.translations.find((each) => each.locale === locale);
    return [
      {
        place,
        root,
        outcome: 'removed',
        locale,
        reason,
        articleId: article.id,
        ...(translation && { translationId: translation.id }),
        applied: false,
      },
    ];
  });
}

/** Matches pages that could not be read in this run, which are kept. */
function matchUnreadPages(refused: readonly ReadingHead[]): (document: AppliedDocument) => boolean {
  const kept = new Set(refused.flatMap(({ place, readUrl }) => [place, readUrl ?? place]));
  return ({ place, readUrl }) => kept.has(place) || (readUrl !== undefined && kept.has(readUrl));
}

/** Matches texts of files that could not be read in this run, which are kept. */
function matchUnreadFiles(refused: readonly ReadingHead[]): (document: AppliedDocument) => boolean {
  const kept = new Set(refused.map(({ place }) => place));
  return ({ place }) => {
    for (const end of [place.length, ...[...place.matchAll(/[/#]/g)].map(({ index }) => index)])
      if (kept.has(place.slice(0, end))) return true;
    return false;
  };
}

function matchUploads(uploads: readonly string[]): (document: AppliedDocument) => boolean {
  const names = new Set(uploads);
  return ({ upload }) => names.has(upload);
}
