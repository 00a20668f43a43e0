import { toSlug } from '../../knowledge/article-content.ts';
import { decodeUtf8 } from '../../knowledge/import/article-input.ts';
import type { ParsedPath } from '../../knowledge/import/markdown.ts';
import type { Siblings } from '../../knowledge/import/publication.ts';
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

export type Content = { documents: readonly ReadDocument[]; skipped: readonly Skipped[] };

/** Reads a file of one type. Throws `SkippedFile` to skip the whole file. */
export type Reader = (file: OpenedFile) => Promise<Content> | Content;

/** Windows editors write UTF-16 when asked for "Unicode". */
const UTF_16 = [
  { byteOrderMark: [0xff, 0xfe], encoding: 'utf-16le' },
  { byteOrderMark: [0xfe, 0xff], encoding: 'utf-16be' },
];

/** Decodes a file as UTF-8, or as UTF-16 with a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const utf16 = UTF_16.find(({ byteOrderMark }) => byteOrderMark.every((byte, at) => bytes[at] === byte));
  const text = utf16 ? decodeUtf16(bytes, utf16.encoding) : decodeUtf8(bytes);
  if (!utf16 && bytes.includes(0)) throw new SkippedFile('unreadable', 'binary content');
  if (text === undefined) throw new SkippedFile('invalid_encoding', 'expected UTF-8');
  return text;
}

function decodeUtf16(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
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
