import { decodeUtf8 } from '../../knowledge/import/article-input.ts';
import { RefusedFile } from './reader.ts';

/** Windows editors write UTF-16 when asked for "Unicode". */
const UTF_16 = [
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
];

/** Decodes a file as UTF-8, or as UTF-16 with a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const utf16 = UTF_16.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte));
  const text = utf16 ? decodeUtf16(bytes, utf16.encoding) : decodeUtf8(bytes);
  if (!utf16 && bytes.includes(0)) throw new RefusedFile('unreadable', 'binary content');
  if (text === undefined) throw new RefusedFile('invalid_encoding', 'expected UTF-8');
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
