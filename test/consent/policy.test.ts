import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { getPolicyVersion, policyDocument } from '../../server/consent/policy.ts';
import { findRegionMode, regionTable } from '../../server/consent/region-table.ts';
import { canonicalJson } from '../../server/hash-chain.ts';
import { fc } from '../fixtures/seeded-random.ts';

const region = { strictness: 'region' } as const;

describe('getPolicyVersion', () => {
  it('contains the table version and twelve hex digits', () => {
    expect(getPolicyVersion(region)).toMatch(/^\d{4}-\d{2}-\d{2}\.\d+\+[0-9a-f]{12}$/);
    expect(getPolicyVersion(region).startsWith(`${regionTable.version}+`)).toBe(true);
  });

  it('is equal for equivalent settings', () => {
    expect(getPolicyVersion({ whereUnlisted: 'opt_in', strictness: 'region', whereUnknown: 'opt_in' })).toBe(
      getPolicyVersion(region),
    );
  });

  it('changes with every setting and every rule', () => {
    const [first, ...rest] = regionTable.rules;
    const softer = { ...regionTable, rules: [{ ...first!, mode: 'notice' as const }, ...rest] };
    const versions = [
      getPolicyVersion(region),
      getPolicyVersion({ strictness: 'notice' }),
      getPolicyVersion({ strictness: 'opt_out' }),
      getPolicyVersion({ strictness: 'opt_in' }),
      getPolicyVersion({ strictness: 'region', whereUnlisted: 'notice' }),
      getPolicyVersion({ strictness: 'region', whereUnknown: 'notice' }),
      getPolicyVersion(region, softer),
      getPolicyVersion(region, { ...regionTable, version: '2030-01-01.1' }),
    ];
    expect(new Set(versions).size).toBe(versions.length);
  });

  it('hashes a document that survives a JSON round trip', () => {
    const document = policyDocument(region);
    expect(JSON.parse(canonicalJson(document))).toEqual(document);
  });
});

describe('region table', () => {
  it('lists every code once', () => {
    const codes = regionTable.rules.flatMap((rule) => rule.codes);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });

  it('distinguishes listed, unlisted and unknown regions', () => {
    expect(findRegionMode('DE-BY')).toEqual({ mode: 'opt_in', known: 'listed' });
    expect(findRegionMode('AR')).toEqual({ mode: 'opt_in', known: 'unlisted' });
    expect(findRegionMode('ZZ')).toEqual({ mode: 'opt_in', known: 'unknown' });
  });
});

it('matches the documentation', () => {
  const page = readFileSync(new URL('../../docs/consent.md', import.meta.url), 'utf8');
  expect(page).toContain(regionTable.version);
  for (const rule of regionTable.rules) {
    expect(page).toContain(`| \`${rule.mode}\` | ${rule.codes.join(' ')} | ${rule.basis} |`);
  }
});

describe('canonicalJson', () => {
  it('sorts members by code unit, drops undefined ones and keeps array order', () => {
    expect(canonicalJson({ b: [2, 1, { z: 0, a: null }], a: 'ü"\n', ä: true, A: 1e21, c: undefined })).toBe(
      '{"A":1e+21,"a":"ü\\"\\n","b":[2,1,{"a":null,"z":0}],"ä":true}',
    );
  });

  it('does not depend on insertion order', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(object));
        expect(JSON.parse(canonicalJson(object))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol('s'), undefined, [undefined]])(
    'throws for values that JSON would lose',
    (value) => {
      expect(() => canonicalJson({ list: [value] })).toThrow(TypeError);
    },
  );
});
