import type { ArchiveLineOf } from '../../contract/archive-line.ts';
import { contentHash } from '../knowledge/article-content.ts';
import type { Indexing } from '../knowledge/search/indexing.ts';
import type {
  ExportedArticle,
  ExportedArticleRevision,
  ExportedTranslation,
  ExportedTranslationRevision,
  ImportRow,
} from '../storage/holdings.ts';
import type { IndexedPassage } from '../storage/passages.ts';
import { expected } from './archive-refused.ts';
import * as rowOf from './row-of.ts';

/** Articles as they arrive: which lines belong together, whether they are whole, and what they are found by. */

type Translating = {
  readonly translation: ExportedTranslation;
  revisions: number;
  live?: ExportedTranslationRevision;
};

type Reading = {
  readonly article: ExportedArticle;
  revisions: number;
  live?: ExportedArticleRevision;
  readonly translations: Translating[];
};

type ArticleLine =
  | ArchiveLineOf<'article'>
  | ArchiveLineOf<'article_revision'>
  | ArchiveLineOf<'translation'>
  | ArchiveLineOf<'translation_revision'>;

export type ArrivingArticles = {
  /** The rows of a line. */
  take(line: ArticleLine, number: number): readonly ImportRow[];
  /** What is still to be written of the article before this line. */
  close(number: number): Promise<readonly ImportRow[]>;
};

export function arrivingArticles(indexing: Indexing): ArrivingArticles {
  let reading: Reading | undefined;

  function ofArticle(articleId: string, number: number): Reading {
    if (reading?.article.id === articleId) return reading;
    throw expected('the id of the article above', number, 'articleId');
  }

  function takeRevision(line: ArchiveLineOf<'article_revision'>, number: number): ImportRow {
    const current = ofArticle(line.articleId, number);
    const isLate = current.translations.length > 0;
    if (isLate) throw expected('the revisions of an article before its translations', number);
    current.revisions = nextRevision(current.article, current.revisions, line, number);
    const row = rowOf.articleRevision(line);
    if (current.article.live?.revision === line.revision) current.live = row;
    return { kind: 'article_revision', articleId: line.articleId, row };
  }

  function takeTranslation(line: ArchiveLineOf<'translation'>, number: number): ImportRow {
    const current = ofArticle(line.articleId, number);
    const before = current.translations.at(-1);
    requireWhole(before ? before.translation : current.article, (before ?? current).revisions, number);
    const row = rowOf.translation(line);
    // An article that was moved to another language leaves its translation there, archived.
    const isAside = row.status === 'archived' && !row.live;
    if (row.locale === current.article.locale && !isAside) {
      throw expected(`another language than the article's own`, number, 'locale');
    }
    current.translations.push({ translation: row, revisions: 0 });
    return { kind: 'translation', row };
  }

  function takeTranslationRevision(line: ArchiveLineOf<'translation_revision'>, number: number): ImportRow {
    const current = reading?.translations.at(-1);
    if (current?.translation.id !== line.translationId) {
      throw expected('the id of the translation above', number, 'translationId');
    }
    current.revisions = nextRevision(current.translation, current.revisions, line, number);
    const row = rowOf.translationRevision(line);
    if (current.translation.live?.revision === line.revision) current.live = row;
    return { kind: 'translation_revision', translationId: line.translationId, row };
  }

  return {
    take(line, number) {
      switch (line.type) {
        case 'article': {
          const article = rowOf.article(line);
          reading = { article, revisions: 0, translations: [] };
          return [{ kind: 'article', row: article }];
        }
        case 'article_revision':
          return [takeRevision(line, number)];
        case 'translation':
          return [takeTranslation(line, number)];
        case 'translation_revision':
          return [takeTranslationRevision(line, number)];
      }
    },

    async close(number) {
      if (!reading) return [];
      const { article, translations, revisions } = reading;
      requireWhole(article, revisions, number);
      for (const each of translations) requireWhole(each.translation, each.revisions, number);
      const passages = await passagesOf(reading, indexing);
      reading = undefined;
      return [
        { kind: 'live', article, translations: translations.map(({ translation }) => translation) },
        ...passages.map((row): ImportRow => ({ kind: 'passage', row })),
      ];
    },
  };
}

type Owner = {
  readonly id: string;
  readonly revision: number;
  readonly live?: { readonly revision: number };
};
type RevisionLine = ArchiveLineOf<'article_revision'> | ArchiveLineOf<'translation_revision'>;

function nextRevision(
  { revision: newest }: Owner,
  before: number,
  line: RevisionLine,
  number: number,
): number {
  const next = before + 1;
  if (line.revision !== next || next > newest) {
    throw expected(
      next > newest ? `no revision after ${newest}` : `the revision ${next}`,
      number,
      'revision',
    );
  }
  if (contentHash(line) !== line.contentHash) {
    throw expected('the hash of title, answer and aliases', number, 'contentHash');
  }
  return next;
}

/** Called with the number of the line that comes instead of what is missing. */
function requireWhole({ id, revision, live }: Owner, revisions: number, number: number): void {
  if (revisions < revision) throw expected(`the revision ${revisions + 1} of ${id}`, number);
  if (live && live.revision > revision)
    throw expected(`${id} to have its live revision among its revisions`, number);
}

/** What visitors find: nothing while the article itself is not published. */
async function passagesOf(
  { article, live: source, translations }: Reading,
  indexing: Indexing,
): Promise<IndexedPassage[]> {
  if (!source) return [];
  const { id: articleId, slug } = article;
  const { revision } = source;
  const passages: IndexedPassage[] = [
    {
      ...(await indexing.index(slug, source.locale, source.content)),
      ...{ articleId, revision, sourceRevision: revision, stale: false },
    },
  ];
  for (const { translation, live: text } of translations) {
    const { live } = translation;
    if (!live || !text) continue;
    const { url = source.content.url, ...content } = text.content;
    const served = { ...content, ...(url === undefined ? {} : { url }) };
    passages.push({
      ...(await indexing.index(slug, translation.locale, served)),
      articleId,
      translationId: translation.id,
      revision: live.revision,
      sourceRevision: live.source.revision,
      stale: live.source.contentHash !== source.contentHash,
    });
  }
  return passages;
}
