import { TypeID } from 'typeid-js';
import { expect, it } from 'vitest';
import { decodeId, encodeId, newId, newUuid } from '../../server/base/ids.ts';
import { fc } from '../support/seeded-random.ts';

it('newId returns TypeIDs with a UUID of version 7 and the current time', () => {
  const before = Date.now();
  const id = newId('conv');
  const uuid = TypeID.fromString(id, 'conv').toUUID();
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const millis = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
  expect(millis).toBeGreaterThanOrEqual(before);
  expect(millis).toBeLessThan(before + 60_000);
});

it('encodeId encodes any sixteen bytes like the typeid-js library', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      expect(encodeId('vis', bytes)).toBe(TypeID.fromUUIDBytes('vis', bytes).toString());
    }),
  );
});

it('decodeId returns the sixteen bytes that encodeId encoded', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      expect(decodeId('vis', TypeID.fromUUIDBytes('vis', bytes).toString())).toEqual(bytes);
    }),
  );
});

it('decodeId rejects another prefix, length, alphabet, case, and more than 128 bits', () => {
  const id = newId('vis');
  const digits = id.slice('vis_'.length);
  expect(decodeId('vis', id)).toBeDefined();
  for (const wrong of [
    '',
    digits,
    newId('conv'),
    `vip_${digits}`,
    `vis-${digits}`,
    `${id}0`,
    id.slice(0, -1),
    `${id.slice(0, -1)}l`,
    `${id.slice(0, -1)}é`,
    `vis_${digits.toUpperCase()}`,
    `vis_8${digits.slice(1)}`,
  ]) {
    expect(decodeId('vis', wrong), wrong).toBeUndefined();
  }
});

it('newId returns ascending ids, even within a millisecond and when the clock goes back', () => {
  const realNow = Date.now;
  let now = realNow() + 60_000;
  Date.now = () => now;
  try {
    let last = newId('msg');
    for (let made = 0; made < 30_000; made += 1) {
      if (made === 20_000) now -= 5_000;
      const id = newId('msg');
      expect(id > last).toBe(true);
      last = id;
    }
  } finally {
    Date.now = realNow;
  }
});

it('newUuid returns a different random part each time', () => {
  const rests = new Set(
    Array.from({ length: 10_000 }, () => Buffer.from(newUuid().subarray(8)).toString('hex')),
  );
  expect(rests.size).toBe(10_000);
});
