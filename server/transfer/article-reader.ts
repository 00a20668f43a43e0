import type { ArchiveLineOf } from '../../contract/archive-line.ts';
import { hashContent } from '../knowledge/article-content.ts';
import type { Indexing } from '../knowledge/search/indexing.ts';
import type { IndexedPassage } from '../storage/passages.ts';
import type { ImportRow } from '../storage/workspace-import.ts';
import { CODECS, expected } from './codec.ts';

export type ArticleLine =
  | ArchiveLineOf<'article'>
  | ArchiveLineOf<'article_address'>
  | ArchiveLineOf<'article_revision'>
  | ArchiveLineOf<'translation'>
  | ArchiveLineOf<'translation_revision'>;

/** An article or translation and what has been read of it so far. */
type Draft<Line, Revision> = {
  line: Line;
  revisions: number;
  newest?: Revision;
  live?: Revision;
};
type TranslationDraft = Draft<ArchiveLineOf<'translation'>, ArchiveLineOf<'translation_revision'>>;
type ArticleDraft = Draft<ArchiveLineOf<'article'>, ArchiveLineOf<'article_revision'>> & {
  translations: TranslationDraft[];
};

/** Columns that are filled in once the article is complete. */
const NOT_COMPLETE = { liveRevision: null, titleKey: '', searchText: '' };

/** Expects an article, its revisions, then its translations, each followed by its revisions. */
export function createArticleReader(
  indexing: Indexing,
  collectionIds: ReadonlySet<string>,
  sourceIds: ReadonlySet<string>,
) {
  let article: ArticleDraft | undefined;

  function readArticle(line: ArchiveLineOf<'article'>, number: number): ImportRow {
    if (line.collectionId !== undefined && !collectionIds.has(line.collectionId)) {
      throw expected('the id of a collection above', number, 'collectionId');
    }
    if (line.source && !sourceIds.has(line.source.sourceId)) {
      throw expected('the id of a source above', number, 'source.sourceId');
    }
    article = { line, revisions: 0, translations: [] };
    return { table: 'articles', row: { ...CODECS.article.toRow(line), ...NOT_COMPLETE } };
  }

  return {
    read(line: ArticleLine, number: number): ImportRow {
      switch (line.type) {
        case 'article':
          return readArticle(line, number);
        case 'article_address':
          assertId(article, line.articleId, number);
          return { table: 'articleAddresses', row: CODECS.article_address.toRow(line) };
        case 'article_revision':
          return readRevision(article, line, number);
        case 'translation':
          return readTranslation(article, line, number);
        case 'translation_revision':
          return readTranslationRevision(article, line, number);
      }
    },

    /** Returns the live revisions and passages of the completed article. */
    async close(number: number): Promise<readonly ImportRow[]> {
      const completed = article;
      article = undefined;
      return completed ? complete(completed, number, indexing) : [];
    },
  };
}

function readRevision(
  article: ArticleDraft | undefined,
  line: ArchiveLineOf<'article_revision'>,
  number: number,
): ImportRow {
  const current = assertId(article, line.articleId, number);
  if (current.translations.length > 0)
    throw expected('the revisions of an article before its translations', number);
  addRevision(current, line, number);
  return { table: 'articleRevisions', row: CODECS.article_revision.toRow(line) };
}

function readTranslation(
  article: ArticleDraft | undefined,
  line: ArchiveLineOf<'translation'>,
  number: number,
): ImportRow {
  const current = assertId(article, line.articleId, number);
  checkComplete(current.translations.at(-1) ?? current, number);
  // Changing an article's language archives its translation into that language.
  const isLeftBehind = line.status === 'archived' && !line.live;
  if (line.locale === current.line.locale && !isLeftBehind) {
    throw expected(`another language than the article's own`, number, 'locale');
  }
  current.translations.push({ line, revisions: 0 });
  return { table: 'translations', row: { ...CODECS.translation.toRow(line), liveRevision: null } };
}

function readTranslationRevision(
  article: ArticleDraft | undefined,
  line: ArchiveLineOf<'translation_revision'>,
  number: number,
): ImportRow {
  const current = article?.translations.at(-1);
  if (current?.line.id !== line.translationId) {
    throw expected('the id of the translation above', number, 'translationId');
  }
  addRevision(current, line, number);
  return { table: 'translationRevisions', row: CODECS.translation_revision.toRow(line) };
}

function assertId(article: ArticleDraft | undefined, articleId: string, number: number): ArticleDraft {
  if (article?.line.id === articleId) return article;
  throw expected('the id of the article above', number, 'articleId');
}

async function complete(
  article: ArticleDraft,
  number: number,
  indexing: Indexing,
): Promise<readonly ImportRow[]> {
  const { line, newest, translations } = article;
  for (const draft of [article, ...translations]) checkComplete(draft, number);
  const passages = await indexPassages(article, indexing);
  return [
    { table: 'search', id: line.id, slug: line.slug, content: newest! },
    ...toLive('articles', article),
    ...translations.flatMap((draft) => toLive('translations', draft)),
    ...passages.map((row): ImportRow => ({ table: 'passages', row })),
  ];
}

type AnyDraft = ArticleDraft | TranslationDraft;
type RevisionLine = ArchiveLineOf<'article_revision'> | ArchiveLineOf<'translation_revision'>;

function addRevision(draft: AnyDraft, line: RevisionLine, number: number): void {
  const next = draft.revisions + 1;
  const { revision: newest, live } = draft.line;
  if (next > newest) throw expected(`no revision after ${newest}`, number, 'revision');
  if (line.revision !== next) throw expected(`the revision ${next}`, number, 'revision');
  if (hashContent(line) !== line.contentHash) {
    throw expected('the hash of title, answer and aliases', number, 'contentHash');
  }
  draft.revisions = next;
  draft.newest = line as never;
  if (live?.revision === next) draft.live = line as never;
}

/** Throws unless all revisions were read. `number` is the line that was found instead of a missing line. */
function checkComplete({ line, revisions }: AnyDraft, number: number): void {
  const { id, revision, live } = line;
  if (revisions < revision) throw expected(`the revision ${revisions + 1} of ${id}`, number);
  if (live && live.revision > revision) {
    throw expected(`${id} to have its live revision among its revisions`, number);
  }
}

function toLive(of: 'articles' | 'translations', { line }: AnyDraft): readonly ImportRow[] {
  const { id, live } = line;
  return live ? [{ table: 'live', of, id, revision: live.revision }] : [];
}

/** Returns the searchable passages; none while the article is unpublished. */
async function indexPassages(
  { line: article, live: source, translations }: ArticleDraft,
  indexing: Indexing,
): Promise<IndexedPassage[]> {
  if (!source) return [];
  const { id: articleId, slug } = article;
  const { revision } = source;
  const indexed = await indexing.index(slug, source.locale, toContent(source, source.url));
  const passages: IndexedPassage[] = [
    { ...indexed, articleId, revision, sourceRevision: revision, stale: false },
  ];
  for (const { line, live: text } of translations) {
    if (!line.live || !text) continue;
    passages.push({
      ...(await indexing.index(slug, line.locale, toContent(text, text.url ?? source.url))),
      articleId,
      translationId: line.id,
      revision: line.live.revision,
      sourceRevision: line.live.sourceRevision,
      stale: line.live.sourceHash !== source.contentHash,
    });
  }
  return passages;
}

/** Returns what is indexed of a revision. Callers pass the article's URL for a translation without its own. */
function toContent({ title, answer, aliases }: RevisionLine, url: string | undefined) {
  return { title, answer, aliases, url };
}
