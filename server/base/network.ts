import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const IPV4_BITS = 24;
const IPV6_BITS = 48;

/**
 * Returns the network of an address: cut to 24 bits (IPv4) or 48 bits (IPv6), which names a site or a provider's
 * customer and no single device. Returns undefined for text that is no address.
 */
export function truncateAddress(address: string): string | undefined {
  const parsed = parseAddress(address);
  return parsed && toCidr(parsed, parsed.kind() === 'ipv4' ? IPV4_BITS : IPV6_BITS);
}

/** Parses an address or a CIDR block to its canonical form, such as `203.0.113.0/24`; undefined for anything else. */
export function parseCidr(text: string): string | undefined {
  const [, address, digits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text.trim()) ?? [];
  const parsed = address === undefined ? undefined : parseAddress(address);
  if (!parsed) return undefined;
  const bits = parsed.kind() === 'ipv4' ? 32 : 128;
  const prefix = digits === undefined ? bits : Number(digits);
  return prefix > bits ? undefined : toCidr(parsed, prefix);
}

/** Whether the address is in one of the canonical CIDR blocks. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}

/** Prefixes of IPv6 ranges that contain an IPv4 address in their last four bytes (RFC 6052, DNS64). */
const NAT64: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** All public IPv6 addresses (RFC 4291), without those that IANA has assigned for documentation. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('2000::/3');
const DOCUMENTATION: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('3fff::/20');
/** The platform service of Azure, whose address is in a public range. */
const METADATA = '168.63.129.16';

/** The addresses of this machine that no other one reaches. */
export const LOOPBACK_NETWORKS: readonly string[] = ['127.0.0.0/8', '::1/128'];

/** The host of a URL without the brackets of IPv6. */
export const toLiteral = (host: string): string => host.replace(/^\[|\]$/g, '');

/** Whether a host of an address or URL is this machine, by its name or its address. */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:.+\.)?localhost\.?$/i.test(host) || isInNetworks(toLiteral(host), LOOPBACK_NETWORKS);

/** Whether an address leads to the public Internet, not to this machine, its network, its cloud or a tunnel to them. */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast' && parsed.toString() !== METADATA;
  const ipv6 = parsed as ipaddr.IPv6;
  if (ipv6.match(...NAT64)) return isPublicAddress(ipv6.toByteArray().slice(-4).join('.'));
  return ipv6.range() === 'unicast' && ipv6.match(...GLOBAL_UNICAST) && !ipv6.match(...DOCUMENTATION);
}

/** Parses an address. IPv4 addresses that sockets report as IPv6 (`::ffff:203.0.113.7`) count as IPv4. */
function parseAddress(text: string): Address | undefined {
  const withoutZone = text.split('%', 1)[0]!;
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(withoutZone) || ipaddr.IPv6.isValid(withoutZone);
  return isAddress ? ipaddr.process(withoutZone) : undefined;
}

function toCidr(address: Address, bits: number): string {
  const bytes = address
    .toByteArray()
    .map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - at * 8))));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}

/** Returns the URL under which browsers reach the service. Never uses a request's Host header, which clients choose. */
export function toBaseUrl(
  { publicUrl, host }: { publicUrl: string | undefined; host: string },
  port: number,
): string {
  return publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Bytes of an IPv6 address that name a host's network, and the site that a provider gives to a customer (RFC 6177). */
const SUBNET_BYTES = 8;
const SITE_BYTES = 6;

/** Maps addresses that count as one to the same text: an IPv6 host owns a /64 and could change its address at will. */
export function toAddress(address: string): string {
  return toPrefix(address, SUBNET_BYTES);
}

/**
 * Maps addresses that count as one network (an IPv4 address or an IPv6 /48) to the same text. Neighbours in an IPv4 /24
 * are different customers; the 65,536 subnets of an IPv6 site belong to one customer.
 */
export function toNetwork(address: string): string {
  return toPrefix(address, SITE_BYTES);
}

function toPrefix(address: string, bytes: number): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toByteArray().slice(0, bytes).join('.')}/${bytes * 8}`;
}
