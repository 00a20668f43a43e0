import { describe, expect, it } from 'vitest';
import {
  type EdgeProvider,
  normalizeRegion,
  regionFromEdgeHeaders,
  resolveRegion,
} from '../../server/consent/region.ts';
import { fc } from '../fixtures/seeded-random.ts';

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
