import { describe, expect, it } from 'vitest';
import { networkOf } from '../../server/http/rate-limit.ts';

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
  ])('%s is the IPv4 address %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8::1', '2001:db8:0:0:1::'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
    ['::1', '::2'],
  ])('%s and %s are neighbours', (one, other) => {
    expect(networkOf(one)).toBe(networkOf(other));
  });

  it.each([
    ['2001:db8:1:2::', '2001:db8:1:3::'],
    ['2001:db8::', '2001:db8:0:1::'],
    ['203.0.113.7', '203.0.113.8'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.8'],
    ['::ffff:cb00:7107', '::1'],
    ['', 'garbage'],
  ])('%s and %s are strangers', (one, other) => {
    expect(networkOf(one)).not.toBe(networkOf(other));
  });
});
