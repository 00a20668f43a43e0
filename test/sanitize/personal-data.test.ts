import { describe, expect, it } from 'vitest';
import { maskPersonalData } from '../../server/sanitize/personal-data.ts';

/** Returns a generator of numbers below a bound, the same in every run. */
function createNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const number = createNumbers(20260715);
const digits = (count: number) => Array.from({ length: count }, () => number(10)).join('');
const oneOf = <T>(list: readonly T[]): T => list[number(list.length)]!;
const letters = (count: number, from: string) =>
  Array.from({ length: count }, () => from[number(from.length)]).join('');
const HEX = '0123456789abcdef';
const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function withLuhn(start: string, length: number): string {
  const body = start + digits(length - 1 - start.length);
  for (let check = 0; check < 10; check++) {
    const all = [...(body + check)].map(Number).reverse();
    let sum = 0;
    for (const [at, digit] of all.entries()) sum += at % 2 ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][digit]! : digit;
    if (sum % 10 === 0) return body + check;
  }
  throw new Error('no check digit');
}

function iban(country: string, body: string): string {
  const spelled = [...`${body}${country}00`].map((c) => Number.parseInt(c, 36)).join('');
  return country + String(98n - (BigInt(spelled) % 97n)).padStart(2, '0') + body;
}

const inFours = (text: string) => text.replace(/(.{4})(?=.)/g, '$1 ');
const inDashes = (text: string) => text.replace(/(.{4})(?=.)/g, '$1-');

/**
 * Labeled strings with personal data or credentials. They are published sample numbers of many
 * countries and generated numbers with valid check digits, never real data. `secret` must not
 * remain in the text.
 */
type Labelled = { text: string; secret?: string };

const FRAMES = [
  (value: string) => value,
  (value: string) => `Contact: ${value}`,
  (value: string) => `Your details (${value}) were saved.`,
  (value: string) => `td "${value}"`,
  (value: string) => `Bitte prüfen: ${value}, danke`,
  (value: string) => `登録情報：${value}。`,
  (value: string) => `<li>${value}</li>`,
  (value: string) => `row 3 | ${value} | active`,
];
let frame = 0;
const framed = (value: string): Labelled => ({
  text: FRAMES[frame++ % FRAMES.length]!(value),
  secret: value,
});
const spoken = (before: string, value: string): Labelled => ({ text: `${before} ${value}`, secret: value });

const cards = [
  '4111111111111111',
  '5555555555554444',
  '378282246310005',
  '6011111111111117',
  '3530111333300000',
  '30569309025904',
  '2223003122003222',
  '4012888888881881',
  '5105105105105100',
  '371449635398431',
  ...['4', '51', '55', '2221', '2720', '6011', '65', '3528', '622126'].flatMap((start) => [
    withLuhn(start, 16),
    inFours(withLuhn(start, 16)),
    inDashes(withLuhn(start, 16)),
  ]),
  '3782 822463 10005',
  inFours(withLuhn('4', 19)),
];

const ibans = [
  'DE89370400440532013000',
  'GB29NWBK60161331926819',
  'FR1420041010050500013M02606',
  'NL91ABNA0417164300',
  'ES9121000418450200051332',
  'IT60X0542811101000000123456',
  'CH9300762011623852957',
  'AT611904300234573201',
  'BE68539007547034',
  'PL61109010140000071219812874',
  'SE4550000000058398257466',
  'NO9386011117947',
  'DK5000400440116243',
  'FI2112345600000785',
  'PT50000201231234567890154',
  'IE29AIBK93115212345678',
  'GR1601101250000000012300695',
  'CZ6508000000192000145399',
  'HU42117730161111101800000000',
  'RO49AAAA1B31007593840000',
  'TR330006100519786457841326',
  'SA0380000000608010167519',
  'AE070331234567890123456',
  'IL620108000000099999999',
  'LU280019400644750000',
  'HR1210010051863000160',
  'SK3112000000198742637541',
  'UA213223130000026007233566001',
  'BR1800360305000010009795493C1',
  'LT121000011101001000',
];
const ibanForms = [
  ...ibans,
  ...ibans.slice(0, 12).map(inFours),
  iban('DE', digits(18)),
  iban('NL', `INGB${digits(10)}`),
  iban('FR', digits(23)),
  inFours(iban('DE', digits(18))),
];

