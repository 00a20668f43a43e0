import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsentDirectives } from '../../contract/consent-policy-preview.ts';
import { type DirectiveInput, decideDirective } from '../../server/consent/consent-directive.ts';
import { getPolicyVersion, toConsentSettings } from '../../server/consent/policy.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import { expectError } from '../fixtures/answer.ts';

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
    expect(directive('US-TX', { claimedRegion: { regionCode: 'US-CA' } }).mode).toBe('opt_in');
    expect(directive('US-CA', { claimedRegion: { regionCode: 'JP' } }).mode).toBe('opt_in');
  });

  it('changes the policy version only when it has an effect', () => {
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
    const { consent_directive: told } = await team.harness.boot(
      {},
      { 'cf-ipcountry': 'US', 'cf-region-code': 'CA' },
    );
    expect(told).toMatchObject({
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
