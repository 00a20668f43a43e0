import isIdentityCard, { type IdentityCardLocale } from 'validator/lib/isIdentityCard.js';
import isLuhnNumber from 'validator/lib/isLuhnNumber.js';
import isTaxID from 'validator/lib/isTaxID.js';

/**
 * Detects one kind of personal data or secret by a pattern of bounded length and a check of the
 * match. Numbers with a weak check digit count only after a word that names them.
 */
export type Detector = {
  mark: string;
  /** Cheap pre-check: whether the text can contain a match at all. */
  isLikely?: (text: string) => boolean;
  pattern: RegExp;
  isValid?: (match: string, before: string) => boolean;
};

const BEFORE = String.raw`(?<![\p{L}\p{N}_.+/-])`;
const AFTER = String.raw`(?![\p{L}\p{N}_]|[.,\/-]\p{N})`;
const idDetector = (pattern: string, isValid?: Detector['isValid'], flags = ''): Detector => ({
  mark: '[id]',
  pattern: new RegExp(`${BEFORE}(?:${pattern})${AFTER}`, `gu${flags}`),
  ...(isValid ? { isValid } : {}),
});
const removeNonDigits = (match: string) => match.replace(/\D/g, '');
const afterWord =
  (words: RegExp, isValid: (match: string) => boolean): NonNullable<Detector['isValid']> =>
  (match, before) =>
    words.test(before) && isValid(match);

// The types describe the CommonJS modules, which Node imports as `default`.
const isTaxNumber = (locale: string) => (match: string) => isTaxID.default(removeNonDigits(match), locale);
const isIdentityNumber = (locale: IdentityCardLocale) => (match: string) =>
  isIdentityCard.default(match.replace(/[\s.-]/g, '').toUpperCase(), locale);
const isAadhaar = isIdentityNumber('IN');
const isCpf = isTaxNumber('pt-BR');

export const isLuhnValid = (match: string): boolean => isLuhnNumber.default(removeNonDigits(match));

