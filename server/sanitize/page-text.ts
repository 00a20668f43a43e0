import { stripHiddenMarkup } from './markup.ts';
import { maskPersonalData } from './personal-data.ts';
import { maskQuotedSecrets } from './secrets.ts';
import { removeFieldSecrets } from './sensitive-fields.ts';
import { toVisibleText } from './visible-text.ts';

/**
 * Sanitizes text from the visitor's page: truncates it and removes invisible characters, secrets
 * and personal data.
 */

export function sanitizePageText(text: string, charsMax: number): string {
  return truncate(maskPrivateData(cleanText(text, charsMax)), charsMax);
}

export function sanitizePageLabel(text: string, charsMax: number): string {
  return truncate(maskPrivateData(cleanLabel(text, charsMax)), charsMax);
}

/**
 * A digest is an outline with one element or field per line, or derived from the page's HTML
 * source.
 */
export function sanitizePageDigest(text: string, charsMax: number): string {
  const visible = cleanText(stripHiddenMarkup(cleanText(text, charsMax)), charsMax);
  return truncate(maskPrivateData(cleanText(removeFieldSecrets(visible), charsMax)), charsMax);
}

function maskPrivateData(text: string): string {
  return maskPersonalData(maskQuotedSecrets(stripUrlDetails(text)));
}

/** Removes queries and fragments of URLs, which contain names, tokens and searches. */
function stripUrlDetails(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(/\S+/g, (word) => {
    const start = word.indexOf('://');
    const details = start < 0 ? -1 : word.slice(start).search(/[?#]/);
    if (details < 0) return word;
    const rest = word.slice(start + details);
    const end = rest.search(/["'<>)\]]/);
    return word.slice(0, start + details) + (end < 0 ? '' : rest.slice(end));
  });
}

/** A mark may be longer than the text it replaces. */
function truncate(text: string, charsMax: number): string {
  return text.length > charsMax ? cleanText(text.slice(0, charsMax), charsMax) : text;
}

/**
 * Cleans and truncates page text. `charsMax` counts UTF-16 units; surrogate pairs are never split.
 */
export function cleanText(text: string, charsMax: number): string {
  // Truncate before cleaning too, so that the cost does not depend on the input's length.
  const bounded = text.length > charsMax * 2 ? text.slice(0, charsMax * 2) : text;
  const cleaned = toVisibleText(bounded)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  if (cleaned.length <= charsMax) return cleaned;
  const truncated = cleaned
    .slice(0, charsMax)
    .toWellFormed()
    .replace(/\uFFFD$/, '');
  // Clean again: the cut may leave a trailing blank or joiner.
  return cleanText(truncated, charsMax);
}

/** Cleans a label to a single line. */
export function cleanLabel(text: string, charsMax: number): string {
  return cleanText(text, charsMax).replace(/\s+/g, ' ');
}
