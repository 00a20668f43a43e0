import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import { type Mode, PURPOSES } from './purposes.ts';
import { type RegionTable, regionTable } from './region-table.ts';

/** What a workspace says about consent on top of the region table. */
export type ConsentSettings = {
  /** A floor under every region's rule: it can make a rule stricter and never milder. `region` sets no floor. */
  readonly strictness: 'region' | Mode;
  /** The mode of countries that no rule names; the strictest unless the workspace says otherwise. */
  readonly whereUnlisted?: Mode;
  /** The mode of visitors whose region nobody knows; the strictest unless the workspace says otherwise. */
  readonly whereUnknown?: Mode;
};

export const ACCEPTANCE_DAYS = 180;
export const REFUSAL_DAYS = 180;
export const REFUSAL_DAYS_US = 365;

/** Everything that decides a directive, to be kept unchanged under its version. */
export type PolicyDocument = {
  readonly tableVersion: string;
  readonly rules: RegionTable['rules'];
  readonly settings: Required<ConsentSettings>;
  readonly purposes: readonly string[];
  readonly validityDays: {
    readonly acceptance: number;
    readonly refusal: number;
    readonly refusalInUnitedStates: number;
  };
};

export function policyDocument(settings: ConsentSettings, table: RegionTable = regionTable): PolicyDocument {
  return {
    tableVersion: table.version,
    rules: table.rules,
    settings: {
      strictness: settings.strictness,
      whereUnlisted: settings.whereUnlisted ?? 'opt_in',
      whereUnknown: settings.whereUnknown ?? 'opt_in',
    },
    purposes: PURPOSES,
    validityDays: {
      acceptance: ACCEPTANCE_DAYS,
      refusal: REFUSAL_DAYS,
      refusalInUnitedStates: REFUSAL_DAYS_US,
    },
  };
}

const versions = new WeakMap<RegionTable, Map<string, string>>();

/**
 * The name of a policy: the table's version and twelve hex digits of the SHA-256 of the canonical policy document,
 * `2026-11-20.1+0123456789ab`. Settings that mean the same have the same version.
 */
export function policyVersionOf(settings: ConsentSettings, table: RegionTable = regionTable): string {
  const ofTable = versions.get(table) ?? new Map<string, string>();
  versions.set(table, ofTable);
  // At most 4 × 4 × 4 settings exist, so that what is remembered of a table stays small.
  const key = `${settings.strictness} ${settings.whereUnlisted} ${settings.whereUnknown}`;
  const version = ofTable.get(key) ?? versionOf(policyDocument(settings, table));
  ofTable.set(key, version);
  return version;
}

function versionOf(document: PolicyDocument): string {
  return `${document.tableVersion}+${hash('sha256', canonicalJson(document)).slice(0, 12)}`;
}
