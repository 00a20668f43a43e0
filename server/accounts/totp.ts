import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Codes of authenticator apps: RFC 6238 with the parameters that all apps know (SHA-1, 6 digits, 30 seconds). */

const SECRET_BYTES = 20;
const PERIOD_MILLIS = 30_000;
const DIGITS = 6;
/** How many periods the clock of a phone may be off. */
const DRIFT = 1;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const makeTotpSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Returns the period whose code this is; undefined for a wrong code, after the same time. */
export function findPeriod(secret: string, code: string, nowMillis: number): number | undefined {
  const current = Math.floor(nowMillis / PERIOD_MILLIS);
  const periods = Array.from({ length: 2 * DRIFT + 1 }, (_, at) => current - DRIFT + at);
  const sent = Buffer.from(/^\d{6}$/.test(code) ? code : ''.padEnd(DIGITS));
  return periods.filter((period) => timingSafeEqual(Buffer.from(toCode(secret, period)), sent))[0];
}

export const toTotpCode = (secret: string, nowMillis: number): string =>
  toCode(secret, Math.floor(nowMillis / PERIOD_MILLIS));

function toCode(secret: string, period: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(period));
  const mac = createHmac('sha1', Buffer.from(secret, 'base64url')).update(counter).digest();
  const offset = mac.at(-1)! & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Returns the secret as apps take it. Its 160 bits need no padding. */
export function toBase32(secret: string): string {
  const bits = [...Buffer.from(secret, 'base64url')]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('');
}

/** Returns the address that an app reads from a QR code. */
export function toTotpUri(secret: string, email: string, host: string): string {
  const issuer = `Guidepost (${host})`;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
