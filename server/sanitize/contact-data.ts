import type { Detector } from './national-ids.ts';

/** Image and package names have an at sign, too. */
const NO_MAIL_ENDING = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|js|json|local|lan|internal)$/i;

/** ITU country calling codes. */
const CALLING_CODE =
  /^(?:1|7|2(?:0|7|1[1-368]|[2-46]\d|5[0-8]|9[01789])|3(?:[0123469]|5\d|7[0-8]|8[0-35-79])|4(?:[013-9]|2[0-13])|5(?:[1-8]|0\d|9\d)|6(?:[0-6]|7[02-9]|8[0-35-9]|9[0-2])|8(?:[1246]|0[08]|5[02356]|7[08]|8[0-368])|9(?:[0-58]|6[0-8]|7[0-79]|9[2-689]))/;

/** A word for a telephone shortly before a number. */
const PHONE_WORD =
  /(?:phone|\btel\b|telef|téléph|\bmob|\bcell|\bcall\b|\bfax\b|\bsms\b|handy|rufnummer|anruf|portable|móvil|movil|celular|cellulare|telemóvel|whats ?app|\bfon\b|puhelin|тел|звон|电话|電話|手机|手機|携帯|전화|휴대|هاتف|جوال|טלפון|โทร|फ़ोन|फोन|điện thoại|komórk|numer tel|contact n)[^\n]{0,25}$/iu;

const SEPARATED = String.raw`[ \u00a0.\-/]`;
const BEFORE = String.raw`(?<![\p{L}\p{N}_.,/+#-]|\p{N} )`;
const AFTER = String.raw`(?![\p{L}\p{N}_]|[.,:/-]\p{N}|[ \u00a0]\p{N})`;

const phone = (
  pattern: string,
  isValid: (digits: string, found: string, before: string) => boolean,
): Detector => ({
  mark: '[phone]',
  pattern: new RegExp(`${BEFORE}(?:${pattern})${AFTER}`, 'gu'),
  isValid: (found, before) => isValid(found.replace(/\D/g, ''), found, before),
});

export const CONTACT_DATA: readonly Detector[] = [
  {
    mark: '[email]',
    isLikely: (text) => text.includes('@'),
    pattern:
      /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-](?:[\p{L}\p{M}\p{N}._%+'-]{0,62}[\p{L}\p{N}_%+-])?@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:\p{L}{2,24}|xn--[a-z\d-]{2,59})(?![\p{L}\p{N}_-])/giu,
    isValid: (found) => !NO_MAIL_ENDING.test(found) && !/^git@/.test(found),
  },
  // With the code of a country: +49 (0)30 1234567, 0044 20 7946 0958.
  phone(
    String.raw`(?:\+|00)${SEPARATED}?\(?\d{1,4}\)?(?:${SEPARATED}{0,2}\(?\d{1,5}\)?){1,7}`,
    (digits, found) => {
      const number = found.startsWith('+') ? digits : digits.slice(2);
      return number.length >= 8 && number.length <= 15 && CALLING_CODE.test(number);
    },
  ),
  // North America: (212) 555-0147, 212-555-0147, 1-212-555-0147.
  phone(String.raw`(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[ .-]\d{4}`, (digits) =>
    /^1?[2-9](?!11)\d{2}[2-9](?!11)\d{6}$/.test(digits),
  ),
  phone(
    String.raw`\d{3} \d{3} \d{4}`,
    (digits, _found, before) => /^[2-9]\d{2}[2-9]\d{6}$/.test(digits) && PHONE_WORD.test(before),
  ),
  // With the leading zero of most countries, in groups: 030 1234567, 01 23 45 67 89, 090-1234-5678.
  phone(
    String.raw`\(?0[1-9]\d{0,4}\)?(?:${SEPARATED}{1,2}\d{2,8}){1,4}`,
    (digits, found) =>
      digits.length >= 9 &&
      digits.length <= 12 &&
      !/^\d{1,2}([./-])\d{1,2}\1(?:(?:19|20)\d{2}|\d{2}(?!\1))(?!\d)/.test(found) &&
      isGrouped(found),
  ),
  // With the area in brackets: (11) 91234-5678, 8 (912) 345-67-89.
  phone(
    String.raw`(?:8[ -]?)?\(\d{2,5}\)(?:${SEPARATED}?\d{2,5}){2,4}`,
    (digits) => digits.length >= 9 && digits.length <= 12,
  ),
  // Whatever else a word before it calls a telephone number.
  phone(
    String.raw`\(?\d{1,5}\)?(?:${SEPARATED}?\d{1,11}){1,5}`,
    (digits, found, before) =>
      digits.length >= 7 &&
      digits.length <= 13 &&
      PHONE_WORD.test(before) &&
      !/^(?:19|20)\d\d-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d/.test(found),
  ),
];

/** Groups of a telephone number have one separator between them, or two kinds where the area code ends. */
function isGrouped(found: string): boolean {
  const separators = found.replace(/[()\d]/g, '').trim();
  return new Set(separators).size <= 2 && !/^0\d{1,2}\.\d+$/.test(found);
}
