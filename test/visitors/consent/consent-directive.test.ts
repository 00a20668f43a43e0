import { describe, expect, it } from 'vitest';
import {
  applyDecision,
  type DirectiveInput,
  decideDirective,
  keepDecision,
} from '../../../server/visitors/consent/consent-directive.ts';
import { isAsStrictAs, type Mode, PURPOSES } from '../../../server/visitors/consent/purposes.ts';
import { findRegionMode, regionTable } from '../../../server/visitors/consent/region.ts';
import { fc } from '../../support/seeded-random.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 20);
const POLICY = '2026-11-20.1+0123456789ab';

function directive(changes: Partial<DirectiveInput> & { at?: string } = {}) {
  const { at = 'DE', ...rest } = changes;
  return decideDirective({
    region: { regionCode: at },
    gpc: false,
    settings: { strictness: 'region' },
    policyVersion: POLICY,
    nowMillis: NOW,
    ...rest,
  });
}

const decided = (
  decision: 'accepted' | 'denied' | 'dismissed',
  regionCode = 'DE',
  days = 1,
  policy = POLICY,
) => ({
  decision,
  regionCode,
  mode: findRegionMode(regionCode).mode,
  policyVersion: policy,
  decidedAtMillis: NOW - days * DAY,
});

const modes: Mode[] = ['notice', 'opt_out', 'opt_in'];
const anyMode = fc.constantFrom(...modes);
const anyRegion = fc.constantFrom('DE', 'US-CA', 'US', 'JP', 'CA', 'CA-ON', 'CA-QC', 'AR', 'ZZ', 'AU');
const anySettings = fc.record(
  { strictness: fc.constantFrom('region' as const, ...modes), whereUnlisted: anyMode, whereUnknown: anyMode },
  { requiredKeys: ['strictness'] },
);
const anyDecision = fc.record(
  {
    decision: fc.constantFrom(
      'accepted',
      'denied',
      'rejected',
      'dismissed',
      'browser-denied',
      'gpc_auto_optout',
    ),
    policyVersion: fc.constantFrom(POLICY, 'old'),
    decidedAtMillis: fc.integer({ min: NOW - 500 * DAY, max: NOW + DAY }),
    mode: anyMode,
    regionCode: anyRegion,
  },
  { requiredKeys: ['decision', 'policyVersion', 'decidedAtMillis', 'regionCode'] },
);
const anyInput = fc.record(
  {
    region: anyRegion.map((regionCode) => ({ regionCode })),
    gpc: fc.boolean(),
    settings: anySettings,
    policyVersion: fc.constant(POLICY),
    nowMillis: fc.constant(NOW),
    lastDecision: anyDecision,
  },
  { requiredKeys: ['region', 'gpc', 'settings', 'policyVersion', 'nowMillis'] },
);

describe('workspace strictness', () => {
  it('makes a milder region stricter with reason workspace_stricter', () => {
    const strict = directive({ at: 'US-TX', settings: { strictness: 'opt_in' } });
    expect(strict).toMatchObject({ mode: 'opt_in', reason: 'workspace_stricter', ask: true });
    expect(strict.purposes.analytics).toBe('denied');
    expect(directive({ at: 'JP', settings: { strictness: 'opt_out' } })).toMatchObject({ mode: 'opt_out' });
  });

  it('never makes a listed region milder than its rule', () => {
    fc.assert(
      fc.property(anyRegion, anySettings, (regionCode, settings) => {
        const finding = findRegionMode(regionCode);
        fc.pre(finding.known === 'listed');
        return isAsStrictAs(directive({ at: regionCode, settings }).mode, finding.mode);
      }),
    );
  });

  it('relaxes unlisted countries only', () => {
    const settings = { strictness: 'region', whereUnlisted: 'notice' } as const;
    expect(directive({ at: 'AR', settings })).toMatchObject({ mode: 'notice', reason: 'region_rule' });
    expect(directive({ at: 'ZZ', settings })).toMatchObject({ mode: 'opt_in', reason: 'region_unknown' });
    expect(directive({ at: 'DE', settings }).mode).toBe('opt_in');
  });

  it('relaxes unknown regions only when set explicitly', () => {
    const settings = { strictness: 'region', whereUnknown: 'opt_out' } as const;
    expect(directive({ at: 'ZZ', settings })).toMatchObject({ mode: 'opt_out', reason: 'region_unknown' });
    expect(directive({ at: 'AR', settings }).mode).toBe('opt_in');
  });

  it('applies its minimum to relaxed regions', () => {
    const settings = { strictness: 'opt_out', whereUnlisted: 'notice' } as const;
    expect(directive({ at: 'AR', settings })).toMatchObject({
      mode: 'opt_out',
      reason: 'workspace_stricter',
    });
  });
});

describe('claimed region', () => {
  it('makes the outcome stricter and is not returned as the region', () => {
    const claimed = directive({ at: 'US-CA', claimedRegionCode: 'DE' });
    expect(claimed).toMatchObject({ mode: 'opt_in', regionCode: 'US-CA', reason: 'region_rule' });
  });

  it('never makes the outcome milder', () => {
    fc.assert(
      fc.property(anyInput, anyRegion, (input, regionCode) => {
        const plain = decideDirective(input);
        const claimed = decideDirective({ ...input, claimedRegionCode: regionCode });
        const milder = PURPOSES.filter(
          (purpose) => plain.purposes[purpose] === 'denied' && claimed.purposes[purpose] === 'granted',
        );
        return isAsStrictAs(claimed.mode, plain.mode) && milder.length === 0;
      }),
      { numRuns: 2000 },
    );
  });
});

