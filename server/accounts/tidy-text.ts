import { hasAtMost } from '../characters.ts';
import { visibleText } from '../sanitize/visible-text.ts';

/** Both part words, as does the Braille cell that has no dot. */
const CONTROLS = /[^\P{Cc}\n]+/gu;
const BLANKS = /(?:[^\S\n]|\u2800)+/g;

/** One line of what somebody typed, composed, without what cannot be seen; undefined when nothing or too much is left. */
export function tidyLine(text: string, charsMax: number): string | undefined {
  return tidyText(text.replace(/\s+/g, ' '), charsMax);
}

/** The same for several lines. */
export function tidyText(text: string, charsMax: number): string | undefined {
  const parted = text.replace(/\r\n?/g, '\n').replace(CONTROLS, ' ');
  const tidy = visibleText(parted).replace(BLANKS, ' ').trim();
  return hasAtMost(charsMax, tidy) && IN_SIGHT.test(tidy) ? tidy : undefined;
}

/** Marks and variation selectors alone show nothing. */
const IN_SIGHT = /[\p{L}\p{N}\p{P}\p{S}]/u;
