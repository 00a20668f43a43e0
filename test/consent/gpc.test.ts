import { expect, it } from 'vitest';
import { gpcDocument, hasGpcSignal } from '../../server/consent/gpc.ts';

it.each<[string | string[] | undefined, boolean | undefined, boolean]>([
  ['1', undefined, true],
  ['1', false, true],
  ['0', true, true],
  [undefined, true, true],
  [['0', '1'], undefined, true],
  ['0, 1', undefined, true],
  ['1, 1', false, true],
  [undefined, undefined, false],
  [undefined, false, false],
  ['0', undefined, false],
  ['', undefined, false],
  ['true', undefined, false],
  ['?1', undefined, false],
  ['"1"', undefined, false],
  ['01', undefined, false],
  ['1.0', undefined, false],
  ['11', undefined, false],
  ['1;v=1', undefined, false],
  ['１', undefined, false],
  [[], undefined, false],
])('resolves header %j and body %j to %s', (secGpc, bodyGpc, signalled) => {
  expect(hasGpcSignal({ secGpc, bodyGpc })).toBe(signalled);
});

it('returns the support document with a full date', () => {
  expect(gpcDocument('2026-11-20')).toEqual({ gpc: true, lastUpdate: '2026-11-20' });
  for (const wrong of ['', '2026-11', '2026-13-01', '20 Nov 2026']) {
    expect(() => gpcDocument(wrong)).toThrow(RangeError);
  }
});
