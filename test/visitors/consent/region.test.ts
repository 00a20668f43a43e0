import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GeoDatabase, openGeoDatabase } from '../../../server/visitors/consent/geo-database.ts';
import {
  type EdgeProvider,
  normalizeRegion,
  regionFromEdgeHeaders,
  resolveRegion,
} from '../../../server/visitors/consent/region.ts';
import { fc } from '../../support/seeded-random.ts';

/** Writes a small MaxMind DB file (format 2.0, 28-bit records) for the real reader. */

type MmdbValue = string | boolean | MmdbUint | MmdbValue[] | { [key: string]: MmdbValue };
type MmdbUint = { uint: bigint; bytes: 2 | 4 | 8 };

type MmdbNetwork = { cidr: string; value: MmdbValue };

type Leaf = { data: number };
type Node = [Branch, Branch];
type Branch = Node | Leaf | undefined;

function mmdbFile(options: {
  networks: readonly MmdbNetwork[];
  ipVersion?: 4 | 6;
  builtAtMillis: number;
  databaseType?: string;
}): Buffer {
  const { networks, ipVersion = 6, builtAtMillis, databaseType = 'Test-Country' } = options;
  const root: Node = [undefined, undefined];
  const data: Buffer[] = [];
  let dataBytes = 0;
  for (const { cidr, value } of networks) {
    const encoded = encode(value);
    insert(root, bitsOf(cidr, ipVersion), { data: dataBytes });
    data.push(encoded);
    dataBytes += encoded.length;
  }
  const { tree, nodeCount } = searchTree(root);
  const metadata = encode({
    binary_format_major_version: { uint: 2n, bytes: 2 },
    binary_format_minor_version: { uint: 0n, bytes: 2 },
    build_epoch: { uint: BigInt(Math.floor(builtAtMillis / 1000)), bytes: 8 },
    database_type: databaseType,
    description: { en: 'made by a test' },
    ip_version: { uint: BigInt(ipVersion), bytes: 2 },
    languages: ['en'],
    node_count: { uint: BigInt(nodeCount), bytes: 4 },
    record_size: { uint: 28n, bytes: 2 },
  });
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]);
}

function bitsOf(cidr: string, ipVersion: 4 | 6): number[] {
  const [address = '', length] = cidr.split('/');
  const v4 = !address.includes(':');
  const bytes = v4 ? address.split('.').map(Number) : v6Bytes(address);
  const bits = bytes.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1));
  const prefix = bits.slice(0, Number(length));
  // An IPv6 tree stores IPv4 networks under ::/96.
  return v4 && ipVersion === 6 ? [...new Array<number>(96).fill(0), ...prefix] : prefix;
}

function v6Bytes(address: string): number[] {
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const head = groups(left);
  const tail = groups(right);
  const all = [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return all.flatMap((group) => [group >> 8, group & 0xff]);
}

function insert(root: Node, bits: readonly number[], leaf: Leaf): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const side = bit as 0 | 1;
    const next = node[side];
    if (Array.isArray(next)) node = next;
    else node = node[side] = [undefined, undefined];
  }
  node[bits.at(-1) as 0 | 1] = leaf;
}

function searchTree(root: Node): { tree: Buffer; nodeCount: number } {
  const nodes: Node[] = [root];
  const numbers = new Map<Node, number>([[root, 0]]);
  for (const node of nodes) {
    for (const branch of node) {
      if (!Array.isArray(branch)) continue;
      numbers.set(branch, nodes.length);
      nodes.push(branch);
    }
  }
  const record = (branch: Branch): number => {
    if (branch === undefined) return nodes.length;
    return Array.isArray(branch) ? (numbers.get(branch) as number) : nodes.length + 16 + branch.data;
  };
  const tree = Buffer.alloc(nodes.length * 7);
  nodes.forEach(([left, right], index) => {
    const [low, high] = [record(left), record(right)];
    tree.writeUIntBE(low & 0xffffff, index * 7, 3);
    tree.writeUInt8(((low >>> 24) << 4) | (high >>> 24), index * 7 + 3);
    tree.writeUIntBE(high & 0xffffff, index * 7 + 4, 3);
  });
  return { tree, nodeCount: nodes.length };
}

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(2, text.length), text]);
  }
  if (typeof value === 'boolean') return control(14, value ? 1 : 0);
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  if (isUint(value)) {
    const digits = Buffer.from(value.uint.toString(16).padStart(value.bytes * 2, '0'), 'hex');
    return Buffer.concat([control({ 2: 5, 4: 6, 8: 9 }[value.bytes], digits.length), digits]);
  }
  const members = Object.entries(value);
  return Buffer.concat([
    control(7, members.length),
    ...members.flatMap(([key, member]) => [encode(key), encode(member)]),
  ]);
}

function isUint(value: object): value is MmdbUint {
  return 'uint' in value && typeof value.uint === 'bigint';
}

