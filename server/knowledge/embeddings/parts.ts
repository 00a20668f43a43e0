/** The texts of an article that are embedded, each with its position in the answer. */
import { createHash } from 'node:crypto';
import { type Span, splitSentences } from '../search/tokenize.ts';

type Part = Span & { text: string };

export type Parts = {
  /** The title, then windows of whole sentences below it. */
  windows: readonly Part[];
  /** Every sentence; none in large workspaces. */
  sentences: readonly Part[];
};

type Content = { title: string; answer: string; locale: string };

/** Sentences are compared in workspaces of at most this many articles: they double the time that indexing takes. */
export const ARTICLES_WITH_SENTENCES_MAX = 1_000;
/** About 100 tokens in alphabets; with the title, 128. */
const WINDOW_CHARS_MAX = 450;
/** The models read at most 512 tokens; a longer sentence is cut, so that hostile texts cost no more than others. */
const TEXT_CHARS_MAX = 8_000;

export function splitParts({ title, answer, locale }: Content, withSentences: boolean): Parts {
  const spans = splitSentences(answer, locale);
  const toPart = ({ start, end }: Span, prefix = ''): Part => ({
    ...{ start, end },
    text: clean(prefix + answer.slice(start, end)),
  });
  return {
    windows: [
      { start: 0, end: spans[0]?.end ?? 0, text: clean(title) },
      ...joinToWindows(spans).map((span) => toPart(span, `${title}\n`)),
    ],
    sentences: withSentences ? spans.map((span) => toPart(span)) : [],
  };
}

const clean = (text: string) => text.slice(0, TEXT_CHARS_MAX).toWellFormed();

function joinToWindows(sentences: readonly Span[]): Span[] {
  const windows: Span[] = [];
  for (const { start, end } of sentences) {
    const last = windows.at(-1);
    if (last && end - last.start <= WINDOW_CHARS_MAX) windows[windows.length - 1] = { ...last, end };
    else windows.push({ start, end });
  }
  return windows;
}

/** Names the content that the vectors are of; sentences follow from the windows. */
export function hashParts({ windows }: Parts): string {
  return createHash('sha256').update(JSON.stringify(windows)).digest('base64url');
}
