import { withoutMarkup } from '../../sanitize/markup.ts';
import { visibleText } from '../../sanitize/visible-text.ts';

/**
 * Text of an article as it is kept: well-formed, composed (NFC), with plain line breaks, without invisible characters, and without HTML
 * but for what stands in code. What is served is quoted verbatim, so it is cleaned here and not when it is used.
 */
export function tidyText(text: string): string {
  return visibleText(withoutMarkup(visibleText(text)))
    .replace(/^\n+/, '')
    .trimEnd();
}

/** The same for a text of one line, such as a title. */
export function tidyLine(text: string): string {
  return tidyText(text).replace(/\s+/g, ' ').trim();
}
