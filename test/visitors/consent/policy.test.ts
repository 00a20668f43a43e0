import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsentDirectives } from '../../../contract/consent-policy-preview.ts';
import { PANEL_LANGUAGES } from '../../../server/base/guide-languages.ts';
import { canonicalJson } from '../../../server/base/hash-chain.ts';
import { type DirectiveInput, decideDirective } from '../../../server/visitors/consent/consent-directive.ts';
import { aiDisclosure, consentCopy, findCopyLocale } from '../../../server/visitors/consent/disclosure.ts';
import {
  getPolicyVersion,
  policyDocument,
  toConsentSettings,
} from '../../../server/visitors/consent/policy.ts';
import { findRegionMode, regionTable } from '../../../server/visitors/consent/region.ts';
import { expectError } from '../../support/response.ts';
import { fc } from '../../support/seeded-random.ts';
import { openTeam, type Team } from '../../support/team.ts';

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

it('the region table matches docs/consent.md', () => {
  const page = readFileSync(new URL('../../../docs/consent.md', import.meta.url), 'utf8');
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

describe('strictness by region', () => {
  const directive = (regionCode: string, more: Partial<DirectiveInput> = {}) =>
    decideDirective({
      region: { regionCode },
      gpc: false,
      settings: {
        strictness: 'region',
        byRegion: [
          { region: 'JP', mode: 'opt_out' },
          { region: 'US-CA', mode: 'opt_in' },
          { region: 'DE', mode: 'opt_out' },
        ],
      },
      policyVersion: 'p',
      nowMillis: 0,
      ...more,
    });

  it('makes only its region stricter', () => {
    expect(directive('JP')).toMatchObject({ mode: 'opt_out', reason: 'workspace_stricter' });
    expect(directive('US-CA')).toMatchObject({ mode: 'opt_in', reason: 'workspace_stricter', ask: true });
    expect(directive('US-TX')).toMatchObject({ mode: 'opt_out', reason: 'region_rule' });
  });

  it('never makes a region milder', () => {
    expect(directive('DE')).toMatchObject({ mode: 'opt_in', reason: 'region_rule' });
  });

  it('applies to a whole country, and when only the country is known', () => {
    expect(directive('JP-13').mode).toBe('opt_out');
    expect(directive('US').mode).toBe('opt_in');
  });

  it('applies to the claimed region', () => {
    expect(directive('US-TX', { claimedRegionCode: 'US-CA' }).mode).toBe('opt_in');
    expect(directive('US-CA', { claimedRegionCode: 'JP' }).mode).toBe('opt_in');
  });

  it('changes the policy version only where it raises the minimum of a region', () => {
    const plain = getPolicyVersion({ strictness: 'region' });
    const rules = (strictness: 'notice' | 'opt_in') =>
      toConsentSettings({
        consentStrictness: 'region',
        consentStrictnessByRegion: [{ region: 'JP', strictness }],
      });
    expect(getPolicyVersion(rules('notice'))).toBe(plain);
    expect(getPolicyVersion(rules('opt_in'))).not.toBe(plain);
  });
});

describe('GET consent directives', () => {
  let team: Team;
  beforeEach(async () => {
    team = await openTeam({ env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' } });
  });
  afterEach(() => team.close());

  const read = async (query = '') =>
    (await team.as('member').get<ConsentDirectives>(`/consent-directives${query}`)).json;
  const modeOf = ({ data }: ConsentDirectives, code: string) =>
    data.find(({ region }) => region === code)?.mode;

  it('returns every region with its rule and legal basis', async () => {
    const { data, tableVersion, policyVersion, disclosure } = await read();
    expect(policyVersion.startsWith(tableVersion)).toBe(true);
    expect(disclosure.locale).toBe('en');
    expect(data.length).toBeGreaterThan(50);
    expect(data.at(-1)).toMatchObject({
      region: 'ZZ',
      known: 'unknown',
      mode: 'opt_in',
      reason: 'region_unknown',
    });
    expect(data.find(({ region }) => region === 'BR')).toMatchObject({
      basis: 'Brazil: LGPD',
      rule: 'opt_in',
      mode: 'opt_in',
      ask: true,
      purposes: { essential: 'granted', analytics: 'denied' },
    });
  });

  it('previews unsaved settings', async () => {
    const unsaved = await read(
      '?strictness=opt_out&byRegion=us-ca%3Aopt_in%2CMX%3Anotice&locale=de&gpc=true',
    );
    expect(unsaved.copy.locale).toBe('de');
    expect([modeOf(unsaved, 'JP'), modeOf(unsaved, 'US-CA'), modeOf(unsaved, 'MX')]).toStrictEqual([
      'opt_out',
      'opt_in',
      'opt_in',
    ]);
    expect(unsaved.data.every(({ reason }) => reason === 'gpc')).toBe(true);
    expect(modeOf(await read(), 'JP')).toBe('notice');
  });

  it('returns what visitors get with saved settings', async () => {
    const rules = [
      { region: 'us-ca', strictness: 'opt_in' },
      { region: 'JP', strictness: 'opt_out' },
    ];
    const asIf = await read('?byRegion=JP%3Aopt_out%2CUS-CA%3Aopt_in&region=US-CA');
    const { json } = await team
      .as('owner')
      .patch<{ consentStrictnessByRegion: unknown }>('', { consentStrictnessByRegion: rules });
    expect(json.consentStrictnessByRegion).toStrictEqual([
      { region: 'JP', strictness: 'opt_out' },
      { region: 'US-CA', strictness: 'opt_in' },
    ]);
    team.harness.clock.advance(1001);
    expect(await read('?region=us-ca')).toStrictEqual(asIf);
    expect(asIf.data).toHaveLength(1);
    const { consent_directive: returnedDirective } = await team.harness.boot(
      {},
      { 'cf-ipcountry': 'US', 'cf-region-code': 'CA' },
    );
    expect(returnedDirective).toMatchObject({
      mode: 'opt_in',
      reason: 'workspace_stricter',
      policy_version: asIf.policyVersion,
    });
    expect((await read('?byRegion=none&region=US-CA')).data[0]!.mode).toBe('opt_out');
  });

  it('rejects unknown and duplicate regions', async () => {
    for (const query of ['?region=QQ', '?byRegion=QQ%3Aopt_in', '?byRegion=US', '?strictness=none']) {
      expectError(await team.as('member').get(`/consent-directives${query}`), 'request/invalid');
    }
    const rule = (region: string) => ({ region, strictness: 'opt_in' });
    for (const wrong of [[rule('QQ')], [rule('ZZ')], [rule('US'), rule('us')]]) {
      expectError(await team.as('owner').patch('', { consentStrictnessByRegion: wrong }), 'request/invalid');
    }
  });
});

const locales = 'en de es fr it nl pl pt-BR ru uk cs sv tr ja ko zh-CN fa he hi ar'.split(' ');

// How each language writes "AI", to detect a text in the wrong language or without the term.
const words: Record<string, RegExp> = {
  en: /\bAI\b/,
  de: /\bKI-/,
  es: /inteligencia artificial/,
  fr: /intelligence artificielle/,
  it: /intelligenza artificiale/,
  nl: /\bAI-/,
  pl: /sztucznej inteligencji/,
  'pt-BR': /inteligência artificial/,
  ru: /искусственного интеллекта/,
  uk: /штучного інтелекту/,
  cs: /umělou inteligencí/,
  sv: /\bAI-/,
  tr: /yapay zekâ/,
  ja: /AI/,
  ko: /AI/,
  'zh-CN': /人工智能/,
  fa: /هوش مصنوعی/,
  he: /בינה מלאכותית/,
  hi: /एआई/,
  ar: /بالذكاء الاصطناعي/,
};

it.each(locales)('disclosure and consent copy have a text in %s', (locale) => {
  const disclosure = aiDisclosure(locale);
  expect(disclosure).toMatchObject({ required: true, locale, show: 'before_first_message' });
  expect(disclosure.text).toMatch(words[locale]!);
  expect(consentCopy(locale).locale).toBe(locale);
});

it('disclosure and consent copy have unique texts within their limits', () => {
  const texts = Array.from(PANEL_LANGUAGES.values(), ({ consent }) => consent);
  for (const member of ['title', 'text', 'notice'] as const) {
    expect(new Set(texts.map((copy) => copy[member])).size).toBe(texts.length);
  }
  for (const copy of texts) {
    expect(copy.title.length).toBeLessThanOrEqual(300);
    expect(Math.max(copy.accept.length, copy.deny.length)).toBeLessThanOrEqual(30);
    expect(copy.text).toMatch(/24|۲۴/);
    expect(copy.gpcNotice).toMatch(/Global Privacy Control|GPC/);
  }
});

it.each<[string | string[] | undefined, string]>([
  ['de-AT', 'de'],
  ['DE', 'de'],
  ['pt', 'pt-BR'],
  ['pt-PT', 'pt-PT'],
  ['zh', 'zh-CN'],
  ['zh-SG', 'zh-CN'],
  ['zh-HK', 'zh-TW'],
  ['zh-Hant', 'zh-TW'],
  ['zh-Hans-CN', 'zh-CN'],
  ['iw', 'he'],
  ['no', 'nb'],
  ['nn', 'nb'],
  ['gsw-CH', 'de'],
  ['yue', 'zh-TW'],
  ['cmn-Hans', 'zh-CN'],
  ['en-GB', 'en'],
  ['xx', 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['not a locale', 'en'],
  [undefined, 'en'],
  [[], 'en'],
  [['tlh', 'fr-CA', 'en'], 'fr'],
])('disclosure and consent copy resolve the locale %j to %s', (locale, served) => {
  expect(aiDisclosure(locale).locale).toBe(served);
  expect(consentCopy(locale).locale).toBe(served);
});

it('consentCopy gives every text a unique version that can be looked up', () => {
  const versions = locales.map((locale) => consentCopy(locale).copyVersion);
  expect(new Set(versions).size).toBe(locales.length);
  for (const [index, version] of versions.entries()) expect(findCopyLocale(version)).toBe(locales[index]);
  expect(findCopyLocale('2020-01-01.1')).toBeUndefined();
  expect(aiDisclosure('de').version).not.toBe(aiDisclosure('en').version);
});

it('consentCopy returns the text direction', () => {
  expect(['ar', 'fa', 'he'].map((locale) => consentCopy(locale).direction)).toEqual(['rtl', 'rtl', 'rtl']);
  expect(consentCopy('de').direction).toBe('ltr');
});
