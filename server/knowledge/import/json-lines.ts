import { createReadStream } from 'node:fs';
import {
  decodeUtf8,
  type ImportItem,
  ImportSourceError,
  parseItem,
  toImportSourceError,
} from './article-input.ts';

/** An article of maximum length in 33 languages takes 20 MB when written in \u escapes. */
export const LINE_BYTES_MAX = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

export type Line = {
  number: number;
  bytes: Buffer | 'too_long';
  bytesRead: number;
};

/** Reads articles from a JSONL file, with one line in memory at a time. */
export async function* readJsonLines(
  file: string,
  nowMillis: number,
  lineBytesMax = LINE_BYTES_MAX,
): AsyncGenerator<ImportItem> {
  let isEmpty = true;
  try {
    for await (const line of readLines(openFile(file), lineBytesMax)) {
      const item = parseLine(file, line, nowMillis, lineBytesMax);
      if (!item) continue;
      isEmpty = false;
      yield item;
    }
  } catch (error) {
    throw toImportSourceError(file, error);
  }
  if (isEmpty) throw new ImportSourceError(`Nothing to import: ${file} contains no articles.`);
}

export const openFile = (file: string): AsyncIterable<Buffer> =>
  createReadStream(file, { highWaterMark: 256 * 1024 });

/** Returns undefined for a blank line. */
export function parseLine(
  file: string,
  line: Line,
  nowMillis: number,
  lineBytesMax = LINE_BYTES_MAX,
): ImportItem | undefined {
  const at = { file, line: line.number };
  const toProblem = (expected: string): ImportItem => ({
    problems: [{ ...at, expected }],
    bytesRead: line.bytesRead,
  });
  if (line.bytes === 'too_long') return toProblem(`a line of at most ${lineBytesMax} bytes`);
  const text = decodeUtf8(line.bytes);
  if (text === undefined) return toProblem('UTF-8 text');
  if (text.trim() === '') return undefined;
  const value = parseJson(text);
  if (value === undefined) return toProblem('a JSON object on one line');
  return parseItem(value, at, line.bytesRead, nowMillis);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Yields lines without their line break. Discards the content of lines over the limit. */
export async function* readLines(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  lineBytesMax: number,
): AsyncGenerator<Line> {
  let number = 1;
  let bytesRead = 0;
  let pieces: Buffer[] = [];
  let length = 0;
  const append = (piece: Buffer) => {
    length += piece.length;
    if (length <= lineBytesMax) pieces.push(piece);
    else pieces = [];
  };
  const finishLine = (): Line => {
    const line: Line = {
      number,
      bytes: length > lineBytesMax ? 'too_long' : Buffer.concat(pieces),
      bytesRead,
    };
    number += 1;
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      append(chunk.subarray(start, end));
      bytesRead += end + 1 - start;
      start = end + 1;
      yield finishLine();
    }
    append(chunk.subarray(start));
    bytesRead += chunk.length - start;
  }
  if (length > 0) yield finishLine();
}
