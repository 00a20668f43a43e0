import { countryCodes, subdivisionCodes } from './iso-3166.ts';

/** Where a visitor is, as far as the service may believe it. */
export type Region = NormalizedRegion & {
  /** Who said so; `none` when nobody trustworthy did. */
  readonly source: 'edge_header' | 'geo_db' | 'none';
};

export type NormalizedRegion = {
  /** ISO 3166-1 alpha-2; absent when unknown. */
  readonly countryCode?: string;
  /** ISO 3166-2 (`US-CA`), else the country (`DE`), else `ZZ`. */
  readonly regionCode: string;
};

/** The content delivery networks whose location headers can be read. An operator names the one in front. */
export type EdgeProvider = 'cloudflare' | 'vercel' | 'cloudfront' | 'fastly';

/** Request headers as Node gives them, names in lower case. */
export type RequestHeaders = { readonly [name: string]: string | readonly string[] | undefined };

/** Looks up a client address; undefined where the database says nothing or the address is not a public one. */
export type FindRegion = (clientAddress: string) => NormalizedRegion | undefined;

export const UNKNOWN_REGION: Region = { regionCode: 'ZZ', source: 'none' };

const UNKNOWN: NormalizedRegion = { regionCode: 'ZZ' };

/**
 * Brings what somebody said about a place into one form: `US` with `CA`, `US-CA` in either place, lower case. A bare
 * two-letter code is a country, so `CA` alone is Canada and never California. Anything that is no place (`XX`, `T1`,
 * `AP`, `EU`, junk, a country and a subdivision that contradict each other) is `ZZ`.
 */
export function normalizeRegion(country?: string, subdivision?: string): NormalizedRegion {
  const own = split(country);
  const other = split(subdivision);
  if (own.first === undefined) return place(other.first, other.rest);
  const [otherCountry, otherPart] =
    other.rest === undefined ? [own.first, other.first] : [other.first, other.rest];
  if (countryOf(own.first) !== countryOf(otherCountry)) return UNKNOWN;
  if (own.rest !== undefined && otherPart !== undefined && own.rest !== otherPart) return UNKNOWN;
  return place(own.first, own.rest ?? otherPart);
}

function split(text: string | undefined): { first?: string; rest?: string } {
  const clean = text?.trim().toUpperCase() ?? '';
  if (clean === '') return {};
  const dashAt = clean.indexOf('-');
  return dashAt === -1 ? { first: clean } : { first: clean.slice(0, dashAt), rest: clean.slice(dashAt + 1) };
}

function countryOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  // UK is reserved for the United Kingdom and what some networks send.
  const official = code === 'UK' ? 'GB' : code;
  return countryCodes.has(official) ? official : undefined;
}

function place(country: string | undefined, part: string | undefined): NormalizedRegion {
  const countryCode = countryOf(country);
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
  // Fastly adds none by itself: the operator sets these two in VCL from client.geo.
  fastly: { country: 'x-geo-country', subdivision: 'x-geo-region' },
};

/** What the edge calls Tor: the exit's own country says nothing about the visitor. */
const TOR = 'T1';

/**
 * The region that the configured network wrote into the request. Call it only with a `peerTrusted` that was decided on
 * the socket's peer: anybody can send these headers. Undefined when the edge does not know or may not be believed; a
 * Tor visitor is `ZZ` for certain, so that no address lookup guesses the exit's country.
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

/** A header that came twice was written by two hands, and nobody knows which is the edge's. */
function single(value: string | readonly string[] | undefined): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return value.length === 1 ? value[0] : undefined;
}

/** The region of a request: the trusted edge's word, else the operator's geo database, else unknown. */
export function resolveRegion(request: {
  readonly peerTrusted: boolean;
  readonly headers: RequestHeaders;
  readonly clientAddress: string;
  readonly provider?: EdgeProvider;
  readonly geo?: { readonly find: FindRegion };
}): Region {
  if (request.provider !== undefined) {
    const said = regionFromEdgeHeaders(request.provider, request.headers, request.peerTrusted);
    if (said !== undefined) return said;
  }
  const found = request.geo?.find(request.clientAddress);
  return found === undefined ? UNKNOWN_REGION : { ...found, source: 'geo_db' };
}
