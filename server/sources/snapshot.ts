import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import { hashContent } from '../knowledge/article-content.ts';
import { importLine, toFieldProblems } from '../knowledge/import/article-input.ts';
import type { Snapshot } from '../storage/source-rows.ts';
import type { CrawlStep, SkipCause, Skipped, SourceDocument, Validators } from './document.ts';
import { unwrapLinks } from './redirectors.ts';

/** Checks and normalizes the results of readers. */

type Origin = Pick<Snapshot, 'upload' | 'readUrl' | 'etag' | 'lastModified'>;

const UNUSED_SLUG = 'unused';

/** Normalizes a document as an import does, or returns why it cannot be an article. */
export function checkDocument(document: SourceDocument): SourceDocument | SkipCause {
  const { locale, title, answer, aliases, url, slug, collection, tags } = document;
  if (answer.trim() === '') return { reason: 'no_content' };
  const parsed = importLine.safeParse({
    ...{ locale, title, answer: unwrapLinks(answer), url, collection, tags },
    aliases: aliases.slice(0, ARTICLE_LIMITS.aliasesMax),
    slug: slug ?? UNUSED_SLUG,
  });
  if (!parsed.success) {
    const [problem] = toFieldProblems(parsed.error);
    const reason = problem?.field === 'locale' ? 'unsupported_language' : 'invalid_article';
    return { reason, detail: problem && `${problem.field ?? 'text'}: expected ${problem.expected}` };
  }
  const { translations: _, ...checked } = parsed.data;
  return { ...document, ...checked, slug: slug === undefined ? undefined : checked.slug };
}

/** Validates and normalizes a document. The snapshot says that it is skipped if it is not a valid article. */
export function toSnapshot(document: SourceDocument, origin: Origin): Snapshot {
  const place = toPlace(document.place);
  if (place !== document.place) return toSkippedSnapshot({ place, reason: 'place_too_long' }, origin);
  const checked = checkDocument(document);
  if ('reason' in checked) return toSkippedSnapshot({ place, ...checked }, origin);
  const { title, answer, aliases, locale, url, slug, collection, tags, translationOf, remark } = checked;
  const text = { title, answer, aliases, url, collection, tags, slug };
  return {
    ...{ place, kind: 'document', ...origin, locale, title, slug, url, text },
    translationOf: translationOf === undefined ? undefined : toPlace(translationOf),
    detail: cutDetail(remark),
    contentHash: hashContent(text),
  };
}

export function toSkippedSnapshot({ place, reason, detail }: Skipped, origin: Origin): Snapshot {
  const { upload, readUrl } = origin;
  return {
    ...{ place: toPlace(place), kind: 'refused', upload, readUrl, reason },
    detail: cutDetail(detail),
  };
}

const cutDetail = (detail: string | undefined) =>
  detail && clean(detail).slice(0, SOURCE_LIMITS.skipDetailCharsMax);

export function toPageSnapshot(step: Exclude<CrawlStep, { kind: 'listed' }>): Snapshot {
  const origin = { upload: '', readUrl: step.url };
  switch (step.kind) {
    case 'document':
      return toSnapshot(step.document, { ...origin, ...keepShort(step.validators) });
    case 'skipped':
      return toSkippedSnapshot(step.skipped, origin);
    default:
      return { ...origin, kind: step.kind, place: toPlace(step.place) };
  }
}

/** Longer validators are not worth storing. */
const VALIDATOR_CHARS_MAX = 1000;

function keepShort({ etag = '', lastModified = '' }: Validators): Validators {
  const isLong = etag.length > VALIDATOR_CHARS_MAX || lastModified.length > VALIDATOR_CHARS_MAX;
  return isLong ? {} : { etag: etag || undefined, lastModified: lastModified || undefined };
}

/** Truncates a place at the limit, between characters. */
export function toPlace(text: string): string {
  const bytes = Buffer.from(clean(text));
  if (bytes.length <= SOURCE_LIMITS.placeBytesMax) return bytes.toString() || '-';
  return bytes
    .subarray(0, SOURCE_LIMITS.placeBytesMax)
    .toString()
    .replace(/\ufffd+$/, '');
}

const clean = (text: string) => text.toWellFormed().replace(/\p{Cc}/gu, ' ');
