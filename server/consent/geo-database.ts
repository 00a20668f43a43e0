import { readFileSync } from 'node:fs';
import { Reader } from 'mmdb-lib';
import { publicAddress } from './public-address.ts';
import { type FindRegion, type NormalizedRegion, normalizeRegion } from './region.ts';

/** An operator's own `.mmdb` file, held in memory. */
export type GeoDatabase = {
  readonly find: FindRegion;
  /** What the file calls itself, for the log. */
  readonly databaseType: string;
  readonly builtAtMillis: number;
  /** A sentence for the log when the data is too old to rely on; absent while it is fresh. */
  readonly warning?: string;
};

const FRESH_DAYS = 90;
const DAY_MILLIS = 86_400_000;

/** The members that country and city databases use: flat (DB-IP, IPinfo) or nested (MaxMind). */
type GeoRecord = {
  readonly country_code?: unknown;
  readonly region_code?: unknown;
  readonly country?: { readonly iso_code?: unknown } | string;
  readonly subdivisions?: readonly { readonly iso_code?: unknown }[];
};

/**
 * Opens a MaxMind-format database (country or city). Throws an Error that names the path when the file cannot be read
 * or is no such database. A damaged record found later makes that one lookup undefined, never an exception.
 */
export function openGeoDatabase(path: string, nowMillis: number = Date.now()): GeoDatabase {
  const reader = openReader(path);
  const { databaseType, ipVersion, buildEpoch } = reader.metadata;
  const builtAtMillis = buildEpoch.getTime();
  const warning = staleness(path, builtAtMillis, nowMillis);
  return {
    databaseType,
    builtAtMillis,
    ...(warning === undefined ? {} : { warning }),
    find(clientAddress) {
      const client = publicAddress(clientAddress);
      // The reader would walk an IPv4 tree with the bits of an IPv6 address and answer anything.
      if (client === undefined || (client.family === 6 && ipVersion === 4)) return undefined;
      return regionOfRecord(recordOf(reader, client.address));
    },
  };
}

type GeoReader = Reader<never>;

function openReader(path: string): GeoReader {
  try {
    const reader: GeoReader = new Reader(readFileSync(path));
    const { ipVersion, nodeCount } = reader.metadata;
    if ((ipVersion !== 4 && ipVersion !== 6) || !(nodeCount > 0)) throw new Error('its metadata is damaged');
    return reader;
  } catch (cause) {
    throw new Error(
      `cannot open the geo database ${path}: ${cause instanceof Error ? cause.message : cause}`,
      {
        cause,
      },
    );
  }
}

function staleness(path: string, builtAtMillis: number, nowMillis: number): string | undefined {
  const days = Math.floor((nowMillis - builtAtMillis) / DAY_MILLIS);
  if (days <= FRESH_DAYS) return undefined;
  return `the geo database ${path} was built ${days} days ago; after ${FRESH_DAYS} days it should be replaced`;
}

function recordOf(reader: GeoReader, address: string): GeoRecord | undefined {
  try {
    return (reader.get(address) as GeoRecord | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function regionOfRecord(record: GeoRecord | undefined): NormalizedRegion | undefined {
  if (record === undefined || typeof record !== 'object') return undefined;
  const nested = typeof record.country === 'object' ? record.country?.iso_code : record.country;
  const region = normalizeRegion(
    text(record.country_code) ?? text(nested),
    text(record.region_code) ?? text(record.subdivisions?.[0]?.iso_code),
  );
  return region.countryCode === undefined ? undefined : region;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
