import type { ArticleInput } from '../../knowledge/import/article-input.ts';
import { LINE_BYTES_MAX, parseLine, readLines } from '../../knowledge/import/json-lines.ts';
import type { Refusal } from '../document.ts';
import type { Content, OpenedFile } from './reader.ts';
import type { ReadDocument } from './translations.ts';

/** Reads lines in the import format: an article with its translations on each line. */
export async function readJsonl({ place, bytes }: OpenedFile): Promise<Content> {
  const documents: ReadDocument[] = [];
  const refusals: Refusal[] = [];
  const taken = new Set<string>();
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for await (const line of readLines([buffer], LINE_BYTES_MAX)) {
    const item = parseLine(place, line, LINE_BYTES_MAX);
    const linePlace = `${place}#line-${line.number}`;
    if (!item) continue;
    if ('problems' in item) {
      const [problem] = item.problems;
      const detail = `${problem?.field ? `${problem.field}: ` : ''}expected ${problem?.expected}`;
      refusals.push({ place: linePlace, reason: toReason(line.bytes), detail });
    } else if (taken.has(item.article.slug)) {
      refusals.push({ place: linePlace, reason: 'duplicate', detail: `${place}#${item.article.slug}` });
    } else {
      taken.add(item.article.slug);
      documents.push(...toDocuments(item.article, place));
    }
  }
  return { documents, refusals };
}

function toReason(bytes: Buffer | 'too_long'): Refusal['reason'] {
  return bytes === 'too_long' ? 'too_large' : 'invalid_article';
}

function toDocuments({ translations, ...article }: ArticleInput, file: string): ReadDocument[] {
  const place = `${file}#${article.slug}`;
  const { url, collection, tags, slug, ...text } = article;
  const source: ReadDocument = {
    ...text,
    place,
    slug,
    article: place,
    ...(url === undefined ? {} : { url }),
    ...(collection === undefined ? {} : { collection }),
    ...(tags === undefined ? {} : { tags }),
  };
  const others = translations.map(({ title, answer, aliases, locale }) => ({
    ...{ title, answer, aliases, locale },
    place: `${place}.${locale}`,
    translationOf: place,
  }));
  return [source, ...others];
}
