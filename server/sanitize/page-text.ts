import { cleanLabel, cleanText } from './clean-text.ts';
import { withoutHiddenMarkup } from './markup.ts';
import { withoutPersonalData } from './personal-data.ts';
import { withoutQuotedSecrets } from './secrets.ts';
import { withoutFieldSecrets } from './sensitive-fields.ts';

/** The one way that text of a page takes before anything reads it: cut, visible, without secrets, without personal data. */

export function readableText(text: string, charsMax: number): string {
  return cut(impersonal(cleanText(text, charsMax)), charsMax);
}

export function readableLabel(text: string, charsMax: number): string {
  return cut(impersonal(cleanLabel(text, charsMax)), charsMax);
}

/** The digest of a page has lines of elements and fields, and may have been made of its source. */
export function readableDigest(text: string, charsMax: number): string {
  const visible = cleanText(withoutHiddenMarkup(cleanText(text, charsMax)), charsMax);
  return cut(impersonal(cleanText(withoutFieldSecrets(visible), charsMax)), charsMax);
}

function impersonal(text: string): string {
  return withoutPersonalData(withoutQuotedSecrets(withoutAddressDetails(text)));
}

/** Queries and fragments of addresses carry names, tokens and searches. */
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

/** A mark may be longer than what it stands for. */
function cut(text: string, charsMax: number): string {
  return text.length > charsMax ? cleanText(text.slice(0, charsMax), charsMax) : text;
}
