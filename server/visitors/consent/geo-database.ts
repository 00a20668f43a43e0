import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Reader } from 'mmdb-lib';
import { type FindRegion, type NormalizedRegion, normalizeRegion } from './region.ts';

/** An operator's own `.mmdb` file, held in memory. */
export type GeoDatabase = {
  find: FindRegion;
  /** From the file's metadata, for the log. */
  databaseType: string;
  builtAtMillis: number;
  /** A warning for the log when the data is too old; absent while it is fresh. */
  warning?: string;
};

const FRESH_DAYS = 90;
const DAY_MILLIS = 86_400_000;

/** The members that country and city databases use: flat (DB-IP, IPinfo) or nested (MaxMind). */
type GeoRecord = {
  country_code?: unknown;
  region_code?: unknown;
  country?: { iso_code?: unknown } | string;
  subdivisions?: readonly { iso_code?: unknown }[];
};

/**
 * Opens a MaxMind-format database (country or city). Throws an Error that names the path when the file cannot be read
 * or is no such database. A damaged record found later makes that one lookup undefined, never an exception.
 */
export function openGeoDatabase(path: string, nowMillis: number = Date.now()): GeoDatabase {
  const reader = openReader(path);
  const { databaseType, ipVersion, buildEpoch } = reader.metadata;
  const builtAtMillis = buildEpoch.getTime();
  const warning = checkAge(path, builtAtMillis, nowMillis);
  return {
    databaseType,
    builtAtMillis,
    warning,
    find(clientAddress) {
      const client = parsePublicAddress(clientAddress);
      // In an IPv4 database, the reader would look up an IPv6 address and return a wrong record.
      if (client === undefined || (client.family === 6 && ipVersion === 4)) return undefined;
      return toRegion(findRecord(reader, client.address));
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

function checkAge(path: string, builtAtMillis: number, nowMillis: number): string | undefined {
  const days = Math.floor((nowMillis - builtAtMillis) / DAY_MILLIS);
  if (days <= FRESH_DAYS) return undefined;
  return `the geo database ${path} was built ${days} days ago; after ${FRESH_DAYS} days it should be replaced`;
}

function findRecord(reader: GeoReader, address: string): GeoRecord | undefined {
  try {
    return (reader.get(address) as GeoRecord | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function toRegion(record: GeoRecord | undefined): NormalizedRegion | undefined {
  if (record === undefined || typeof record !== 'object') return undefined;
  const nested = typeof record.country === 'object' ? record.country?.iso_code : record.country;
  const region = normalizeRegion(
    asText(record.country_code) ?? asText(nested),
    asText(record.region_code) ?? asText(record.subdivisions?.[0]?.iso_code),
  );
  return region.countryCode === undefined ? undefined : region;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Special-purpose addresses (IANA registries), which belong to no country even if a database lists one. */
const RESERVED_V4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 ' +
  '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4';

const RESERVED_V6 = '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20';

const reserved = new BlockList();
for (const subnet of RESERVED_V4.split(' ')) addSubnet(subnet, 'ipv4');
for (const subnet of RESERVED_V6.split(' ')) addSubnet(subnet, 'ipv6');

function addSubnet(subnet: string, family: 'ipv4' | 'ipv6'): void {
  const [network = '', bits] = subnet.split('/');
  reserved.addSubnet(network, Number(bits), family);
}

/** Returns undefined for invalid addresses and for addresses that are not reachable over the internet. */
function parsePublicAddress(text: string): { address: string; family: 4 | 6 } | undefined {
  if (typeof text !== 'string') return undefined;
  const zoneAt = text.indexOf('%');
  const address = zoneAt === -1 ? text : text.slice(0, zoneAt);
  const family = isIP(address);
  // Only IPv6 has zones.
  if (family === 4 && zoneAt !== -1) return undefined;
  if (family === 4) return reserved.check(address, 'ipv4') ? undefined : { address, family };
  if (family !== 6) return undefined;
  // Global unicast is 2000::/3. Lower addresses are loopback, mapped or translated, higher ones local or
  // multicast.
  const first = Number.parseInt(address, 16);
  if (first >= 0x2000 && first <= 0x3fff) {
    return reserved.check(address, 'ipv6') ? undefined : { address, family };
  }
  return parseMappedAddress(address);
}

/** Unwraps an IPv4 address from its IPv6 form, such as `::ffff:8.8.8.8`. */
function parseMappedAddress(address: string): { address: string; family: 4 } | undefined {
  const parsed = ipaddr.IPv6.parse(address);
  if (!parsed.isIPv4MappedAddress()) return undefined;
  const inner = parsed.toIPv4Address().toString();
  return reserved.check(inner, 'ipv4') ? undefined : { address: inner, family: 4 };
}
