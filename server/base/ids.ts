import { randomFillSync } from 'node:crypto';

/** Every id is a TypeID: a prefix, then a UUIDv7 in base 32. */
type IdPrefix =
  | 'ws'
  | 'usr'
  | 'mem'
  | 'ses'
  | 'inv'
  | 'key'
  | 'idn'
  | 'ck'
  | 'vis'
  | 'vp'
  | 'conv'
  | 'msg'
  | 'evt'
  | 'art'
  | 'col'
  | 'tr'
  | 'img'
  | 'con'
  | 'sub'
  | 'fb'
  | 'note'
  | 'ho'
  | 'hor'
  | 'hold'
  | 'aud'
  | 'req'
  | 'ibx'
  | 'tst'
  | 'src'
  | 'run'
  | 'pky'
  | 'whk'
  | 'whe'
  | 'whd'
  | 'mail';

/** Creates an id. Ids with the same prefix sort by creation time. */
export function newId(prefix: IdPrefix): string {
  return encodeId(prefix, newUuid());
}

export function encodeId(prefix: IdPrefix, uuid: Uint8Array): string {
  let digits = '';
  // 26 digits hold 130 bits: the first two are zero.
  let bits = 2;
  let value = 0;
  for (const byte of uuid) {
    value = ((value << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 5; ) {
      bits -= 5;
      digits += DIGITS[(value >> bits) & 31];
    }
  }
  return `${prefix}_${digits}`;
}

// Hand-written: every request creates several ids, and the typeid-js library is six times slower.
const RANDOM_BYTES = 10;
const random = Buffer.alloc(RANDOM_BYTES * 512);
let randomUsed = random.length;

const COUNT_MAX = 0xfff;
let millis = 0;
let count = 0;

/** Creates a UUIDv7 (RFC 9562): 48-bit milliseconds, a 12-bit counter within one millisecond, 62 random bits. */
export function newUuid(): Uint8Array {
  if (randomUsed === random.length) {
    randomFillSync(random);
    randomUsed = 0;
  }
  const from = randomUsed;
  randomUsed += RANDOM_BYTES;
  advance(random.readUInt16BE(from) >> 5);
  const uuid = Buffer.alloc(16);
  uuid.writeUIntBE(millis, 0, 6);
  uuid.writeUInt16BE(0x7000 | count, 6);
  random.copy(uuid, 8, from + 2, from + RANDOM_BYTES);
  uuid[8] = 0x80 | (uuid[8]! & 0x3f);
  return uuid;
}

/** Restarts the counter at `start` each millisecond. Runs ahead of the clock on overflow, or if the clock goes back. */
function advance(start: number): void {
  const now = Date.now();
  if (now > millis) millis = now;
  else if (count < COUNT_MAX) {
    count += 1;
    return;
  } else millis += 1;
  count = start;
}

/** Crockford's base-32 alphabet in lower case. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

const UUID_BYTES = 16;
const UUID_DIGITS = 26;

/** Returns the UUID of an id in canonical form; undefined for any other text. */
export function decodeId(prefix: IdPrefix, id: string): Uint8Array | undefined {
  const from = prefix.length + 1;
  if (id.length !== from + UUID_DIGITS || !id.startsWith(`${prefix}_`)) return undefined;
  const uuid = new Uint8Array(UUID_BYTES);
  // 26 digits hold 130 bits: the first two are zero.
  let bits = -2;
  let value = 0;
  for (let at = 0, written = 0; at < UUID_DIGITS; at += 1) {
    const digit = DIGITS.indexOf(id[from + at]!);
    if (digit < 0 || (at === 0 && digit > 7)) return undefined;
    value = (value << 5) | digit;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    uuid[written++] = value >> bits;
    value &= (1 << bits) - 1;
  }
  return uuid;
}
