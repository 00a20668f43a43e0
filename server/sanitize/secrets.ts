import type { Detector } from './national-ids.ts';

const BEFORE = '(?<![A-Za-z0-9_-])';

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

export const SECRETS: readonly Detector[] = [
  {
    mark: '[key]',
    isLikely: (text) => text.includes('eyJ'),
    pattern: new RegExp(`${BEFORE}eyJ[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]*){1,3}`, 'g'),
    isValid: (found) => isJsonHeader(found.slice(0, found.indexOf('.'))),
  },
  { mark: '[key]', pattern: new RegExp(`${BEFORE}(?:${KEYS.join('|')})`, 'g') },
  // password=…, "token": "…", Bearer …; after a colon only when the value does not look like a word.
  {
    mark: '[secret]',
    isLikely: (text) => text.includes('='),
    pattern: new RegExp(
      [
        `(?<=${NAME}["']?=["']?)${valuePattern(3)}`,
        // Text such as "A token = about four letters" is not a secret.
        `(?<=${NAME}["']?(?:\\s=\\s?|=\\s)["']?)(?=\\S{0,200}\\p{N}|[^\\s"']+["']?\\s?(?:\\n|$))${valuePattern(3)}`,
      ].join('|'),
      'giu',
    ),
  },
  {
    mark: '[secret]',
    isLikely: (text) => /[:：]/.test(text) && /\p{N}/u.test(text),
    pattern: new RegExp(`(?<=${NAME}["']?\\s?[:：]\\s?["']?)${valuePattern(6)}`, 'giu'),
    isValid: (found) => /\p{N}/u.test(found) && /[\p{L}!#$%^]/u.test(found),
  },
  {
    mark: '[secret]',
    pattern: /(?<=\b(?:bearer|basic)\s)[A-Za-z0-9+/_.~-]{16,}={0,2}/gi,
    isValid: (found) => /\d/.test(found),
  },
  // Credentials in a URL.
  {
    mark: '[secret]',
    isLikely: (text) => text.includes('://') && text.includes('@'),
    pattern: /(?<=:\/\/)[^\s/@:]{1,64}:[^\s/@]{1,128}(?=@)/g,
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

/** `"password": "correct horse"`: a quoted value may contain spaces. */
export function maskQuotedSecrets(text: string): string {
  return text.replace(QUOTED_SECRET, '[secret]');
}

const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** Masks private keys up to their end marker, or to the end of the text. */
export function maskPrivateKeys(text: string): string {
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
