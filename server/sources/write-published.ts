import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { newId } from '../base/ids.ts';
import { hashContent, summarize } from '../knowledge/article-content.ts';
import type { ImportedArticle, ImportedTranslation, ImportOutcome } from '../storage/article-import.ts';
import type { RepublishedTranslation } from '../storage/passage-writes.ts';
import type { ArticleState, ReadText } from '../storage/source-rows.ts';
import {
  type ApplyDeps,
  type GroupState,
  listSlugs,
  type TextToWrite,
  toContent,
  type Written,
} from './writing.ts';

/** Publishes an article with its translations in one transaction, as an import does. */
export async function publishTexts(
  state: GroupState,
  texts: readonly TextToWrite[],
  deps: ApplyDeps,
): Promise<readonly Written[] | 'outdated'> {
  const root = texts.find(({ item }) => item.place === state.root);
  const all = texts.filter((text) => text !== root);
  const { fitting, tooMany } = fitLocales(all, state.article);
  const skipped = tooMany.map(({ item }): Written => ({ place: item.place, reason: 'too_many_locales' }));
  const source = root?.snapshot ?? (await readLive(state.article, deps));
  if (!source) return 'outdated';
  const slugs = state.article ? [state.article.slug] : listSlugs(source.text);
  for (const slug of slugs) {
    const { article, ids } = await prepareArticle(slug, source, fitting, state, deps);
    const by = { actor: deps.actor, atMillis: deps.clock.now() };
    const [outcome] = await deps.store.articles.import([article], by, ARTICLE_LIMITS.localesPerArticleMax);
    const { articleId, skipReason } = outcome as ImportOutcome;
    if (skipReason === 'slug_taken' && !state.article) continue;
    if (skipReason !== undefined) return 'outdated';
    return [
      ...(root ? [{ place: root.item.place, articleId }] : []),
      ...fitting.map(({ item, snapshot }) => ({
        ...{ place: item.place, articleId, translationId: ids.get(snapshot.locale)! },
      })),
      ...skipped,
    ];
  }
  return 'outdated';
}

/** Chooses the texts that fit: stored and new locales together must stay within the limit. */
function fitLocales(texts: readonly TextToWrite[], article: ArticleState | undefined) {
  const stored = new Set(article?.translations.map(({ locale }) => locale));
  const storedTexts = texts.filter(({ snapshot }) => stored.has(snapshot.locale));
  const newTexts = texts.filter(({ snapshot }) => !stored.has(snapshot.locale));
  const room = Math.max(0, ARTICLE_LIMITS.localesPerArticleMax - stored.size);
  return { fitting: [...storedTexts, ...newTexts.slice(0, room)], tooMany: newTexts.slice(room) };
}

type SourceText = { locale: string; text: ReadText };

/** Reads the live text of an article of which only translations changed: this text stays as it is. */
async function readLive(
  article: ArticleState | undefined,
  { store }: ApplyDeps,
): Promise<SourceText | undefined> {
  const live = article && (await store.articles.findLive(article.slug));
  return live && { locale: live.locale, text: live.content };
}

async function prepareArticle(
  slug: string,
  source: SourceText,
  texts: readonly TextToWrite[],
  { root, article }: GroupState,
  deps: ApplyDeps,
): Promise<{ article: ImportedArticle; ids: ReadonlyMap<string, string> }> {
  const ids = new Map<string, string>();
  const translations: ImportedTranslation[] = [];
  const translationsByLocale = new Map(article?.translations.map((each) => [each.locale, each]));
  for (const { snapshot } of texts) {
    const { locale, text } = snapshot;
    const idIfNew = translationsByLocale.get(locale)?.id ?? newId('tr');
    ids.set(locale, idIfNew);
    translations.push({ idIfNew, ...(await prepareText(slug, locale, text, deps)) });
  }
  const locales = new Set(texts.map(({ snapshot }) => snapshot.locale));
  const revisions = [...translationsByLocale.values()].filter(({ locale }) => locales.has(locale));
  // Only new articles are put into a collection and tagged: people may change both later.
  const { collection, tags } = article ? {} : source.text;
  const isHidden = article && article.status !== 'published';
  return {
    ids,
    article: {
      idIfNew: article?.id ?? newId('art'),
      slug,
      ...(await prepareText(slug, source.locale, source.text, deps)),
      collection: collection === undefined ? undefined : { idIfNew: newId('col'), name: collection },
      tags,
      translations,
      republished: isHidden ? await listRepublished(article, source.locale, locales, deps) : undefined,
      origin: {
        ...{ sourceId: deps.sourceId, place: root, revision: article?.revision, adopts: deps.replaces },
        translationRevisions: new Map(revisions.map(({ locale, revision }) => [locale, revision])),
      },
    },
  };
}

async function prepareText(slug: string, locale: string, text: ReadText, { indexing }: ApplyDeps) {
  const content = toContent(text);
  // Several groups are prepared at once; short texts are indexed on the event loop.
  await yieldToEventLoop();
  return {
    locale,
    content,
    contentHash: hashContent(content),
    searchSummary: summarize(content.answer, locale),
    indexed: await indexing.index(slug, locale, content),
  };
}

/** Lists the article's other translations, which become live again with it. */
async function listRepublished(
  { id, slug }: ArticleState,
  sourceLocale: string,
  locales: ReadonlySet<string>,
  { store, indexing }: ApplyDeps,
): Promise<RepublishedTranslation[]> {
  const republished: RepublishedTranslation[] = [];
  for (const { translationId, locale, revision, content } of await store.articles.liveTexts(id)) {
    if (locale === sourceLocale || locales.has(locale)) continue;
    republished.push({ translationId, revision, indexed: await indexing.index(slug, locale, content) });
  }
  return republished;
}
