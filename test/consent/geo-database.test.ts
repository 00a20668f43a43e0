import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GeoDatabase, openGeoDatabase } from '../../server/consent/geo-database.ts';
import { resolveRegion } from '../../server/consent/region.ts';
import { fc } from '../fixtures/seeded-random.ts';
import { type MmdbNetwork, mmdbFile } from './mmdb-writer.ts';

const NOW = Date.UTC(2026, 10, 20);
const DAY = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'guidepost-geo-'));
let files = 0;

afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(bytes: Buffer): string {
  const path = join(folder, `${++files}.mmdb`);
  writeFileSync(path, bytes);
  return path;
}

function database(networks: MmdbNetwork[], more: { ipVersion?: 4 | 6; days?: number } = {}): GeoDatabase {
  const { ipVersion = 6, days = 1 } = more;
  return openGeoDatabase(fileOf(mmdbFile({ networks, ipVersion, builtAtMillis: NOW - days * DAY })), NOW);
}

// Covers half of the address space each, so reserved addresses have records and only the guard
// hides them.
const everywhere: MmdbNetwork[] = [
  { cidr: '0.0.0.0/1', value: { country_code: 'AU' } },
  { cidr: '128.0.0.0/1', value: { country_code: 'JP' } },
  { cidr: '2000::/3', value: { country_code: 'FR' } },
  { cidr: 'fc00::/6', value: { country_code: 'DE' } },
];

describe('openGeoDatabase lookups', () => {
  let geo: GeoDatabase;
  beforeAll(() => {
    geo = database([
      { cidr: '8.8.8.0/24', value: { country_code: 'US' } },
      { cidr: '24.48.0.0/16', value: { country: { iso_code: 'CA' }, subdivisions: [{ iso_code: 'QC' }] } },
      { cidr: '24.64.0.0/16', value: { country: { iso_code: 'CA' } } },
      { cidr: '5.1.0.0/16', value: { country: 'DE', country_name: 'Germany' } },
      { cidr: '5.2.0.0/16', value: { registered_country: { iso_code: 'DE' } } },
      { cidr: '5.3.0.0/16', value: { country: { iso_code: 'EU' } } },
      { cidr: '5.4.0.0/16', value: { country_code: 'us', region_code: 'ca' } },
      { cidr: '5.5.0.0/16', value: { country_code: { uint: 7n, bytes: 4 } } },
      { cidr: '5.6.0.0/16', value: 'DE' },
      { cidr: '2a00::/16', value: { country: { iso_code: 'NL' } } },
    ]);
  });

  it.each([
    ['8.8.8.8', 'US'],
    ['24.48.1.1', 'CA-QC'],
    ['24.64.1.1', 'CA'],
    ['5.1.2.3', 'DE'],
    ['5.4.0.1', 'US-CA'],
    ['2a00::1', 'NL'],
    ['2A00:0:0::1', 'NL'],
    ['2a00::1%eth0', 'NL'],
    ['::ffff:8.8.8.8', 'US'],
    ['::FFFF:808:808', 'US'],
    ['0:0:0:0:0:ffff:0808:0808', 'US'],
  ])('resolves %s to %s', (address, regionCode) => {
    expect(geo.find(address)?.regionCode).toBe(regionCode);
  });

  it.each(['9.9.9.9', '5.2.0.1', '5.3.0.1', '5.5.0.1', '5.6.0.1', '2c00::1'])(
    'returns undefined for %s',
    (address) => {
      expect(geo.find(address)).toBeUndefined();
    },
  );

  it.each([
    '1.2.3',
    '0x08080808',
    '134744072',
    '8.8.8.8, 1.1.1.1',
    '8.8.8.8\0',
    ' 8.8.8.8',
    '8.8.8.8:443',
    '8.8.8.8%eth0',
    '[2a00::1]',
    '08.8.8.8',
    '2a00::1::2',
    '',
    'localhost',
  ])('rejects %j as an address', (address) => {
    expect(geo.find(address)).toBeUndefined();
  });

  it.each([null, undefined, {}, 8])('does not throw for %j', (address) => {
    expect(geo.find(address as unknown as string)).toBeUndefined();
  });

  it('never throws for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4Extended(), fc.ipV4(), fc.ipV6()), (address) => {
        geo.find(address);
      }),
      { numRuns: 3000 },
    );
  });

  it('is reported as the source of a region', () => {
    const region = resolveRegion({ peerTrusted: false, headers: {}, clientAddress: '24.48.1.1', geo });
    expect(region).toEqual({ countryCode: 'CA', regionCode: 'CA-QC', source: 'geo_db' });
  });
});

describe('reserved addresses', () => {
  let geo: GeoDatabase;
  beforeAll(() => {
    geo = database(everywhere);
  });

  it('are ignored although the database covers them', () => {
    const found = ['9.9.9.9', '200.1.1.1', '2606:4700::1'].map((address) => geo.find(address)?.regionCode);
    expect(found).toEqual(['AU', 'JP', 'FR']);
  });

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.5',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:192.168.1.1',
    '64:ff9b::808:808',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:808:808::1',
    '3fff::1',
  ])('ignores %s', (address) => {
    expect(geo.find(address)).toBeUndefined();
  });
});

describe('openGeoDatabase', () => {
  it('resolves only IPv4 with an IPv4 database', () => {
    const geo = database([{ cidr: '32.0.0.0/3', value: { country_code: 'US' } }], { ipVersion: 4 });
    expect(geo.find('38.1.1.1')?.regionCode).toBe('US');
    expect(geo.find('2600::1')).toBeUndefined();
  });

  it('warns after 90 days', () => {
    expect(database(everywhere, { days: 90 })).not.toHaveProperty('warning');
    expect(database(everywhere, { days: 91 }).warning).toContain('91 days');
  });

  it.each([
    ['missing', join(folder, 'nowhere.mmdb')],
    ['empty', fileOf(Buffer.alloc(0))],
    ['of another kind', fileOf(Buffer.from('country,code\nGermany,DE\n'.repeat(100)))],
    ['cut off', fileOf(mmdbFile({ networks: everywhere, builtAtMillis: NOW }).subarray(0, 500))],
  ])('throws with the path when the file is %s', (_, path) => {
    expect(() => openGeoDatabase(path, NOW)).toThrow(path);
  });

  it('returns undefined for a damaged record', () => {
    const bytes = mmdbFile({ networks: everywhere, builtAtMillis: NOW });
    const marker = bytes.indexOf('MaxMind.com') - 3;
    bytes.fill(0xff, marker - 40, marker);
    const geo = openGeoDatabase(fileOf(bytes), NOW);
    for (const address of ['9.9.9.9', '200.1.1.1', '2606:4700::1'])
      expect(() => geo.find(address)).not.toThrow();
  });
});
