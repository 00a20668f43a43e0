import chardet from 'chardet';
import iconv from 'iconv-lite';
import { getLanguage } from '../base/text.ts';
import { detectLanguage } from '../chat/intent/detect-language.ts';

/** Decodes the texts of uploads and websites. */

type Decoded = {
  text: string;
  /** The encoding, if neither the file nor the server states it. */
  guess?: string;
};

export const toRemark = ({ guess }: Decoded): string | undefined =>
  guess && `the encoding is not stated: read as ${guess}, a guess`;

type DecodeOptions = {
  /** The header `Content-Type`. */
  contentType?: string;
  /** Whether the text itself may state its encoding, as HTML and XML do. */
  isMarkup?: boolean;
  /** The language in which the text probably is. */
  locale?: string;
};

const HEAD_BYTES = 4096;
const META = /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i;
const XML_DECLARATION = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w:.-]+)/i;
const LANGUAGE = /<(?:html|feed|rss)\b[^>]*?\s(?:xml:)?lang\s*=\s*["']?([a-z]{2,3})\b/i;
/** A few broken bytes are tolerated; more of them mean another encoding. */
const BROKEN_SHARE_MAX = 0.001;

/**
 * Decodes a text: by byte order mark, then header, then what the text states, else as UTF-8, else by a guess. Returns
 * undefined if the bytes are no text in that encoding.
 */
export function decode(
  bytes: Uint8Array,
  { contentType = '', isMarkup = false, locale }: DecodeOptions = {},
): Decoded | undefined {
  const head = isMarkup ? new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES)) : '';
  const stated =
    findByteOrderMark(bytes) ?? /charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType)?.[1] ?? findStated(head);
  if (stated) return readAs(bytes, stated);
  const text = readAs(bytes, 'utf-8');
  if (text) return text;
  const guess = guessEncoding(bytes, LANGUAGE.exec(head)?.[1] ?? locale);
  return guess === undefined ? undefined : { text: decodeAs(bytes, guess), guess };
}

/** Vietnamese of Windows has tones apart from their letters. */
const decodeAs = (bytes: Uint8Array, encoding: string) => iconv.decode(toBuffer(bytes), encoding).normalize();

const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Encodings whose letters take two bytes, one of them zero in most texts. */
const UTF_16 = /^utf-?16/i;

function readAs(bytes: Uint8Array, label: string): Decoded | undefined {
  const text = decodeLabelled(bytes, label).normalize();
  const broken = text.split('\ufffd').length - 1;
  return broken > text.length * BROKEN_SHARE_MAX || text.includes('\0') ? undefined : { text };
}

/** Reads labels of the web, and names of other encodings, such as `macroman` and `cp850`; others as UTF-8. */
function decodeLabelled(bytes: Uint8Array, label: string): string {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    const name = label.replace(/^x-/i, '');
    return iconv.encodingExists(name) ? iconv.decode(toBuffer(bytes), name) : new TextDecoder().decode(bytes);
  }
}

function findByteOrderMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

function findStated(head: string): string | undefined {
  const label = XML_DECLARATION.exec(head)?.[1] ?? META.exec(head.replace(/<!--[\s\S]*?(?:-->|$)/g, ''))?.[1];
  // A readable declaration cannot be in UTF-16, whatever it says (HTML standard, 13.2.3.2).
  return label && UTF_16.test(label) ? 'utf-8' : label;
}

/** Encodings of Windows, and of others, by the languages that are written in them. */
const BY_LANGUAGE: Readonly<Record<string, string>> = {
  'windows-1250 iso-8859-2': 'pl cs sk sl hu hr ro bs sq',
  'windows-1251 koi8-r ibm866': 'ru uk bg be mk sr',
  'windows-1253': 'el',
  'windows-1254': 'tr az',
  'windows-1255': 'he yi',
  'windows-1256': 'ar fa ur',
  'windows-1257': 'lv lt et',
  'windows-1258': 'vi',
  'windows-874': 'th',
};
const SINGLE_BYTE = [
  'windows-1252',
  'macintosh',
  ...Object.keys(BY_LANGUAGE).flatMap((names) => names.split(' ')),
];
const MULTI_BYTE = ['shift_jis', 'euc-jp', 'euc-kr', 'gb18030', 'big5', 'iso-2022-jp'];
/** What the detector says for the same bytes. */
const SAME: Readonly<Record<string, string>> = {
  'iso-8859-1': 'windows-1252',
  'iso-8859-2': 'windows-1250 iso-8859-2',
  'windows-1250': 'windows-1250 iso-8859-2',
  'iso-8859-5': 'windows-1251',
  'iso-8859-6': 'windows-1256',
  'iso-8859-7': 'windows-1253',
  'iso-8859-8': 'windows-1255',
  'iso-8859-9': 'windows-1254',
};

