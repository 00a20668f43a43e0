import { hash } from 'node:crypto';
import { canonicalJson } from '../../base/hash-chain.ts';
import type { WorkspaceSettings } from '../../storage/workspace-settings.ts';
import { type Mode, PURPOSES, stricterMode } from './purposes.ts';
import { type RegionTable, regionTable } from './region.ts';

/** A workspace's consent settings, on top of the region table. */
export type ConsentSettings = {
  /** A minimum for every region, which can only make a rule stricter. `region` sets none. */
  strictness: 'region' | Mode;
  /** Minimums for single regions or whole countries, in canonical form and order. */
  byRegion?: readonly RegionFloor[];
  /** The mode of countries that no rule names; the strictest by default. */
  whereUnlisted?: Mode;
  /** The mode of visitors whose region is unknown; the strictest by default. */
  whereUnknown?: Mode;
};

type RegionFloor = { region: string; mode: Mode };

export function toConsentSettings({
  consentStrictness: strictness,
  consentStrictnessByRegion: rules = [],
}: Pick<WorkspaceSettings, 'consentStrictness' | 'consentStrictnessByRegion'>): ConsentSettings {
  // `notice` is the mildest mode, so it sets no minimum.
  const byRegion = rules.flatMap(({ region, strictness: mode }) =>
    mode === 'notice' ? [] : [{ region, mode }],
  );
  return byRegion.length === 0 ? { strictness } : { strictness, byRegion };
}

/**
 * Returns the strictest minimum that a workspace sets for a region; undefined where it sets none. A country includes
 * the minimums of its subdivisions, because the visitor may be in any of them.
 */
export function findFloor(
  regionCode: string,
  { strictness, byRegion = [] }: ConsentSettings,
): Mode | undefined {
  const country = regionCode.slice(0, 2);
  const floors = byRegion.filter(
    ({ region }) => region === regionCode || region === country || region.startsWith(`${regionCode}-`),
  );
  const modes = [...(strictness === 'region' ? [] : [strictness]), ...floors.map(({ mode }) => mode)];
  return modes.length === 0 ? undefined : modes.reduce(stricterMode);
}

export const ACCEPTANCE_DAYS = 180;
export const REFUSAL_DAYS = 180;
export const REFUSAL_DAYS_US = 365;

/** Everything that decides a directive, stored unchanged under its version. */
type PolicyDocument = {
  tableVersion: string;
  rules: RegionTable['rules'];
  settings: Required<Omit<ConsentSettings, 'byRegion'>> & Pick<ConsentSettings, 'byRegion'>;
  purposes: readonly string[];
  validityDays: {
    acceptance: number;
    refusal: number;
    refusalInUnitedStates: number;
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
      // Absent when empty, which keeps the version of policies from before this setting existed.
      byRegion: settings.byRegion,
    },
    purposes: PURPOSES,
    validityDays: {
      acceptance: ACCEPTANCE_DAYS,
      refusal: REFUSAL_DAYS,
      refusalInUnitedStates: REFUSAL_DAYS_US,
    },
  };
}

const VERSIONS_CACHED_MAX = 1_000;
const versions = new WeakMap<RegionTable, Map<string, string>>();

/**
 * Returns the version of a policy: the table's version and twelve hex digits of the SHA-256 of the canonical policy
 * document, such as `2026-11-20.1+0123456789ab`. Equivalent settings have the same version.
 */
export function getPolicyVersion(settings: ConsentSettings, table: RegionTable = regionTable): string {
  const ofTable = versions.get(table) ?? new Map<string, string>();
  versions.set(table, ofTable);
  const floors = settings.byRegion?.map(({ region, mode }) => `${region}:${mode}`).join();
  const key = `${settings.strictness} ${settings.whereUnlisted} ${settings.whereUnknown} ${floors}`;
  const known = ofTable.get(key);
  if (known !== undefined) return known;
  if (ofTable.size >= VERSIONS_CACHED_MAX) ofTable.clear();
  const version = toVersion(policyDocument(settings, table));
  ofTable.set(key, version);
  return version;
}

function toVersion(document: PolicyDocument): string {
  return `${document.tableVersion}+${hash('sha256', canonicalJson(document)).slice(0, 12)}`;
}