function control(type: number, size: number): Buffer {
  if (size >= 29) throw new RangeError('keep values of a test under 29 bytes');
  return type <= 7 ? Buffer.from([(type << 5) | size]) : Buffer.from([size, type - 7]);
}

const UNKNOWN = 'ZZ';

describe('normalizeRegion', () => {
  it.each<[string | undefined, string | undefined, string]>([
    ['US', 'CA', 'US-CA'],
    ['us', 'ca', 'US-CA'],
    ['US', 'US-CA', 'US-CA'],
    ['US-CA', undefined, 'US-CA'],
    [undefined, 'US-CA', 'US-CA'],
    ['us-ca', 'us-ca', 'US-CA'],
    ['US-CA', 'CA', 'US-CA'],
    [' US ', ' ca ', 'US-CA'],
    ['US', undefined, 'US'],
    ['US', '', 'US'],
    ['US', 'US', 'US'],
    ['US', 'QC', 'US'],
    ['US', '06', 'US'],
    ['US', 'California', 'US'],
    ['US', 'DC', 'US-DC'],
    ['US', 'PR', 'US-PR'],
    ['PR', undefined, 'PR'],
    ['CA', undefined, 'CA'],
    [undefined, 'CA', 'CA'],
    ['CA', 'CA', 'CA'],
    ['CA', 'US', 'CA'],
    ['CA', 'QC', 'CA-QC'],
    ['ca-qc', undefined, 'CA-QC'],
    ['CA', 'PQ', 'CA'],
    ['CA', 'Quebec', 'CA'],
    ['CA', 'ON', 'CA-ON'],
    ['CA-ON', 'QC', UNKNOWN],
    ['US', 'CA-QC', UNKNOWN],
    ['CA', 'US-CA', UNKNOWN],
    ['XX', 'US-CA', UNKNOWN],
    ['DE', 'BY', 'DE-BY'],
    ['DE', 'DE', 'DE'],
    ['GB', 'ENG', 'GB-ENG'],
    ['UK', undefined, 'GB'],
    ['UK', 'GB-SCT', 'GB-SCT'],
    ['FR', '75', 'FR-75'],
    ['FR', '75; DROP', 'FR'],
    ['JP', '13', 'JP-13'],
    ['EU', undefined, UNKNOWN],
    ['AP', undefined, UNKNOWN],
    ['T1', undefined, UNKNOWN],
    ['XX', undefined, UNKNOWN],
    ['ZZ', undefined, UNKNOWN],
    ['A1', undefined, UNKNOWN],
    ['USA', undefined, UNKNOWN],
    ['U', undefined, UNKNOWN],
    ['', '', UNKNOWN],
    [undefined, undefined, UNKNOWN],
    [undefined, 'QC', UNKNOWN],
    ['DE, US', undefined, UNKNOWN],
    ['ＤＥ', undefined, UNKNOWN],
    ['DE\0', undefined, UNKNOWN],
  ])('normalizes %j with %j to %s', (country, subdivision, regionCode) => {
    const region = normalizeRegion(country, subdivision);
    expect(region.regionCode).toBe(regionCode);
    if (regionCode === UNKNOWN) expect(region).not.toHaveProperty('countryCode');
    else expect(region.countryCode).toBe(regionCode.slice(0, 2));
  });

  it('returns a well-formed code and is idempotent', () => {
    const texts = fc.option(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'USCAQ-d1 ') })), {
      nil: undefined,
    });
    fc.assert(
      fc.property(texts, texts, (country, subdivision) => {
        const { regionCode } = normalizeRegion(country, subdivision);
        expect(regionCode).toMatch(/^[A-Z]{2}(-[A-Z0-9]{1,3})?$/);
        expect(normalizeRegion(regionCode).regionCode).toBe(regionCode);
      }),
      { numRuns: 2000 },
    );
  });
});

const spellings: Record<EdgeProvider, Record<string, string>> = {
  cloudflare: { 'cf-ipcountry': 'CA', 'cf-region-code': 'QC' },
  vercel: { 'x-vercel-ip-country': 'CA', 'x-vercel-ip-country-region': 'QC' },
  cloudfront: { 'cloudfront-viewer-country': 'CA', 'cloudfront-viewer-country-region': 'QC' },
  fastly: { 'x-geo-country': 'CA', 'x-geo-region': 'QC' },
};
const providers = Object.keys(spellings) as EdgeProvider[];
const everyHeader = Object.assign({}, ...Object.values(spellings)) as Record<string, string>;

