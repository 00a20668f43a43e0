import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, openHarness } from '../harness.ts';
import { partsOf } from '../tokens/forged-tokens.ts';
import { eventsIn } from './send-boot.ts';

describe('Global Privacy Control', () => {
  let harness: Harness;
  beforeAll(async () => {
    // A region with opt-out, so only the signal makes the difference.
    harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' } });
  });
  afterAll(() => harness.close());
  const texas = { 'cf-ipcountry': 'US', 'cf-region-code': 'TX' };

  it.each([
    [{ gpc: true }, {}],
    [{}, { 'sec-gpc': '1' }],
    [{ gpc: true }, { 'sec-gpc': '1' }],
    [{ gpc: false }, { 'sec-gpc': '1' }],
    [{ gpc: true }, { 'sec-gpc': '0' }],
  ])('applies with header %j and body %j', async (body, headers) => {
    const before = await eventsIn(harness);
    const { consent_directive, jwt, features } = await harness.boot(body, { ...texas, ...headers });
    expect(consent_directive).toMatchObject({
      mode: 'opt_out',
      reason: 'gpc',
      ask: false,
      gpc: { received: true, honored: true },
      purposes: { analytics: 'denied', essential: 'granted' },
    });
    expect(features.persist_visitor).toBe(false);
    expect(partsOf(jwt).claims.gpc).toBe(true);
    expect(await eventsIn(harness)).toEqual(before);
  });

  it.each([
    [{}, {}],
    [{ gpc: false }, {}],
    [{}, { 'sec-gpc': '0' }],
    [{}, { 'sec-gpc': 'true' }],
    [{}, { 'sec-gpc': '11' }],
    [{}, { 'sec-gpc': '' }],
    [{}, { dnt: '1' }],
  ])('does not apply with header %j and body %j', async (body, headers) => {
    const { consent_directive, jwt } = await harness.boot(body, { ...texas, ...headers });
    expect(consent_directive.gpc).toEqual({ received: false, honored: false });
    expect(partsOf(jwt).claims.gpc).toBe(false);
  });
});

describe('region of a boot', () => {
  const headersOf = {
    'cf-ipcountry': 'DE',
    'cf-region-code': 'BE',
    'x-vercel-ip-country': 'FR',
    'cloudfront-viewer-country': 'BR',
    'x-geo-country': 'JP',
    'x-forwarded-for': '8.8.8.8',
  };

  it.each([
    [
      'the configured edge behind a trusted proxy',
      { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' },
      'DE-BE',
      'DE',
    ],
    ['another configured edge', { TRUSTED_PROXIES: '127.0.0.0/8', EDGE_PROVIDER: 'vercel' }, 'FR', 'FR'],
    [
      'a peer that is not trusted',
      { TRUSTED_PROXIES: '10.0.0.0/8', EDGE_PROVIDER: 'cloudflare' },
      'ZZ',
      'ZZ',
    ],
    ['no trusted proxy at all', { EDGE_PROVIDER: 'cloudflare' }, 'ZZ', 'ZZ'],
    ['a trusted proxy, but no configured edge', { TRUSTED_PROXIES: 'loopback' }, 'ZZ', 'ZZ'],
  ])('comes from %s', async (_who, env, region_code, country_code) => {
    const harness = await openHarness({ env });
    const { region, consent_directive, jwt } = await harness.boot(
      {},
      {
        ...headersOf,
        'accept-language': 'de-AT,de;q=0.9',
      },
    );
    expect(region).toEqual({ region_code, country_code, accept_language: 'de-AT,de;q=0.9' });
    expect(consent_directive.region_code).toBe(region_code);
    expect(partsOf(jwt).claims).toMatchObject({
      rgn: region_code,
      rsc: region_code === 'ZZ' ? 'none' : 'edge_header',
    });
    await harness.close();
  });
});
