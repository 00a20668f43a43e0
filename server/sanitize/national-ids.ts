import * as belgianNumber from 'stdnum/lib/cjs/be/insz.js';
import * as swissAhv from 'stdnum/lib/cjs/ch/ssn.js';
import * as chileanRut from 'stdnum/lib/cjs/cl/rut.js';
import * as finnishHetu from 'stdnum/lib/cjs/fi/hetu.js';
import * as frenchNir from 'stdnum/lib/cjs/fr/nir.js';
import * as italianFiscalCode from 'stdnum/lib/cjs/it/codicefiscale.js';
import * as koreanNumber from 'stdnum/lib/cjs/kr/rrn.js';
import * as polishPesel from 'stdnum/lib/cjs/pl/pesel.js';
import * as turkishNumber from 'stdnum/lib/cjs/tr/tckimlik.js';
import isIdentityCard, { type IdentityCardLocale } from 'validator/lib/isIdentityCard.js';
import isLuhnNumber from 'validator/lib/isLuhnNumber.js';
import isTaxID from 'validator/lib/isTaxID.js';
import { once } from '../base/cache.ts';

/**
 * Detects one kind of personal data or secret by a pattern of bounded length and a check of the
 * match. Numbers with a weak check digit count only after a word that names them.
 */
export type Detector = {
  replacement: string;
  /** Cheap pre-check: whether the text can contain a match at all. */
  isLikely?: (text: string) => boolean;
  pattern: () => RegExp;
  isValid?: (match: string, before: string) => boolean;
};

const BEFORE = String.raw`(?<![\p{L}\p{N}_.+/-])`;
const AFTER = String.raw`(?![\p{L}\p{N}_]|[.,\/-]\p{N})`;
const idDetector = (pattern: string, isValid?: Detector['isValid'], flags = ''): Detector => ({
  replacement: '[id]',
  pattern: once(() => new RegExp(`${BEFORE}(?:${pattern})${AFTER}`, `gu${flags}`)),
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
const isStandardNumber = (number: { validate(value: string): { isValid: boolean } }) => (match: string) =>
  number.validate(match.replaceAll('.', '').toUpperCase()).isValid;
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
    isStandardNumber(frenchNir),
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
    isStandardNumber(italianFiscalCode),
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
  idDetector(String.raw`\d{11}`, isStandardNumber(polishPesel)),
  idDetector(String.raw`\d{6} ?\d{5}`, isIdentityNumber('NO')),
  idDetector(String.raw`[1-9]\d{10}`, afterWord(/kimlik|\bt\.?c\.?\b/i, isStandardNumber(turkishNumber))),
  idDetector(String.raw`\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}`, isStandardNumber(belgianNumber)),
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
  idDetector(String.raw`\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]`, isStandardNumber(finnishHetu)),
  // CH AHV number.
  idDetector(String.raw`756\.\d{4}\.\d{4}\.\d{2}|756\d{10}`, isStandardNumber(swissAhv)),
  // IN Aadhaar and PAN.
  idDetector(String.raw`[2-9]\d{3} \d{4} \d{4}|[2-9]\d{3}-\d{4}-\d{4}`, isAadhaar),
  idDetector(String.raw`[2-9]\d{11}`, afterWord(/aadha?ar|आधार/i, isAadhaar)),
  idDetector(String.raw`[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]`),
  // CN resident id, KR registration number.
  idDetector(String.raw`[1-9]\d{5}(?:19|20)\d{9}[\dXx]`, isIdentityNumber('zh-CN')),
  idDetector(String.raw`\d{6}-[1-8]\d{6}`, isStandardNumber(koreanNumber)),
  // ZA identity number.
  idDetector(String.raw`\d{10}[012]\d{2}`, (match) => isLuhnValid(match) && isDate(match, 'ymd')),
  // CL RUT, CA SIN, MX CURP.
  idDetector(String.raw`\d{1,2}\.\d{3}\.\d{3}-[\dKk]`, isStandardNumber(chileanRut)),
  idDetector(
    String.raw`\d{3}[- ]?\d{3}[- ]?\d{3}`,
    afterWord(/\b(?:sin|social insurance|nas)\b/i, isLuhnValid),
  ),
  idDetector(String.raw`[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d`, (match) => isDate(match.slice(4), 'ymd')),
];

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

/** US SSN: excludes areas, groups and serials that are never issued. */
function isAmericanSsn(text: string): boolean {
  return !/^(?:000|666|9\d\d|\d{3}00|\d{5}0000)/.test(removeNonDigits(text));
}

function isBritishNhs(text: string): boolean {
  const digits = [...removeNonDigits(text)].map(Number);
  const sum = [10, 9, 8, 7, 6, 5, 4, 3, 2].reduce((total, weight, at) => total + weight * digits[at]!, 0);
  const check = 11 - (sum % 11);
  return check !== 10 && check % 11 === digits[9];
}
