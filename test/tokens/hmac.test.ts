import { createHmac, createSecretKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { hmacSha256 } from '../../server/tokens/hmac.ts';
import { fc } from '../fixtures/seeded-random.ts';

it('is the HMAC-SHA256 of OpenSSL, whatever the key and however the message is cut', () => {
  const part = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 200 }));
  const parts = fc.oneof(fc.array(part, { maxLength: 5 }), fc.array(part, { minLength: 20, maxLength: 30 }));
  const secret = fc.uint8Array({ minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(secret, fc.array(parts, { minLength: 1, maxLength: 3 }), (bytes, messages) => {
      const key = createSecretKey(Buffer.from(bytes));
      const mac = hmacSha256(key);
      for (const message of messages) {
        const expected = createHmac('sha256', key);
        for (const each of message) expected.update(each);
        expect(mac(message, 'base64url')).toBe(expected.digest('base64url'));
      }
    }),
  );
});
