import { createHash } from 'node:crypto';
import type { Passage } from '../../storage/passages.ts';
import { decodeNormalized } from '../search/chunks.ts';

/** What is embedded of a passage: each chunk of the search index below the title. */
export type TextsToEmbed = { readonly texts: readonly string[]; readonly contentHash: string };

/** A sentence without an end may be as long as an answer. About 2,000 tokens. */
const TEXT_CHARS_MAX = 8_000;

export function toTexts({
  title,
  answer,
  chunks,
}: Pick<Passage, 'title' | 'answer' | 'chunks'>): TextsToEmbed {
  const texts = chunks.map((chunk) => {
    const { sentences } = decodeNormalized(chunk);
    const text = answer.slice(sentences[0]?.start ?? 0, sentences.at(-1)?.end ?? 0);
    return `${title}\n\n${text}`.slice(0, TEXT_CHARS_MAX).toWellFormed();
  });
  return { texts, contentHash: createHash('sha256').update(JSON.stringify(texts)).digest('base64url') };
}
