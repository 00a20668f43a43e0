import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { ARTICLE_LIMITS } from '../../../contract/limits/articles.ts';
import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { ImportedArticle, ImportedTranslation, ImportOutcome } from '../../storage/article-import.ts';
import type { Articles } from '../../storage/articles.ts';
import type { Audit } from '../../storage/audit.ts';
import type { RepublishedTranslation } from '../../storage/passage-writes.ts';
import type { ArticleContent } from '../../storage/passages.ts';
import { hashContent, summarize } from '../article-content.ts';
import { indexContent } from '../search/indexing.ts';
import {
  type ArticleInput,
  type ImportDraft,
  type ImportItem,
  type ImportProblem,
  ImportSourceError,
  type SourcePosition,
  toImportSourceError,
} from './article-input.ts';
import { readJsonLines } from './json-lines.ts';
import { readMarkdownFolder } from './markdown.ts';

/** Limits of one commit. Other writers wait while it runs. */
const BATCH_ARTICLES_MAX = 20;
const BATCH_VARIANTS_MAX = 40;
const BATCH_CHARS_MAX = 60_000;
/** Retries for articles that are published or unpublished while the import prepares them. */
const ATTEMPTS_MAX = 5;
/** Pause between commits, so that other writers can proceed. */
const PAUSE_MILLIS = 5;

type ImportDeps = {
  workspaceId: string;
  articles: Articles;
  audit: Audit;
  clock: Clock;
  /** A member id, or `operator` for the command line. */
  actor: string;
};

export type ImportProgress = {
  /** Articles and translations with a newly published revision. */
  articles: number;
  translations: number;
  /** Articles that are unchanged in all locales. */
  skipped: number;
  /** Number of problems in the input. */
  errors: number;
  bytesRead: number;
};

export type ImportReport = Omit<ImportProgress, 'bytesRead'>;

type ImportCallbacks = {
  onProgress?: (progress: ImportProgress) => void;
  onProblem?: (problem: ImportProblem) => void;
  /** Drafts are left out; an article that an earlier import published stays. */
  onDraft?: (draft: ImportDraft) => void;
  signal?: AbortSignal;
};

/**
 * Opens a JSONL file or a folder of Markdown files. Throws ImportSourceError when the path is
 * neither; reading throws it when the source is empty.
 */
export async function openImport(
  path: string,
  sourceLocale: string,
  nowMillis: number,
): Promise<AsyncIterable<ImportItem>> {
  const stats = await stat(path).catch((error) => {
    const isMissing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
    throw isMissing ? new ImportSourceError(`${path} does not exist.`) : toImportSourceError(path, error);
  });
  if (stats.isDirectory()) return readMarkdownFolder(path, sourceLocale, nowMillis);
  if (stats.isFile()) return readJsonLines(path, nowMillis);
  throw new ImportSourceError(`${path} is neither a file nor a folder.`);
}

/**
 * Imports and publishes articles with their translations, a few per commit. Problems are reported
 * and skipped. Importing the same content again publishes nothing. After an abort or a storage
 * error, all stored articles are complete.
 */
export async function importArticles(
  items: AsyncIterable<ImportItem>,
  deps: ImportDeps,
  callbacks: ImportCallbacks = {},
): Promise<ImportReport> {
  const totals = { articles: 0, translations: 0, skipped: 0, errors: 0, bytesRead: 0 };
  const firstPositions = new Map<string, SourcePosition>();
  let batch: PreparedArticle[] = [];
  const reportProblems = (problems: readonly ImportProblem[]) => {
    totals.errors += problems.length;
    for (const problem of problems) callbacks.onProblem?.(problem);
  };
  const commit = async () => {
    if (batch.length === 0) return;
    for (const { outcome, at } of await publishBatch(batch, deps)) {
      if (outcome.skipReason) reportProblems([{ ...at, ...SKIP_PROBLEMS[outcome.skipReason] }]);
      else if (isUnchanged(outcome)) totals.skipped += 1;
      if (outcome.sourceChanged) totals.articles += 1;
      totals.translations += outcome.translationsChanged;
    }
    batch = [];
    callbacks.onProgress?.({ ...totals });
    await pause(PAUSE_MILLIS);
  };
  for await (const item of items) {
    callbacks.signal?.throwIfAborted();
    totals.bytesRead = item.bytesRead;
    if ('problems' in item) {
      reportProblems(item.problems);
      continue;
    }
    if ('draft' in item) {
      callbacks.onDraft?.(item.draft);
      continue;
    }
    const problem = findRepeatedSlug(item.article.slug, item.at, firstPositions);
    if (problem) {
      reportProblems([problem]);
      continue;
    }
    firstPositions.set(item.article.slug, item.at);
    const entry = { article: prepareArticle(item.article), at: item.at };
    if (isFull([...batch, entry])) await commit();
    batch.push(entry);
  }
  await commit();
  const { bytesRead: _, ...report } = totals;
  await deps.audit.append({
    id: newId('aud'),
    atMillis: deps.clock.now(),
    actor: deps.actor,
    action: 'knowledge.imported',
    subject: deps.workspaceId,
    details: report,
  });
  return report;
}

