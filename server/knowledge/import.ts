import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { newId } from '../ids.ts';
import type {
  AnalysedText,
  ArticleContent,
  Articles,
  ImportedArticle,
  ImportedTranslation,
} from '../storage/articles.ts';
import type { Audit } from '../storage/audit.ts';
import { contentHash } from './content-hash.ts';
import type { ArticleInput } from './import/article-line.ts';
import { type Found, type ImportProblem, type Place, UnreadableSource } from './import/found.ts';
import { articlesOfJsonLines } from './import/json-lines.ts';
import { articlesOfFolder } from './import/markdown-folder.ts';
import { indexPassage } from './index-passage.ts';
import { searchSummary } from './summary.ts';

/** Articles of one commit; fewer when they have many translations or long texts, for others wait while it runs. */
const BATCH_ARTICLES_MAX = 20;
const BATCH_VARIANTS_MAX = 40;
const BATCH_CHARS_MAX = 60_000;
/** Between two commits, so that whoever waits to write has a turn. */
const PAUSE_MILLIS = 5;

export type ImportNeeds = {
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

export type ImportWatch = {
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly onProblem?: (problem: ImportProblem) => void;
  readonly signal?: AbortSignal;
};

/** The articles of a JSONL file, or of a folder of Markdown files; throws UnreadableSource when there is neither. */
export async function articlesAt(path: string, sourceLocale: string): Promise<AsyncIterable<Found>> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new UnreadableSource(`There is nothing at ${path}.`);
  if (found.isDirectory()) return articlesOfFolder(path, sourceLocale);
  if (found.isFile()) return articlesOfJsonLines(path);
  throw new UnreadableSource(`${path} is neither a file nor a folder.`);
}

/**
 * Publishes what is found, source and translations at once, a few articles a commit. What can't be read is told and passed over.
 * Importing the same again publishes nothing. Stopping midway, by the signal or an error of the store, leaves whole articles.
 */
export async function importArticles(
  found: AsyncIterable<Found>,
  needs: ImportNeeds,
  watch: ImportWatch = {},
): Promise<ImportReport> {
  const sums = { articles: 0, translations: 0, skipped: 0, errors: 0, bytesRead: 0 };
  const firstPlaces = new Map<string, Place>();
  let batch: ImportedArticle[] = [];
  const tell = (problems: readonly ImportProblem[]) => {
    sums.errors += problems.length;
    for (const problem of problems) watch.onProblem?.(problem);
  };
  const commit = async () => {
    if (batch.length === 0) return;
    const by = { actor: needs.actor, atMillis: needs.clock.now() };
    for (const outcome of await needs.articles.import(batch, by)) {
      if (outcome.sourceChanged) sums.articles += 1;
      sums.translations += outcome.translationsChanged;
      if (!outcome.sourceChanged && outcome.translationsChanged === 0) sums.skipped += 1;
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
    const article = prepared(next.article);
    if (isFull([...batch, article])) await commit();
    batch.push(article);
  }
  await commit();
  const { bytesRead: _, ...report } = sums;
  await needs.audit.append({
    id: newId('aud'),
    atMillis: needs.clock.now(),
    actor: needs.actor,
    action: 'knowledge.imported',
    subject: needs.workspaceId,
    details: report,
  });
  return report;
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

function isFull(batch: readonly ImportedArticle[]): boolean {
  const variants = batch.reduce((sum, article) => sum + 1 + article.translations.length, 0);
  const chars = batch.reduce(
    (sum, article) =>
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
    freshId: newId('art'),
    freshAuditId: newId('aud'),
    slug,
    ...preparedVariant(slug, locale, content),
    translations: translations.map(
      (translation): ImportedTranslation => ({
        freshId: newId('tr'),
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
    analysed: analysed(slug, locale, content),
  };
}

function analysed(slug: string, locale: string, content: ArticleContent): AnalysedText {
  const variant = { slug, locale, ...content };
  // The store alone knows which article and revision this becomes; matching does not read them.
  const unpublished = { articleId: '', revision: 0, sourceRevision: 0, stale: false };
  const { labels, windows } = indexPassage({ ...variant, ...unpublished });
  return { ...variant, labels, windows };
}
