import { once } from '../base/cache.ts';
import { type Detector, isIbanValid, isLuhnValid, NATIONAL_IDS } from './national-ids.ts';

const KEY_BEFORE = '(?<![A-Za-z0-9_-])';

/** Formats of API keys, including this service's own. */
const KEYS = [
  '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9_-]{16,}',
  'whsec_[A-Za-z0-9+/=]{16,}',
  'sk-(?:proj-|ant-|svcacct-|or-v1-)?[A-Za-z0-9_-]{20,}',
  'gh[pousr]_[A-Za-z0-9]{30,}',
  'github_pat_[A-Za-z0-9_]{22,}',
  'gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_-]{16,}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,}',
  String.raw`xapp-\d-[A-Za-z0-9-]{10,}`,
  '(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z2-7]{16}',
  'AIza[A-Za-z0-9_-]{35}',
  String.raw`ya29\.[A-Za-z0-9_-]{20,}`,
  'GOCSPX-[A-Za-z0-9_-]{20,}',
  String.raw`SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,}`,
  'npm_[A-Za-z0-9]{30,}',
  'pypi-[A-Za-z0-9_-]{40,}',
  'hf_[A-Za-z]{30,}',
  'do[por]_v1_[a-f0-9]{40,}',
  '(?:SK|AC)[a-f0-9]{32}',
  'key-[a-f0-9]{32}',
  'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
  'sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}',
  'EAA[A-Za-z0-9]{60,}',
  'dapi[a-f0-9]{32}',
  String.raw`\d{8,10}:AA[A-Za-z0-9_-]{32,}`,
  'AGE-SECRET-KEY-1[A-Z0-9]{50,}',
];

const NAMES =
  'pass(?:word|wd|code|phrase)?|pwd|secret|client[_-]?secret|(?:api|access|secret)[_ -]?key|(?:private|encryption|signing)[_-]?key|(?:access|auth|refresh|id|session|csrf|reset|invite|bearer)[_-]?token|token|otp|jwt|session(?:[_-]?id)?|sid|phpsessid|jsessionid|signature|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|hasło|пароль|密码|パスワード|비밀번호';

/** Short names count only as whole words, but code also contains `dbPassword` and `PGPASSWORD`. */
const NAME = String.raw`(?:password|passwd|passphrase|secret|token|(?<![\p{L}\p{N}])(?:${NAMES}|pin|cvv2?|cvc2?))(?:_base|_confirmation|\d)?`;

/** An assigned value of at least this length that is not already masked. */
const valuePattern = (charsMin: number) => String.raw`(?!\[|\*+(?!\p{L}))[^\s"'&;<>\[\]]{${charsMin},}`;

