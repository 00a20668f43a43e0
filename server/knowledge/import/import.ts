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

/** Articles of one commit; fewer when they have many translations or long texts, for others wait while it runs. */
const BATCH_ARTICLES_MAX = 20;
const BATCH_VARIANTS_MAX = 40;
const BATCH_CHARS_MAX = 60_000;
/** Others may publish and unpublish while an article is prepared; nobody does so for long. */
const ATTEMPTS_MAX = 5;
/** Between two commits, so that whoever waits to write has a turn. */
const PAUSE_MILLIS = 5;

export type ImportDeps = {
  readonly workspaceId: string;
  readonly articles: Articles;
  readonly audit: Audit;
  readonly clock: Clock;
  /** Who imports: a member id, or `operator` for the command line. */
  readonly actor: string;
};

export type ImportProgress = {
  /** Articles, and translations of them, of which a revision was published. */
  readonly articles: number;
  readonly translations: number;
  /** Articles that were there already, the same in every language. */
  readonly skipped: number;
  /** Things that were wrong with the input. */
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
 * The articles of a JSONL file, or of a folder of Markdown files. Throws UnreadableSource when there is neither; reading them does so too
 * when there is nothing in it.
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
 * Publishes what is found, source and translations at once, a few articles a commit. What can't be read is told and passed over.
 * Importing the same again publishes nothing. Stopping midway, by the signal or an error of the store, leaves whole articles.
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

/** An article to import, and where it was found. */
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

/** Publishing an article that was taken down brings back translations that the import does not bring itself. */
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

/** Twice the same slug would publish one of them now and the other one the next time, over and over. */
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
