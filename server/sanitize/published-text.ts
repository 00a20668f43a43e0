/** A link of any other scheme runs something or opens another program, whoever published it. */
const RUNS = /^[\s<]*(?!https?:|mailto:|tel:)[a-z][a-z0-9+.-]*(?::|&)/i;

/** So many different links are looked up for one answer; whatever comes after them is not held. */
const LOOKUPS_MAX = 500;

/** What was published somewhere: texts and titles, and the addresses where they can be read. */
export type Publication = {
  readonly title: string;
  readonly text?: string;
  readonly url?: string;
};

/** What the passages of a turn hold: the only links, addresses and tags that an answer may repeat. */
export class PublishedText {
  readonly #sources: readonly (readonly Publication[])[];
  #known: Map<string, boolean> | undefined;

  constructor(...sources: readonly (readonly Publication[])[]) {
    this.#sources = sources;
  }

  /** A link or an address that stands in a passage as a word of its own. */
  holdsLink(link: string): boolean {
    return this.#once(
      'link ',
      link,
      ({ url }) => url === link,
      (text) => holdsWord(text, link),
    );
  }

  /** What stands between the round brackets of a Markdown link, or behind the label of a definition. */
  holdsDestination(inner: string): boolean {
    if (RUNS.test(inner)) return false;
    return (
      this.holdsLink(inner) ||
      this.#once('destination ', inner, isNoSource, (text) => text.includes(`](${inner})`))
    );
  }

  /** A tag, or the beginning of one. */
  holdsTag(tag: string): boolean {
    return this.#once('tag ', tag, isNoSource, (text) => text.includes(tag));
  }

  #once(
    kind: string,
    value: string,
    isSource: (publication: Publication) => boolean,
    isIn: (text: string) => boolean,
  ): boolean {
    const key = kind + value;
    this.#known ??= new Map();
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    if (this.#known.size >= LOOKUPS_MAX) return false;
    const found = this.#sources.some((publications) =>
      publications.some(
        (one) => isSource(one) || isIn(one.title) || (one.text !== undefined && isIn(one.text)),
      ),
    );
    this.#known.set(key, found);
    return found;
  }
}

const isNoSource = () => false;

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

const OUTSIDE_ASCII = Array.from({ length: 128 }, (_, code) => OUTSIDE_LINKS.test(String.fromCharCode(code)));

/** Whether the character at a place cannot stand inside a link. */
export function isOutsideLinks(text: string, at: number): boolean {
  return OUTSIDE_ASCII[text.charCodeAt(at)] ?? OUTSIDE_LINKS.test(text[at]!);
}

function begins(text: string, at: number): boolean {
  const before = text[at - 1];
  return before === undefined || OUTSIDE_LINKS.test(before) || MARKS_BEFORE.test(before);
}

function ends(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && /[*_~|^=.,;:!?')\\]/.test(text[at]!)) at += 1;
  return at === text.length || OUTSIDE_LINKS.test(text[at]!);
}
