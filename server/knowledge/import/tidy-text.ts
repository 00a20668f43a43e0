/** Text as it is kept: well-formed, composed (NFC), with plain line breaks and without control characters. */
export function tidyText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n')
    .replace(/[^\P{Cc}\n\t]|\ufeff/gu, '')
    .normalize('NFC')
    .replace(/^\n+|\s+$/g, '');
}

/** The same for a text of one line, such as a title. */
export function tidyLine(text: string): string {
  return tidyText(text).replace(/\s+/g, ' ').trim();
}