const emails = [
  'anna.schmidt@example.com',
  'j.doe+news@mail.example.co.uk',
  'pierre_dupont@exemple.fr',
  "o'neil@example.ie",
  'user123@sub.domain.example.org',
  'имя@пример.рф',
  '用户@例子.中国',
  'josé@correo.es',
  'a@b.co',
  'FIRST.LAST@EXAMPLE.COM',
  'x-y.z@my-shop.example',
  'support%eu@example.net',
  'maria@xn--mller-kva.example',
  'ｕｓｅｒ＠ｅｘａｍｐｌｅ.com',
  'k.n@example.museum',
  'team_42@example.io',
  'müller@straße.example',
  'hello@example.app',
  ...Array.from(
    { length: 12 },
    () =>
      `${letters(6, 'abcdefghij')}.${letters(5, 'klmnop')}${number(99)}@${letters(7, 'qrstuv')}.${oneOf(['com', 'de', 'org', 'net', 'fr', 'jp'])}`,
  ),
];

const phones = [
  '+49 30 901820',
  '+49 (0)30 1234567',
  '+49-171-2345678',
  '0049 171 2345678',
  '+4917123456789',
  '030 12345678',
  '0171/2345678',
  '0171 234 56 78',
  '+44 20 7946 0958',
  '020 7946 0958',
  '+447911123456',
  '07911 123456',
  '+33 1 23 45 67 89',
  '01 23 45 67 89',
  '06.12.34.56.78',
  '+33612345678',
  '+1 212-555-0147',
  '(212) 555-0147',
  '212-555-0147',
  '1-800-555-0199',
  '212.555.0147',
  '+12125550147',
  '+34 612 345 678',
  '+39 06 698 12345',
  '+39 333 123 4567',
  '+31 6 12345678',
  '06-12345678',
  '020-1234567',
  '+41 44 668 18 00',
  '044 668 18 00',
  '+43 1 588000',
  '+48 22 123 45 67',
  '+7 (912) 345-67-89',
  '8 (912) 345-67-89',
  '+380 44 123 4567',
  '+90 212 123 45 67',
  '0212 123 45 67',
  '+55 11 91234-5678',
  '(11) 91234-5678',
  '+52 55 1234 5678',
  '+54 11 1234-5678',
  '+81 90-1234-5678',
  '090-1234-5678',
  '03-1234-5678',
  '+82 10-1234-5678',
  '010-1234-5678',
  '+86 138 0013 8000',
  '+91 98765 43210',
  '+61 412 345 678',
  '0412 345 678',
  '(02) 9374 4000',
  '+64 21 123 4567',
  '+27 82 123 4567',
  '+20 100 123 4567',
  '+966 50 123 4567',
  '+971 50 123 4567',
  '+972 50-123-4567',
  '+46 70 123 45 67',
  '070-123 45 67',
  '+47 912 34 567',
  '+45 12 34 56 78',
  '+358 40 1234567',
  '+351 912 345 678',
  '+30 21 0123 4567',
  '+420 601 123 456',
  '+36 1 123 4567',
  '+40 721 234 567',
  '+353 1 123 4567',
  '+62 812-3456-7890',
  '+84 91 234 56 78',
  '+66 81 234 5678',
  '+63 917 123 4567',
  '+65 9123 4567',
  '+852 9123 4567',
].map(framed);
const spokenPhones = [
  spoken('Tel.', '612 345 678'),
  spoken('Phone:', '98765 43210'),
  spoken('Teléfono:', '912345678'),
  spoken('電話', '0312345678'),
  spoken('call us on', '2125550147'),
  spoken('Mobil:', '01712345678'),
  spoken('Handy', '01701234567'),
  spoken('телефон:', '9123456789'),
  spoken('手机：', '13800138000'),
  spoken('portable :', '0612345678'),
  spoken('Téléphone :', '0123456789'),
  spoken('WhatsApp', '91234 5678'),
];

