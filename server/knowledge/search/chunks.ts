/**
 * Builds the search index entry of a published variant: chunks of sentences, each sentence as
 * tokens.
 */
import type { IndexedChunk, IndexedPassage, PublishedVariant } from '../../storage/passages.ts';
import { parseStructure } from '../answer/blocks.ts';
import { withoutAddresses } from '../answer/lines.ts';
import {
  addLongStems,
  createTermBuffer,
  hashTerms,
  type Span,
  splitSentences,
  tokenize,
} from './tokenize.ts';

/**
 * A chunk ends before the sentence that would exceed this length (UTF-16 units); a longer sentence is
 * a chunk of its own. Most answers are a single chunk.
 */
const CHUNK_UNITS = 4_000;
/** Aliases to search in per article; further ones are only stored. */
const ALIASES_MATCHED_MAX = 64;

/** Tokenized text: each sentence's offsets in the answer and its tokens. */
export interface NormalizedText {
  sentences: readonly Span[];
  /** End of sentence i in `units`; it starts where sentence i - 1 ends. */
  ends: Uint32Array;
  units: Uint16Array;
  /** Part of the text that each sentence belongs to. */
  parts: Uint8Array;
}

/** Parts of an answer. The lead and headings say more about its subject than the body. */
export const PART = { body: 0, lead: 1, heading: 2 } as const;

/** Call before the transaction starts, since indexing takes about 0.3 ms per 1,000 characters. Has no side effects. */
export function indexPassage(variant: PublishedVariant): IndexedPassage {
  const { locale, title, answer } = variant;
  const titles = [title, ...variant.aliases.slice(0, ALIASES_MATCHED_MAX)].map((text) =>
    tokenize(text, locale),
  );
  const titleTerms = new Set<number>();
  for (const title of titles) addWords(title, titleTerms);
  const spans = splitSentences(answer, locale);
  const parts = getParts(answer, title, spans);
  let from = 0;
  const chunks = splitIntoChunks(spans).map((chunkSpans) => {
    const chunkParts = parts.slice(from, from + chunkSpans.length);
    from += chunkSpans.length;
    return indexChunk(answer, locale, chunkSpans, chunkParts, titleTerms);
  });
  return { ...variant, titles: encodeNormalized(titles.map(emptySpan), titles, []), chunks };
}

function splitIntoChunks(spans: readonly Span[]): Span[][] {
  const chunks: Span[][] = [[]];
  let start = 0;
  for (const span of spans) {
    if (span.end - start > CHUNK_UNITS && chunks.at(-1)!.length > 0) {
      chunks.push([]);
      start = span.start;
    }
    chunks.at(-1)!.push(span);
  }
  return chunks;
}

function indexChunk(
  answer: string,
  locale: string,
  spans: readonly Span[],
  parts: readonly number[],
  titleTerms: ReadonlySet<number>,
): IndexedChunk {
  const tokenized = spans.map((span) =>
    tokenize(withoutAddresses(answer.slice(span.start, span.end)), locale),
  );
  const terms = new Set<number>(titleTerms);
  let words = 0;
  let ngrams = 0;
  for (const tokens of tokenized) {
    addWords(tokens, terms);
    words += buffer.wordCount;
    ngrams += buffer.ngramCount;
  }
  return {
    terms: Int32Array.from(terms),
    normalized: encodeNormalized(spans, tokenized, parts),
    sentences: spans.length,
    words,
    ngrams,
  };
}

/** Returns each sentence's part of the answer. The lead is a paragraph at the start with more text after it. */
function getParts(answer: string, title: string, spans: readonly Span[]): number[] {
  const { units, sections } = parseStructure(answer, title);
  const first = sections.find(({ blocks }) => blocks.length > 0)?.blocks[0];
  const last = units.length > 1 && first ? units[first.to - 1] : undefined;
  const leadEnd = first?.kind === 'paragraph' && first.to < units.length ? (last?.end ?? 0) : 0;
  const headings = units.filter(({ kind }) => kind === 'heading');
  let next = 0;
  return spans.map(({ start }) => {
    while (next < headings.length && headings[next]!.end <= start) next += 1;
    const heading = headings[next];
    if (heading && heading.start <= start) return PART.heading;
    return start < leadEnd ? PART.lead : PART.body;
  });
}

const buffer = createTermBuffer();

/** Adds the words' hashes to the set. The buffer keeps the terms for the caller. */
function addWords(tokens: Uint16Array, terms: Set<number>): void {
  hashTerms(buffer, tokens, 0, tokens.length);
  for (let at = 0; at < buffer.wordCount; at += 1) terms.add(buffer.words[at]!);
  addLongStems(tokens, terms);
}

const emptySpan = (): Span => ({ start: 0, end: 0 });

/**
 * Encodes in little-endian order: the number of sentences; start, end, token end and part of each
 * sentence (32 bits each); then the units (16 bits each).
 */
function encodeNormalized(
  spans: readonly Span[],
  tokenized: readonly Uint16Array[],
  parts: readonly number[],
): Uint8Array {
  const units = tokenized.reduce((sum, tokens) => sum + tokens.length, 0);
  const bytes = new ArrayBuffer(4 + spans.length * HEADER_BYTES + units * 2);
  const header = new Uint32Array(bytes, 0, 1 + spans.length * 4);
  const body = new Uint16Array(bytes, header.byteLength);
  header[0] = spans.length;
  let end = 0;
  spans.forEach((span, at) => {
    const tokens = tokenized[at]!;
    body.set(tokens, end);
    end += tokens.length;
    header.set([span.start, span.end, end, parts[at] ?? PART.body], 1 + at * 4);
  });
  return new Uint8Array(bytes);
}

const HEADER_BYTES = 16;

/** Decodes what `indexPassage` encoded, without copying where the alignment allows. */
export function decodeNormalized(bytes: Uint8Array): NormalizedText {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const count = new Uint32Array(aligned.buffer, aligned.byteOffset, 1)[0]!;
  const header = new Uint32Array(aligned.buffer, aligned.byteOffset + 4, count * 4);
  const bodyOffset = 4 + count * HEADER_BYTES;
  const units = new Uint16Array(
    aligned.buffer,
    aligned.byteOffset + bodyOffset,
    (aligned.byteLength - bodyOffset) / 2,
  );
  const sentences: Span[] = [];
  const ends = new Uint32Array(count);
  const parts = new Uint8Array(count);
  for (let at = 0; at < count; at += 1) {
    sentences.push({ start: header[at * 4]!, end: header[at * 4 + 1]! });
    ends[at] = header[at * 4 + 2]!;
    parts[at] = header[at * 4 + 3]!;
  }
  return { sentences, ends, units, parts };
}