/** Languages whose short words are told apart even if their accents are broken. */
const LATIN_LANGUAGES = 'en de fr es it pt nl sv da nb fi pl cs hu ro tr'.split(' ');

const SAMPLE_BYTES = 64 * 1024;
/** Multi-byte text has a form that other text has only by chance. */
const MULTI_BYTE_MIN = 90;
/** Weights of what speaks for an encoding, on the detector's scale of 0 to 100. */
const LANGUAGE_POINTS = 40;
const WORDS_POINTS = 25;
const ODD_POINTS = 300;
const ODD_SHARE_MAX = 0.1;

/** Guesses by the language, by statistics of letters, and by what cannot stand in words. Undefined for what is no text. */
export function guessEncoding(bytes: Uint8Array, locale: string | undefined): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const wide = guessUtf16(sample);
  if (wide || sample.includes(0)) return wide;
  const found = new Map<string, number>();
  for (const { name, confidence } of chardet.analyse(sample))
    for (const label of (SAME[name.toLowerCase()] ?? name.toLowerCase()).split(' '))
      found.set(label, Math.max(found.get(label) ?? 0, confidence));
  const multiByte = MULTI_BYTE.find((name) => (found.get(name) ?? 0) >= MULTI_BYTE_MIN);
  if (multiByte) return multiByte;
  const words = detectLanguage(new TextDecoder('latin1').decode(sample), LATIN_LANGUAGES, locale);
  const rated = SINGLE_BYTE.map((name) => {
    const odd = measureOdd(iconv.decode(toBuffer(sample), name));
    const points =
      (found.get(name) ?? 0) +
      (isUsedFor(name, locale) ? LANGUAGE_POINTS : 0) +
      (isUsedFor(name, words) ? WORDS_POINTS : 0) -
      odd * ODD_POINTS;
    return { name, odd, points };
  }).filter(({ odd }) => odd <= ODD_SHARE_MAX);
  return rated.sort((one, other) => other.points - one.points)[0]?.name;
}

function isUsedFor(name: string, locale: string | undefined): boolean {
  if (locale === undefined) return false;
  const language = getLanguage(locale);
  const names = Object.entries(BY_LANGUAGE).find(([, languages]) => languages.split(' ').includes(language));
  return (names?.[0].split(' ') ?? ['windows-1252']).includes(name);
}

/** Text without a byte order mark in which every second byte is mostly zero. */
function guessUtf16(sample: Uint8Array): string | undefined {
  const zeros = [0, 0];
  sample.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2]! += 1;
  });
  const [even = 0, odd = 0] = zeros;
  const isMost = (count: number, other: number) =>
    count > sample.length * 0.2 && other < sample.length * 0.01;
  return isMost(odd, even) ? 'utf-16le' : isMost(even, odd) ? 'utf-16be' : undefined;
}

/** Signs that stand at the edge of words. */
const EDGE = '\\u2019\\u00a0\\u2013\\u2014\\u2026\\u2018\\u201c-\\u201e\\u00ab\\u00bb\\u00b7\\u200c-\\u200f';
const ODD_SYMBOL = new RegExp(
  `(?<=[^\\0-\\x7f]|\\p{L})[^\\0-\\x7f\\p{L}\\p{M}${EDGE}](?=[^\\0-\\x7f]|\\p{L})`,
  'gu',
);

/** Measures which share of the letters beyond ASCII stands where no writer puts them. */
function measureOdd(text: string): number {
  const all = text.match(/[^\0-\x7f]/g)?.length ?? 0;
  if (all === 0) return 1;
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const symbols = count(ODD_SYMBOL);
  const unused = count(/[\u0080-\u009f\ufffd\u2500-\u259f]/g);
  const capitals = count(/(?<=\p{Ll})(?=[^\0-\x7f])\p{Lu}|(?<=[^\0-\x7f])(?<=\p{Ll})\p{Lu}/gu);
  // Words of two scripts.
  const mixed = count(/[a-z](?=[^\0-\x7f])(?!\p{sc=Latin})\p{L}|(?!\p{sc=Latin})\p{L}[a-z]/giu);
  const accents = count(/(?:(?=[^\0-\x7f])[\p{sc=Latin}ªº]){4,}/gu) * 5;
  return (symbols + unused * 2 + capitals + mixed + accents) / all;
}