const SECRETS: readonly Detector[] = [
  {
    replacement: '[key]',
    isLikely: (text) => text.includes('eyJ'),
    pattern: once(
      () => new RegExp(`${KEY_BEFORE}eyJ[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]*){1,3}`, 'g'),
    ),
    isValid: (match) => isJsonHeader(match.slice(0, match.indexOf('.'))),
  },
  { replacement: '[key]', pattern: once(() => new RegExp(`${KEY_BEFORE}(?:${KEYS.join('|')})`, 'g')) },
  // password=…, "token": "…", Bearer …; after a colon only when the value does not look like a word.
  {
    replacement: '[secret]',
    isLikely: (text) => text.includes('='),
    pattern: once(
      () =>
        new RegExp(
          [
            `(?<=${NAME}["']?=["']?)${valuePattern(3)}`,
            // Text such as "A token = about four letters" is not a secret.
            `(?<=${NAME}["']?(?:\\s=\\s?|=\\s)["']?)(?=\\S{0,200}\\p{N}|[^\\s"']+["']?\\s?(?:\\n|$))${valuePattern(3)}`,
          ].join('|'),
          'giu',
        ),
    ),
  },
  {
    replacement: '[secret]',
    isLikely: (text) => /[:：]/.test(text) && /\p{N}/u.test(text),
    pattern: once(() => new RegExp(`(?<=${NAME}["']?\\s?[:：]\\s?["']?)${valuePattern(6)}`, 'giu')),
    isValid: (match) => /\p{N}/u.test(match) && /[\p{L}!#$%^]/u.test(match),
  },
  {
    replacement: '[secret]',
    pattern: once(() => /(?<=\b(?:bearer|basic)\s)[A-Za-z0-9+/_.~-]{16,}={0,2}/gi),
    isValid: (match) => /\d/.test(match),
  },
  // Credentials in a URL.
  {
    replacement: '[secret]',
    isLikely: (text) => text.includes('://') && text.includes('@'),
    pattern: once(() => /(?<=:\/\/)[^\s/@:]{1,64}:[^\s/@]{1,128}(?=@)/g),
  },
];

const ASSIGNED = String.raw`(?:${NAME}\\?["']?\s?=|\\?["'][\w.-]{0,40}${NAME}\\?["']\s?[:：])\s?`;
const QUOTED_SECRET = new RegExp(
  [
    String.raw`(?<=${ASSIGNED}")(?!\[)(?:[^"\\\n]|\\.){1,256}`,
    String.raw`(?<=${ASSIGNED}')(?!\[)(?:[^'\\\n]|\\.){1,256}`,
    String.raw`(?<=${ASSIGNED}\\")(?!\[)[^"\\\n]{1,256}`,
    // Numbers need no quotes.
    String.raw`(?<=["'][\w.-]{0,40}${NAME}["']\s?[:：]\s?)\d{3,16}(?![\p{L}\p{N}])`,
  ].join('|'),
  'giu',
);

/** Masks quoted secrets, which may contain spaces: `"password": "correct horse"`. */
export function maskQuotedSecrets(text: string): string {
  return text.replace(QUOTED_SECRET, '[secret]');
}

const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** Masks private keys up to their end marker, or to the end of the text. */
function maskPrivateKeys(text: string): string {
  if (text.search(KEY_BEGINS) < 0) return text;
  let kept = '';
  let at = 0;
  for (;;) {
    KEY_BEGINS.lastIndex = at;
    const beginMatch = KEY_BEGINS.exec(text);
    if (!beginMatch) return kept + text.slice(at);
    KEY_ENDS.lastIndex = beginMatch.index;
    const endMatch = KEY_ENDS.exec(text);
    kept += `${text.slice(at, beginMatch.index)}[key]`;
    if (!endMatch) return kept;
    at = endMatch.index + endMatch[0].length;
  }
}

function isJsonHeader(part: string): boolean {
  try {
    return typeof JSON.parse(Buffer.from(part, 'base64url').toString()) === 'object';
  } catch {
    return false;
  }
}

/** Prefixes and lengths of the card networks. */
const CARD =
  /^(?:4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|6(?:011|4[4-9]\d|5\d\d)\d{12}|(?:2131|1800)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}|220[0-4]\d{12,15}|(?:60|65|81|82|508)\d{13,14})$/;

/**
 * A word may directly precede the number where page text was joined ("Card number4111…"). A single
 * letter or capital belongs to an id or hash.
 */
const CARD_BEFORE = String.raw`(?<![\p{N}_\p{Lu}]|\p{N}[.,]|(?<!\p{L})\p{L})`;
const CARD_GAP = String.raw`(?:[ \n]|[ \n]?-[ \n]?)`;
const CARD_GROUPS = [
  String.raw`\d{4}([ \u00a0.-])\d{4}\1\d{4}\1(?:\d{4}\1\d{3}|\d{1,7})`,
  String.raw`\d{4}([ \u00a0-])\d{6}\2\d{4,5}`,
  // Allows line breaks and any grouping, except for four numbers in a table column.
  String.raw`(?!(?:\d{4}\n){3})\d{4}(?:${CARD_GAP}\d{4}){3}`,
  String.raw`(?!\d{4}\n\d{6}\n)\d{4}${CARD_GAP}\d{6}${CARD_GAP}\d{5}`,
  String.raw`\d{12,19}`,
];

const IBAN_CHARS: Readonly<Record<string, number>> = Object.fromEntries(
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
    .split(' ')
    .map((country) => [country.slice(0, 2), Number(country.slice(2))]),
);

const PAYMENT_DATA: readonly Detector[] = [
  {
    replacement: '[iban]',
    pattern: once(
      () =>
        /(?<![\p{L}\p{N}_])[A-Z]{2}\d{2}(?:[A-Z\d]{11,29}|(?:[ \u00a0\u202f-][A-Z\d]{4}){2,7}(?:[ \u00a0\u202f-][A-Z\d]{1,4})?)(?![\p{L}\p{N}_])/giu,
    ),
    isValid(match) {
      const iban = match.replace(/[^A-Za-z\d]/g, '').toUpperCase();
      return IBAN_CHARS[iban.slice(0, 2)] === iban.length && isIbanValid(iban);
    },
  },
  {
    replacement: '[card]',
    pattern: once(
      () =>
        new RegExp(
          `${CARD_BEFORE}(?:${CARD_GROUPS.join('|')})(?![\\p{N}_]|[.,]\\p{N}|\\p{L}(?!\\p{L}))`,
          'gu',
        ),
    ),
    isValid(match) {
      const number = match.replace(/\D/g, '');
      return CARD.test(number) && isLuhnValid(number);
    },
  },
];

