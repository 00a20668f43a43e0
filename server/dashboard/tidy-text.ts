/** One line of what somebody typed, composed, without control characters; undefined when nothing or too much is left. */
export function tidyLine(text: string, charsMax: number): string | undefined {
  const line = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length >= 1 && line.length <= charsMax ? line : undefined;
}

/** The same for several lines. */
export function tidyText(text: string, charsMax: number): string | undefined {
  const tidy = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+|(?!\n)\p{Cc}+/gu, ' ')
    .trim();
  return tidy.length >= 1 && tidy.length <= charsMax ? tidy : undefined;
}
