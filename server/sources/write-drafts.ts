import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { newId } from '../base/ids.ts';
import { editArticle } from '../knowledge/article-changes.ts';
import { hashContent, summarize } from '../knowledge/article-content.ts';
import {
  applyEvent,
  createTranslation,
  editTranslation,
  getTranslation,
  restoreTranslation,
} from '../knowledge/translation-changes.ts';
import type { ArticleState, TranslationState } from '../storage/source-rows.ts';
import {
  type ApplyDeps,
  type GroupState,
  listSlugs,
  type TextToWrite,
  toChangeDeps,
  toContent,
  toOutdated,
  toTranslationDeps,
  type Written,
} from './writing.ts';

/** Writes drafts and changed working copies, and submits translations for review. */
export async function writeDrafts(
  { root, article }: GroupState,
  texts: readonly TextToWrite[],
  deps: ApplyDeps,
): Promise<readonly Written[] | 'outdated'> {
  const written: Written[] = [];
  const source = texts.find(({ item }) => item.place === root);
  const translations = texts.filter((text) => text !== source);
  try {
    let articleId = article?.id;
    if (source) {
      const draft = article ? await changeArticle(article, source, deps) : await createArticle(source, deps);
      written.push(draft);
      articleId ??= draft.articleId;
    }
    for (const text of translations)
      written.push(await writeTranslation(text, articleId!, article?.translations ?? [], deps));
    return written;
  } catch (error) {
    return toOutdated(error);
  }
}

async function createArticle({ item, snapshot }: TextToWrite, deps: ApplyDeps): Promise<Written> {
  const { text, locale } = snapshot;
  const content = toContent(text);
  const articleId = newId('art');
  const { collection, tags } = text;
  for (const slug of listSlugs(text)) {
    const outcome = await deps.store.articles.create({
      ...{ articleId, slug, locale, content, contentHash: hashContent(content) },
      searchSummary: summarize(content.answer, locale),
      authorId: deps.actor,
      atMillis: deps.clock.now(),
      origin: { sourceId: deps.sourceId, place: item.place },
      collection: collection === undefined ? undefined : { idIfNew: newId('col'), name: collection },
      tags,
    });
    if (outcome === 'created') return { place: item.place, articleId };
  }
  throw new Error(`Could not create the article of ${item.place}: all its slugs are taken`);
}

async function changeArticle(
  { id, locale, revision, sourceId }: ArticleState,
  { item, snapshot }: TextToWrite,
  deps: ApplyDeps,
): Promise<Written> {
  const { place } = item;
  if (locale !== snapshot.locale)
    return { place, reason: 'invalid_article', detail: `locale: expected ${locale}, as before` };
  await editArticle({ articleId: id, baseRevision: revision }, toContent(snapshot.text), toChangeDeps(deps));
  if (sourceId !== deps.sourceId) await deps.store.sources.adopt(deps.sourceId, id, place);
  return { place, articleId: id };
}

async function writeTranslation(
  { item, snapshot }: TextToWrite,
  articleId: string,
  existingTranslations: readonly TranslationState[],
  deps: ApplyDeps,
): Promise<Written> {
  const { place } = item;
  const { locale } = snapshot;
  const content = toContent(snapshot.text);
  const translationDeps = toTranslationDeps(deps);
  const existing = existingTranslations.find((each) => each.locale === locale);
  if (!existing && existingTranslations.length >= ARTICLE_LIMITS.localesPerArticleMax)
    return { place, reason: 'too_many_locales' };
  if (!existing) {
    const input = { locale, content, baseRevision: undefined };
    const { translation } = await createTranslation(articleId, input, translationDeps);
    await submit(articleId, translation.id, deps);
    return { place, articleId, translationId: translation.id };
  }
  const ref = { articleId, translationId: existing.id };
  let baseRevision = existing.revision;
  if (existing.status === 'archived') {
    const restored = await restoreTranslation({ ...ref, baseRevision }, translationDeps);
    baseRevision = restored.translation.revision;
  }
  await editTranslation({ ...ref, baseRevision }, { content, sourceRevision: undefined }, translationDeps);
  await submit(articleId, existing.id, deps);
  return { place, ...ref };
}

/** Submits drafts for review; an unchanged text keeps its status. */
async function submit(articleId: string, translationId: string, deps: ApplyDeps): Promise<void> {
  const translationDeps = toTranslationDeps(deps);
  const { translation } = await getTranslation({ articleId, translationId }, translationDeps);
  if (translation.status !== 'draft') return;
  const base = { articleId, translationId, baseRevision: translation.revision };
  await applyEvent(base, 'submit', translationDeps);
}
