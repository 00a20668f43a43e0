import { describe, expect, it } from 'vitest';
import { maskPersonalData } from '../../server/sanitize/personal-data.ts';
import { digits, HEX, type Labelled, letters, number, personal } from './labelled.ts';

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
