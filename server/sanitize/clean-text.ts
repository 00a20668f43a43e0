import { visibleText } from './visible-text.ts';

/** Cleans and cuts page text; `charsMax` counts UTF-16 units and never splits a character. */
export function cleanText(text: string, charsMax: number): string {
  // Cut before cleaning as well, so that a huge text costs no more than what can be kept of it.
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
  // A blank or a joiner may stand at the end now.
  return cleanText(cut, charsMax);
}

/** A label: one line. */
export function cleanLabel(text: string, charsMax: number): string {
  return cleanText(text, charsMax).replace(/\s+/g, ' ');
}