function isUnchanged({ sourceChanged, translationsChanged, organizationChanged }: ImportOutcome): boolean {
  return !sourceChanged && translationsChanged === 0 && !organizationChanged;
}

/** An article ready to import, with its position in the source. */
type PreparedArticle = { article: ImportedArticle; at: SourcePosition };

const SKIP_PROBLEMS = {
  slug_taken: { field: 'slug', expected: 'a slug that no other article has' },
  too_many_locales: {
    field: 'translations',
    expected: `at most ${ARTICLE_LIMITS.localesPerArticleMax} translations per article, including existing ones`,
  },
  outdated: { expected: 'an article that is not published or unpublished during the import' },
};

async function publishBatch(batch: readonly PreparedArticle[], { articles, actor, clock }: ImportDeps) {
  const results: { outcome: ImportOutcome; at: SourcePosition }[] = [];
  let remaining = batch;
  for (let attempt = 1; remaining.length > 0; attempt += 1) {
    const batchArticles: ImportedArticle[] = [];
    for (const { article } of remaining) batchArticles.push(await withRepublished(article, articles));
    const by = { actor, atMillis: clock.now() };
    const outcomes = await articles.import(batchArticles, by, ARTICLE_LIMITS.localesPerArticleMax);
    const retries: PreparedArticle[] = [];
    outcomes.forEach((outcome, index) => {
      const entry = remaining[index]!;
      if (outcome.skipReason === 'outdated' && attempt < ATTEMPTS_MAX) retries.push(entry);
      else results.push({ outcome, at: entry.at });
    });
    remaining = retries;
  }
  return results;
}

/** Adds the live translations that the import lacks: publishing an unpublished article republishes them too. */
async function withRepublished(article: ImportedArticle, articles: Articles): Promise<ImportedArticle> {
  const { slug, locale, translations } = article;
  const articleId = await articles.findId(slug);
  if (articleId === undefined || (await articles.findLive(slug))) return article;
  const importedLocales = new Set([locale, ...translations.map((translation) => translation.locale)]);
  const republished = (await articles.liveTexts(articleId))
    .filter((text) => !importedLocales.has(text.locale))
    .map(
      ({ translationId, revision, locale, content }): RepublishedTranslation => ({
        translationId,
        revision,
        indexed: indexContent(slug, locale, content),
      }),
    );
  return { ...article, republished };
}

/** Rejects a repeated slug, since each import would publish its different texts in turn. */
function findRepeatedSlug(
  slug: string,
  at: SourcePosition,
  firstPositions: ReadonlyMap<string, SourcePosition>,
): ImportProblem | undefined {
  const first = firstPositions.get(slug);
  if (!first) return undefined;
  const where = first.line === undefined ? first.file : `line ${first.line}`;
  return { ...at, field: 'slug', expected: `each slug only once, but ${where} already uses ${slug}` };
}

function isFull(batch: readonly PreparedArticle[]): boolean {
  const variants = batch.reduce((sum, { article }) => sum + 1 + article.translations.length, 0);
  const chars = batch.reduce(
    (sum, { article }) =>
      article.translations.reduce(
        (inner, translation) => inner + translation.content.answer.length,
        sum + article.content.answer.length,
      ),
    0,
  );
  return batch.length > BATCH_ARTICLES_MAX || variants > BATCH_VARIANTS_MAX || chars > BATCH_CHARS_MAX;
}

function prepareArticle({
  slug,
  locale,
  title,
  answer,
  aliases,
  url,
  collection,
  tags,
  audience,
  translations,
}: ArticleInput): ImportedArticle {
  const content = toContent({ title, answer, aliases, url });
  return {
    idIfNew: newId('art'),
    slug,
    ...prepareVariant(slug, locale, content),
    ...(collection === undefined ? {} : { collection: { idIfNew: newId('col'), name: collection } }),
    ...(tags === undefined ? {} : { tags }),
    ...(audience === undefined ? {} : { audience }),
    translations: translations.map(
      (translation): ImportedTranslation => ({
        idIfNew: newId('tr'),
        ...prepareVariant(slug, translation.locale, toContent(translation)),
      }),
    ),
  };
}

function toContent({
  title,
  answer,
  aliases,
  url,
}: Pick<ArticleInput, 'title' | 'answer' | 'aliases' | 'url'>): ArticleContent {
  return { title, answer, aliases, url };
}

function prepareVariant(slug: string, locale: string, content: ArticleContent) {
  return {
    locale,
    content,
    contentHash: hashContent(content),
    searchSummary: summarize(content.answer, locale),
    indexed: indexContent(slug, locale, content),
  };
}
