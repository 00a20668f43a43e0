import { describe, expect, it } from 'vitest';
import { findPeriod, toBase32, toTotpCode } from '../../server/accounts/totp.ts';

// The secret and the times of RFC 6238, appendix B, whose codes have eight digits.
const SECRET = Buffer.from('12345678901234567890').toString('base64url');
const CODES = [
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const;

describe('the code of an authenticator app', () => {
  it.each(CODES)('at second %d is %s, as in RFC 6238', (seconds, code) => {
    expect(toTotpCode(SECRET, seconds * 1000)).toBe(code);
    const period = Math.floor(seconds / 30);
    expect(findPeriod(SECRET, code, seconds * 1000)).toBe(period);
    expect(findPeriod(SECRET, code, (seconds + 30) * 1000)).toBe(period);
    expect(findPeriod(SECRET, code, (seconds - 30) * 1000)).toBe(period);
    expect(findPeriod(SECRET, code, (seconds + 60) * 1000)).toBeUndefined();
    expect(findPeriod(SECRET, `${code}0`, seconds * 1000)).toBeUndefined();
    expect(findPeriod(SECRET, '', seconds * 1000)).toBeUndefined();
    expect(findPeriod(SECRET, '𝟎𝟏𝟐'.padEnd(6, '𝟎'), seconds * 1000)).toBeUndefined();
  });

  it('comes from a secret that is shown in base32', () => {
    expect(toBase32(SECRET)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  });
});
