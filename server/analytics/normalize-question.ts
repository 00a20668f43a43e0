import { ANALYTICS } from '../../contract/analytics.ts';

/**
 * Questions that differ only in case, spaces and punctuation are one. What is nothing but punctuation stays as it is. Only the
 * beginning counts, so that nobody fills the memory with long questions.
 */
export function foldQuestion(question: string): { readonly key: string; readonly shown: string } {
  const shown = cutAt(question.trim(), ANALYTICS.questionCharsMax);
  const words = shown
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return { key: words?.join(' ') ?? shown, shown };
}

/** Never cuts a character in two. */
function cutAt(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, chars);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
