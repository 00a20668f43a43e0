import type { Mode } from './purposes.ts';

/** The regions that share a mode, and the law or practice behind it. */
export type RegionRule = { readonly mode: Mode; readonly basis: string; readonly codes: readonly string[] };

/**
 * The mode of each region. Codes are ISO 3166-1 (`DE`) or ISO 3166-2 (`CA-QC`); the longer code wins. Regions without a
 * rule are `opt_in`. Change a rule only together with the version: the version is part of every policy version.
 */
export type RegionTable = {
  /** `YYYY-MM-DD.n`: the day of the change and its number on that day. */
  readonly version: string;
  readonly rules: readonly RegionRule[];
};

export const regionTable: RegionTable = {
  version: '2026-11-20.1',
  rules: [
    {
      mode: 'opt_in',
      basis: 'European Union: ePrivacy Directive 5(3), GDPR',
      codes: codes('AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'),
    },
    { mode: 'opt_in', basis: 'European Economic Area', codes: codes('IS LI NO') },
    {
      mode: 'opt_in',
      basis: 'Outermost regions of the European Union and Åland',
      codes: codes('GP GF MQ RE YT MF AX'),
    },
    { mode: 'opt_in', basis: 'United Kingdom (PECR) and islands', codes: codes('GB GG JE IM GI') },
    { mode: 'opt_in', basis: 'Switzerland: practice follows the GDPR', codes: codes('CH') },
    { mode: 'opt_in', basis: 'Brazil: LGPD', codes: codes('BR') },
    { mode: 'opt_in', basis: 'Quebec: Law 25', codes: codes('CA-QC') },
    { mode: 'opt_in', basis: 'Canada without a known province: Quebec is possible', codes: codes('CA') },
    {
      mode: 'opt_in',
      basis: 'Thailand: PDPA; China: PIPL; Turkey: KVKK; South Africa: POPIA; Korea: PIPA; India: DPDP',
      codes: codes('TH CN TR ZA KR IN'),
    },
    {
      mode: 'opt_out',
      basis: 'United States with territories: state laws; Global Privacy Control honoured in all of them',
      codes: codes('US AS GU MP PR UM VI'),
    },
    {
      mode: 'opt_out',
      basis: 'Canada outside Quebec: PIPEDA, implied consent',
      codes: codes('CA-AB CA-BC CA-MB CA-NB CA-NL CA-NS CA-NT CA-NU CA-ON CA-PE CA-SK CA-YT'),
    },
    { mode: 'opt_out', basis: 'Australia: Privacy Act; New Zealand: Privacy Act', codes: codes('AU NZ') },
    { mode: 'notice', basis: 'Japan: external transmission rule, APPI', codes: codes('JP') },
  ],
};

function codes(list: string): readonly string[] {
  return list.split(' ');
}

/** The mode of a region, and whether the table lists it. `unknown` is a region that could not be resolved. */
export type RegionMode = { readonly mode: Mode; readonly known: 'listed' | 'unlisted' | 'unknown' };

const modesByTable = new WeakMap<RegionTable, ReadonlyMap<string, Mode>>();

function getModes(table: RegionTable): ReadonlyMap<string, Mode> {
  const known = modesByTable.get(table);
  if (known !== undefined) return known;
  const modes = new Map(table.rules.flatMap((rule) => rule.codes.map((code) => [code, rule.mode] as const)));
  modesByTable.set(table, modes);
  return modes;
}

/** The mode of a normalized region code: its own, else its country's, else the strictest. `ZZ` is unknown. */
export function findRegionMode(regionCode: string, table: RegionTable = regionTable): RegionMode {
  if (regionCode === 'ZZ') return { mode: 'opt_in', known: 'unknown' };
  const modes = getModes(table);
  const mode = modes.get(regionCode) ?? modes.get(regionCode.slice(0, 2));
  return mode === undefined ? { mode: 'opt_in', known: 'unlisted' } : { mode, known: 'listed' };
}

/** The rule that lists a region, else the one that lists its country. */
export function findRegionRule(regionCode: string, table: RegionTable = regionTable): RegionRule | undefined {
  const findByCode = (code: string) => table.rules.find(({ codes }) => codes.includes(code));
  return findByCode(regionCode) ?? findByCode(regionCode.slice(0, 2));
}

const UNITED_STATES: ReadonlySet<string> = new Set(['US', 'AS', 'GU', 'MP', 'PR', 'UM', 'VI']);

/** Includes the territories of the United States, where a refusal also holds for a year. */
export function isInUnitedStates(regionCode: string): boolean {
  return UNITED_STATES.has(regionCode.slice(0, 2));
}
