import { randomFillSync } from 'node:crypto';

/** The kinds of things that have ids. Every id is a TypeID: its prefix, then a UUIDv7 in base 32. */
export type IdPrefix =
  | 'ws'
  | 'usr'
  | 'mem'
  | 'ses'
  | 'inv'
  | 'key'
  | 'vis'
  | 'conv'
  | 'msg'
  | 'evt'
  | 'art'
  | 'tr'
  | 'con'
  | 'sub'
  | 'fb'
  | 'hold'
  | 'aud'
  | 'req';

/** A new id of this kind; ids of one kind sort by the time they were made. */
export function newId(prefix: IdPrefix): string {
  return idOf(prefix, newUuid());
}

/** The id of this kind that holds these 16 bytes. */
export function idOf(prefix: IdPrefix, uuid: Uint8Array): string {
  const first = uuid[0]!;
  return `${prefix}_${DIGITS[first >> 5]}${DIGITS[first & 31]}${digits(uuid, 1)}${digits(uuid, 6)}${digits(uuid, 11)}`;
}

// Own code, because every request makes several: the library takes six times as long.
const RANDOM_BYTES = 10;
const random = Buffer.alloc(RANDOM_BYTES * 512);
let randomUsed = random.length;

const COUNT_MAX = 0xfff;
let millis = 0;
let count = 0;

/** The 16 bytes of a UUIDv7: milliseconds, 12 bits that count up within one of them, 62 random bits. */
export function newUuid(): Uint8Array {
  if (randomUsed === random.length) {
    randomFillSync(random);
    randomUsed = 0;
  }
  const from = randomUsed;
  randomUsed += RANDOM_BYTES;
  countUp(random.readUInt16BE(from) >> 5);
  const above = Math.floor(millis / 2 ** 32);
  const below = millis >>> 0;
  const uuid = new Uint8Array(16);
  uuid[0] = above >> 8;
  uuid[1] = above;
  uuid[2] = below >> 24;
  uuid[3] = below >> 16;
  uuid[4] = below >> 8;
  uuid[5] = below;
  uuid[6] = 0x70 | (count >> 8);
  uuid[7] = count;
  for (let at = 8; at < 16; at += 1) uuid[at] = random[from + at - 6]!;
  uuid[8] = 0x80 | (uuid[8]! & 0x3f);
  return uuid;
}

/** Each millisecond counts from `start`; a full count, and a clock that goes back, borrow from the time to come. */
function countUp(start: number): void {
  const now = Date.now();
  if (now > millis) millis = now;
  else if (count < COUNT_MAX) {
    count += 1;
    return;
  } else millis += 1;
  count = start;
}

/** Crockford's alphabet, in lower case. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** Five bytes as eight digits. */
function digits(bytes: Uint8Array, from: number): string {
  const a = bytes[from]!;
  const b = bytes[from + 1]!;
  const c = bytes[from + 2]!;
  const d = bytes[from + 3]!;
  const e = bytes[from + 4]!;
  return (
    DIGITS[a >> 3]! +
    DIGITS[((a & 7) << 2) | (b >> 6)]! +
    DIGITS[(b >> 1) & 31]! +
    DIGITS[((b & 1) << 4) | (c >> 4)]! +
    DIGITS[((c & 15) << 1) | (d >> 7)]! +
    DIGITS[(d >> 2) & 31]! +
    DIGITS[((d & 3) << 3) | (e >> 5)]! +
    DIGITS[e & 31]!
  );
}
