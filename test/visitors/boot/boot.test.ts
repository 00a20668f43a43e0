import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bootReply } from '../../../contract/boot.ts';
import { CHAT_LIMITS } from '../../../contract/limits/chat.ts';
import { clock, type Harness, ORIGIN, openHarness } from '../../support/harness.ts';
import { expectError } from '../../support/response.ts';
import { partsOf } from '../../tokens/forged-tokens.ts';
import { eventsIn, FOREIGN, send } from './send-boot.ts';

describe('visitor ids', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('keeps the visitor id across boots and restarts', async () => {
    const first = await harness.boot();
    const again = await harness.boot({ visitor_id: first.visitor_id });
    expect(again.visitor_id).toBe(first.visitor_id);
    expect(partsOf(again.jwt).claims.sub).toBe(first.visitor_id);
    harness = await harness.restart();
    expect((await harness.boot({ visitor_id: first.visitor_id })).visitor_id).toBe(first.visitor_id);
  });

  it('replaces foreign, forged, respelled and invalid visitor ids', async () => {
    const other = await harness.addWorkspace();
    const { visitor_id: own } = await harness.boot();
    const { visitor_id: theirs } = await harness.boot({ app_id: other.appId });
    const flipped = own.slice(0, -1) + (own.endsWith('0') ? '1' : '0');
    const impostors = [
      harness.pseudonym({ visitor_id: own }),
      theirs,
      flipped,
      own.toUpperCase(),
      ` ${own}`,
      `${own} `,
      own.slice(0, -1),
      'vis_01kakv2fxse7wtg6x5r0h8rjbm',
      own.replace('vis_', 'usr_'),
      '__proto__',
      "' OR 1=1 --",
      '💥',
      'x'.repeat(128),
    ];
    for (const visitor_id of impostors) {
      const booted = await harness.boot({ visitor_id });
      expect(booted.visitor_id).toMatch(/^vis_/);
      expect([own, theirs, visitor_id]).not.toContain(booted.visitor_id);
      expect(partsOf(booted.jwt).claims.sub).toBe(booted.visitor_id);
    }
  });
});

describe('POST /boot response', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' } });
  });
  afterAll(() => harness.close());

  it('matches the contract exactly', async () => {
    const { json } = await send(harness, { headers: { 'cf-ipcountry': 'DE' } });
    const reply = bootReply.parse(json);
    expect(reply.jwt_expires_at).toBe(partsOf(reply.jwt!).claims.exp);
    expect(reply).toMatchObject({
      config: {
        workspace_id: harness.workspace.id,
        name: 'A shop',
        source_locale: 'en',
        locales: ['en', 'de', 'pt-BR'],
        suggestions: ['How do I reset my password?'],
        message_chars_max: CHAT_LIMITS.messageCharsMax,
        consent: {
          strictness: 'region',
          copy: { locale: 'en', notice: expect.stringContaining('You can decline at any time.') },
        },
      },
      consent_directive: {
        mode: 'opt_in',
        reason: 'region_rule',
        region_code: 'DE',
        ask: true,
        ai_disclosure: { required: true, locale: 'en', show: 'before_first_message' },
        purposes: {
          essential: 'granted',
          analytics: 'denied',
          persistence: 'denied',
          retention: 'denied',
          screenshot: 'denied',
          voice: 'denied',
        },
        gpc: { received: false, honored: false },
      },
      show_branding: true,
      features: { chat: true, page_actions: true, screenshot: false, feedback: true, voice: true },
    });
    expect(reply.consent_directive.policy_version).not.toBe('');
    expect(reply.consent_directive.ai_disclosure.text).not.toBe('');
  });

  it.each([
    ['de-AT,de;q=0.9,en;q=0.5', 'de', 'de'],
    ['ja', 'ja', 'en'],
    ['pt-BR', 'pt-BR', 'pt-BR'],
    ['xx, *;q=0.1', 'en', 'en'],
    ['', 'en', 'en'],
    [`${'q'.repeat(9000)}`, 'en', 'en'],
  ])("uses the visitor's language: %s", async (accepted, spoken, content) => {
    const { json } = await send(harness, { headers: { 'accept-language': accepted } });
    const { consent_directive, config } = bootReply.parse(json);
    // A base language satisfies a more specific tag.
    expect(spoken.startsWith(consent_directive.ai_disclosure.locale.split('-')[0]!)).toBe(true);
    expect(spoken.startsWith(config.consent.copy.locale.split('-')[0]!)).toBe(true);
    expect(config.content_locale).toBe(content);
  });

  it('leaves the texts empty for a client that has them, and keeps their versions', async () => {
    const full = await harness.boot();
    const { config, consent_directive } = await harness.boot({ texts: false });
    const { version, locale } = full.config.consent.copy;
    const none = { title: '', text: '', accept: '', deny: '', notice: '', gpc_notice: '' };
    expect(config.consent).toEqual({ strictness: 'region', copy: { version, locale, ...none } });
    expect(consent_directive).toEqual({
      ...full.consent_directive,
      ai_disclosure: { ...full.consent_directive.ai_disclosure, text: '' },
    });
  });

  it('reflects the workspace settings', async () => {
    const { appId } = await harness.addWorkspace({
      showBranding: false,
      features: { pageActions: false, screenshot: false, feedback: false },
      suggestions: [],
      consentStrictness: 'opt_in',
    });
    const reply = await harness.boot({ app_id: appId }, { 'cf-ipcountry': 'US', 'cf-region-code': 'TX' });
    expect(reply).toMatchObject({
      show_branding: false,
      config: { suggestions: [], consent: { strictness: 'opt_in' } },
      consent_directive: { mode: 'opt_in', reason: 'workspace_stricter', ask: true },
      features: {
        chat: true,
        page_actions: false,
        screenshot: false,
        feedback: false,
        persist_visitor: false,
      },
    });
  });

  it('enables persistence and screenshots only with consent', async () => {
    const texas = { 'cf-ipcountry': 'US', 'cf-region-code': 'TX' };
    expect((await harness.boot({}, texas)).features).toMatchObject({
      persist_visitor: true,
      screenshot: true,
    });
    expect((await harness.boot({}, { 'cf-ipcountry': 'DE' })).features).toMatchObject({
      persist_visitor: false,
      screenshot: false,
    });
  });
});

