import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The bytes of an IPv6 address that name one host's network, and the whole site that a provider gives to one customer (RFC 6177). */
const SUBNET_BYTES = 8;
const SITE_BYTES = 6;

/** What counts as one address: an IPv6 host owns a whole /64 and could use a new address for each request. */
export function toAddress(address: string): string {
  return toPrefix(address, SUBNET_BYTES);
}

/**
 * What counts as one network: an IPv4 address or an IPv6 /48. Neighbours in an IPv4 /24 are different customers; the 65,536 subnets of an
 * IPv6 site belong to one.
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
