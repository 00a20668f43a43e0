import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  API_KEY_PATTERN,
  hashSecret,
  makeApiKey,
  parseApiKey,
  secretMatches,
} from '../../server/tokens/api-key.ts';
import { fc } from '../support/seeded-random.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('an API key', () => {
  it('has 55 characters: a prefix, 8 public, 33 secret and 6 of checksum', () => {
    const key = makeApiKey();
    expect(key.text).toMatch(/^pk_live_[0-9A-Za-z]{47}$/);
    expect(key.text).toHaveLength(55);
    expect(key.text.slice(8, 16)).toBe(key.publicId);
    expect(key.text.slice(16, 49)).toBe(key.secret);
    expect(key.text.endsWith(key.lastFour)).toBe(true);
  });

  it('ends with the base-62 CRC32 of the characters before', () => {
    const { text } = makeApiKey();
    let sum = 0;
    for (const digit of text.slice(-6)) sum = sum * 62 + ALPHABET.indexOf(digit);
    expect(sum).toBe(crc32(text.slice(0, -6)));
  });

  it('parses into its parts', () => {
    for (let count = 0; count < 200; count += 1) {
      const { text, publicId, secret } = makeApiKey();
      expect(parseApiKey(text)).toEqual({ publicId, secret });
    }
  });

  it('is unique, and so are its public characters in practice', () => {
    const keys = Array.from({ length: 2_000 }, makeApiKey);
    expect(new Set(keys.map((key) => key.secret)).size).toBe(2_000);
    expect(new Set(keys.map((key) => key.publicId)).size).toBe(2_000);
  });

  it('does not parse with any one wrong character', () => {
    const { text } = makeApiKey();
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: text.length - 1 }),
        fc.constantFrom(...ALPHABET, '_', '-', ' ', 'é'),
        (at, character) => {
          fc.pre(text[at] !== character);
          return parseApiKey(text.slice(0, at) + character + text.slice(at + 1)) === undefined;
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('does not parse with two adjacent characters swapped', () => {
    const { text } = makeApiKey();
    for (let at = 8; at < text.length - 1; at += 1) {
      if (text[at] === text[at + 1]) continue;
      const swapped = text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
      expect(parseApiKey(swapped)).toBeUndefined();
    }
  });

  it('does not parse with white space or other text around it', () => {
    const { text } = makeApiKey();
    for (const other of [
      `${text}\n`,
      ` ${text}`,
      `${text}0`,
      text.slice(1),
      text.toUpperCase(),
      '',
      'pk_live_',
    ]) {
      expect(parseApiKey(other)).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (other) => parseApiKey(other) === undefined));
  });

  it('is found in any text by the redaction pattern', () => {
    const { text } = makeApiKey();
    expect(`x-api-key: ${text}; more`.replace(API_KEY_PATTERN, '[key]')).toBe('x-api-key: [key]; more');
  });
});

describe('the secret of an API key', () => {
  it('matches only its own hash', () => {
    const { secret } = makeApiKey();
    expect(hashSecret(secret)).toMatch(/^[0-9a-f]{64}$/);
    expect(secretMatches(secret, hashSecret(secret))).toBe(true);
    expect(secretMatches(makeApiKey().secret, hashSecret(secret))).toBe(false);
  });

  it('matches nothing when there is no hash', () => {
    expect(secretMatches(makeApiKey().secret, undefined)).toBe(false);
  });
});
