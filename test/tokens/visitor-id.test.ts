import { createSecretKey, randomBytes } from 'node:crypto';
import { TypeID } from 'typeid-js';
import { describe, expect, it } from 'vitest';
import { visitorId as pseudonym } from '../../contract/fields.ts';
import { newId } from '../../server/ids.ts';
import { createVisitorIds } from '../../server/tokens/visitor-token.ts';
import { fc } from '../fixtures/seeded-random.ts';

const key = createSecretKey(randomBytes(32));
const ids = createVisitorIds(key);
const mint = (workspaceId: string) => ids.mint(workspaceId).browserId;
const belongs = (workspaceId: string, id: string) => ids.recognize(workspaceId, id) !== undefined;

describe('a visitor id', () => {
  it('is a TypeID that every process with the same key recognizes', () => {
    const minted = Array.from({ length: 1000 }, () => mint('ws_1'));
    expect(new Set(minted).size).toBe(1000);
    for (const id of minted) {
      expect(id).toMatch(/^vis_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      expect(createVisitorIds(key).recognize('ws_1', id)?.browserId === id).toBe(true);
    }
  });

  it('is valid only in the workspace that it was created for', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        fc.pre(one !== other);
        const id = mint(one);
        expect(belongs(one, id)).toBe(true);
        expect(belongs(other, id)).toBe(false);
      }),
    );
  });

  it('is invalid on an installation with another key', () => {
    const elsewhere = createVisitorIds(createSecretKey(randomBytes(32)));
    expect(elsewhere.recognize('ws_1', mint('ws_1'))).toBeUndefined();
  });

  it('is rejected when it was made up', () => {
    for (let tries = 0; tries < 2000; tries++) expect(belongs('ws_1', newId('vis'))).toBe(false);
  });

  it('is rejected when any single bit was changed', () => {
    const bytes = TypeID.fromString(mint('ws_1'), 'vis').toUUIDBytes();
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const bent = Uint8Array.from(bytes);
      bent[bit >> 3]! ^= 1 << (bit & 7);
      expect(belongs('ws_1', TypeID.fromUUIDBytes('vis', bent).toString())).toBe(false);
    }
  });

  it('has only one valid spelling', () => {
    const id = mint('ws_1');
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
    for (const spelling of spellings) expect(belongs('ws_1', spelling)).toBe(false);
  });

  it('is rejected without an exception for any text', () => {
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ minLength: 30, maxLength: 30 }),
      fc.stringMatching(/^vis_[0-9a-z]{26}$/),
      fc.constantFrom('', 'vis_', '__proto__', 'constructor', 'null', 'undefined'),
    );
    fc.assert(
      fc.property(garbage, (text) => !belongs('ws_1', text)),
      { numRuns: 500 },
    );
  });
});

describe('a pseudonym', () => {
  it('is the same whenever the visitor is recognized, and no visitor id', () => {
    const pseudonyms = Array.from({ length: 1000 }, () => {
      const identity = ids.mint('ws_1');
      const { browserId, visitorId } = identity;
      expect(pseudonym.parse(visitorId)).toBe(visitorId);
      expect(ids.recognize('ws_1', browserId)).toEqual(identity);
      expect(belongs('ws_1', visitorId)).toBe(false);
      expect(belongs('ws_1', visitorId.replace('vp_', 'vis_'))).toBe(false);
      return visitorId;
    });
    expect(new Set(pseudonyms).size).toBe(1000);
  });

  it('depends on the key', () => {
    const elsewhere = createVisitorIds(createSecretKey(randomBytes(32)));
    const { browserId, visitorId } = elsewhere.mint('ws_1');
    expect(ids.recognize('ws_1', browserId)?.visitorId).not.toBe(visitorId);
  });
});
