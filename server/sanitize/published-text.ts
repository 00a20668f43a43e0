import { isIPv6 } from 'node:net';
import tlds from 'tlds' with { type: 'json' };
import { CJK_LETTERS } from '../base/text.ts';

/**
 * Detects words that some client may turn into a link. Deny by default: a name with a known top-level domain is a link, however it is
 * written.
 */

/** Dots of other scripts and widths. The middle dot of Catalan (`l·l`) is a letter. */
const DOTS = /[．․﹒。｡۔܁܂‧∙⋅・ꓸ]|(?<![lL])·|·(?![lL])/g;
/** Dots that end sentences in Chinese and Japanese. */
const IDEOGRAPHIC_DOTS = '。｡';
/** After one of these, the next character may belong to a host or a path. */
export const JOINTS = '.:．：․﹒。｡۔܁܂‧∙⋅・ꓸ·﹕∶︓⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛';
/** Characters that hardly occur outside links. */
export const LINK_CHARACTERS = '/\\@&%／＼＠＆％﹨﹫﹠﹪⁄∕⧸';

/** Scripts without spaces between words. */
const CJK = new RegExp(`[${CJK_LETTERS}]`, 'u');

export function isUnspaced(character: string | undefined): boolean {
  if (character === undefined || character < '\u1100') return false;
  // Fast path for nearly all of these characters.
  if (character >= '\u4e00' && character <= '\u9fff') return true;
  return CJK.test(character);
}

/** Schemes that work without two slashes. */
const BARE_SCHEME =
  /(?:^|[^a-z0-9])(?:javascript|vbscript|livescript|data|file|blob|filesystem|about|view-source|https?|ftps?|sftp|wss?|gopher|ldaps?|smb|nfs|dav|webdavs?|caldavs?|webcals?|feed|news|nntp|ircs?|xmpp|jabber|mailto|tel|telnet|ssh|git|svn|rsync|callto|facetime(?:-audio)?|fax|modem|sips?|sms(?:to)?|mms(?:to)?|imessage|skype|whatsapp|viber|tg|telegram|signal|slack|msteams|zoommtg|zoomus|discord|line|weixin|wechat|fb-messenger|spotify|steam|vlc|geo|maps|market|itms(?:-apps|-services)?|intent|android-app|ios-app|magnet|ed2k|bitcoin|ethereum|litecoin|lightning|ipfs|ipns|dweb|cid|mid|urn|chrome(?:-extension)?|moz-extension|resource|jar|vnc|rdp|rtmp|rtsp|vscode|obsidian|notion|shortcuts|prefs|search-ms|ms-[a-z-]+|web\+[a-z]+|x-[a-z-]+):(?=[^\s:])/;

/** Characters of a label: all but white space and ASCII punctuation, apart from hyphens and underscores. */
const LABEL = '[^\\s!-,./:-@[-^`{-~]';
const HOST = new RegExp(
  `(?<!${LABEL}|\\.)(?<labels>(?:${LABEL}{1,63}\\.){1,20})(?<last>${LABEL}{2,63})(?<next>\\.?[/?#]|\\.?:\\d)?`,
  'gu',
);
/** Four numbers of any notation, or fewer where one is hexadecimal. */
const IPV4 = /(?<![\w.])(?:(?:0x[\da-f]+|\d+)\.){1,3}(?:0x[\da-f]+|\d+)(?![\w-]|\.\w)/g;
/** The only host without a dot that every machine knows. */
const LOCALHOST = /(?<![\w.-])localhost\.?(?=\/|:\d)/;
/** A whole address as one number counts only before a path or a port. */
const NUMERIC_HOST = /(?<![\w.])(?:\d{8,10}|0x[\da-f]{6,8}|0[0-7]{8,12})(?:\/[^\s/\d]|:\d)/;

const TOP_LEVEL_DOMAINS = new Set([...tlds, ...'example invalid test onion i2p internal lan eth'.split(' ')]);

/** File extensions that are no top-level domains: they make no host name, even before a slash. */
const FILE_EXTENSIONS = new Set(
  'html htm php asp aspx jsp json js mjs cjs ts tsx jsx css scss txt log conf cfg ini list service yaml yml xml csv tsv png jpg jpeg gif svg webp pdf doc docx xls xlsx exe dll msi deb rpm dmg gz bz2 xz tar iso bin bat cmd class jar lua sql db bak tmp lock toml env d local'.split(
    ' ',
  ),
);
/** File extensions that are also top-level domains, and file names that, with such an extension, are no host names. */
const AMBIGUOUS_EXTENSIONS = new Set('md sh py rs pl zip mov app so ps cc mk in am la ml pm ai'.split(' '));
const FILE_NAMES =
  /^(?:readme|changelog|license|contributing|security|index|main|app|test|tests|setup|install|uninstall|update|upgrade|script|config|configure|run|build|make|start|stop|backup|archive|files?|filename|example|document|report|notes|data|photos?|images?|video|movie|clip|manage|conftest|wsgi|mod|lib.*|server|client|utils?|helpers?|deploy|bootstrap|init|makefile|.*_.*)$/;
