import { hash, type KeyObject } from 'node:crypto';

/** The HMAC-SHA256 of these parts in a row, texts as UTF-8. */
export type Hmac = (parts: readonly (string | Uint8Array)[], encoding: 'hex' | 'base64url') => string;

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const DEFAULT_BYTES = 2_048;

/**
 * HMAC (RFC 2104) of two one-shot digests. `createHmac` makes an object of OpenSSL for each call, and with its disposal that costs a
 * boot ten times as much.
 */
export function hmacSha256(key: KeyObject): Hmac {
  const secret = key.export();
  const block = Buffer.alloc(BLOCK_BYTES);
  if (secret.length > BLOCK_BYTES) block.write(hash('sha256', secret, 'binary'), 'binary');
  else block.set(secret);
  const inner = Buffer.alloc(BLOCK_BYTES + DEFAULT_BYTES);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    inner[at] = block[at]! ^ 0x36;
    outer[at] = block[at]! ^ 0x5c;
  }
  return (parts, encoding) => {
    const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), BLOCK_BYTES);
    const text = bytes <= inner.length ? inner : Buffer.concat([inner.subarray(0, BLOCK_BYTES)], bytes);
    let end = BLOCK_BYTES;
    for (const part of parts) {
      if (typeof part === 'string') end += text.write(part, end);
      else {
        text.set(part, end);
        end += part.length;
      }
    }
    outer.write(hash('sha256', text.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary');
    return hash('sha256', outer, encoding);
  };
}
