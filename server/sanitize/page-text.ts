import { stripHiddenMarkup, toVisibleText } from '../base/visible-text.ts';
import { maskPersonalData, maskQuotedSecrets } from './personal-data.ts';

/**
 * Sanitizes text from the visitor's page: truncates it and removes invisible characters, secrets
 * and personal data.
 */

export function sanitizePageText(text: string, charsMax: number): string {
  return truncate(maskPrivateData(cleanText(text, charsMax)), charsMax);
}

export function sanitizePageLabel(text: string, charsMax: number): string {
  return truncate(maskPrivateData(cleanLabel(text, charsMax)), charsMax);
}

/**
 * Sanitizes a page digest: an outline with one element or field per line, or text derived from the page's HTML
 * source.
 */
export function sanitizePageDigest(text: string, charsMax: number): string {
  const visible = cleanText(stripHiddenMarkup(cleanText(text, charsMax)), charsMax);
  return truncate(maskPrivateData(cleanText(removeFieldSecrets(visible), charsMax)), charsMax);
}

function maskPrivateData(text: string): string {
  return maskPersonalData(maskQuotedSecrets(stripUrlDetails(text)));
}

/** Removes queries and fragments of URLs, which contain names, tokens and searches. */
function stripUrlDetails(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(/\S+/g, (word) => {
    const start = word.indexOf('://');
    const details = start < 0 ? -1 : word.slice(start).search(/[?#]/);
    if (details < 0) return word;
    const rest = word.slice(start + details);
    const end = rest.search(/["'<>)\]]/);
    return word.slice(0, start + details) + (end < 0 ? '' : rest.slice(end));
  });
}

/** Truncates again after masking, because a replacement may be longer than the text it replaces. */
function truncate(text: string, charsMax: number): string {
  return text.length > charsMax ? cleanText(text.slice(0, charsMax), charsMax) : text;
}

/**
 * Cleans and truncates page text. `charsMax` counts UTF-16 units; surrogate pairs are never split.
 */
export function cleanText(text: string, charsMax: number): string {
  // Truncate before cleaning too, so that the cost does not depend on the input's length.
  const bounded = text.length > charsMax * 2 ? text.slice(0, charsMax * 2) : text;
  const cleaned = toVisibleText(bounded)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  if (cleaned.length <= charsMax) return cleaned;
  const truncated = cleaned
    .slice(0, charsMax)
    .toWellFormed()
    .replace(/\uFFFD$/, '');
  // Clean again: the cut may leave a trailing blank or joiner.
  return cleanText(truncated, charsMax);
}

/** Cleans a label to a single line. */
export function cleanLabel(text: string, charsMax: number): string {
  return cleanText(text, charsMax).replace(/\s+/g, ' ');
}

/**
 * Detects fields for passwords, one-time codes, payment data and document numbers by their names in
 * many languages.
 */

/** Match inside longer words. */
const SUBSTRINGS = [
  'passw(?:or|ort)',
  'passwd|passcode|passphrase|kennwort|mot[ _-]?de[ _-]?passe|motdepasse|contrase[nñ]|palavra[ _-]?passe|wachtwoord|lösenord|losenord',
  'adgangskode|passord|salasana|jelszó|jelszo|parol[aăă]|şifre|mật khẩu|kata[ _-]?sandi|has[lł]o|heslo|пароль|парола|κωδικός πρόσβασης|συνθηματικό',
  '密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|รหัสผ่าน|كلمة المرور|كلمة السر|סיסמ[הא]|पासवर्ड|পাসওয়ার্ড|رمز عبور|گذرواژه|пін-код|пин-код',
  'one-time-code|one[ _-]?time[ _-]?(?:code|password)|verification[ _-]?code|einmalcode|bestätigungscode|code de vérification|código de verificación|código de verificação|codice di verifica|verificatiecode|код подтверждения|验证码|驗證碼|確認コード|認証コード|인증번호|인증 코드|رمز التحقق|קוד אימות|mã xác nhận|doğrulama kodu',
  'credit[ _-]?card|card[ _-]?num|cardnumber|cc-?num|kreditkarte|kartennummer|numéro de (?:la )?carte|carte bancaire|n[úu]mero d[eao] (?:la )?(?:tarjeta|cart[ãa]o)|numero (?:della )?carta|kaartnummer|kortnummer|numer karty|номер карты|číslo karty|卡号|卡號|カード番号|카드 ?번호|رقم البطاقة|מספר כרטיס|kart numaras|số thẻ|หมายเลขบัตร|कार्ड नंबर',
  'security[ _-]?code|card[ _-]?verif|sicherheitscode|prüfziffer|kartenprüf|cryptogramme|código de seguridad|código de segurança|codice di sicurezza|beveiligingscode|安全码|セキュリティ ?コード',
  'social[ _-]?security|sozialversicherung|steuer-?id|numéro de sécurité sociale|codice fiscale|burgerservice|national[ _-]?insurance|aadhaar|身份证|マイナンバー|주민등록',
  'secret[ _-]?(?:key|answer|question)|api[ _-]?key|recovery[ _-]?(?:code|phrase)|seed[ _-]?phrase|private[ _-]?key',
].join('|');

/** Match only as whole words. */
const WHOLE_WORDS =
  'pwd|senha|clave|otp|totp|2fa|mfa|pin|pin-?code|cvv2?|cvc2?|csc|iban|bic|ssn|cpf|dni|nif|bsn|pesel';

const SENSITIVE = new RegExp(
  `${SUBSTRINGS}|(?<![\\p{L}\\p{N}])(?:${WHOLE_WORDS})(?![\\p{L}\\p{N}])|(?<![\\p{L}\\p{N}])cc-[a-z]|type=["']?password`,
  'iu',
);

const HIDDEN =
  /type=["']?hidden|aria-hidden=["']?true|\[hidden[\]=]|display\s?:\s?none|visibility\s?:\s?hidden|opacity\s?:\s?0(?![.\d])|font-size\s?:\s?0(?![.\d])/i;
const HIDDEN_ATTRIBUTE = /<[^<>]*\shidden(?=[\s>=/])/i;
const QUOTED = /"[^"]*"|'[^']*'/g;

export function isSensitiveField(hints: string): boolean {
  return SENSITIVE.test(hints);
}

export function isHiddenElement(hints: string): boolean {
  // Ignore quoted values: a title may mention "hidden files".
  return HIDDEN.test(hints) || HIDDEN_ATTRIBUTE.test(hints.replace(QUOTED, '""'));
}

/** Removes hidden elements and the values of sensitive fields from a digest. */
export function removeFieldSecrets(digest: string): string {
  return redactLines(redactTags(digest));
}

const TAG = /<(\/?)([a-z][a-z\d-]*)(?=[\s/>])(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^"'<>]){0,2000}>/gi;
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;
const INPUT =
  /^<(?:input|textarea|select|[a-z]+-)|\s(?:contenteditable(?!=["']?false)|role=["']?(?:textbox|searchbox|combobox|spinbutton))/i;
/** Values of these input types are not user input. */
const BUTTON = /type=["']?(?:submit|button|reset|image|checkbox|radio)/i;
const ATTRIBUTE = /(?<![\w-])(?:data-|aria-)?value(?:text|now)?\s?=\s?(?:"[^"]*"|'[^']*'|[^\s"'>]+)/gi;
const LABEL_CHARS_MAX = 80;

/** Drops hidden elements and the values of sensitive fields from HTML source, where elements span and share lines. */
function redactTags(text: string): string {
  const tags = [...text.matchAll(TAG)];
  const ends = findElementEnds(tags);
  let kept = '';
  let at = 0;
  let label = '';
  tags.forEach((tag, n) => {
    if (tag.index < at) return;
    const between = text.slice(at, tag.index);
    if (between.trim() !== '') label = between.slice(-LABEL_CHARS_MAX);
    kept += between;
    at = tag.index + tag[0].length;
    if (isHiddenElement(tag[0])) {
      if (!isVoidElement(tag)) at = ends.get(n)?.after ?? findUnclosedEnd(text, at, ends.size > 0);
      return;
    }
    const line = tag[0].replaceAll('\n', ' ');
    if (!INPUT.test(line) || BUTTON.test(line)) {
      kept += line;
      return;
    }
    const isSecret = isSensitiveField(`${label} ${line.replace(ATTRIBUTE, '')}`);
    kept += isSecret ? line.replace(ATTRIBUTE, 'value=""') : line;
    if (isSecret && !/^<[a-z]+-/i.test(line)) at = ends.get(n)?.before ?? at;
    label = '';
  });
  return kept + text.slice(at);
}

const isVoidElement = ([tag, , name = '']: RegExpExecArray) => VOID.test(name) || tag.endsWith('/>');

type ElementEnd = { before: number; after: number };

/**
 * Returns the end of each element by the index of its opening tag. Unclosed elements end with their
 * parent.
 */
function findElementEnds(tags: readonly RegExpExecArray[]): ReadonlyMap<number, ElementEnd> {
  const ends = new Map<number, ElementEnd>();
  const openElements: { n: number; name: string }[] = [];
  const openCounts = new Map<string, number>();
  tags.forEach((tag, n) => {
    const name = tag[2]!.toLowerCase();
    if (tag[1] === '') {
      if (isVoidElement(tag)) return;
      openElements.push({ n, name });
      openCounts.set(name, (openCounts.get(name) ?? 0) + 1);
      return;
    }
    if (!openCounts.get(name)) return;
    for (let last = openElements.pop(); last; last = openElements.pop()) {
      openCounts.set(last.name, openCounts.get(last.name)! - 1);
      const isMatching = last.name === name;
      ends.set(last.n, { before: tag.index, after: tag.index + (isMatching ? tag[0].length : 0) });
      if (isMatching) break;
    }
  });
  return ends;
}

/**
 * In HTML source, an unclosed element means that the source was truncated. An outline has one
 * element per line and closes none.
 */
function findUnclosedEnd(text: string, from: number, isSource: boolean): number {
  const lineEnd = isSource ? -1 : text.indexOf('\n', from);
  return lineEnd < 0 ? text.length : lineEnd;
}

/**
 * Matches `- textbox "Password" [ref=e2]: hunter2` and `main > input[name=cvv] 737`: prefix, name,
 * rest.
 */
const FIELD = new RegExp(
  [
    String.raw`^([^\p{L}<]{0,16}(?:\w{1,12}=\S{1,40} )?(?:\S{1,80} > ){0,8}`,
    String.raw`(text ?box|search ?box|combo ?box|spin ?button|input|textarea|text ?field|contenteditable|[a-z]\w{0,20}(?=\[contenteditable))(?![\p{L}\p{N}-])`,
    String.raw`((?:\[[^\]]*\]|[#.][\w-]+)*))`,
    String.raw`(:?\s?(?:"(?:[^"\\]|\\.)*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|'[^']*')'?|:?\s(?!value\s?[:=])[^:="[\]]{1,120}(?=[:=]))?`,
    '(.*)$',
  ].join(''),
  'iu',
);
const ONE_STATE =
  '(?:active|busy|checked|current|disabled|editable|expanded|focusable|focused|invalid|multiline|pressed|read-?only|required|selected|(?:ref|cursor|type|autocomplete|name)=[\\w-]+)';
/** Requires a separator between states, to avoid exponential backtracking. */
const STATE = new RegExp(String.raw`\s?[[(]${ONE_STATE}(?:(?:, ?| )${ONE_STATE})*[\])]`, 'gi');
const BRACKETS = /\[[^[\]]*\]/g;
const VALUE =
  /(?<![\w-])(?:value\s?[=:]|(?:content|text)\s?=)\s?(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'>\]]+)/iu;
const TAG_OR_VALUE = new RegExp(`<[^<>]*>|${VALUE.source}`, 'giu');
/** Elements that only mention a password. */
const NO_FIELD =
  /^[^\p{L}]{0,16}(?:h[1-6]|title|heading|link|button|tab|menuitem|option|checkbox|radio|switch|img|(?<=<)a)[\s>]/iu;
/** `Password: hunter2`, as in the digest of a form. */
const AFTER_NAME = /^((?:<[^<>]{0,200}>|[^:="[<]){1,80}[:=])(\s?)(\S[^\n]*)$/u;

function redactLines(text: string): string {
  let label = '';
  let isInSecret = false;
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    if (isHiddenElement(line)) continue;
    // The typed value may be below its field, next to the placeholder.
    isInSecret &&= /^- (?:\/|text:)/.test(line);
    if (isInSecret) {
      kept.push(line.replace(/^- text:.*/, '- text: [secret]'));
      continue;
    }
    const field = parseField(line, label);
    kept.push(field ? field.redacted : redactNamedValue(line));
    isInSecret = field?.isSecret === true && field.redacted.endsWith(':');
    label = field ? '' : line.slice(-LABEL_CHARS_MAX);
  }
  return kept.join('\n');
}

/**
 * Parses the field that a line describes, if any; `label` names it when the line itself does not.
 */
function parseField(line: string, label: string): { isSecret: boolean; redacted: string } | undefined {
  const [, head, role, selector, name = '', rest] = FIELD.exec(line) ?? [];
  if (head === undefined || role === undefined || rest === undefined) return undefined;
  const isQuoted = /["'”»“]$/.test(name);
  // Text such as "Input your password: …" is not a field.
  if (!selector && !isQuoted && role !== role.toLowerCase()) return undefined;
  const value = rest.replace(STATE, '');
  const bare = head.replace(VALUE, 'value=""');
  const isNamed = selector || name;
  if (!isNamed && !/^\s?[:=]/.test(value)) return undefined;
  const hints = [isNamed ? '' : label, head, name, ...(rest.match(BRACKETS) ?? [])].join(' ');
  const isSecret = isSensitiveField(hints) && !BUTTON.test(head);
  // After a selector, the text may be the name or the value.
  const shown = selector && !isSensitiveField(name) ? '' : name;
  if (!isSecret || (bare === head && shown === name && /^[\s:]*$/.test(value)))
    return { isSecret, redacted: line };
  const states = rest.match(STATE)?.join('') ?? '';
  return { isSecret, redacted: `${bare}${shown}${states}${VALUE.test(value) ? ' value=""' : ''}` };
}

function redactNamedValue(line: string): string {
  if (!isSensitiveField(line)) return line;
  const redacted = line.replace(TAG_OR_VALUE, (found) => (found.startsWith('<') ? found : 'value=""'));
  if (redacted !== line || NO_FIELD.test(line)) return redacted;
  const [, name, gap, value] = AFTER_NAME.exec(line) ?? [];
  // Headings and help texts have several words; typed values rarely do.
  if (
    name === undefined ||
    value === undefined ||
    value.split(/\s+/, 3).length > 2 ||
    !isSensitiveField(name)
  )
    return line;
  return `${name}${gap}[secret]`;
}

/**
 * Wraps untrusted data for a language model between two lines with a random boundary. The boundary
 * is removed from the data, so the data cannot close its block or open another one.
 */
type PromptBoundary = {
  /** @param kind one word that describes the data */
  wrap(kind: string, text: string): string;
};

export function createPromptBoundary(boundary: string): PromptBoundary {
  if (!/^[A-Za-z0-9]{8,64}$/.test(boundary))
    throw new Error('The boundary must consist of 8 to 64 letters and digits');
  return {
    wrap(kind, text) {
      let inside = text;
      // Removing the boundary may form a new one.
      while (inside.includes(boundary)) inside = inside.replaceAll(boundary, '');
      return `<<${kind} ${boundary}\n${inside}\n${kind} ${boundary}>>`;
    },
  };
}