/** Top-level domains that, if capitalized, begin the next sentence after a missing space ("Done.Click"). */
const SENTENCE_BEGINNINGS = new Set(
  'no is it in so to me my be at am as do us by la de es et en el il al im un se si va you see click select open here now are'.split(
    ' ',
  ),
);
const ABBREVIATIONS = new Set('m.in p.es p.sh m.sh hh.mm co.ltd'.split(' '));

/**
 * Whether a word may be read as a link.
 * @param next what follows the word: a bracket or an unspaced script can continue a host
 * @param before the word before it: after "version", four numbers are no address
 */
export function isLinkLike(word: string, next?: string, before = ''): boolean {
  const normalized = normalizeLink(word);
  const text = normalized.toLowerCase();
  if (/\/\/+[^\s/]/.test(text) || (text.endsWith('//') && (next === '[' || isUnspaced(next)))) return true;
  if (BARE_SCHEME.test(text) || /(?:^|[^a-z0-9-])www\d{0,3}\.[^\s.]/.test(text)) return true;
  if (/[^\s@/]@(?!\d+(?:\.\d+)*$)[^\s@/.]*[\p{L}\d]/u.test(text) && /@[^\s@]*\p{L}/u.test(text)) return true;
  return LOCALHOST.test(text) || isNumericAddress(text, before) || hasHost(normalized);
}

function hasHost(normalized: string): boolean {
  for (const { groups, index } of normalized.matchAll(HOST)) {
    const { labels = '', last = '', next } = groups ?? {};
    if (isHost(labels, last, next !== undefined, normalized[index - 1] === '/')) return true;
  }
  return false;
}

function isHost(labels: string, last: string, hasPath: boolean, isInPath: boolean): boolean {
  const lower = last.toLowerCase();
  // Another script ends a domain, as in `evil.com查看`.
  const ascii = /^[a-z0-9-]+(?=[^\p{Script=Latin}\p{M}\p{N}_])/u.exec(lower)?.[0];
  const domain = ascii !== undefined && isTopLevelDomain(ascii) ? ascii : lower;
  if (!isTopLevelDomain(domain)) {
    if (/\.(?:com|net|org)\.$/i.test(labels)) return true;
    return hasPath && /^\p{L}{2,24}$/u.test(lower) && !FILE_EXTENSIONS.has(lower);
  }
  if (hasPath) return true;
  const base = labels.slice(0, -1).toLowerCase();
  if (ABBREVIATIONS.has(`${base}.${domain}`) || /^\d{1,2}$/.test(base)) return false;
  if (AMBIGUOUS_EXTENSIONS.has(domain) && (isInPath || FILE_NAMES.test(base))) return false;
  return !(SENTENCE_BEGINNINGS.has(domain) && /^\p{Lu}\p{Ll}+$/u.test(last));
}

const isTopLevelDomain = (label: string) => TOP_LEVEL_DOMAINS.has(label) || label.startsWith('xn--');

const VERSION_WORD = /^(?:v\.?$|ver|верс|release|build|firmware)/i;

function isNumericAddress(text: string, before: string): boolean {
  for (const [address] of text.matchAll(IPV4)) {
    const parts = address.split('.');
    const isHexadecimal = address.includes('0x');
    if (parts.length < 4 && !isHexadecimal) continue;
    const isPossible = parts.every((part) => part.startsWith('0') || Number(part) <= 255);
    if (isPossible && !(VERSION_WORD.test(before) && text === address)) return true;
  }
  if (NUMERIC_HOST.test(text)) return true;
  const bare = text.replace(/[.,;!?)]+$/, '');
  return /::|(?:[\da-f]+:){7}/.test(bare) && /\d/.test(bare) && isIPv6(bare.replace(/:$/, ''));
}

const NAMED_CHARACTERS: Readonly<Record<string, string>> = {
  colon: ':',
  sol: '/',
  bsol: '/',
  period: '.',
  commat: '@',
  amp: '&',
  percnt: '%',
  num: '#',
  quest: '?',
  equals: '=',
  hyphen: '-',
  dash: '-',
  lowbar: '_',
  tab: '',
  newline: '',
  shy: '',
  zwj: '',
  zwnj: '',
  lrm: '',
  rlm: '',
  zerowidthspace: '',
  nobreak: '',
};

/** Maximum rounds of decoding; encodings may be nested. */
const DECODING_ROUNDS = 3;