/** File and package names that contain an at sign. */
const NO_MAIL_ENDING = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|js|json|local|lan|internal)$/i;

/** ITU country calling codes. */
const CALLING_CODE =
  /^(?:1|7|2(?:0|7|1[1-368]|[2-46]\d|5[0-8]|9[01789])|3(?:[0123469]|5\d|7[0-8]|8[0-35-79])|4(?:[013-9]|2[0-13])|5(?:[1-8]|0\d|9\d)|6(?:[0-6]|7[02-9]|8[0-35-9]|9[0-2])|8(?:[1246]|0[08]|5[02356]|7[08]|8[0-368])|9(?:[0-58]|6[0-8]|7[0-79]|9[2-689]))/;

/** A word for a phone number shortly before the digits. */
const PHONE_WORD =
  /(?:phone|\btel\b|telef|téléph|\bmob|\bcell|\bcall\b|\bfax\b|\bsms\b|handy|rufnummer|anruf|portable|móvil|movil|celular|cellulare|telemóvel|whats ?app|\bfon\b|puhelin|тел|звон|电话|電話|手机|手機|携帯|전화|휴대|هاتف|جوال|טלפון|โทร|फ़ोन|फोन|điện thoại|komórk|numer tel|contact n)[^\n]{0,25}$/iu;

const SEPARATOR = String.raw`[ \u00a0.\-/]`;
const BEFORE = String.raw`(?<![\p{L}\p{N}_.,/+#-]|\p{N} )`;
const AFTER = String.raw`(?![\p{L}\p{N}_]|[.,:/-]\p{N}|[ \u00a0]\p{N})`;

const phoneDetector = (
  pattern: string,
  isValid: (digits: string, match: string, before: string) => boolean,
): Detector => ({
  replacement: '[phone]',
  pattern: once(() => new RegExp(`${BEFORE}(?:${pattern})${AFTER}`, 'gu')),
  isValid: (match, before) => isValid(match.replace(/\D/g, ''), match, before),
});

