import { ibanCheck, luhn } from './digit-checks.ts';
import type { Detector } from './national-ids.ts';

/** Beginnings and lengths of the card networks. */
const CARD =
  /^(?:4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|6(?:011|4[4-9]\d|5\d\d)\d{12}|(?:2131|1800)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}|220[0-4]\d{12,15}|(?:60|65|81|82|508)\d{13,14})$/;

/** Words may touch it where a page's text was joined ("Card number4111…"); a single letter or a capital belongs to an id or a hash. */
const CARD_BEFORE = String.raw`(?<![\p{N}_\p{Lu}]|\p{N}[.,]|(?<!\p{L})\p{L})`;
const CARD_GAP = String.raw`(?:[ \n]|[ \n]?-[ \n]?)`;
const CARD_GROUPS = [
  String.raw`\d{4}([ \u00a0.-])\d{4}\1\d{4}\1(?:\d{4}\1\d{3}|\d{1,7})`,
  String.raw`\d{4}([ \u00a0-])\d{6}\2\d{4,5}`,
  // Broken over lines or written at will; but four numbers below each other are a column of a table.
  String.raw`(?!(?:\d{4}\n){3})\d{4}(?:${CARD_GAP}\d{4}){3}`,
  String.raw`(?!\d{4}\n\d{6}\n)\d{4}${CARD_GAP}\d{6}${CARD_GAP}\d{5}`,
  String.raw`\d{12,19}`,
];

const IBAN_CHARS: Readonly<Record<string, number>> = Object.fromEntries(
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
    .split(' ')
    .map((country) => [country.slice(0, 2), Number(country.slice(2))]),
);

export const PAYMENT_DATA: readonly Detector[] = [
  {
    mark: '[iban]',
    pattern:
      /(?<![\p{L}\p{N}_])[A-Z]{2}\d{2}(?:[A-Z\d]{11,29}|(?:[ \u00a0\u202f-][A-Z\d]{4}){2,7}(?:[ \u00a0\u202f-][A-Z\d]{1,4})?)(?![\p{L}\p{N}_])/giu,
    isValid(found) {
      const iban = found.replace(/[^A-Za-z\d]/g, '').toUpperCase();
      return IBAN_CHARS[iban.slice(0, 2)] === iban.length && ibanCheck(iban);
    },
  },
  {
    mark: '[card]',
    pattern: new RegExp(
      `${CARD_BEFORE}(?:${CARD_GROUPS.join('|')})(?![\\p{N}_]|[.,]\\p{N}|\\p{L}(?!\\p{L}))`,
      'gu',
    ),
    isValid(found) {
      const number = found.replace(/\D/g, '');
      return CARD.test(number) && luhn(number);
    },
  },
];
