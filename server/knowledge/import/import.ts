import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '../../../contract/limits.ts';
import type { Clock } from '../../clock.ts';
import { newId } from '../../ids.ts';
import type {
  Articles,
  ImportedArticle,
  ImportedTranslation,
  ImportOutcome,
  RepublishedTranslation,
} from '../../storage/articles.ts';
import type { Audit } from '../../storage/audit.ts';
import type { ArticleContent } from '../../storage/passages.ts';
import { contentHash, searchSummary } from '../article-content.ts';
import { indexContent } from '../search/indexing.ts';
import {
  type ArticleInput,
  type Found,
  type ImportProblem,
  ImportSourceError,
  type Place,
  toImportSourceError,
} from './article-input.ts';
import { readJsonLines } from './json-lines.ts';
import { readMarkdownFolder } from './markdown.ts';

/** Limits of one commit, since other writers wait while it runs. */
const BATCH_ARTICLES_MAX = 20;
const BATCH_VARIANTS_MAX = 40;
const BATCH_CHARS_MAX = 60_000;
/** An article may be published or unpublished while it is prepared; then it is tried again. */
const ATTEMPTS_MAX = 5;
/** Pause between commits, so that other writers can proceed. */
const PAUSE_MILLIS = 5;

export type ImportDeps = {
  readonly workspaceId: string;
  readonly articles: Articles;
  readonly audit: Audit;
  readonly clock: Clock;
  /** A member id, or `operator` for the command line. */
  readonly actor: string;
};

export type ImportProgress = {
  /** Articles and translations with a newly published revision. */
  readonly articles: number;
  readonly translations: number;
  /** Articles that are unchanged in every language. */
  readonly skipped: number;
  /** Number of problems in the input. */
  readonly errors: number;
  readonly bytesRead: number;
};

export type ImportReport = Omit<ImportProgress, 'bytesRead'>;

export type ImportCallbacks = {
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly onProblem?: (problem: ImportProblem) => void;
  readonly signal?: AbortSignal;
};

/**
 * Opens a JSONL file or a folder of Markdown files. Throws ImportSourceError when there is neither;
 * reading throws it when the source is
 * empty.
 */
export async function openImport(path: string, sourceLocale: string): Promise<AsyncIterable<Found>> {
  const found = await stat(path).catch((error) => {
    const isNothing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
    throw isNothing
      ? new ImportSourceError(`There is nothing at ${path}.`)
      : toImportSourceError(path, error);
  });
  if (found.isDirectory()) return readMarkdownFolder(path, sourceLocale);
  if (found.isFile()) return readJsonLines(path);
  throw new ImportSourceError(`${path} is neither a file nor a folder.`);
}

/**
 * Imports and publishes articles with their translations, a few per commit. Problems are reported
 * and skipped. Importing the same content
 * again publishes nothing. Aborting, or a storage error, leaves only complete articles.
 */