describe('regionFromEdgeHeaders', () => {
  it.each(providers)('reads only the headers of %s', (provider) => {
    const region = { countryCode: 'CA', regionCode: 'CA-QC', source: 'edge_header' };
    expect(regionFromEdgeHeaders(provider, spellings[provider], true)).toEqual(region);
    for (const other of providers.filter((name) => name !== provider)) {
      expect(regionFromEdgeHeaders(provider, spellings[other], true)).toBeUndefined();
    }
  });

  it('ignores repeated headers', () => {
    const twice = { 'cf-ipcountry': ['US', 'DE'] };
    expect(regionFromEdgeHeaders('cloudflare', twice, true)).toBeUndefined();
    expect(regionFromEdgeHeaders('cloudflare', { 'cf-ipcountry': 'US, DE' }, true)).toBeUndefined();
  });

  it('falls back to the database for unknown countries, but not for Tor', () => {
    const geo = { find: () => ({ countryCode: 'US', regionCode: 'US' }) };
    const from = (country: string) =>
      resolveRegion({
        peerTrusted: true,
        provider: 'cloudflare',
        headers: { 'cf-ipcountry': country },
        clientAddress: '8.8.8.8',
        geo,
      });
    expect(from('XX')).toEqual({ countryCode: 'US', regionCode: 'US', source: 'geo_db' });
    expect(from('T1')).toEqual({ regionCode: 'ZZ', source: 'edge_header' });
  });

  it('ignores headers from untrusted peers', () => {
    const anyHeaders = fc.record(
      Object.fromEntries(
        Object.keys(everyHeader).map((name) => [name, fc.constantFrom('US', 'CA', 'JP', 'CA-ON')]),
      ),
    );
    fc.assert(
      fc.property(anyHeaders, fc.constantFrom(...providers), (headers, provider) => {
        const region = resolveRegion({ peerTrusted: false, provider, headers, clientAddress: '8.8.8.8' });
        return region.regionCode === 'ZZ' && region.source === 'none';
      }),
      { numRuns: 10_000 },
    );
  });

  it('ignores headers without a configured provider', () => {
    const region = resolveRegion({ peerTrusted: true, headers: everyHeader, clientAddress: '8.8.8.8' });
    expect(region).toEqual({ regionCode: 'ZZ', source: 'none' });
  });

  it('takes precedence over the database', () => {
    const region = resolveRegion({
      peerTrusted: true,
      provider: 'vercel',
      headers: spellings.vercel,
      clientAddress: '8.8.8.8',
      geo: { find: () => ({ countryCode: 'US', regionCode: 'US' }) },
    });
    expect(region.regionCode).toBe('CA-QC');
  });
});

const NOW = Date.UTC(2026, 10, 20);
const DAY = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'guidepost-geo-'));

// Networks that also cover reserved addresses, so that only the check for reserved addresses hides those.
const everywhere: MmdbNetwork[] = [
  { cidr: '0.0.0.0/1', value: { country_code: 'AU' } },
  { cidr: '128.0.0.0/1', value: { country_code: 'JP' } },
  { cidr: '2000::/3', value: { country_code: 'FR' } },
  { cidr: 'fc00::/6', value: { country_code: 'DE' } },
];

describe('a geo database', () => {
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

    it('name the database as the source of a region', () => {
      const region = resolveRegion({ peerTrusted: false, headers: {}, clientAddress: '24.48.1.1', geo });
      expect(region).toEqual({ countryCode: 'CA', regionCode: 'CA-QC', source: 'geo_db' });
    });
  });

  describe('reserved addresses', () => {
    let geo: GeoDatabase;
    beforeAll(() => {
      geo = database(everywhere);
    });

    it('do not include public addresses, whose region is found', () => {
      const codes = ['9.9.9.9', '200.1.1.1', '2606:4700::1'].map((address) => geo.find(address)?.regionCode);
      expect(codes).toEqual(['AU', 'JP', 'FR']);
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
    ])('are not found although the database covers them: %s', (address) => {
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
      expect(database(everywhere, { days: 90 })).toMatchObject({ warning: undefined });
      expect(database(everywhere, { days: 91 }).warning).toContain('91 days');
    });

    it.each([
      ['missing', join(folder, 'nowhere.mmdb')],
      ['empty', fileOf(Buffer.alloc(0))],
      ['in another format', fileOf(Buffer.from('country,code\nGermany,DE\n'.repeat(100)))],
      ['cut off', fileOf(mmdbFile({ networks: everywhere, builtAtMillis: NOW }).subarray(0, 500))],
    ])('throws with the path when the file is %s', (_, path) => {
      expect(() => openGeoDatabase(path, NOW)).toThrow(path);
    });

    it('does not throw for a damaged record', () => {
      const bytes = mmdbFile({ networks: everywhere, builtAtMillis: NOW });
      const marker = bytes.indexOf('MaxMind.com') - 3;
      bytes.fill(0xff, marker - 40, marker);
      const geo = openGeoDatabase(fileOf(bytes), NOW);
      for (const address of ['9.9.9.9', '200.1.1.1', '2606:4700::1'])
        expect(() => geo.find(address)).not.toThrow();
    });
  });
});
