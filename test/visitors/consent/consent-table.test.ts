import { expect, it } from 'vitest';
import type { ConsentDecision } from '../../../contract/consent.ts';
import { applyDecision, decideDirective } from '../../../server/visitors/consent/consent-directive.ts';
import { getPolicyVersion } from '../../../server/visitors/consent/policy.ts';
import { normalizeRegion } from '../../../server/visitors/consent/region.ts';

/** An independent copy of the rules that a lawyer can review. None of these rules is derived from the service. */
type Mode = 'opt_in' | 'opt_out' | 'notice';

// CLDR regions that ISO 3166-1 does not assign to a country.
const NO_COUNTRIES = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));
const countries = isoCountries();

const usSubdivisions = (
  'US-AL US-AK US-AZ US-AR US-CA US-CO US-CT US-DE US-DC US-FL US-GA US-HI US-ID US-IL US-IN US-IA US-KS US-KY US-LA ' +
  'US-ME US-MD US-MA US-MI US-MN US-MS US-MO US-MT US-NE US-NV US-NH US-NJ US-NM US-NY US-NC US-ND US-OH US-OK US-OR ' +
  'US-PA US-RI US-SC US-SD US-TN US-TX US-UT US-VT US-VA US-WA US-WV US-WI US-WY US-AS US-GU US-MP US-PR US-VI'
).split(' ');
const caSubdivisions = 'CA-AB CA-BC CA-MB CA-NB CA-NL CA-NS CA-NT CA-NU CA-ON CA-PE CA-QC CA-SK CA-YT'.split(
  ' ',
);
const junk = ['', 'XX', 'ZZ', 'T1', 'AP', 'EU', 'A1', 'O1', 'USA', '??', 'U S', 'DE, US'];

const optOutCountries = new Set('US PR GU VI AS MP UM AU NZ'.split(' '));
const noticeCountries = new Set(['JP']);
const unitedStates = new Set('US PR GU VI AS MP UM'.split(' '));

function isoCountries(): string[] {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => names.of(code) !== undefined && !NO_COUNTRIES.has(code))
    .filter((code) => new Intl.Locale(`und-${code}`).region === code);
}

function expectedMode(code: string): Mode {
  if (code.startsWith('US-')) return 'opt_out';
  if (code.startsWith('CA-')) return code === 'CA-QC' ? 'opt_in' : 'opt_out';
  if (optOutCountries.has(code)) return 'opt_out';
  return noticeCountries.has(code) ? 'notice' : 'opt_in';
}

type CurrentDecision = 'none' | 'accepted' | 'refused' | 'lapsed' | 'voided';
type Row = { reason: string; purposes: 'all' | 'no_analytics' | 'essential'; ask: boolean };

// Reason, purposes and prompt by last decision and mode, without a Global Privacy Control signal.
const REGION = 'region';
const unsignalled: Record<CurrentDecision, Record<'opt_in' | 'milder', Row>> = {
  none: {
    opt_in: { reason: REGION, purposes: 'essential', ask: true },
    milder: { reason: REGION, purposes: 'all', ask: false },
  },
  accepted: {
    opt_in: { reason: 'prior_decision', purposes: 'all', ask: false },
    milder: { reason: 'prior_decision', purposes: 'all', ask: false },
  },
  refused: {
    opt_in: { reason: 'prior_decision', purposes: 'essential', ask: false },
    milder: { reason: 'prior_decision', purposes: 'essential', ask: false },
  },
  lapsed: {
    opt_in: { reason: REGION, purposes: 'essential', ask: true },
    milder: { reason: 'prior_decision', purposes: 'essential', ask: true },
  },
  voided: {
    opt_in: { reason: 'policy_changed', purposes: 'essential', ask: true },
    milder: { reason: 'policy_changed', purposes: 'all', ask: false },
  },
};

const NOW = Date.UTC(2026, 10, 20);
const DAY = 86_400_000;
const settings = { strictness: 'region' } as const;
const policyVersion = getPolicyVersion(settings);

