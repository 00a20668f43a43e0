import { TypeID } from 'typeid-js';
import { expect, it } from 'vitest';
import { encodeId, newId, newUuid } from '../server/ids.ts';
import { fc } from './fixtures/seeded-random.ts';

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
