/** A visitor's region, from trusted sources only. */
export type Region = NormalizedRegion & {
  /** `none` when no trusted source knows. */
  readonly source: 'edge_header' | 'geo_db' | 'none';
};

export type NormalizedRegion = {
  /** ISO 3166-1 alpha-2; absent when unknown. */
  readonly countryCode?: string;
  /** ISO 3166-2 (`US-CA`), else the country (`DE`), else `ZZ`. */
  readonly regionCode: string;
};

/** The content delivery networks whose location headers are supported. The operator configures the one in front. */
export type EdgeProvider = 'cloudflare' | 'vercel' | 'cloudfront' | 'fastly';

/** Request headers as Node gives them, names in lower case. */
export type RequestHeaders = { readonly [name: string]: string | readonly string[] | undefined };

/** Looks up a client address; undefined when the database has no entry or the address is not public. */
export type FindRegion = (clientAddress: string) => NormalizedRegion | undefined;

export const UNKNOWN_REGION: Region = { regionCode: 'ZZ', source: 'none' };

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
  const named = part !== undefined && part !== country && isSubdivision(countryCode, part);
  return { countryCode, regionCode: named ? `${countryCode}-${part}` : countryCode };
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
 * The region in the headers of the configured network. Anyone can send these headers, so `peerTrusted` must
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
  const country = single(headers[names.country]);
  if (country === undefined) return undefined;
  if (country.trim().toUpperCase() === TOR) return { ...UNKNOWN, source: 'edge_header' };
  const region = normalizeRegion(country, single(headers[names.subdivision]));
  return region.countryCode === undefined ? undefined : { ...region, source: 'edge_header' };
}

/** Ignores a repeated header, because it is unknown which value the edge wrote. */
function single(value: string | readonly string[] | undefined): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return value.length === 1 ? value[0] : undefined;
}

/** The region of a request: from the trusted edge, else the operator's geo database, else unknown. */
export function resolveRegion(request: {
  readonly peerTrusted: boolean;
  readonly headers: RequestHeaders;
  readonly clientAddress: string;
  readonly provider?: EdgeProvider;
  readonly geo?: { readonly find: FindRegion };
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