describe('boot event rows', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' } });
    return () => harness.close();
  });
  const address = '/account/orders?token=s3cret&q=shoes#frag';

  it('store the visitor id with consent, and the path without its query', async () => {
    const texas = { 'cf-ipcountry': 'US', 'cf-region-code': 'TX', 'accept-language': 'de' };
    const { visitor_id } = await harness.boot({ path: address }, texas);
    await harness.boot({ path: '/next#?token=s3cret', visitor_id }, texas);
    const [first, second, ...more] = await eventsIn(harness);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ type: 'boot', visitorId: harness.pseudonym({ visitor_id }) });
    expect(first!.data).toEqual({
      path: '/account/orders',
      region_code: 'US-TX',
      mode: 'opt_out',
      locale: 'de',
      returning: false,
    });
    expect(second!.data).toMatchObject({ path: '/next', returning: true });
    expect(JSON.stringify([first, second])).not.toContain('s3cret');
  });

  it('store no visitor id before consent', async () => {
    await harness.boot({ path: address }, { 'cf-ipcountry': 'DE' });
    const [row, ...more] = await eventsIn(harness);
    expect(more).toEqual([]);
    expect(Object.keys(row!).sort()).toEqual(['atMillis', 'data', 'id', 'type']);
    expect(row!.data).toEqual({
      path: '/account/orders',
      region_code: 'DE',
      mode: 'opt_in',
      locale: 'en',
      returning: false,
    });
  });

  it('are not stored after a refusal or for a rejected boot', async () => {
    const { jwt, visitor_id } = await harness.boot({}, { 'cf-ipcountry': 'US' });
    await harness.fetch('/consent', {
      json: { visitor_id, url: `${ORIGIN}/`, copy_version: '1', at: clock.now(), decision: 'denied' },
      headers: { authorization: `Bearer ${jwt}` },
    });
    await harness.boot({ visitor_id }, { 'cf-ipcountry': 'US' });
    await send(harness, { headers: { origin: FOREIGN } });
    await send(harness, { body: { surprise: 1 } });
    expect(await eventsIn(harness)).toEqual([]);
  });

  it('store a shortened path', async () => {
    await harness.boot({ path: `/${'x'.repeat(2047)}` });
    const [row] = await eventsIn(harness);
    expect(row!.data.path).toHaveLength(1024);
    expectError(await send(harness, { body: { path: `/${'x'.repeat(2048)}` } }), 'request/invalid');
  });
});

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
  ])('applies with body %j and headers %j', async (body, headers) => {
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
  ])('does not apply with body %j and headers %j', async (body, headers) => {
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
      'a configured edge behind a trusted proxy',
      { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' },
      'DE-BE',
      'DE',
    ],
    ['another configured edge', { TRUSTED_PROXIES: '127.0.0.0/8', EDGE_PROVIDER: 'vercel' }, 'FR', 'FR'],
    ['an untrusted peer', { TRUSTED_PROXIES: '10.0.0.0/8', EDGE_PROVIDER: 'cloudflare' }, 'ZZ', 'ZZ'],
    ['no trusted proxy', { EDGE_PROVIDER: 'cloudflare' }, 'ZZ', 'ZZ'],
    ['a trusted proxy, but no configured edge', { TRUSTED_PROXIES: 'loopback' }, 'ZZ', 'ZZ'],
  ])(
    'comes only from a configured edge behind a trusted proxy: %s',
    async (_who, env, region_code, country_code) => {
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
    },
  );
});