export const NATIONAL_IDS: readonly Detector[] = [
  // US social security number.
  idDetector(String.raw`\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}`, isAmericanSsn),
  idDetector(String.raw`\d{9}`, afterWord(/\b(?:ssn|social security)\b/i, isAmericanSsn)),
  // DE tax id.
  idDetector(String.raw`\d{2} \d{3} \d{3} \d{3}|\d{11}`, isTaxNumber('de-DE')),
  // FR NIR.
  idDetector(
    String.raw`[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}`,
    isFrenchNir,
    'i',
  ),
  // ES DNI and NIE.
  idDetector(
    String.raw`(?:\d{8}|\d{2}\.\d{3}\.\d{3}|[XYZ]-?\d{7})[- ]?[A-HJ-NP-TV-Z]`,
    isIdentityNumber('ES'),
    'i',
  ),
  // NL BSN.
  idDetector(
    String.raw`\d{9}|\d{4}[. ]\d{2}[. ]\d{3}`,
    afterWord(/\b(?:bsn|burgerservice|sofi)/i, isTaxNumber('nl-NL')),
  ),
  // IT codice fiscale.
  idDetector(
    String.raw`[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPRST][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z]`,
    isItalianFiscalCode,
    'i',
  ),
  // BR CPF.
  idDetector(String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}`, isCpf),
  idDetector(String.raw`\d{11}`, afterWord(/\bcpf\b/i, isCpf)),
  // GB national insurance number, NHS number.
  idDetector(
    String.raw`(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]`,
    undefined,
    'i',
  ),
  idDetector(String.raw`\d{3} \d{3} \d{4}|\d{10}`, afterWord(/\bnhs\b/i, isBritishNhs)),
  // PL PESEL, NO birth number, TR number, BE national number.
  idDetector(String.raw`\d{11}`, isPolishPesel),
  idDetector(String.raw`\d{6} ?\d{5}`, isIdentityNumber('NO')),
  idDetector(String.raw`[1-9]\d{10}`, afterWord(/kimlik|\bt\.?c\.?\b/i, isTurkishNumber)),
  idDetector(String.raw`\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}`, isBelgianNumber),
  // SE personal number; DK CPR.
  idDetector(
    String.raw`(?:\d{2})?\d{6}[-+]\d{4}`,
    (match) =>
      isLuhnValid(removeNonDigits(match).slice(-10)) && isDate(removeNonDigits(match).slice(-10), 'ymd'),
  ),
  idDetector(
    String.raw`\d{6}-?\d{4}`,
    afterWord(/\bcpr\b/i, (match) => isDate(match, 'dmy')),
  ),
  // FI personal identity code.
  idDetector(String.raw`\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]`, isFinnishHetu),
  // CH AHV number.
  idDetector(String.raw`756\.\d{4}\.\d{4}\.\d{2}|756\d{10}`, isSwissAhv),
  // IN Aadhaar and PAN.
  idDetector(String.raw`[2-9]\d{3} \d{4} \d{4}|[2-9]\d{3}-\d{4}-\d{4}`, isAadhaar),
  idDetector(String.raw`[2-9]\d{11}`, afterWord(/aadha?ar|आधार/i, isAadhaar)),
  idDetector(String.raw`[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]`),
  // CN resident id, KR registration number.
  idDetector(String.raw`[1-9]\d{5}(?:19|20)\d{9}[\dXx]`, isIdentityNumber('zh-CN')),
  idDetector(String.raw`\d{6}-[1-8]\d{6}`, isKoreanNumber),
  // ZA identity number.
  idDetector(String.raw`\d{10}[012]\d{2}`, (match) => isLuhnValid(match) && isDate(match, 'ymd')),
  // CL RUT, CA SIN, MX CURP.
  idDetector(String.raw`\d{1,2}\.\d{3}\.\d{3}-[\dKk]`, isChileanRut),
  idDetector(
    String.raw`\d{3}[- ]?\d{3}[- ]?\d{3}`,
    afterWord(/\b(?:sin|social insurance|nas)\b/i, isLuhnValid),
  ),
  idDetector(String.raw`[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d`, (match) => isDate(match.slice(4), 'ymd')),
];

/** Check-digit algorithms that distinguish identification numbers from other digits. */

const toDigits = (text: string): number[] => [...text].filter((c) => c >= '0' && c <= '9').map(Number);

const weightedSum = (digits: readonly number[], weights: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * (digits[at] ?? 0), 0);

/** ISO 7064 mod 97: letters count from 10, the first four characters come last. */
export function isIbanValid(iban: string): boolean {
  const moved = iban.slice(4) + iban.slice(0, 4);
  let remainder = 0;
  for (const character of moved.toUpperCase()) {
    const value = Number.parseInt(character, 36);
    if (Number.isNaN(value)) return false;
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** Whether month and day are possible; two digits each for year, month and day in the given order. */
export function isDate(digits: string, order: 'ymd' | 'dmy'): boolean {
  const [month, day] =
    order === 'ymd'
      ? [Number(digits.slice(2, 4)), Number(digits.slice(4, 6))]
      : [Number(digits.slice(2, 4)), Number(digits.slice(0, 2))];
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** French NIR: 97 minus the first thirteen digits mod 97; Corsica counts as 19 and 18. */
function isFrenchNir(text: string): boolean {
  const compact = text.replace(/\s/g, '').toUpperCase();
  const number = compact.slice(0, 13).replace('2A', '19').replace('2B', '18');
  if (!/^\d{13}$/.test(number)) return false;
  return 97n - (BigInt(number) % 97n) === BigInt(compact.slice(13));
}

const ODD_VALUES = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];
function isItalianFiscalCode(text: string): boolean {
  const code = text.toUpperCase();
  let sum = 0;
  for (let at = 0; at < 15; at++) {
    const value = Number.parseInt(code[at]!, 36);
    const index = value > 9 ? value - 10 : value;
    sum += at % 2 === 0 ? ODD_VALUES[index]! : index;
  }
  return String.fromCharCode(65 + (sum % 26)) === code[15];
}

/** US SSN: excludes areas, groups and serials that are never issued. */
function isAmericanSsn(text: string): boolean {
  const digits = toDigits(text).join('');
  return digits.length === 9 && !/^(?:000|666|9\d\d|\d{3}00|\d{5}0000)/.test(digits);
}

function isPolishPesel(text: string): boolean {
  const digits = toDigits(text);
  const month = digits[2]! * 10 + digits[3]!;
  const day = digits[4]! * 10 + digits[5]!;
  // Months 1 to 12 for 1900–1999, plus twenty for 2000–2099.
  if (month > 32 || month % 20 < 1 || month % 20 > 12 || day < 1 || day > 31) return false;
  return (10 - (weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10 === digits[10];
}

function isBelgianNumber(text: string): boolean {
  const digits = toDigits(text).join('');
  const [number, check] = [digits.slice(0, 9), Number(digits.slice(9))];
  return (
    isDate(digits, 'ymd') &&
    (97 - (Number(number) % 97) === check || 97 - (Number(`2${number}`) % 97) === check)
  );
}

function isTurkishNumber(text: string): boolean {
  const digits = toDigits(text);
  if (digits.length !== 11 || digits[0] === 0) return false;
  const odd = digits[0]! + digits[2]! + digits[4]! + digits[6]! + digits[8]!;
  const even = digits[1]! + digits[3]! + digits[5]! + digits[7]!;
  const sum = digits.slice(0, 10).reduce((total, digit) => total + digit, 0);
  return (((odd * 7 - even) % 10) + 10) % 10 === digits[9] && sum % 10 === digits[10];
}

function isKoreanNumber(text: string): boolean {
  const digits = toDigits(text);
  const sum = weightedSum(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
  return isDate(digits.join(''), 'ymd') && (11 - (sum % 11)) % 10 === digits[12];
}

/** Swiss AHV number, an EAN-13. */
function isSwissAhv(text: string): boolean {
  const digits = toDigits(text);
  return (10 - (weightedSum(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === digits[12];
}

function isChileanRut(text: string): boolean {
  const compact = text.replace(/[.\-\s]/g, '').toUpperCase();
  const sum = [...compact.slice(0, -1)]
    .reverse()
    .reduce((total, c, at) => total + Number(c) * ((at % 6) + 2), 0);
  return '0K987654321'[sum % 11] === compact.at(-1);
}

function isBritishNhs(text: string): boolean {
  const digits = toDigits(text);
  const check = 11 - (weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return check !== 10 && check % 11 === digits[9];
}

function isFinnishHetu(text: string): boolean {
  const number = Number(text.slice(0, 6) + text.slice(7, 10));
  return isDate(text, 'dmy') && '0123456789ABCDEFHJKLMNPRSTUVWXY'[number % 31] === text[10]?.toUpperCase();
}
