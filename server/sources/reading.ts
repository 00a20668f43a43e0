import { LIMITS } from '../../contract/limits.ts';
import { hashContent } from '../knowledge/article-content.ts';
import { importLine, toFieldProblems } from '../knowledge/import/article-input.ts';
import type { Reading } from '../storage/source-rows.ts';
import type { CrawlStep, Refusal, SourceDocument, Validators } from './document.ts';

/** Checks and normalizes the results of readers. */

type Origin = Pick<Reading, 'upload' | 'readUrl' | 'etag' | 'lastModified'>;

const UNUSED_SLUG = 'unused';

/** Validates and normalizes a document. Returns a refusal if it is not a valid article. */
export function toReading(document: SourceDocument, origin: Origin): Reading {
  const { locale, title, answer, aliases, url, slug, collection, tags, translationOf } = document;
  const place = toPlace(document.place);
  if (place !== document.place) return toRefusal({ place, reason: 'place_too_long' }, origin);
  const input = {
    ...{ locale, title, answer, aliases: [...aliases].slice(0, LIMITS.aliasesMax), translations: [] },
    slug: slug ?? UNUSED_SLUG,
    ...(url !== undefined && { url }),
    ...(collection !== undefined && { collection }),
    ...(tags !== undefined && { tags: [...tags] }),
  };
  const parsed = importLine.safeParse(input);
  if (!parsed.success) {
    const [problem] = toFieldProblems(parsed.error);
    const reason = problem?.field === 'locale' ? 'unsupported_language' : 'invalid_article';
    const detail = problem && `${problem.field ?? 'text'}: expected ${problem.expected}`;
    return toRefusal({ place, reason, ...(detail && { detail }) }, origin);
  }
  const { translations: _, locale: parsedLocale, slug: parsedSlug, ...text } = parsed.data;
  const own = slug === undefined ? {} : { slug: parsedSlug };
  return {
    ...{ place, kind: 'document', ...origin, locale: parsedLocale, title: text.title, ...own },
    ...(translationOf !== undefined && { translationOf: toPlace(translationOf) }),
    contentHash: hashContent(text),
    ...(text.url !== undefined && { url: text.url }),
    text: { ...text, ...own },
  };
}

export function toRefusal({ place, reason, detail }: Refusal, origin: Origin): Reading {
  const { upload, readUrl } = origin;
  return {
    ...{ place: toPlace(place), kind: 'refused', upload, readUrl, reason },
    ...(detail !== undefined && { detail: clean(detail).slice(0, LIMITS.refusalDetailCharsMax) }),
  };
}

export function toPageReading(step: CrawlStep): Reading {
  const origin = { upload: '', readUrl: step.url };
  switch (step.kind) {
    case 'document':
      return toReading(step.document, { ...origin, ...keepShort(step.validators) });
    case 'refused':
      return toRefusal(step.refusal, origin);
    default:
      return { ...origin, kind: step.kind, place: toPlace(step.place) };
  }
}

/** Longer validators are not worth storing. */
const VALIDATOR_CHARS_MAX = 1000;

function keepShort({ etag, lastModified }: Validators): Validators {
  const isShort = [etag, lastModified].every((text) => (text ?? '').length <= VALIDATOR_CHARS_MAX);
  return isShort ? { ...(etag && { etag }), ...(lastModified && { lastModified }) } : {};
}

/** Truncates a place at the limit, between characters. */
export function toPlace(text: string): string {
  const bytes = Buffer.from(clean(text));
  if (bytes.length <= LIMITS.placeBytesMax) return bytes.toString() || '-';
  return bytes.subarray(0, LIMITS.placeBytesMax).toString().replace(/�+$/, '');
}

const clean = (text: string) => text.toWellFormed().replace(/\p{Cc}/gu, ' ');
