import { describe, expect, it } from 'vitest';
import { maskPersonalData } from '../../server/sanitize/personal-data.ts';
import { personal } from './labelled.ts';
import { harmless } from './look-alikes.ts';

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
