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

/** The content of a turn's passages. An answer may contain only links and tags that occur here. */
export class PublishedText {
  readonly #sources: readonly (readonly Publication[])[];
  #known: Map<string, boolean> | undefined;

  constructor(...sources: readonly (readonly Publication[])[]) {
    this.#sources = sources;
  }

  /** Whether a passage contains the link as a separate word. */
  containsLink(link: string): boolean {
    return this.#lookUp(
      'link ',
      link,
      ({ url }) => url === link,
      (text) => containsWord(text, link),
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

/** Punctuation around a link that is not part of it. */
export const MARKS_BEFORE = /^[*_~|^=,;'(]+/;
export const MARKS_AFTER = /[*_~|^=.,;:!?')\\]+$/;

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

export function isOutsideLinks(text: string, at: number): boolean {
  return OUTSIDE_ASCII[text.charCodeAt(at)] ?? OUTSIDE_LINKS.test(text[at]!);
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

/** Detects words that a client may turn into a link. */

/** Schemes that work without two slashes. */
const BARE_SCHEME =
  /(?:^|[^a-z0-9])(?:javascript|vbscript|data|file|blob|mailto|tel|sms|intent|view-source|magnet|skype|whatsapp):\S/;
const HOST =
  /(?<![\p{L}\p{N}_.-])(?:[\p{L}\p{N}_-]{1,63}\.){1,20}(?<last>\p{L}{2,24}|xn--[a-z0-9-]{2,59})(?![\p{L}\p{N}_-])(?<next>\.?[/?#]|\.?:\d)?/gu;

/** File extensions, which do not make a host name even before a slash or punctuation. */
const FILE_EXTENSIONS = new Set(
  'html htm php asp aspx jsp json js mjs cjs ts tsx jsx css scss md txt log conf cfg ini list service yaml yml xml csv tsv png jpg jpeg gif svg webp pdf doc docx xls xlsx exe dll msi deb rpm dmg zip gz bz2 xz tar iso bin bat cmd ps1 java class jar go rb lua sql db bak tmp lock toml env d local'.split(
    ' ',
  ),
);

/**
 * Top-level domains that turn a bare name into a host name. All two-letter ones count, except for
 * the words below and file extensions.
 */
const TOP_LEVEL_DOMAINS = new Set(
  'com net org info biz edu gov mil int app dev xyz top site online shop store club live link click page cloud tech test example invalid onion space website host press news blog web icu pro mobi asia work world today zone digital agency network systems solutions support help chat email money bank finance loan win bid vip fun gdn men party review science stream trade download racing date faith cricket accountant zip mov'.split(
    ' ',
  ),
);
const TWO_LETTER_WORDS = new Set(
  'ab ad ag al am an ap as at ba be by cc co da de do du el em en er es et ex ff fi fo go gs gt ha he hi hm ho hr hs id if il im in is it ja je js ki la le li lo lt ma md me mi ml mm mo ms mt my na ne ni no nu od of oh ok om on or os ou pa pi pl po pp pr ps pt py qt ra rb re ro rs sa sc se sh si so st su ta te th to tr ts tt tu ua um un up us ut va ve vi vs we wo xx ya ye yo za ze zu'.split(
    ' ',
  ),
);

export function isLinkLike(word: string): boolean {
  const text = normalizeLink(word);
  if (/\/\/+[^\s/]/.test(text) || BARE_SCHEME.test(text) || /(?:^|[^a-z0-9-])www\d{0,3}\.[^\s.]/.test(text))
    return true;
  if (/@(?:[\p{L}\p{N}_-]{1,63}\.){1,20}[\p{L}-]{2,}/u.test(text)) return true;
  for (const { groups } of text.matchAll(HOST)) {
    const { last = '', next } = groups ?? {};
    if (next === undefined ? isTopLevelDomain(last) : !FILE_EXTENSIONS.has(last)) return true;
  }
  return false;
}

function isTopLevelDomain(last: string): boolean {
  if (last.startsWith('xn--') || TOP_LEVEL_DOMAINS.has(last)) return true;
  if (last === 'рф' || last === '中国' || last === 'ru' || last === 'cn') return true;
  return /^[a-z]{2}$/.test(last) && !TWO_LETTER_WORDS.has(last) && !FILE_EXTENSIONS.has(last);
}

const NAMED_CHARACTERS: Readonly<Record<string, string>> = {
  colon: ':',
  sol: '/',
  bsol: '/',
  period: '.',
  commat: '@',
  amp: '&',
};

/** Normalizes as browsers and renderers do: full-width letters, entities, backslashes, case. */
function normalizeLink(word: string): string {
  return word
    .normalize('NFKC')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));?/gi, (entity, decimal, hex, name) => {
      if (name) return NAMED_CHARACTERS[name.toLowerCase()] ?? entity;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    })
    .replace(/\\/g, '/')
    .toLowerCase();
}
