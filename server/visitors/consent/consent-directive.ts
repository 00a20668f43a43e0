import type { ConsentDecision } from '../../../contract/consent.ts';
import { ACCEPTANCE_DAYS, type ConsentSettings, findFloor, REFUSAL_DAYS, REFUSAL_DAYS_US } from './policy.ts';
import {
  getMeaning,
  isAsStrictAs,
  type Mode,
  type Purposes,
  setOptionalPurposes,
  stricterMode,
} from './purposes.ts';
import { findRegionMode, isInUnitedStates, type RegionTable, regionTable } from './region.ts';

/** The reason for mode and purposes: the first that applies, in order of precedence. */
export type Reason =
  | 'gpc'
  | 'prior_decision'
  | 'policy_changed'
  | 'workspace_stricter'
  | 'region_unknown'
  | 'region_rule';

/**
 * The newest decision that accepted or refused something (see `keepDecision`), or a dismissed prompt, of
 * which only the signals count.
 */
export type LastDecision = {
  decision: ConsentDecision;
  /** The policy that the visitor saw when deciding. */
  policyVersion: string;
  /** The mode in force at that time; if absent, the current mode of its region. */
  mode?: Mode;
  /** Server clock. */
  decidedAtMillis: number;
  /** The region that the service resolved at that time. */
  regionCode: string;
  /**
   * Whether a privacy signal came with the decision, or with a prompt dismissed later. Holds until a decision
   * without one.
   */
  gpc?: boolean;
  /** The region that the client claimed. */
  claimedRegion?: string;
};

export type DirectiveInput = {
  region: { regionCode: string };
  /** The region that the client claims. It can only make the outcome stricter. */
  claimedRegionCode?: string;
  gpc: boolean;
  settings: ConsentSettings;
  policyVersion: string;
  lastDecision?: LastDecision;
  nowMillis: number;
  table?: RegionTable;
};

export type Directive = {
  mode: Mode;
  reason: Reason;
  /** The resolved region, never a claimed one. */
  regionCode: string;
  policyVersion: string;
  /** The effective purposes at this moment. */
  purposes: Purposes;
  /** Whether to show the consent prompt now. */
  ask: boolean;
  gpc: { received: boolean; honored: boolean };
  /** When the prior decision expires; absent when none applies. */
  expiresAtMillis?: number;
};

const DAY_MILLIS = 86_400_000;

/** Returns the decision in force after `next`: a dismissed prompt keeps the previous one. */
export function keepDecision(
  previous: LastDecision | undefined,
  next: LastDecision,
): LastDecision | undefined {
  return getMeaning(next.decision) === 'none' ? previous : next;
}

/** Decides a visitor's consent: the strictest of region, workspace, privacy signal and last decision. */
export function decideDirective(input: DirectiveInput): Directive {
  const regional = resolveRegionalMode(input);
  const prior = resolvePrior(input, regional.mode);
  const isOptedOut = input.gpc || input.lastDecision?.gpc === true;
  const mode = isOptedOut ? stricterMode(regional.mode, 'opt_out') : regional.mode;
  return {
    mode,
    reason: decideReason(input, prior, regional),
    regionCode: input.region.regionCode,
    policyVersion: input.policyVersion,
    purposes: decidePurposes(isOptedOut, prior, mode),
    ask: shouldAsk(isOptedOut, prior, mode),
    gpc: { received: input.gpc, honored: input.gpc },
    expiresAtMillis: prior.expiresAtMillis,
  };
}

/**
 * Returns the directive after a new decision, and the decision to store (undefined while nothing was ever decided).
 * `shownPolicyVersion` is the policy that the visitor saw, which may be older than the current one.
 */
export function applyDecision(
  input: DirectiveInput,
  decision: ConsentDecision,
  shownPolicyVersion: string = input.policyVersion,
): { directive: Directive; lastDecision?: LastDecision } {
  const lastDecision = withSignals(input, {
    decision,
    policyVersion: shownPolicyVersion,
    mode: decideDirective(input).mode,
    decidedAtMillis: input.nowMillis,
    regionCode: input.region.regionCode,
  });
  if (lastDecision === undefined) return { directive: decideDirective(input) };
  return { directive: decideDirective({ ...input, lastDecision }), lastDecision };
}

/** Merges a decision with its signals; returns the previous object unchanged when nothing is new. */
function withSignals(input: DirectiveInput, next: LastDecision): LastDecision | undefined {
  const previous = input.lastDecision;
  const decisionInForce = keepDecision(previous, next);
  const gpc = input.gpc || (decisionInForce === previous && previous?.gpc === true);
  const claimedRegion = findClaim(input);
  const hasNewSignals = gpc !== (previous?.gpc === true) || claimedRegion !== previous?.claimedRegion;
  if (decisionInForce === previous && !hasNewSignals) return previous;
  return {
    ...(decisionInForce ?? next),
    ...(gpc ? { gpc } : {}),
    ...(claimedRegion === undefined ? {} : { claimedRegion }),
  };
}

