import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * API keys: `pk_live_`, 8 public characters to look the key up, 33 secret ones and 6 of checksum.
 * Letters and digits only, so that a double click selects the whole key. The checksum rejects typos
 * and look-alikes in leaks without a database query.
 */

const PREFIX = 'pk_live_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PUBLIC_CHARS = 8;
const SECRET_BYTES = 24;
const SECRET_CHARS = 33;
const CHECKSUM_CHARS = 6;
const KEY = new RegExp(`^${PREFIX}[0-9A-Za-z]{${PUBLIC_CHARS + SECRET_CHARS + CHECKSUM_CHARS}}$`);

/** Matches keys in any text, for redaction and for secret scanners. */
export const API_KEY_PATTERN = /\bpk_live_[0-9A-Za-z]{47}\b/g;

type ApiKeyParts = {
  /** Stored in plain text. */
  publicId: string;
  /** Stored only as a hash. */
  secret: string;
};

/** Creates a key. Its text is shown to the owner once and never stored. */
export function makeApiKey(): ApiKeyParts & { text: string; lastFour: string } {
  const publicId = Array.from({ length: PUBLIC_CHARS }, () => ALPHABET[randomInt(62)]).join('');
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_CHARS);
  const text = withChecksum(`${PREFIX}${publicId}${secret}`);
  return { text, publicId, secret, lastFour: text.slice(-4) };
}

/** Parses a well-formed key; undefined for anything else. Does not check whether the key exists. */
export function parseApiKey(text: string): ApiKeyParts | undefined {
  if (!KEY.test(text) || withChecksum(text.slice(0, -CHECKSUM_CHARS)) !== text) return undefined;
  const secretAt = PREFIX.length + PUBLIC_CHARS;
  return {
    publicId: text.slice(PREFIX.length, secretAt),
    secret: text.slice(secretAt, secretAt + SECRET_CHARS),
  };
}

/** Hashes a secret with SHA-256, in hex. The secret has 192 random bits, so a slow hash is not needed. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

const NO_HASH = '0'.repeat(64);

/**
 * Compares in constant time. Without a hash (an unknown public id) it takes as long and returns
 * false.
 */
export function secretMatches(secret: string, storedHash: string | undefined): boolean {
  const matches = timingSafeEqual(
    Buffer.from(hashSecret(secret), 'hex'),
    Buffer.from(storedHash ?? NO_HASH, 'hex'),
  );
  return matches && storedHash !== undefined;
}

function withChecksum(body: string): string {
  return body + base62(BigInt(crc32(body)), CHECKSUM_CHARS);
}

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) digits = ALPHABET[Number(rest % 62n)] + digits;
  return digits;
}