describe('decisions', () => {
  it('applies the claimed rule, at once and later', () => {
    const base = { region: { regionCode: 'US' }, gpc: false, policyVersion: POLICY, nowMillis: NOW };
    const input = {
      ...base,
      settings: { strictness: 'region' },
      claimedRegionCode: 'DE',
    } as const;
    const { directive: now, lastDecision } = applyDecision(input, 'accepted');
    expect(now).toMatchObject({ mode: 'opt_in', reason: 'prior_decision', regionCode: 'US' });
    expect(now.purposes.retention).toBe('granted');
    expect(lastDecision).toEqual({
      decision: 'accepted',
      policyVersion: POLICY,
      mode: 'opt_in',
      decidedAtMillis: NOW,
      regionCode: 'US',
      claimedRegion: 'DE',
    });
    expect(directive({ at: 'FR', lastDecision: lastDecision! }).reason).toBe('prior_decision');
  });

  it('does not apply to a policy newer than the one shown', () => {
    const base = { region: { regionCode: 'DE' }, gpc: false, policyVersion: POLICY, nowMillis: NOW };
    const input = { ...base, settings: { strictness: 'region' } } as const;
    expect(applyDecision(input, 'accepted', 'old').directive.reason).toBe('policy_changed');
    expect(applyDecision(input, 'denied', 'old').directive.reason).toBe('prior_decision');
  });

  it('stores no decision when the first prompt is dismissed', () => {
    const base = { region: { regionCode: 'DE' }, gpc: false, policyVersion: POLICY, nowMillis: NOW };
    const after = applyDecision({ ...base, settings: { strictness: 'region' } }, 'dismissed');
    expect(after).not.toHaveProperty('lastDecision');
    expect(after.directive).toMatchObject({ reason: 'region_rule', ask: true });
  });
});

describe('prior decision', () => {
  it('expires after 180 days, or 365 for a US denial', () => {
    expect(directive({ lastDecision: decided('accepted') }).expiresAtMillis).toBe(NOW + 179 * DAY);
    expect(directive({ lastDecision: decided('denied') }).expiresAtMillis).toBe(NOW + 179 * DAY);
    const american = { at: 'US-CA', lastDecision: decided('denied', 'US-CA') };
    expect(directive(american).expiresAtMillis).toBe(NOW + 364 * DAY);
    const leave = { at: 'US-CA', lastDecision: decided('accepted', 'US-CA') };
    expect(directive(leave).expiresAtMillis).toBe(NOW + 179 * DAY);
  });

  it('loses an acceptance but keeps a denial when the policy changes', () => {
    const accepted = directive({ lastDecision: decided('accepted', 'DE', 1, 'old') });
    expect(accepted).toMatchObject({ reason: 'policy_changed', ask: true });
    expect(accepted.purposes.retention).toBe('denied');
    expect(accepted.expiresAtMillis).toBeUndefined();
    const denied = directive({ at: 'US', lastDecision: decided('denied', 'US', 1, 'old') });
    expect(denied).toMatchObject({ reason: 'prior_decision', ask: false });
    expect(denied.purposes.analytics).toBe('denied');
  });

  it('does not carry consent from a milder region into a stricter one', () => {
    const lastDecision = decided('accepted', 'US-CA');
    expect(directive({ at: 'DE', lastDecision })).toMatchObject({ reason: 'region_rule', ask: true });
    expect(directive({ at: 'US-TX', lastDecision }).reason).toBe('prior_decision');
  });

  it('uses the current rule of its region when no mode was stored', () => {
    const { mode: _, ...fromTexas } = decided('accepted', 'US-TX');
    expect(directive({ at: 'DE', lastDecision: fromTexas }).reason).toBe('region_rule');
    expect(directive({ at: 'US', lastDecision: fromTexas }).reason).toBe('prior_decision');
    const claimed = directive({ at: 'US', claimedRegionCode: 'DE', lastDecision: fromTexas });
    expect(claimed.purposes.analytics).toBe('denied');
  });

  it('never turns an expired denial into consent', () => {
    fc.assert(
      fc.property(anyRegion, anySettings, fc.integer({ min: 0, max: 5000 }), (regionCode, settings, days) => {
        const { purposes } = directive({
          at: regionCode,
          settings,
          lastDecision: decided('denied', regionCode, days),
        });
        return PURPOSES.every((purpose) => purpose === 'essential' || purposes[purpose] === 'denied');
      }),
    );
  });

  it('remains in force when a later prompt is dismissed', () => {
    const denied = decided('denied');
    expect(keepDecision(denied, decided('dismissed'))).toBe(denied);
    expect(keepDecision(undefined, decided('dismissed'))).toBeUndefined();
    expect(keepDecision(denied, decided('accepted'))).toEqual(decided('accepted'));
  });
});

describe('Global Privacy Control', () => {
  it('denies analytics and is the reason in every region and after every decision', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const signalled = decideDirective({ ...input, gpc: true });
        expect(signalled).toMatchObject({
          reason: 'gpc',
          gpc: { received: true, honored: true },
          ask: false,
        });
        expect(signalled.purposes).toMatchObject({ essential: 'granted', analytics: 'denied' });
        expect(signalled.mode).not.toBe('notice');
      }),
    );
  });

  it('grants nothing that would be denied without it', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const plain = decideDirective({ ...input, gpc: false });
        const signalled = decideDirective({ ...input, gpc: true });
        return PURPOSES.every((purpose) =>
          plain.purposes[purpose] === 'granted' || purpose === 'essential'
            ? true
            : signalled.purposes[purpose] === 'denied',
        );
      }),
    );
  });
});

it('decideDirective applies the region table in its input', () => {
  const table = { ...regionTable, rules: [{ mode: 'notice', basis: 'test', codes: ['DE'] }] } as const;
  expect(directive({ table }).mode).toBe('notice');
  expect(directive({ at: 'US', table }).mode).toBe('opt_in');
});
