/**
 * Page text is untrusted: it may hide instructions in characters that people cannot see. What is kept is well-formed NFC text of visible
 * characters, line breaks and tabs. Joiners stay where scripts and emoji need them.
 */

/** Controls, bidi overrides, zero-width and tag characters, fillers, private use and unassigned code points. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is removed
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB]|[\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]|\u034F|[\u17B4\u17B5]|[\u180B-\u180D\u180F]|[\uFE00-\uFE0D]|\p{Co}|\p{Cn}/gu;

/** A joiner that joins nothing. */
const LOOSE_JOINER =
  /(?<!\p{L}|\p{M}|\p{Extended_Pictographic}|\p{Emoji_Modifier})[\u200C\u200D]|[\u200C\u200D](?!\p{L}|\p{M}|\p{Extended_Pictographic})/gu;

/** Cleans and cuts; `charsMax` counts UTF-16 units and never splits a character. */
export function cleanText(text: string, charsMax: number): string {
  // Cut before cleaning as well, so that a huge text costs no more than what can be kept of it.
  const bounded = text.length > charsMax * 2 ? text.slice(0, charsMax * 2) : text;
  const cleaned = bounded
    .toWellFormed()
    .normalize('NFC')
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(INVISIBLE, '')
    .replace(LOOSE_JOINER, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return cleaned.length > charsMax
    ? cleaned
        .slice(0, charsMax)
        .toWellFormed()
        .replace(/\uFFFD$/, '')
    : cleaned;
}

/** A label: one line. */
export function cleanLabel(text: string, charsMax: number): string {
  return cleanText(text, charsMax).replace(/\s+/g, ' ');
}
