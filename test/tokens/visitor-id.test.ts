import { createSecretKey, randomBytes } from 'node:crypto';
import { TypeID } from 'typeid-js';
import { describe, expect, it } from 'vitest';
import { visitorId as wireVisitorId } from '../../contract/fields.ts';
import { newId } from '../../server/ids.ts';
import { createVisitorIds } from '../../server/tokens/visitor-id.ts';
import { fc } from '../fixtures/seeded-random.ts';

const key = createSecretKey(randomBytes(32));
const ids = createVisitorIds(key);

describe('a visitor id', () => {
  it('is a TypeID that every process with the same key recognizes', () => {
    const minted = Array.from({ length: 1000 }, () => ids.mint('ws_1'));
    expect(new Set(minted).size).toBe(1000);
    for (const id of minted) {
      expect(wireVisitorId.parse(id)).toBe(id);
      expect(createVisitorIds(key).belongs('ws_1', id)).toBe(true);
    }
  });

  it('is valid only in the workspace that it was created for', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        fc.pre(one !== other);
        const id = ids.mint(one);
        expect(ids.belongs(one, id)).toBe(true);
        expect(ids.belongs(other, id)).toBe(false);
      }),
    );
  });

  it('is invalid on an installation with another key', () => {
    const elsewhere = createVisitorIds(createSecretKey(randomBytes(32)));
    expect(elsewhere.belongs('ws_1', ids.mint('ws_1'))).toBe(false);
  });

  it('is rejected when it was made up', () => {
    for (let tries = 0; tries < 2000; tries++) expect(ids.belongs('ws_1', newId('vis'))).toBe(false);
  });

  it('is rejected when any single bit was changed', () => {
    const bytes = TypeID.fromString(ids.mint('ws_1'), 'vis').toUUIDBytes();
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const bent = Uint8Array.from(bytes);
      bent[bit >> 3]! ^= 1 << (bit & 7);
      expect(ids.belongs('ws_1', TypeID.fromUUIDBytes('vis', bent).toString())).toBe(false);
    }
  });

  it('has only one valid spelling', () => {
    const id = ids.mint('ws_1');
    const suffix = id.slice('vis_'.length);
    const spellings = [
      id.toUpperCase(),
      `VIS_${suffix}`,
      `vis_${suffix.toUpperCase()}`,
      `usr_${suffix}`,
      suffix,
      `_${suffix}`,
      ` ${id}`,
      `${id} `,
      `${id}\n`,
      `${id}\0`,
      id.slice(0, -1),
      `${id}0`,
      id.replace('_', '-'),
      // The first of 26 characters holds three bits; higher values overflow.
      `vis_8${suffix.slice(1)}`,
      `vis_z${suffix.slice(1)}`,
    ];
    for (const spelling of spellings) expect(ids.belongs('ws_1', spelling)).toBe(false);
  });

  it('is rejected without an exception for any text', () => {
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ minLength: 30, maxLength: 30 }),
      fc.stringMatching(/^vis_[0-9a-z]{26}$/),
      fc.constantFrom('', 'vis_', '__proto__', 'constructor', 'null', 'undefined'),
    );
    fc.assert(
      fc.property(garbage, (text) => !ids.belongs('ws_1', text)),
      { numRuns: 500 },
    );
  });
});
