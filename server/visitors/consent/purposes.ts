import type { ConsentDecision } from '../../../contract/consent.ts';

/**
 * How consent works for a visitor: `opt_in` keeps every optional purpose off until accepted, `opt_out` has them on
 * until refused, `notice` has them on with a notice and still obeys a refusal.
 */
export type Mode = 'opt_in' | 'opt_out' | 'notice';

/** Purposes for which visitor data is used; `essential` is answering the visitor. */
type Purpose = 'essential' | 'analytics' | 'persistence' | 'retention' | 'screenshot' | 'voice';

export type Grant = 'granted' | 'denied';

export type Purposes = { readonly [purpose in Purpose]: Grant };

/** The purposes as a list, in the order in which they are published. */
export const PURPOSES = [
  'essential',
  'analytics',
  'persistence',
  'retention',
  'screenshot',
  'voice',
] as const satisfies readonly Purpose[];

/** Sets every optional purpose alike. Answering needs no consent: the visitor asked for it. */
export function setOptionalPurposes(grant: Grant): Purposes {
  return {
    essential: 'granted',
    analytics: grant,
    persistence: grant,
    retention: grant,
    screenshot: grant,
    voice: grant,
  };
}

const STRICTNESS: { readonly [mode in Mode]: number } = { notice: 0, opt_out: 1, opt_in: 2 };

/** Whether `mode` protects the visitor at least as much as `other` does. */
export function isAsStrictAs(mode: Mode, other: Mode): boolean {
  return STRICTNESS[mode] >= STRICTNESS[other];
}

export function stricterMode(one: Mode, other: Mode): Mode {
  return isAsStrictAs(one, other) ? one : other;
}

const MEANING: { readonly [decision in ConsentDecision]: 'acceptance' | 'refusal' | 'none' } = {
  accepted: 'acceptance',
  denied: 'refusal',
  rejected: 'refusal',
  'browser-denied': 'refusal',
  gpc_auto_optout: 'refusal',
  // Closing the prompt neither gives nor withdraws consent.
  dismissed: 'none',
};

/** Whether a decision counts as acceptance, refusal or neither. */
export function getMeaning(decision: ConsentDecision): 'acceptance' | 'refusal' | 'none' {
  return MEANING[decision];
}
