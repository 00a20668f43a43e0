import { toSlug } from '../../base/slug.ts';
import type { ParsedPath } from '../../knowledge/import/markdown.ts';
import type { Siblings } from '../../knowledge/import/publication.ts';
import { decode, toRemark } from '../decode.ts';
import type { SkipCause, Skipped, SourceDocument } from '../document.ts';

/** What the readers of files share. */

/** Thrown by readers to skip the whole file. */
export class SkippedFile extends Error {
  override readonly name = 'SkippedFile';
  readonly skipCause: SkipCause;

  constructor(reason: SkipCause['reason'], detail?: string) {
    super(detail ?? reason);
    this.skipCause = { reason, detail };
  }
}

/** Input of a reader. */
export type OpenedFile = {
  place: string;
  bytes: Uint8Array;
  /** Name without extension, and language, taken from its path. */
  parsedPath: ParsedPath;
  sourceLocale: string;
  /** Where visitors open the file. */
  address?: string;
  /** What stands beside it in its upload. */
  siblings: Siblings;
  nowMillis: number;
};

/** A document before it is grouped with those of the same article. */
export type ReadDocument = SourceDocument & {
  /** The key that all languages of an article share. */
  article?: string;
};

export type Content = {
  documents: readonly ReadDocument[];
  skipped: readonly Skipped[];
  /** What the owner should check in all of them. */
  remark?: string;
};

/** Reads a file of one type. Throws `SkippedFile` to skip the whole file. */
export type Reader = (file: OpenedFile) => Promise<Content> | Content;

/** Decodes a file. A guess is a remark for the owner. */
export function decodeFile(
  { bytes, parsedPath, sourceLocale }: OpenedFile,
  { isMarkup = false } = {},
): { text: string; remark?: string } {
  const decoded = decode(bytes, { isMarkup, locale: parsedPath.locale ?? sourceLocale });
  if (decoded) return { text: decoded.text.replace(/^\ufeff/, ''), remark: toRemark(decoded) };
  if (bytes.includes(0)) throw new SkippedFile('unreadable', 'binary content');
  throw new SkippedFile('invalid_encoding', 'expected UTF-8');
}

/** Makes a title from the last segment of a path, for files without a title. */
export function toTitle(path: string): string {
  const words = path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/[-_.\s]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Creates a function that returns the place of a part of a file, such as `manual.pdf#paper-jams`, by its title. */
export function createPlaceNamer(file: string): (title: string) => string {
  const counts = new Map<string, number>();
  return (title) => {
    const slug = toSlug(title);
    const count = (counts.get(slug) ?? 0) + 1;
    counts.set(slug, count);
    return `${file}#${slug}${count === 1 ? '' : `-${count}`}`;
  };
}