const CONTACT_DATA: readonly Detector[] = [
  {
    replacement: '[email]',
    isLikely: (text) => text.includes('@'),
    pattern: once(
      () =>
        /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-](?:[\p{L}\p{M}\p{N}._%+'-]{0,62}[\p{L}\p{N}_%+-])?@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:\p{L}{2,24}|xn--[a-z\d-]{2,59})(?![\p{L}\p{N}_-])/giu,
    ),
    isValid: (match) => !NO_MAIL_ENDING.test(match) && !/^git@/.test(match),
  },
  // With country code: +49 (0)30 1234567, 0044 20 7946 0958.
  phoneDetector(
    String.raw`(?:\+|00)${SEPARATOR}?\(?\d{1,4}\)?(?:${SEPARATOR}{0,2}\(?\d{1,5}\)?){1,7}`,
    (digits, match) => {
      const number = match.startsWith('+') ? digits : digits.slice(2);
      return number.length >= 8 && number.length <= 15 && CALLING_CODE.test(number);
    },
  ),
  // North America: (212) 555-0147, 212-555-0147, 1-212-555-0147.
  phoneDetector(String.raw`(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[ .-]\d{4}`, (digits) =>
    /^1?[2-9](?!11)\d{2}[2-9](?!11)\d{6}$/.test(digits),
  ),
  phoneDetector(
    String.raw`\d{3} \d{3} \d{4}`,
    (digits, _found, before) => /^[2-9]\d{2}[2-9]\d{6}$/.test(digits) && PHONE_WORD.test(before),
  ),
  // Grouped, with the leading zero of most countries: 030 1234567, 01 23 45 67 89, 090-1234-5678.
  phoneDetector(
    String.raw`\(?0[1-9]\d{0,4}\)?(?:${SEPARATOR}{1,2}\d{2,8}){1,4}`,
    (digits, match) =>
      digits.length >= 9 &&
      digits.length <= 12 &&
      !/^\d{1,2}([./-])\d{1,2}\1(?:(?:19|20)\d{2}|\d{2}(?!\1))(?!\d)/.test(match) &&
      isGrouped(match),
  ),
  // With the area code in brackets: (11) 91234-5678, 8 (912) 345-67-89.
  phoneDetector(
    String.raw`(?:8[ -]?)?\(\d{2,5}\)(?:${SEPARATOR}?\d{2,5}){2,4}`,
    (digits) => digits.length >= 9 && digits.length <= 12,
  ),
  // Any other digits after a word for a phone number.
  phoneDetector(
    String.raw`\(?\d{1,5}\)?(?:${SEPARATOR}?\d{1,11}){1,5}`,
    (digits, match, before) =>
      digits.length >= 7 &&
      digits.length <= 13 &&
      PHONE_WORD.test(before) &&
      !/^(?:19|20)\d\d-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d/.test(match),
  ),
];

/** Whether the groups look like those of a phone number: one kind of separator, or two where the area code ends. */
function isGrouped(match: string): boolean {
  const separators = match.replace(/[()\d]/g, '').trim();
  return new Set(separators).size <= 2 && !/^0\d{1,2}\.\d+$/.test(match);
}

/** The first detector wins where several match. */
const NUMBERS: readonly Detector[] = [...PAYMENT_DATA, ...NATIONAL_IDS];
const DETECTORS: readonly Detector[] = [...SECRETS, ...NUMBERS, ...CONTACT_DATA];

/** Pre-checks: most labels and questions contain nothing that the detectors look for. */
const MAY_HOLD_SECRET = /[\p{N}=@]|[\w.-]{15}/u;
const MAY_HOLD_NUMBER = /(?:\p{N}\P{N}*){5}/u;

function selectDetectors(text: string): readonly Detector[] {
  if (!MAY_HOLD_SECRET.test(text)) return [];
  if (MAY_HOLD_NUMBER.test(text)) return DETECTORS;
  return text.includes('@') ? [...SECRETS, ...CONTACT_DATA] : SECRETS;
}

const CONTEXT_CHARS = 40;

type Hit = { from: number; to: number; replacement: string };

/**
 * Replaces personal data and secrets with words such as [email]. Numbers count only with valid
 * check digits, lengths and ranges. Names and street addresses are not detected.
 */
export function maskPersonalData(text: string): string {
  const withoutKeys = maskPrivateKeys(text);
  const hits = findHits(withoutKeys);
  if (hits.length === 0) return withoutKeys;
  let kept = '';
  let at = 0;
  for (const hit of hits) {
    kept += withoutKeys.slice(at, hit.from) + hit.replacement;
    at = hit.to;
  }
  return kept + withoutKeys.slice(at);
}

function findHits(text: string): Hit[] {
  const ascii = toAsciiSigns(text);
  const hits: (Hit & { rank: number })[] = [];
  selectDetectors(ascii).forEach(({ replacement, pattern, isValid, isLikely }, rank) => {
    if (isLikely && !isLikely(ascii)) return;
    for (const { index, 0: match } of ascii.matchAll(pattern())) {
      if (isValid && !isValid(match, ascii.slice(Math.max(0, index - CONTEXT_CHARS), index))) continue;
      hits.push({ from: index, to: index + match.length, replacement, rank });
    }
  });
  hits.sort((a, b) => a.from - b.from || a.rank - b.rank);
  let end = 0;
  return hits.filter((hit) => {
    const isSeparate = hit.from >= end;
    if (isSeparate) end = hit.to;
    return isSeparate;
  });
}

/** First code points of the digits in common scripts. */
const ZEROS = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0x1040, 0x17e0,
];
const NON_ASCII_SIGNS =
  /[\uff01-\uff5e\u0660-\u0669\u06f0-\u06f9\u0966-\u0d6f\u0e50-\u0ed9\u1040-\u1049\u17e0-\u17e9\u2010-\u2015\u2212]/g;

/**
 * Maps full-width characters, other scripts' digits and dashes to ASCII without changing offsets.
 */
function toAsciiSigns(text: string): string {
  return text.replace(NON_ASCII_SIGNS, (sign) => {
    const code = sign.charCodeAt(0);
    if (code >= 0xff01) return String.fromCharCode(code - 0xfee0);
    if (code >= 0x2010) return '-';
    const zero = ZEROS.find((first) => code >= first && code <= first + 9);
    return zero === undefined ? sign : String(code - zero);
  });
}
