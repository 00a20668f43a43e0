import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';

/**
 * Groups questions that differ only in case, spaces and punctuation. Uses only the beginning of long questions, to
 * bound memory. Text without letters or digits is its own key.
 */
export function normalizeQuestion(question: string): { key: string; shown: string } {
  const shown = truncateUnits(question.trim(), WORKSPACE_LIMITS.questionCharsMax);
  const words = shown
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return { key: words?.join(' ') ?? shown, shown };
}

/** Truncates to `chars` UTF-16 units, without splitting a surrogate pair. */
function truncateUnits(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, chars);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
