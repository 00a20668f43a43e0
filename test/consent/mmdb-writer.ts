/** Writes a small MaxMind DB file (format 2.0, 28-bit records) for the real reader. */

export type MmdbValue = string | boolean | MmdbUint | MmdbValue[] | { [key: string]: MmdbValue };
type MmdbUint = { uint: bigint; bytes: 2 | 4 | 8 };

export type MmdbNetwork = { cidr: string; value: MmdbValue };

type Leaf = { data: number };
type Node = [Branch, Branch];
type Branch = Node | Leaf | undefined;

export function mmdbFile(options: {
  networks: readonly MmdbNetwork[];
  ipVersion?: 4 | 6;
  builtAtMillis: number;
  databaseType?: string;
}): Buffer {
  const { networks, ipVersion = 6, builtAtMillis, databaseType = 'Test-Country' } = options;
  const root: Node = [undefined, undefined];
  const data: Buffer[] = [];
  let dataBytes = 0;
  for (const { cidr, value } of networks) {
    const encoded = encode(value);
    insert(root, bitsOf(cidr, ipVersion), { data: dataBytes });
    data.push(encoded);
    dataBytes += encoded.length;
  }
  const { tree, nodeCount } = searchTree(root);
  const metadata = encode({
    binary_format_major_version: { uint: 2n, bytes: 2 },
    binary_format_minor_version: { uint: 0n, bytes: 2 },
    build_epoch: { uint: BigInt(Math.floor(builtAtMillis / 1000)), bytes: 8 },
    database_type: databaseType,
    description: { en: 'made by a test' },
    ip_version: { uint: BigInt(ipVersion), bytes: 2 },
    languages: ['en'],
    node_count: { uint: BigInt(nodeCount), bytes: 4 },
    record_size: { uint: 28n, bytes: 2 },
  });
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]);
}

function bitsOf(cidr: string, ipVersion: 4 | 6): number[] {
  const [address = '', length] = cidr.split('/');
  const v4 = !address.includes(':');
  const bytes = v4 ? address.split('.').map(Number) : v6Bytes(address);
  const bits = bytes.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1));
  const kept = bits.slice(0, Number(length));
  // An IPv6 tree stores IPv4 networks under ::/96.
  return v4 && ipVersion === 6 ? [...new Array<number>(96).fill(0), ...kept] : kept;
}

function v6Bytes(address: string): number[] {
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const head = groups(left);
  const tail = groups(right);
  const all = [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return all.flatMap((group) => [group >> 8, group & 0xff]);
}

function insert(root: Node, bits: readonly number[], leaf: Leaf): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const side = bit as 0 | 1;
    const next = node[side];
    if (Array.isArray(next)) node = next;
    else node = node[side] = [undefined, undefined];
  }
  node[bits.at(-1) as 0 | 1] = leaf;
}

function searchTree(root: Node): { tree: Buffer; nodeCount: number } {
  const nodes: Node[] = [root];
  const numbers = new Map<Node, number>([[root, 0]]);
  for (const node of nodes) {
    for (const branch of node) {
      if (!Array.isArray(branch)) continue;
      numbers.set(branch, nodes.length);
      nodes.push(branch);
    }
  }
  const record = (branch: Branch): number => {
    if (branch === undefined) return nodes.length;
    return Array.isArray(branch) ? (numbers.get(branch) as number) : nodes.length + 16 + branch.data;
  };
  const tree = Buffer.alloc(nodes.length * 7);
  nodes.forEach(([left, right], index) => {
    const [low, high] = [record(left), record(right)];
    tree.writeUIntBE(low & 0xffffff, index * 7, 3);
    tree.writeUInt8(((low >>> 24) << 4) | (high >>> 24), index * 7 + 3);
    tree.writeUIntBE(high & 0xffffff, index * 7 + 4, 3);
  });
  return { tree, nodeCount: nodes.length };
}

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(2, text.length), text]);
  }
  if (typeof value === 'boolean') return control(14, value ? 1 : 0);
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  if (isUint(value)) {
    const digits = Buffer.from(value.uint.toString(16).padStart(value.bytes * 2, '0'), 'hex');
    return Buffer.concat([control({ 2: 5, 4: 6, 8: 9 }[value.bytes], digits.length), digits]);
  }
  const members = Object.entries(value);
  return Buffer.concat([
    control(7, members.length),
    ...members.flatMap(([key, member]) => [encode(key), encode(member)]),
  ]);
}

function isUint(value: object): value is MmdbUint {
  return 'uint' in value && typeof value.uint === 'bigint';
}

function control(type: number, size: number): Buffer {
  if (size >= 29) throw new RangeError('keep values of a test under 29 bytes');
  return type <= 7 ? Buffer.from([(type << 5) | size]) : Buffer.from([size, type - 7]);
}
