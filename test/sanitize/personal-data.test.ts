import { describe, expect, it } from 'vitest';
import { maskPersonalData } from '../../server/sanitize/personal-data.ts';
import samples from './personal-data.json' with { type: 'json' };

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
const spoken = ([before, value]: string[]): Labelled => ({ text: `${before} ${value}`, secret: value });

const cards = [
  ...samples.cards,
  ...['4', '51', '55', '2221', '2720', '6011', '65', '3528', '622126'].flatMap((start) => [
    withLuhn(start, 16),
    inFours(withLuhn(start, 16)),
    inDashes(withLuhn(start, 16)),
  ]),
  '3782 822463 10005',
  inFours(withLuhn('4', 19)),
];

const { ibans } = samples;
const ibanForms = [
  ...ibans,
  ...ibans.slice(0, 12).map(inFours),
  iban('DE', digits(18)),
  iban('NL', `INGB${digits(10)}`),
  iban('FR', digits(23)),
  inFours(iban('DE', digits(18))),
];

const emails = [
  ...samples.emails,
  ...Array.from(
    { length: 12 },
    () =>
      `${letters(6, 'abcdefghij')}.${letters(5, 'klmnop')}${number(99)}@${letters(7, 'qrstuv')}.${oneOf(['com', 'de', 'org', 'net', 'fr', 'jp'])}`,
  ),
];

const phones = samples.phones.map(framed);
const spokenPhones = samples.spokenPhones.map(spoken);

const ids = samples.ids.map(framed);
const spokenIds = samples.spokenIds.map(spoken);

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
