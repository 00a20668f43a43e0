import { IDEOGRAPHIC_DOTS, isLinkLike, isUnspaced } from './links.ts';

/** Links with other schemes can run code or open programs, so they are never allowed. */
const UNSAFE_SCHEME = /^[\s<]*(?!https?:|mailto:|tel:)[a-z][a-z0-9+.-]*(?::|&)/i;

/** Maximum number of distinct lookups per answer; further links are removed. */
const LOOKUPS_MAX = 500;

/** A published text with its title and URL. */
export type Publication = {
  readonly title: string;
  readonly text?: string;
  readonly url?: string;
};

/** The content of a turn's passages and the workspace's origins. An answer may contain only links and tags that occur here. */
export class PublishedText {
  readonly #sources: readonly (readonly Publication[])[];
  readonly #origins: readonly string[];
  #known: Map<string, boolean> | undefined;

  /** @param origins where the guide may be shown, in canonical form, wildcards included */
  constructor(sources: readonly (readonly Publication[])[], origins: readonly string[] = []) {
    this.#sources = sources;
    this.#origins = origins;
  }

  /** Whether a passage contains the link as a separate word, or it is an address of the workspace's own. */
  containsLink(link: string): boolean {
    if (this.#containsWord(link) || this.#isOwnAddress(link)) return true;
    if (link.startsWith('tel:')) return this.containsPhoneNumber(link);
    return link.startsWith('mailto:') && link.includes('@') && this.#containsWord(link.slice(7));
  }

  /** Compares digits, since phone numbers are grouped in many ways. */
  containsPhoneNumber(number: string): boolean {
    const digits = number.replace(/\D/g, '');
    if (digits.length < PHONE_DIGITS_MIN) return false;
    return this.#lookUp('phone ', digits, matchesNoUrl, (text) =>
      text.replace(/[\s().\-/\u00a0\u2010-\u2015]+/g, '').includes(digits),
    );
  }

  #containsWord(link: string): boolean {
    return this.#lookUp(
      'link ',
      link,
      ({ url }) => url === link,
      (text) => containsWord(text, link),
    );
  }

  /**
   * The addresses of the workspace's origins, and the hosts to which its articles link. Not with a query, which could carry what the
   * visitor said.
   */
  #isOwnAddress(link: string): boolean {
    const { scheme, host = '', rest = '' } = OWN_ADDRESS.exec(link)?.groups ?? {};
    if (host === '') return false;
    const hostname = host.toLowerCase();
    const isOrigin = (scheme ? [scheme.toLowerCase()] : ['https', 'http']).some((each) =>
      this.#origins.some((origin) => matchesOrigin(origin, each, hostname)),
    );
    // An address in an address may be where a page redirects to.
    if (isOrigin) return rest.length <= 1 || !isLinkLike(rest.slice(1));
    return (
      rest.length <= 1 &&
      this.#lookUp(
        'host ',
        hostname,
        ({ url }) => url !== undefined && linksToHost(url, hostname),
        (text) => linksToHost(text, hostname),
      )
    );
  }

  /** Whether a passage contains it as the destination of a Markdown link or definition. */
  containsDestination(inner: string): boolean {
    if (UNSAFE_SCHEME.test(inner)) return false;
    return (
      this.containsLink(inner) ||
      this.#lookUp('destination ', inner, matchesNoUrl, (text) => text.includes(`](${inner})`))
    );
  }

  /** Accepts a tag or the beginning of one. */
  containsTag(tag: string): boolean {
    return this.#lookUp('tag ', tag, matchesNoUrl, (text) => text.includes(tag));
  }

  #lookUp(
    kind: string,
    value: string,
    matchesUrl: (publication: Publication) => boolean,
    containsValue: (text: string) => boolean,
  ): boolean {
    const key = kind + value;
    this.#known ??= new Map();
    const cached = this.#known.get(key);
    if (cached !== undefined) return cached;
    if (this.#known.size >= LOOKUPS_MAX) return false;
    const found = this.#sources.some((publications) =>
      publications.some(
        (publication) =>
          matchesUrl(publication) ||
          containsValue(publication.title) ||
          (publication.text !== undefined && containsValue(publication.text)),
      ),
    );
    this.#known.set(key, found);
    return found;
  }
}

const matchesNoUrl = () => false;

const PHONE_DIGITS_MIN = 3;

const OWN_ADDRESS =
  /^(?:(?<scheme>https?):\/\/)?(?<host>[a-z0-9][a-z0-9.-]*(?::\d{1,5})?)(?<rest>\/[\w\-./~+=&,;@!$:]*)?$/i;

function matchesOrigin(origin: string, scheme: string, host: string): boolean {
  if (origin === `${scheme}://${host}`) return true;
  const wildcard = `${scheme}://*`;
  return origin.startsWith(wildcard) && host.endsWith(origin.slice(wildcard.length));
}

/** Whether the text contains a whole link to the host. */
function linksToHost(text: string, host: string): boolean {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(`//${host}`); at >= 0; at = lower.indexOf(`//${host}`, at + 1)) {
    const after = lower.slice(at + 2 + host.length);
    if (/^(?:$|[/?#\s<>"')\]]|:\d|[.,;:!]+(?:\s|$))/.test(after)) return true;
  }
  return false;
}

/** Punctuation around a link that is not part of it. */
export const MARKS_BEFORE = /^[*_~|^=,;'(]+/;
export const MARKS_AFTER = /(?:['’]s)?[*_~|^=.,;:!?')\\．。｡]+$|['’]s$/;

function containsWord(text: string, word: string): boolean {
  if (word === '') return false;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (startsLink(text, at) && endsLink(text, at + word.length)) return true;
  }
  return false;
}

/** Characters that cannot occur inside a link. */
export const OUTSIDE_LINKS =
  /[\s<>"`“”„«»‹›[\]{}…\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff0d\uff1b-\uff1f\uff61-\uff65]/u;

const OUTSIDE_ASCII = Array.from({ length: 128 }, (_, code) => OUTSIDE_LINKS.test(String.fromCharCode(code)));

/**
 * Whether a character ends a word. Letters of scripts without spaces do not: they may be labels of a host. Their full stop does, but
 * not where it stands between Latin letters or digits.
 */
export function isOutsideLinks(character: string, before: string | undefined): boolean {
  const ascii = OUTSIDE_ASCII[character.charCodeAt(0)];
  if (ascii !== undefined) return ascii;
  if (isUnspaced(character)) return false;
  if (IDEOGRAPHIC_DOTS.includes(character)) return before === undefined || !/[a-z0-9]/i.test(before);
  return OUTSIDE_LINKS.test(character);
}

function startsLink(text: string, at: number): boolean {
  const cached = text[at - 1];
  return cached === undefined || OUTSIDE_LINKS.test(cached) || MARKS_BEFORE.test(cached);
}

function endsLink(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && /[*_~|^=.,;:!?')\\]/.test(text[at]!)) at += 1;
  return at === text.length || OUTSIDE_LINKS.test(text[at]!);
}
