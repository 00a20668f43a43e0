import type { ConsentDecision } from '../../contract/consent.ts';
import { ACCEPTANCE_DAYS, type ConsentSettings, findFloor, REFUSAL_DAYS, REFUSAL_DAYS_US } from './policy.ts';
import {
  getMeaning,
  isAsStrictAs,
  type Mode,
  type Purposes,
  setOptionalPurposes,
  stricterMode,
} from './purposes.ts';
import { findRegionMode, isInUnitedStates, type RegionTable, regionTable } from './region-table.ts';

/** Why the mode and the purposes are what they are; the first that applies, in this order of precedence. */
export type Reason =
  | 'gpc'
  | 'prior_decision'
  | 'policy_changed'
  | 'workspace_stricter'
  | 'region_unknown'
  | 'region_rule';

/** The newest decision of a visitor that decided anything, see `standingDecision`; a dismissed prompt where only its signals count. */
export type LastDecision = {
  readonly decision: ConsentDecision;
  /** The policy in force when it was taken. */
  readonly policyVersion: string;
  /** The mode in force when it was taken; where nobody kept it, the one that its region has now. */
  readonly mode?: Mode;
  /** When the service received it, by its own clock. */
  readonly decidedAtMillis: number;
  /** Where the visitor was then, as resolved by the service. */
  readonly regionCode: string;
  /** A privacy signal came with it, or with a prompt that was dismissed since. Holds until a decision that comes without one. */
  readonly gpc?: boolean;
  /** Where the client has said to be. */
  readonly claimedRegion?: string;
};

export type DirectiveInput = {
  readonly region: { readonly regionCode: string };
  /** Where the client says it is. It can make the outcome stricter and never milder. */
  readonly claimedRegion?: { readonly regionCode: string };
  readonly gpc: boolean;
  readonly settings: ConsentSettings;
  readonly policyVersion: string;
  readonly lastDecision?: LastDecision;
  readonly nowMillis: number;
  readonly table?: RegionTable;
};

export type Directive = {
  readonly mode: Mode;
  readonly reason: Reason;
  /** The resolved region; a claim never shows here. */
  readonly regionCode: string;
  readonly policyVersion: string;
  /** The effective state: what may be done for this visitor at this moment. */
  readonly purposes: Purposes;
  /** True when the consent prompt is to be shown now. */
  readonly ask: boolean;
  readonly gpc: { readonly received: boolean; readonly honored: boolean };
  /** When the prior decision that holds now stops holding; absent without one. */
  readonly expiresAtMillis?: number;
};

const DAY_MILLIS = 86_400_000;

/** The decision that stands after `next`: a dismissed prompt leaves the one before it in force. */
export function keepDecision(
  previous: LastDecision | undefined,
  next: LastDecision,
): LastDecision | undefined {
  return getMeaning(next.decision) === 'none' ? previous : next;
}

/** Decides how consent works for a visitor now: the strictest of region, workspace, signal and last decision. */
export function decideDirective(input: DirectiveInput): Directive {
  const regional = regionalMode(input);
  const prior = priorDecision(input, regional.mode);
  const optedOut = input.gpc || input.lastDecision?.gpc === true;
  const mode = optedOut ? stricterMode(regional.mode, 'opt_out') : regional.mode;
  return {
    mode,
    reason: reasonFor(input, prior, regional),
    regionCode: input.region.regionCode,
    policyVersion: input.policyVersion,
    purposes: purposesFor(optedOut, prior, mode),
    ask: asks(optedOut, prior, mode),
    gpc: { received: input.gpc, honored: input.gpc },
    ...(prior.expiresAtMillis === undefined ? {} : { expiresAtMillis: prior.expiresAtMillis }),
  };
}

/**
 * What holds from the moment of a new decision on, and the decision to remember (none while nothing was ever decided).
 * `shownPolicyVersion` is the policy that the visitor saw, where a newer one has come into force since.
 */