const ids = [
  // Published samples.
  '078-05-1120',
  '219-09-9999',
  '36 574 261 809',
  '86095742719',
  '1 84 12 76 451 089 46',
  '255081416802538',
  '12345678Z',
  'X1234567L',
  '00000000T',
  'Z7654321V'.replace('V', 'H'),
  'RSSMRA85T10A562S',
  'VRDGPP13R10B293P',
  '529.982.247-25',
  '111.444.777-35',
  'AB123456C',
  'QQ 12 34 56 C'.replace('QQ', 'AB'),
  'JG 10 37 59 A',
  '44051401359',
  '02070803628',
  '01010750160'.replace('01010750160', '17054026641'),
  '85.07.30-033.28',
  '811218-9876',
  '19640823-3234',
  '131052-308T',
  '756.9217.0769.85',
  '2341 2341 2346',
  'ABCPE1234F',
  '11010519491231002X',
  '900101-1234568',
  '8001015009087',
  '12.345.678-5',
  'BADD110313HCMLNS09',
].map(framed);
const spokenIds = [
  spoken('SSN', '219099999'),
  spoken('BSN:', '111222333'),
  spoken('burgerservicenummer', '123456782'),
  spoken('CPF', '52998224725'),
  spoken('NHS number', '943 476 5919'),
  spoken('SIN:', '046 454 286'),
  spoken('T.C. kimlik no', '10000000146'),
  spoken('CPR', '070761-4285'),
];

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const keys = [
  `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: '1234567890' })}.${letters(43, BASE62)}`,
  `${base64url({ typ: 'JWT', alg: 'RS256', kid: 'a' })}.${base64url({ iss: 'x', exp: 1 })}.${letters(80, BASE62)}`,
  `${base64url({ alg: 'none' })}.${base64url({ admin: true })}.`,
  `pk_live_${letters(8, BASE62)}${letters(33, BASE62)}${letters(6, BASE62)}`,
  `sk_live_${letters(24, BASE62)}`,
  `rk_test_${letters(24, BASE62)}`,
  `whsec_${letters(32, BASE62)}`,
  `sk-${letters(48, BASE62)}`,
  `sk-proj-${letters(60, BASE62)}`,
  `sk-ant-api03-${letters(90, BASE62)}`,
  `ghp_${letters(36, BASE62)}`,
  `gho_${letters(36, BASE62)}`,
  `github_pat_${letters(22, BASE62)}_${letters(59, BASE62)}`,
  `glpat-${letters(20, BASE62)}`,
  `xoxb-${digits(12)}-${digits(12)}-${letters(24, BASE62)}`,
  `xapp-1-A${digits(10)}-${letters(30, BASE62)}`,
  `AKIA${letters(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
  `ASIA${letters(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
  `AIza${letters(35, BASE62)}`,
  `ya29.${letters(60, BASE62)}`,
  `SG.${letters(22, BASE62)}.${letters(43, BASE62)}`,
  `npm_${letters(36, BASE62)}`,
  `pypi-${letters(60, BASE62)}`,
  `hf_${letters(34, 'abcdefghijklmnopqrstuvwxyzABC')}`,
  `dop_v1_${letters(64, HEX)}`,
  `SK${letters(32, HEX)}`,
  `key-${letters(32, HEX)}`,
  `shpat_${letters(32, HEX)}`,
  `${digits(9)}:AA${letters(33, BASE62)}`,
  `GOCSPX-${letters(28, BASE62)}`,
].map(framed);
const assigned: Labelled[] = [
  { text: 'password=hunter2secret', secret: 'hunter2secret' },
  { text: '{"password": "Tr0ub4dor&3"}', secret: 'Tr0ub4dor' },
  { text: 'https://shop.example.com/reset?token=9f8e7d6c5b4a', secret: '9f8e7d6c5b4a' },
  { text: 'api_key: 7c9e6679f4', secret: '7c9e6679f4' },
  { text: 'Authorization: Bearer abcdef0123456789abcdef', secret: 'abcdef0123456789abcdef' },
  { text: 'Passwort: Geheim123!', secret: 'Geheim123!' },
  { text: 'contraseña=s3creta99', secret: 's3creta99' },
  { text: 'postgres://admin:pa55w0rd@db.example.com/main', secret: 'pa55w0rd' },
  { text: 'session_id=8d7f6a5b4c3d', secret: '8d7f6a5b4c3d' },
  { text: 'client-secret = "x8F2kq91"', secret: 'x8F2kq91' },
  {
    text: `-----BEGIN RSA PRIVATE KEY-----\n${letters(64, BASE62)}\n-----END RSA PRIVATE KEY-----`,
    secret: 'BEGIN RSA',
  },
  { text: `-----BEGIN OPENSSH PRIVATE KEY-----\n${letters(70, BASE62)}`, secret: 'OPENSSH' },
];

const personal: readonly Labelled[] = [
  ...[...cards, ...ibanForms, ...emails].map(framed),
  ...phones,
  ...spokenPhones,
  ...ids,
  ...spokenIds,
  ...keys,
  ...assigned,
];

/**
 * Strings that only resemble personal data: orders, versions, dates, coordinates, hashes, prices.
 */

const year = () => 1950 + number(90);
const two = (below: number) => String(number(below) + 1).padStart(2, '0');
const lookAlikeShapes: readonly (() => string)[] = [
  () => `Order ${digits(8)}`,
  () => `order no. ${digits(9)}`,
  () => `#${digits(10)}`,
  () => `ORD-${year()}-${digits(6)}`,
  () => `Invoice ${year()}/${digits(5)}`,
  () => `Rechnung RE-${digits(7)}`,
  () => `ticket ${letters(3, 'ABCDEFG')}-${digits(4)}`,
  () => `version ${number(20)}.${number(20)}.${number(50)}`,
  () => `v${number(9)}.${number(99)}.${number(9)}-rc.${number(9)}`,
  () => `Firefox/${number(150)}.0.${number(9)}.${digits(4)}`,
  () => `${year()}-${two(12)}-${two(28)}`,
  () => `${two(28)}.${two(12)}.${year()}`,
  () => `${two(12)}/${two(28)}/${year()}`,
  () => `${year()}-${two(12)}-${two(28)}T${two(23)}:${two(58)}:${two(58)}Z`,
  () => `${two(28)}.${two(12)}.${year()} ${two(23)}:${two(58)}`,
  () => `am ${number(28) + 1}. Mai ${year()} um ${two(23)}:${two(58)} Uhr`,
  () => `${number(90)}.${digits(4)}, ${number(180)}.${digits(4)}`,
  () => `${number(90)}.${digits(6)},-${number(180)}.${digits(6)}`,
  () => `geo:${number(90)}.${digits(4)},${number(90)}.${digits(4)}`,
  () => `${letters(40, HEX)}`,
  () => `${letters(64, HEX)}`,
  () => `sha256:${letters(64, HEX)}`,
  () => `commit ${letters(7, HEX)}`,
  () => `${letters(8, HEX)}-${letters(4, HEX)}-4${letters(3, HEX)}-a${letters(3, HEX)}-${letters(12, HEX)}`,
  () => `art_01${letters(24, 'abcdefghjkmnpqrstvwxyz0123456789')}`,
  () => `ISBN 978-${number(9)}-${digits(3)}-${digits(5)}-${number(9)}`,
  () => `EAN ${4_000_000_000_000 + number(900_000_000)}`,
  () => `SKU-${digits(5)}-${letters(2, 'XYZ')}`,
  () => `tracking 1Z${letters(6, '0123456789ABCDEF')}${digits(8)}`,
  () => `DHL ${`00340${digits(15)}`}`,
  () => `${number(99) + 1},${digits(3)},${digits(3)}.${digits(2)} USD`,
  () => `${number(9) + 1}.${digits(3)}.${digits(3)},${digits(2)} €`,
  () => `${number(99) + 1} ${digits(3)} ${digits(3)} kr`,
  () => `${digits(4)} x ${digits(4)} px`,
  () => `${1_600_000_000_000 + number(99_999_999)}`,
  () => `${1_600_000_000 + number(9_999_999)}`,
  () => `192.168.${number(250)}.${number(250)}`,
  () => `10.${number(250)}.${number(250)}.${number(250)}/24`,
  () => `2001:db8::${letters(4, HEX)}:${letters(4, HEX)}`,
  () =>
    `${letters(2, HEX)}:${letters(2, HEX)}:${letters(2, HEX)}:${letters(2, HEX)}:${letters(2, HEX)}:${letters(2, HEX)}`,
  () => `@types/node@${number(30)}.${number(20)}.${number(9)}`,
  () => `icon@${number(3) + 2}x.png`,
  () => `@user_${digits(3)} wrote`,
  () => `git@github.com:org/repo-${digits(2)}.git`,
  () => `user@localhost:${digits(4)}`,
  () => `#${letters(6, HEX)}`,
  () => `RFC ${digits(4)}`,
  () => `page ${number(90)} of ${number(900)}`,
  () => `Building ${number(90)}, room ${digits(3)}`,
  () => `${two(23)}:${two(58)}:${two(58)}.${digits(3)}`,
  () => `ZIP ${digits(5)}-${digits(4)}`,
  () => `${digits(5)} Berlin`,
  () => `flight LH ${digits(4)} at gate B${number(60)}`,
  () => `error 0x${letters(8, HEX)}`,
  () => `model SM-G${digits(3)}F/DS`,
  () => `token bucket of ${digits(3)} requests`,
  () => `Forgot password? Reset it in ${number(9) + 2} steps`,
  () => `Password: at least ${number(9) + 8} characters`,
  () => `pi 3.${digits(15)}`,
  () => `ratio ${number(9)}:${number(9)}, score ${number(9)}-${number(9)}`,
  () => `chapter ${number(9)}.${number(9)}.${number(9)}.${number(9)}`,
  () => `port ${number(60000)} pid ${number(60000)}`,
];

const harmless: readonly Labelled[] = Array.from({ length: 6 * lookAlikeShapes.length }, (_, at) => ({
  text: lookAlikeShapes[at % lookAlikeShapes.length]!(),
}));

describe('personal data and secrets on a page', () => {
  const missed = personal.filter(({ text, secret }) => maskPersonalData(text).includes(secret!));
  const falseHits = harmless.filter(({ text }) => maskPersonalData(text) !== text);

  it('are detected in at least 95 of 100 labeled strings', () => {
    expect(personal.length).toBeGreaterThanOrEqual(150);
    const recall = 1 - missed.length / personal.length;
    console.log(`${personal.length} labelled strings, recall ${(recall * 100).toFixed(1)} %`);
    for (const { text } of missed) console.log(`  missed: ${text}`);
    expect(recall).toBeGreaterThanOrEqual(0.95);
  });

  it('are falsely detected in at most 1 of 100 similar strings', () => {
    expect(personal.length + harmless.length).toBeGreaterThanOrEqual(300);
    expect(harmless.length).toBeGreaterThanOrEqual(personal.length);
    const share = falseHits.length / harmless.length;
    console.log(`${harmless.length} look-alikes, false hits ${(share * 100).toFixed(1)} %`);
    for (const { text } of falseHits) console.log(`  false: ${text} -> ${maskPersonalData(text)}`);
    expect(share).toBeLessThanOrEqual(0.01);
  });

  it('are replaced by a placeholder of their kind, and other text is unchanged', () => {
    expect(maskPersonalData('Write to a.b@example.com or call +49 30 901820.')).toBe(
      'Write to [email] or call [phone].',
    );
    expect(maskPersonalData('Karte 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00')).toBe(
      'Karte [card], IBAN [iban]',
    );
    expect(maskPersonalData('see https://x.example/?token=9f8e7d6c5b&page=2')).toBe(
      'see https://x.example/?token=[secret]&page=2',
    );
  });
});