/** Returns the region claimed now or with the last decision. Ignores `ZZ`, which would select the strictest rule. */
function findClaim({ claimedRegionCode, lastDecision }: DirectiveInput): string | undefined {
  const claims = [claimedRegionCode, lastDecision?.claimedRegion];
  return claims.find((claim) => claim !== undefined && claim !== 'ZZ');
}

type Regional = { mode: Mode; reason: Reason };

function resolveRegionalMode(input: DirectiveInput): Regional {
  const resolved = resolveRule(input.region.regionCode, input);
  const claim = findClaim(input);
  const ruleMode =
    claim === undefined ? resolved.mode : stricterMode(resolved.mode, resolveRule(claim, input).mode);
  const floors = [input.region.regionCode, claim ?? 'ZZ'].flatMap(
    (region) => findFloor(region, input.settings) ?? [],
  );
  const floor = floors.reduce(stricterMode, ruleMode);
  if (floor !== ruleMode) return { mode: floor, reason: 'workspace_stricter' };
  return { mode: ruleMode, reason: resolved.known === 'unknown' ? 'region_unknown' : 'region_rule' };
}

function resolveRule(
  regionCode: string,
  { settings, table = regionTable }: Pick<DirectiveInput, 'settings' | 'table'>,
) {
  const rule = findRegionMode(regionCode, table);
  if (rule.known === 'unlisted') return { ...rule, mode: settings.whereUnlisted ?? rule.mode };
  if (rule.known === 'unknown') return { ...rule, mode: settings.whereUnknown ?? rule.mode };
  return rule;
}

/**
 * The effect of the last decision now. `lapsed` is an expired refusal: the visitor is asked again, but purposes stay
 * off until the new decision. `voided` is an acceptance of an earlier policy.
 */
type Prior = {
  state: 'accepted' | 'refused' | 'lapsed' | 'voided' | 'none';
  expiresAtMillis?: number;
};

function resolvePrior(input: DirectiveInput, modeNow: Mode): Prior {
  const last = input.lastDecision;
  if (last === undefined) return { state: 'none' };
  const meaning = getMeaning(last.decision);
  if (meaning === 'none') return { state: 'none' };
  const expiresAtMillis = last.decidedAtMillis + getValidityDays(meaning, last.regionCode) * DAY_MILLIS;
  const isExpired = input.nowMillis >= expiresAtMillis;
  if (meaning === 'refusal') return isExpired ? { state: 'lapsed' } : { state: 'refused', expiresAtMillis };
  if (isExpired) return { state: 'none' };
  if (last.policyVersion !== input.policyVersion) return { state: 'voided' };
  // Consent given under a milder mode does not answer the stricter question of this region.
  const modeThen = last.mode ?? resolveModeWithoutClaim(input, last.regionCode);
  return isAsStrictAs(modeThen, modeNow) ? { state: 'accepted', expiresAtMillis } : { state: 'none' };
}

function resolveModeWithoutClaim(input: DirectiveInput, regionCode: string): Mode {
  const { claimedRegionCode: _, lastDecision: __, ...rest } = input;
  return resolveRegionalMode({ ...rest, region: { regionCode } }).mode;
}

function getValidityDays(meaning: 'acceptance' | 'refusal', regionCode: string): number {
  if (meaning === 'acceptance') return ACCEPTANCE_DAYS;
  return isInUnitedStates(regionCode) ? REFUSAL_DAYS_US : REFUSAL_DAYS;
}

function decideReason(input: DirectiveInput, { state }: Prior, regional: Regional): Reason {
  if (input.gpc) return 'gpc';
  if (state === 'accepted' || state === 'refused' || input.lastDecision?.gpc) return 'prior_decision';
  if (state === 'voided') return 'policy_changed';
  // Outside `opt_in`, only the expired refusal turns the purposes off.
  if (state === 'lapsed' && regional.mode !== 'opt_in') return 'prior_decision';
  return regional.reason;
}

function decidePurposes(isOptedOut: boolean, { state }: Prior, mode: Mode): Purposes {
  if (state === 'refused' || state === 'lapsed') return setOptionalPurposes('denied');
  if (state === 'accepted') {
    const granted = setOptionalPurposes('granted');
    return isOptedOut ? { ...granted, analytics: 'denied' } : granted;
  }
  return setOptionalPurposes(isOptedOut || mode === 'opt_in' ? 'denied' : 'granted');
}

/** A privacy signal or a valid decision is an answer; without one, only opt_in and expired refusals require the prompt. */
function shouldAsk(isOptedOut: boolean, { state }: Prior, mode: Mode): boolean {
  if (isOptedOut || state === 'accepted' || state === 'refused') return false;
  return mode === 'opt_in' || state === 'lapsed';
}
