import { withoutHiddenMarkup } from './markup.ts';
import { withoutPersonalData } from './personal-data.ts';
import { withoutQuotedSecrets } from './secrets.ts';
import { withoutFieldSecrets } from './sensitive-fields.ts';
import { visibleText } from './visible-text.ts';

/** Sanitizes page text before use: truncated, visible, without secrets and personal data. */

export function readableText(text: string, charsMax: number): string {
  return cut(impersonal(cleanText(text, charsMax)), charsMax);
}

export function readableLabel(text: string, charsMax: number): string {
  return cut(impersonal(cleanLabel(text, charsMax)), charsMax);
}

/** A digest consists of lines of elements and fields, or is made from the page's source. */
export function readableDigest(text: string, charsMax: number): string {
  const visible = cleanText(withoutHiddenMarkup(cleanText(text, charsMax)), charsMax);
  return cut(impersonal(cleanText(withoutFieldSecrets(visible), charsMax)), charsMax);
}

function impersonal(text: string): string {
  return withoutPersonalData(withoutQuotedSecrets(withoutAddressDetails(text)));
}

/** Removes queries and fragments of URLs, which contain names, tokens and searches. */
function withoutAddressDetails(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(/\S+/g, (word) => {
    const begins = word.indexOf('://');
    const details = begins < 0 ? -1 : word.slice(begins).search(/[?#]/);
    if (details < 0) return word;
    const rest = word.slice(begins + details);
    const ends = rest.search(/["'<>)\]]/);
    return word.slice(0, begins + details) + (ends < 0 ? '' : rest.slice(ends));
  });
}

/** A mark may be longer than the text it replaces. */
function cut(text: string, charsMax: number): string {
  return text.length > charsMax ? cleanText(text.slice(0, charsMax), charsMax) : text;
}

/** Cleans and truncates page text. `charsMax` counts UTF-16 units; characters are never split. */
export function cleanText(text: string, charsMax: number): string {
  // Truncate before cleaning too, so that the cost does not depend on the input's length.
  const bounded = text.length > charsMax * 2 ? text.slice(0, charsMax * 2) : text;
  const cleaned = visibleText(bounded)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  if (cleaned.length <= charsMax) return cleaned;
  const cut = cleaned
    .slice(0, charsMax)
    .toWellFormed()
    .replace(/\uFFFD$/, '');
  // Clean again: the cut may leave a trailing blank or joiner.
  return cleanText(cut, charsMax);
}

/** Cleans a label to a single line. */
export function cleanLabel(text: string, charsMax: number): string {
  return cleanText(text, charsMax).replace(/\s+/g, ' ');
}
