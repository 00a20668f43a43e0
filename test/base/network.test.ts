import { describe, expect, it } from 'vitest';
import { isInNetworks, parseCidr, truncateAddress } from '../../server/base/network.ts';

it.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2::5', '2001:db8:1::/48'],
  ['fe80::1%eth0', 'fe80::/48'],
  ['', undefined],
  ['1.2.3', undefined],
  ['unix:', undefined],
])('truncateAddress cuts %s to %s', (address, network) => {
  expect(truncateAddress(address)).toBe(network);
});

it.each([
  ['203.0.113.77', '203.0.113.77/32'],
  ['203.0.113.77/20', '203.0.112.0/20'],
  ['2001:DB8::1/47', '2001:db8::/47'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  [' 10.0.0.0/8 ', '10.0.0.0/8'],
  ['10.0.0.0/33', undefined],
  ['::/129', undefined],
  ['10/8', undefined],
  ['010.0.0.1', undefined],
  ['0x7f.0.0.1/8', undefined],
  ['1.2.3.4/-1', undefined],
  ['shop.example', undefined],
])('parseCidr reads %s as %s', (text, network) => {
  expect(parseCidr(text)).toBe(network);
});

describe('isInNetworks', () => {
  it.each([
    ['10.1.2.3', ['10.0.0.0/8'], true],
    ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
    ['11.1.2.3', ['10.0.0.0/8', '2001:db8::/32'], false],
    ['2001:db8:ffff::1', ['2001:db8::/32'], true],
    ['::1', ['0.0.0.0/0'], false],
    ['', ['0.0.0.0/0', '::/0'], false],
  ])('returns for %s in %j: %s', (address, networks, isIn) => {
    expect(isInNetworks(address, networks)).toBe(isIn);
  });
});
