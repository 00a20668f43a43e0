import type { Mode } from './purposes.ts';

/** A visitor's region, from trusted sources only. */
export type Region = NormalizedRegion & {
  /** `none` when no trusted source knows. */
  source: 'edge_header' | 'geo_db' | 'none';
};

export type NormalizedRegion = {
  /** ISO 3166-1 alpha-2; absent when unknown. */
  countryCode?: string;
  /** ISO 3166-2 (`US-CA`), else the country (`DE`), else `ZZ`. */
  regionCode: string;
};

/** The content delivery networks whose location headers are supported. The operator configures the one in front. */
export type EdgeProvider = 'cloudflare' | 'vercel' | 'cloudfront' | 'fastly';

/** Request headers as Node gives them, names in lower case. */
type RequestHeaders = { [name: string]: string | readonly string[] | undefined };

/** Looks up a client address; undefined when the database has no entry or the address is not public. */
export type FindRegion = (clientAddress: string) => NormalizedRegion | undefined;

const UNKNOWN_REGION: Region = { regionCode: 'ZZ', source: 'none' };

const UNKNOWN: NormalizedRegion = { regionCode: 'ZZ' };

/**
 * Normalizes a region: `US` with `CA`, or `US-CA` in either argument, in any case. A two-letter code alone is
 * a country, so `CA` is Canada and never California. Invalid codes, such as `XX`, `EU` or a country and a
 * subdivision that contradict each other, become `ZZ`.
 */
export function normalizeRegion(country?: string, subdivision?: string): NormalizedRegion {
  const own = splitCode(country);
  const other = splitCode(subdivision);
  if (own.first === undefined) return toRegion(other.first, other.rest);
  const [otherCountry, otherPart] =
    other.rest === undefined ? [own.first, other.first] : [other.first, other.rest];
  if (parseCountry(own.first) !== parseCountry(otherCountry)) return UNKNOWN;
  if (own.rest !== undefined && otherPart !== undefined && own.rest !== otherPart) return UNKNOWN;
  return toRegion(own.first, own.rest ?? otherPart);
}

function splitCode(text: string | undefined): { first?: string; rest?: string } {
  const clean = text?.trim().toUpperCase() ?? '';
  if (clean === '') return {};
  const dashAt = clean.indexOf('-');
  return dashAt === -1 ? { first: clean } : { first: clean.slice(0, dashAt), rest: clean.slice(dashAt + 1) };
}

function parseCountry(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  // Some networks send UK, which ISO 3166 reserves for the United Kingdom.
  const official = code === 'UK' ? 'GB' : code;
  return countryCodes.has(official) ? official : undefined;
}

function toRegion(country: string | undefined, part: string | undefined): NormalizedRegion {
  const countryCode = parseCountry(country);
  if (countryCode === undefined) return UNKNOWN;
  const hasSubdivision = part !== undefined && part !== country && isSubdivision(countryCode, part);
  return { countryCode, regionCode: hasSubdivision ? `${countryCode}-${part}` : countryCode };
}

function isSubdivision(countryCode: string, part: string): boolean {
  const listed = subdivisionCodes.get(countryCode);
  return listed === undefined ? /^[A-Z0-9]{1,3}$/.test(part) : listed.has(part);
}

const EDGE_HEADERS: { readonly [provider in EdgeProvider]: { country: string; subdivision: string } } = {
  cloudflare: { country: 'cf-ipcountry', subdivision: 'cf-region-code' },
  vercel: { country: 'x-vercel-ip-country', subdivision: 'x-vercel-ip-country-region' },
  cloudfront: { country: 'cloudfront-viewer-country', subdivision: 'cloudfront-viewer-country-region' },
  // Fastly adds none by default: the operator sets these two in VCL from client.geo.
  fastly: { country: 'x-geo-country', subdivision: 'x-geo-region' },
};

/** The country code for Tor, whose exit node says nothing about the visitor. */
const TOR = 'T1';

/**
 * Returns the region in the headers of the configured network. Anyone can send these headers, so `peerTrusted` must
 * come from the socket peer. Undefined when the headers are missing or not trusted. Tor visitors are `ZZ`:
 * looking up their address would give the country of the exit node.
 */
export function regionFromEdgeHeaders(
  provider: EdgeProvider,
  headers: RequestHeaders,
  peerTrusted: boolean,
): Region | undefined {
  if (!peerTrusted) return undefined;
  const names = EDGE_HEADERS[provider];
  const country = getSingleValue(headers[names.country]);
  if (country === undefined) return undefined;
  if (country.trim().toUpperCase() === TOR) return { ...UNKNOWN, source: 'edge_header' };
  const region = normalizeRegion(country, getSingleValue(headers[names.subdivision]));
  return region.countryCode === undefined ? undefined : { ...region, source: 'edge_header' };
}

/** Ignores a repeated header, because it is unknown which value the edge wrote. */
function getSingleValue(value: string | readonly string[] | undefined): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return value.length === 1 ? value[0] : undefined;
}

/** Resolves the region of a request: from the trusted edge, else the operator's geo database, else unknown. */
export function resolveRegion(request: {
  peerTrusted: boolean;
  headers: RequestHeaders;
  clientAddress: string;
  provider?: EdgeProvider;
  geo?: { find: FindRegion };
}): Region {
  if (request.provider !== undefined) {
    const fromEdge = regionFromEdgeHeaders(request.provider, request.headers, request.peerTrusted);
    if (fromEdge !== undefined) return fromEdge;
  }
  const found = request.geo?.find(request.clientAddress);
  return found === undefined ? UNKNOWN_REGION : { ...found, source: 'geo_db' };
}

