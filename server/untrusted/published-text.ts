/** What the passages of a turn hold: the only links, addresses and tags that an answer may repeat. */
export type PublishedText = {
  /** A link or an address that stands in a passage as a word of its own. */
  holdsLink(link: string): boolean;
  /** What stands between the round brackets of a Markdown link, or behind the label of a definition. */
  holdsDestination(inner: string): boolean;
  /** A tag, or the beginning of one. */
  holdsTag(tag: string): boolean;
};

/** A link of any other scheme runs something or opens another program, whoever published it. */
const RUNS = /^[\s<]*(?!https?:|mailto:|tel:)[a-z][a-z0-9+.-]*(?::|&)/i;

/** So many different links are looked up for one answer; whatever comes after them is not held. */
const LOOKUPS_MAX = 500;

/** @param texts titles and texts of passages @param addresses where they can be read */
export function createPublishedText(texts: readonly string[], addresses: readonly string[]): PublishedText {
  const known = new Map<string, boolean>();
  const once = (kind: string, value: string, look: () => boolean): boolean => {
    const key = kind + value;
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size >= LOOKUPS_MAX) return false;
    const found = look();
    known.set(key, found);
    return found;
  };
  const published: PublishedText = {
    holdsLink: (link) =>
      once('link ', link, () => addresses.includes(link) || texts.some((text) => holdsWord(text, link))),
    holdsDestination: (inner) =>
      !RUNS.test(inner) &&
      (published.holdsLink(inner) ||
        once('destination ', inner, () => texts.some((text) => text.includes(`](${inner})`)))),
    holdsTag: (tag) => once('tag ', tag, () => texts.some((text) => text.includes(tag))),
  };
  return published;
}

/** Marks that stand around a link and are no part of it. */
export const MARKS_BEFORE = /^[*_~|^=,;'(]+/;
export const MARKS_AFTER = /[*_~|^=.,;:!?')\\]+$/;

function holdsWord(text: string, word: string): boolean {
  if (word === '') return false;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (begins(text, at) && ends(text, at + word.length)) return true;
  }
  return false;
}

/** What cannot stand inside a link. */
export const OUTSIDE_LINKS =
  /[\s<>"`“”„«»‹›[\]{}…\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff0d\uff1b-\uff1f\uff61-\uff65]/u;

function begins(text: string, at: number): boolean {
  const before = text[at - 1];
  return before === undefined || OUTSIDE_LINKS.test(before) || MARKS_BEFORE.test(before);
}

function ends(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && /[*_~|^=.,;:!?')\\]/.test(text[at]!)) at += 1;
  return at === text.length || OUTSIDE_LINKS.test(text[at]!);
}