type Prior = {
  name: string;
  decision?: ConsentDecision;
  days: number;
  policy: string;
  current: (us: boolean) => CurrentDecision;
};
const priors: Prior[] = [
  { name: 'nothing before', days: 0, policy: policyVersion, current: () => 'none' },
  {
    name: 'accepted 179 days ago',
    decision: 'accepted',
    days: 179,
    policy: policyVersion,
    current: () => 'accepted',
  },
  {
    name: 'accepted 180 days ago',
    decision: 'accepted',
    days: 180,
    policy: policyVersion,
    current: () => 'none',
  },
  { name: 'accepted another policy', decision: 'accepted', days: 1, policy: 'old', current: () => 'voided' },
  {
    name: 'denied 179 days ago',
    decision: 'denied',
    days: 179,
    policy: policyVersion,
    current: () => 'refused',
  },
  {
    name: 'rejected 364 days ago under another policy',
    decision: 'rejected',
    days: 364,
    policy: 'old',
    current: (us) => (us ? 'refused' : 'lapsed'),
  },
  {
    name: 'denied 365 days ago',
    decision: 'denied',
    days: 365,
    policy: policyVersion,
    current: () => 'lapsed',
  },
];

const decisions: Record<ConsentDecision | 'none', CurrentDecision | 'as before'> = {
  none: 'as before',
  accepted: 'accepted',
  denied: 'refused',
  rejected: 'refused',
  dismissed: 'as before',
  'browser-denied': 'refused',
  gpc_auto_optout: 'refused',
};

const grants = {
  all: ['essential', 'analytics', 'persistence', 'retention', 'screenshot', 'voice'],
  no_analytics: ['essential', 'persistence', 'retention', 'screenshot', 'voice'],
  essential: ['essential'],
};

function expected(mode: Mode, known: boolean, current: CurrentDecision, gpc: boolean) {
  const row = unsignalled[current][mode === 'opt_in' ? 'opt_in' : 'milder'];
  const regional = known ? 'region_rule' : 'region_unknown';
  if (!gpc) return { ...row, mode, reason: row.reason === REGION ? regional : row.reason };
  return {
    mode: mode === 'notice' ? 'opt_out' : mode,
    reason: 'gpc',
    purposes: current === 'accepted' ? 'no_analytics' : 'essential',
    ask: false,
  } as const;
}

function actual(code: string, mode: Mode, gpc: boolean, prior: Prior, decision: ConsentDecision | 'none') {
  const region = normalizeRegion(code);
  const before = prior.decision && {
    decision: prior.decision,
    policyVersion: prior.policy,
    mode,
    decidedAtMillis: NOW - prior.days * DAY,
    regionCode: region.regionCode,
  };
  const input = {
    region,
    gpc,
    settings,
    policyVersion,
    nowMillis: NOW,
    lastDecision: before,
  };
  return decision === 'none' ? decideDirective(input) : applyDecision(input, decision).directive;
}

it('the lists of regions cover 249 countries, 56 US and 13 Canadian subdivisions', () => {
  expect([countries.length, usSubdivisions.length, caSubdivisions.length]).toEqual([249, 56, 13]);
  for (const code of [...countries, ...usSubdivisions, ...caSubdivisions]) {
    expect(normalizeRegion(code).regionCode).toBe(code);
  }
});

const regions = [
  ...[...countries, ...usSubdivisions, ...caSubdivisions].map((code) => ({ code, known: true })),
  ...junk.map((code) => ({ code, known: false })),
];

it.each(priors)(
  'consent directives match the table for every region, signal and decision: $name',
  (prior) => {
    const wrong: unknown[] = [];
    for (const { code, known } of regions) {
      for (const gpc of [false, true]) {
        for (const [decision, meaning] of Object.entries(decisions)) {
          const us = known && unitedStates.has(code.slice(0, 2));
          const current = meaning === 'as before' ? prior.current(us) : meaning;
          const mode = known ? expectedMode(code) : 'opt_in';
          const want = expected(mode, known, current, gpc);
          const got = actual(code, mode, gpc, prior, decision as ConsentDecision);
          const granted = Object.entries(got.purposes)
            .filter(([, grant]) => grant === 'granted')
            .map(([name]) => name);
          const same =
            got.mode === want.mode &&
            got.reason === want.reason &&
            got.ask === want.ask &&
            got.regionCode === (known ? code : 'ZZ') &&
            granted.join() === grants[want.purposes].join();
          if (!same) wrong.push({ code, gpc, decision, want, got });
        }
      }
    }
    expect(wrong).toEqual([]);
  },
);