/** The 249 officially assigned countries of ISO 3166-1, and the subdivisions that the region table tells apart. */

const COUNTRIES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO ' +
  'FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE ' +
  'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO ' +
  'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW ' +
  'PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM ' +
  'TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

const US_SUBDIVISIONS =
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR ' +
  'PA RI SC SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR UM VI';

const CA_SUBDIVISIONS = 'AB BC MB NB NL NS NT NU ON PE QC SK YT';

const countryCodes: ReadonlySet<string> = new Set(COUNTRIES.split(' '));

/** Countries whose subdivisions are checked by name; elsewhere the shape of a code is enough, since no rule reads it. */
const subdivisionCodes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['US', new Set(US_SUBDIVISIONS.split(' '))],
  ['CA', new Set(CA_SUBDIVISIONS.split(' '))],
]);

/** The regions that share a mode, and the law or practice behind it. */
type RegionRule = { mode: Mode; basis: string; codes: readonly string[] };

/**
 * The mode of each region. Codes are ISO 3166-1 (`DE`) or ISO 3166-2 (`CA-QC`); the longer code wins. Regions without a
 * rule are `opt_in`. Change a rule only together with the version: the version is part of every policy version.
 */
export type RegionTable = {
  /** `YYYY-MM-DD.n`: the day of the change and its number on that day. */
  version: string;
  rules: readonly RegionRule[];
};

export const regionTable: RegionTable = {
  version: '2026-11-20.1',
  rules: [
    {
      mode: 'opt_in',
      basis: 'European Union: ePrivacy Directive 5(3), GDPR',
      codes: splitCodes('AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'),
    },
    { mode: 'opt_in', basis: 'European Economic Area', codes: splitCodes('IS LI NO') },
    {
      mode: 'opt_in',
      basis: 'Outermost regions of the European Union and Åland',
      codes: splitCodes('GP GF MQ RE YT MF AX'),
    },
    { mode: 'opt_in', basis: 'United Kingdom (PECR) and islands', codes: splitCodes('GB GG JE IM GI') },
    { mode: 'opt_in', basis: 'Switzerland: practice follows the GDPR', codes: splitCodes('CH') },
    { mode: 'opt_in', basis: 'Brazil: LGPD', codes: splitCodes('BR') },
    { mode: 'opt_in', basis: 'Quebec: Law 25', codes: splitCodes('CA-QC') },
    { mode: 'opt_in', basis: 'Canada without a known province: Quebec is possible', codes: splitCodes('CA') },
    {
      mode: 'opt_in',
      basis: 'Thailand: PDPA; China: PIPL; Turkey: KVKK; South Africa: POPIA; Korea: PIPA; India: DPDP',
      codes: splitCodes('TH CN TR ZA KR IN'),
    },
    {
      mode: 'opt_out',
      basis: 'United States with territories: state laws; Global Privacy Control honoured in all of them',
      codes: splitCodes('US AS GU MP PR UM VI'),
    },
    {
      mode: 'opt_out',
      basis: 'Canada outside Quebec: PIPEDA, implied consent',
      codes: splitCodes('CA-AB CA-BC CA-MB CA-NB CA-NL CA-NS CA-NT CA-NU CA-ON CA-PE CA-SK CA-YT'),
    },
    {
      mode: 'opt_out',
      basis: 'Australia: Privacy Act; New Zealand: Privacy Act',
      codes: splitCodes('AU NZ'),
    },
    { mode: 'notice', basis: 'Japan: external transmission rule, APPI', codes: splitCodes('JP') },
  ],
};

function splitCodes(list: string): readonly string[] {
  return list.split(' ');
}

/** The mode of a region, and whether the table lists it. `unknown` is a region that could not be resolved. */
type RegionMode = { mode: Mode; known: 'listed' | 'unlisted' | 'unknown' };

const modesByTable = new WeakMap<RegionTable, ReadonlyMap<string, Mode>>();

function getModes(table: RegionTable): ReadonlyMap<string, Mode> {
  const known = modesByTable.get(table);
  if (known !== undefined) return known;
  const modes = new Map(table.rules.flatMap((rule) => rule.codes.map((code) => [code, rule.mode] as const)));
  modesByTable.set(table, modes);
  return modes;
}

/** Returns the mode of a normalized region code, else of its country, else the strictest. */
export function findRegionMode(regionCode: string, table: RegionTable = regionTable): RegionMode {
  if (regionCode === 'ZZ') return { mode: 'opt_in', known: 'unknown' };
  const modes = getModes(table);
  const mode = modes.get(regionCode) ?? modes.get(regionCode.slice(0, 2));
  return mode === undefined ? { mode: 'opt_in', known: 'unlisted' } : { mode, known: 'listed' };
}

/** Returns the rule that lists a region, else the rule that lists its country. */
export function findRegionRule(regionCode: string, table: RegionTable = regionTable): RegionRule | undefined {
  const findByCode = (code: string) => table.rules.find(({ codes }) => codes.includes(code));
  return findByCode(regionCode) ?? findByCode(regionCode.slice(0, 2));
}

const UNITED_STATES: ReadonlySet<string> = new Set(['US', 'AS', 'GU', 'MP', 'PR', 'UM', 'VI']);

/** Includes the territories of the United States, where a refusal also holds for a year. */
export function isInUnitedStates(regionCode: string): boolean {
  return UNITED_STATES.has(regionCode.slice(0, 2));
}