/** Normalizes as browsers and renderers do: widths, invisible characters, entities, percent-encoding, backslashes. */
function normalizeLink(word: string): string {
  let text = word;
  for (let round = 0; round < DECODING_ROUNDS; round++) {
    const decoded = decodePercents(decodeEntities(normalizeCharacters(text)));
    if (decoded === text) break;
    text = decoded;
  }
  return normalizeCharacters(text)
    .replace(/\\(?=[.:@])/g, '')
    .replace(/\\/g, '/');
}

const PLAIN = /^[!-~]*$/;

function normalizeCharacters(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(DOTS, '.')
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[⁄∕⧸]/g, '/')
    .replace(/[∶]/g, ':');
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,16}));?/gi, (entity, decimal, hex, name) => {
    if (name) return NAMED_CHARACTERS[name.toLowerCase()] ?? entity;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}

/** Decodes percent-encoded UTF-8; other bytes stay. */
function decodePercents(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

/** Links with other schemes can run code or open programs, so they are never allowed. */
const UNSAFE_SCHEME = /^[\s<]*(?!https?:|mailto:|tel:)[a-z][a-z0-9+.-]*(?::|&)/i;

/** Maximum number of distinct lookups per answer; further links are removed. */
const LOOKUPS_MAX = 500;

/** A published text with its title and URL. */
export type Publication = {
  title: string;
  text?: string;
  url?: string;
};

/** The content of a turn's passages and the workspace's origins. An answer may contain only links and tags that occur here. */
export class PublishedText {
  readonly #sources: readonly (readonly Publication[])[];
  readonly #origins: readonly string[];
  #lookUpResults: Map<string, boolean> | undefined;

  /** @param origins where the guide may be shown, in canonical form, wildcards included */
  constructor(sources: readonly (readonly Publication[])[], origins: readonly string[] = []) {
    this.#sources = sources;
    this.#origins = origins;
  }

  /** Whether a publication contains the link as a separate word, or the link is an address of the workspace. */
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
   * Whether the link is on one of the workspace's origins, or is the bare host of a site that its articles link to.
   * Links with a query are excluded, because a query could carry what the visitor said.
   */
  #isOwnAddress(link: string): boolean {
    const { scheme, host = '', rest = '' } = OWN_ADDRESS.exec(link)?.groups ?? {};
    if (host === '') return false;
    const hostname = host.toLowerCase();
    const isOrigin = (scheme ? [scheme.toLowerCase()] : ['https', 'http']).some((each) =>
      this.#origins.some((origin) => matchesOrigin(origin, each, hostname)),
    );
    // A path that contains another address may lead to a redirect there.
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

  /** Whether a publication contains this destination as a link, or in a Markdown link. */
  containsDestination(inner: string): boolean {
    if (UNSAFE_SCHEME.test(inner)) return false;
    return (
      this.containsLink(inner) ||
      this.#lookUp('destination ', inner, matchesNoUrl, (text) => text.includes(`](${inner})`))
    );
  }

  /** Whether a publication contains this tag, or beginning of a tag. */
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
    this.#lookUpResults ??= new Map();
    const cached = this.#lookUpResults.get(key);
    if (cached !== undefined) return cached;
    if (this.#lookUpResults.size >= LOOKUPS_MAX) return false;
    const found = this.#sources.some((publications) =>
      publications.some(
        (publication) =>
          matchesUrl(publication) ||
          containsValue(publication.title) ||
          (publication.text !== undefined && containsValue(publication.text)),
      ),
    );
    this.#lookUpResults.set(key, found);
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
const OUTSIDE_LINKS = new RegExp(
  `[\\s<>"\`“”„«»‹›[\\]{}…${CJK_LETTERS}\\u3000-\\u303f\\uff00-\\uff0d\\uff1b-\\uff1f\\uff61-\\uff65]`,
  'u',
);

const OUTSIDE_ASCII = Array.from({ length: 128 }, (_, code) => OUTSIDE_LINKS.test(String.fromCharCode(code)));

/**
 * Whether a character ends a word. Letters of scripts without spaces do not: they may be labels of a host. An
 * ideographic full stop does, except after a Latin letter or digit.
 */
export function isOutsideLinks(character: string, before: string | undefined): boolean {
  const ascii = OUTSIDE_ASCII[character.charCodeAt(0)];
  if (ascii !== undefined) return ascii;
  if (isUnspaced(character)) return false;
  if (IDEOGRAPHIC_DOTS.includes(character)) return before === undefined || !/[a-z0-9]/i.test(before);
  return OUTSIDE_LINKS.test(character);
}

function startsLink(text: string, at: number): boolean {
  const previous = text[at - 1];
  return previous === undefined || OUTSIDE_LINKS.test(previous) || MARKS_BEFORE.test(previous);
}

function endsLink(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && /[*_~|^=.,;:!?')\\]/.test(text[at]!)) at += 1;
  return at === text.length || OUTSIDE_LINKS.test(text[at]!);
}
