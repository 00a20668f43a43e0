import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Special-purpose addresses (IANA registries): no country stands behind them, whatever a database answers. */
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

/** A public address, or undefined for junk and for every address that is not reachable across the internet. */
export function publicAddress(text: string): { address: string; family: 4 | 6 } | undefined {
  if (typeof text !== 'string') return undefined;
  const zoneAt = text.indexOf('%');
  const address = zoneAt === -1 ? text : text.slice(0, zoneAt);
  const family = isIP(address);
  // Only IPv6 has zones.
  if (family === 4 && zoneAt !== -1) return undefined;
  if (family === 4) return reserved.check(address, 'ipv4') ? undefined : { address, family };
  if (family !== 6) return undefined;
  // Global unicast is 2000::/3; below it lie loopback, mapped and translated addresses, above it local and multicast.
  const first = Number.parseInt(address, 16);
  if (first >= 0x2000 && first <= 0x3fff) {
    return reserved.check(address, 'ipv6') ? undefined : { address, family };
  }
  return mappedAddress(address);
}

/** `::ffff:8.8.8.8` in any spelling is the IPv4 address that it wraps. */
function mappedAddress(address: string): { address: string; family: 4 } | undefined {
  const parsed = ipaddr.IPv6.parse(address);
  if (!parsed.isIPv4MappedAddress()) return undefined;
  const inner = parsed.toIPv4Address().toString();
  return reserved.check(inner, 'ipv4') ? undefined : { address: inner, family: 4 };
}
