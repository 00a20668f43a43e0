import {
  americanSsn,
  belgianNumber,
  brazilianCpf,
  britishNhs,
  chileanRut,
  chineseResidentId,
  dutchBsn,
  finnishHetu,
  frenchNir,
  germanTaxId,
  isDate,
  italianFiscalCode,
  koreanNumber,
  luhn,
  norwegianNumber,
  polishPesel,
  spanishDni,
  swissAhv,
  turkishNumber,
  verhoeff,
} from './digit-checks.ts';

/**
 * How a kind of personal data or secret is found: a pattern of bounded length, and a check of what it found. A number whose check is
 * weak counts only where a word before it says what it is.
 */
export type Detector = {
  readonly mark: string;
  /** Whether a text may hold it at all; looking for that is cheap, and most texts do not. */
  readonly isLikely?: (text: string) => boolean;
  readonly pattern: RegExp;
  readonly isValid?: (found: string, before: string) => boolean;
};

const BEFORE = String.raw`(?<![\p{L}\p{N}_.+/-])`;
const AFTER = String.raw`(?![\p{L}\p{N}_]|[.,\/-]\p{N})`;
const id = (pattern: string, isValid?: Detector['isValid'], flags = ''): Detector => ({
  mark: '[id]',
  pattern: new RegExp(`${BEFORE}(?:${pattern})${AFTER}`, `gu${flags}`),
  ...(isValid ? { isValid } : {}),
});
const digits = (found: string) => found.replace(/\D/g, '');
const named =
  (words: RegExp, isValid: (found: string) => boolean): NonNullable<Detector['isValid']> =>
  (found, before) =>
    words.test(before) && isValid(found);

export const NATIONAL_IDS: readonly Detector[] = [
  // US social security number.
  id(String.raw`\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}`, americanSsn),
  id(String.raw`\d{9}`, named(/\b(?:ssn|social security)\b/i, americanSsn)),
  // DE tax id.
  id(String.raw`\d{2} \d{3} \d{3} \d{3}|\d{11}`, germanTaxId),
  // FR NIR.
  id(
    String.raw`[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}`,
    frenchNir,
    'i',
  ),
  // ES DNI and NIE.
  id(String.raw`(?:\d{8}|\d{2}\.\d{3}\.\d{3}|[XYZ]-?\d{7})[- ]?[A-HJ-NP-TV-Z]`, spanishDni, 'i'),
  // NL BSN.
  id(String.raw`\d{9}|\d{4}[. ]\d{2}[. ]\d{3}`, named(/\b(?:bsn|burgerservice|sofi)/i, dutchBsn)),
  // IT codice fiscale.
  id(
    String.raw`[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPRST][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z]`,
    italianFiscalCode,
    'i',
  ),
  // BR CPF.
  id(String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}`, brazilianCpf),
  id(String.raw`\d{11}`, named(/\bcpf\b/i, brazilianCpf)),
  // GB national insurance number, NHS number.
  id(
    String.raw`(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]`,
    undefined,
    'i',
  ),
  id(String.raw`\d{3} \d{3} \d{4}|\d{10}`, named(/\bnhs\b/i, britishNhs)),
  // PL PESEL, NO birth number, TR number, BE national number.
  id(String.raw`\d{11}`, polishPesel),
  id(String.raw`\d{6} ?\d{5}`, norwegianNumber),
  id(String.raw`[1-9]\d{10}`, named(/kimlik|\bt\.?c\.?\b/i, turkishNumber)),
  id(String.raw`\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}`, belgianNumber),
  // SE personal number; DK CPR.
  id(
    String.raw`(?:\d{2})?\d{6}[-+]\d{4}`,
    (found) => luhn(digits(found).slice(-10)) && isDate(digits(found).slice(-10), 'ymd'),
  ),
  id(
    String.raw`\d{6}-?\d{4}`,
    named(/\bcpr\b/i, (found) => isDate(found, 'dmy')),
  ),
  // FI personal identity code.
  id(String.raw`\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]`, finnishHetu),
  // CH AHV number.
  id(String.raw`756\.\d{4}\.\d{4}\.\d{2}|756\d{10}`, swissAhv),
  // IN Aadhaar and PAN.
  id(String.raw`[2-9]\d{3} \d{4} \d{4}|[2-9]\d{3}-\d{4}-\d{4}`, verhoeff),
  id(String.raw`[2-9]\d{11}`, named(/aadha?ar|आधार/i, verhoeff)),
  id(String.raw`[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]`),
  // CN resident id, KR registration number.
  id(String.raw`[1-9]\d{5}(?:19|20)\d{9}[\dXx]`, chineseResidentId),
  id(String.raw`\d{6}-[1-8]\d{6}`, koreanNumber),
  // ZA identity number.
  id(String.raw`\d{10}[012]\d{2}`, (found) => luhn(found) && isDate(found, 'ymd')),
  // CL RUT, CA SIN, MX CURP.
  id(String.raw`\d{1,2}\.\d{3}\.\d{3}-[\dKk]`, chileanRut),
  id(String.raw`\d{3}[- ]?\d{3}[- ]?\d{3}`, named(/\b(?:sin|social insurance|nas)\b/i, luhn)),
  id(String.raw`[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d`, (found) => isDate(found.slice(4), 'ymd')),
];