export function applyDecision(
  input: DirectiveInput,
  decision: ConsentDecision,
  shownPolicyVersion: string = input.policyVersion,
): { readonly directive: Directive; readonly lastDecision?: LastDecision } {
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

/** What to remember of a decision and of the signals it came with; the previous one itself where nothing is new. */
function withSignals(input: DirectiveInput, next: LastDecision): LastDecision | undefined {
  const previous = input.lastDecision;
  const standing = keepDecision(previous, next);
  const gpc = input.gpc || (standing === previous && previous?.gpc === true);
  const claimedRegion = claimOf(input);
  const isNew = gpc !== (previous?.gpc === true) || claimedRegion !== previous?.claimedRegion;
  if (standing === previous && !isNew) return previous;
  return {
    ...(standing ?? next),
    ...(gpc ? { gpc } : {}),
    ...(claimedRegion === undefined ? {} : { claimedRegion }),
  };
}

/** A claim that names no place is no claim: it could only be read as the strictest rule of all. */
function claimOf({ claimedRegion, lastDecision }: DirectiveInput): string | undefined {
  const claims = [claimedRegion?.regionCode, lastDecision?.claimedRegion];
  return claims.find((claim) => claim !== undefined && claim !== 'ZZ');
}

type Regional = { readonly mode: Mode; readonly reason: Reason };

function regionalMode(input: DirectiveInput): Regional {
  const resolved = ruleOf(input.region.regionCode, input);
  const claim = claimOf(input);
  const ruled = claim === undefined ? resolved.mode : stricterMode(resolved.mode, ruleOf(claim, input).mode);
  const floors = [input.region.regionCode, claim ?? 'ZZ'].flatMap(
    (place) => findFloor(place, input.settings) ?? [],
  );
  const floor = floors.reduce(stricterMode, ruled);
  if (floor !== ruled) return { mode: floor, reason: 'workspace_stricter' };
  return { mode: ruled, reason: resolved.known === 'unknown' ? 'region_unknown' : 'region_rule' };
}

function ruleOf(
  regionCode: string,
  { settings, table = regionTable }: Pick<DirectiveInput, 'settings' | 'table'>,
) {
  const finding = findRegionMode(regionCode, table);
  if (finding.known === 'unlisted') return { ...finding, mode: settings.whereUnlisted ?? finding.mode };
  if (finding.known === 'unknown') return { ...finding, mode: settings.whereUnknown ?? finding.mode };
  return finding;
}

/**
 * What is left of the last decision. `lapsed` is a refusal whose time is over: the visitor may be asked again, but time
 * alone turns no refusal into leave. `voided` is an acceptance of another policy than today's.
 */
type Prior = {
  readonly standing: 'accepted' | 'refused' | 'lapsed' | 'voided' | 'none';
  readonly expiresAtMillis?: number;
};

function priorDecision(input: DirectiveInput, modeNow: Mode): Prior {
  const last = input.lastDecision;
  if (last === undefined) return { standing: 'none' };
  const meaning = getMeaning(last.decision);
  if (meaning === 'none') return { standing: 'none' };
  const expiresAtMillis = last.decidedAtMillis + validityDays(meaning, last.regionCode) * DAY_MILLIS;
  const expired = input.nowMillis >= expiresAtMillis;
  if (meaning === 'refusal')
    return expired ? { standing: 'lapsed' } : { standing: 'refused', expiresAtMillis };
  if (expired) return { standing: 'none' };
  if (last.policyVersion !== input.policyVersion) return { standing: 'voided' };
  // Leave that was given under a milder rule answered a milder question than the one that is to be asked here.
  const modeThen = last.mode ?? modeWithoutClaim(input, last.regionCode);
  return isAsStrictAs(modeThen, modeNow) ? { standing: 'accepted', expiresAtMillis } : { standing: 'none' };
}

function modeWithoutClaim(input: DirectiveInput, regionCode: string): Mode {
  const { claimedRegion: _, lastDecision: __, ...rest } = input;
  return regionalMode({ ...rest, region: { regionCode } }).mode;
}

function validityDays(meaning: 'acceptance' | 'refusal', regionCode: string): number {
  if (meaning === 'acceptance') return ACCEPTANCE_DAYS;
  return isInUnitedStates(regionCode) ? REFUSAL_DAYS_US : REFUSAL_DAYS;
}

function reasonFor(input: DirectiveInput, { standing }: Prior, regional: Regional): Reason {
  if (input.gpc) return 'gpc';
  if (standing === 'accepted' || standing === 'refused' || input.lastDecision?.gpc) return 'prior_decision';
  if (standing === 'voided') return 'policy_changed';
  // Where purposes would be on by now, the old refusal alone keeps them off.
  if (standing === 'lapsed' && regional.mode !== 'opt_in') return 'prior_decision';
  return regional.reason;
}

function purposesFor(optedOut: boolean, { standing }: Prior, mode: Mode): Purposes {
  if (standing === 'refused' || standing === 'lapsed') return setOptionalPurposes('denied');
  if (standing === 'accepted') {
    const granted = setOptionalPurposes('granted');
    return optedOut ? { ...granted, analytics: 'denied' } : granted;
  }
  return setOptionalPurposes(optedOut || mode === 'opt_in' ? 'denied' : 'granted');
}

/** A signal is an answer already, and so is a decision that still holds; elsewhere than under opt_in silence is fine. */
function asks(optedOut: boolean, { standing }: Prior, mode: Mode): boolean {
  if (optedOut || standing === 'accepted' || standing === 'refused') return false;
  return mode === 'opt_in' || standing === 'lapsed';
}