export async function importArticles(
  found: AsyncIterable<Found>,
  deps: ImportDeps,
  watch: ImportCallbacks = {},
): Promise<ImportReport> {
  const sums = { articles: 0, translations: 0, skipped: 0, errors: 0, bytesRead: 0 };
  const firstPlaces = new Map<string, Place>();
  let batch: Prepared[] = [];
  const tell = (problems: readonly ImportProblem[]) => {
    sums.errors += problems.length;
    for (const problem of problems) watch.onProblem?.(problem);
  };
  const commit = async () => {
    if (batch.length === 0) return;
    for (const { outcome, at } of await publish(batch, deps)) {
      if (outcome.undone) tell([{ ...at, ...UNDONE[outcome.undone] }]);
      else if (!outcome.sourceChanged && outcome.translationsChanged === 0) sums.skipped += 1;
      if (outcome.sourceChanged) sums.articles += 1;
      sums.translations += outcome.translationsChanged;
    }
    batch = [];
    watch.onProgress?.({ ...sums });
    await pause(PAUSE_MILLIS);
  };
  for await (const next of found) {
    watch.signal?.throwIfAborted();
    sums.bytesRead = next.bytesRead;
    if ('problems' in next) {
      tell(next.problems);
      continue;
    }
    const problem = repeated(next.article.slug, next.at, firstPlaces);
    if (problem) {
      tell([problem]);
      continue;
    }
    firstPlaces.set(next.article.slug, next.at);
    const one = { article: prepared(next.article), at: next.at };
    if (isFull([...batch, one])) await commit();
    batch.push(one);
  }
  await commit();
  const { bytesRead: _, ...report } = sums;
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

/** An article ready to import, with its position in the source. */
type Prepared = { readonly article: ImportedArticle; readonly at: Place };

const UNDONE = {
  too_many_locales: {
    field: 'translations',
    expected: `at most ${LIMITS.localesPerArticleMax} translations of an article, with those that it has already`,
  },
  outdated: { expected: 'an article that nobody publishes and unpublishes meanwhile' },
};

async function publish(batch: readonly Prepared[], { articles, actor, clock }: ImportDeps) {
  const done: { outcome: ImportOutcome; at: Place }[] = [];
  let left = batch;
  for (let attempt = 1; left.length > 0; attempt += 1) {
    const complete: ImportedArticle[] = [];
    for (const { article } of left) complete.push(await withServedAgain(article, articles));
    const by = { actor, atMillis: clock.now() };
    const outcomes = await articles.import(complete, by, LIMITS.localesPerArticleMax);
    const again: Prepared[] = [];
    outcomes.forEach((outcome, index) => {
      const one = left[index]!;
      if (outcome.undone === 'outdated' && attempt < ATTEMPTS_MAX) again.push(one);
      else done.push({ outcome, at: one.at });
    });
    left = again;
  }
  return done;
}

/**
 * Publishing an unpublished article also republishes translations that are not part of the import.
 */
async function withServedAgain(article: ImportedArticle, articles: Articles): Promise<ImportedArticle> {
  const { slug, locale, translations } = article;
  const articleId = await articles.findId(slug);
  if (articleId === undefined || (await articles.findLive(slug))) return article;
  const brought = new Set([locale, ...translations.map((translation) => translation.locale)]);
  const republished = (await articles.liveTexts(articleId))
    .filter((text) => !brought.has(text.locale))
    .map(
      ({ translationId, revision, locale, content }): RepublishedTranslation => ({
        translationId,
        revision,
        indexed: indexContent(slug, locale, content),
      }),
    );
  return { ...article, republished };
}

/** Reject repeated slugs: they would publish alternating revisions with every import. */
function repeated(
  slug: string,
  at: Place,
  firstPlaces: ReadonlyMap<string, Place>,
): ImportProblem | undefined {
  const first = firstPlaces.get(slug);
  if (!first) return undefined;
  const where = first.line === undefined ? first.file : `line ${first.line}`;
  return { ...at, field: 'slug', expected: `each slug once, but ${slug} is in ${where} already` };
}

function isFull(batch: readonly Prepared[]): boolean {
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

function prepared({
  slug,
  locale,
  title,
  answer,
  aliases,
  url,
  translations,
}: ArticleInput): ImportedArticle {
  const content = contentOf({ title, answer, aliases, url });
  return {
    idIfNew: newId('art'),
    auditId: newId('aud'),
    slug,
    ...preparedVariant(slug, locale, content),
    translations: translations.map(
      (translation): ImportedTranslation => ({
        idIfNew: newId('tr'),
        ...preparedVariant(slug, translation.locale, contentOf(translation)),
      }),
    ),
  };
}

function contentOf(given: {
  readonly title: string;
  readonly answer: string;
  readonly aliases: readonly string[];
  readonly url?: string | undefined;
}): ArticleContent {
  const { title, answer, aliases, url } = given;
  return { title, answer, aliases, ...(url === undefined ? {} : { url }) };
}

function preparedVariant(slug: string, locale: string, content: ArticleContent) {
  return {
    locale,
    content,
    contentHash: contentHash(content),
    searchSummary: searchSummary(content.answer, locale),
    indexed: indexContent(slug, locale, content),
  };
}
