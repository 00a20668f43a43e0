import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** Receives OTLP over HTTP as protobuf, read with the field numbers of the specification (opentelemetry-proto 1.7). */

type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  millis: number;
  attributes: Readonly<Record<string, unknown>>;
  isError: boolean;
};

type ReceivedPoint = {
  attributes: Readonly<Record<string, unknown>>;
  value: number;
  /** Number of observations of a histogram. */
  count: number;
  bucketCounts: readonly number[];
  bounds: readonly number[];
};

type ReceivedMetric = {
  name: string;
  description: string;
  unit: string;
  kind: 'gauge' | 'sum' | 'histogram';
  isMonotonic: boolean;
  points: readonly ReceivedPoint[];
};

export type OtlpReceiver = {
  url: string;
  spans: readonly ReceivedSpan[];
  /** Metrics of the last export. */
  metrics: readonly ReceivedMetric[];
  resource: Readonly<Record<string, unknown>>;
  requests: readonly { path: string; headers: IncomingHttpHeaders }[];
  /** Everything that was received, as text. */
  bytes: () => string;
  close(): Promise<void>;
};

export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  const bodies: Buffer[] = [];
  let metrics: ReceivedMetric[] = [];
  let resource: Record<string, unknown> = {};
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    requests.push({ path: request.url!, headers: request.headers });
    bodies.push(body);
    for (const group of read(body).messages(1)) {
      resource = group.message(1).attributes(1);
      const scopes = group.messages(2);
      if (request.url === '/v1/traces')
        spans.push(...scopes.flatMap((scope) => scope.messages(2).map(toSpan)));
      if (request.url === '/v1/metrics') metrics = scopes.flatMap((scope) => scope.messages(2).map(toMetric));
    }
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    get metrics() {
      return metrics;
    },
    get resource() {
      return resource;
    },
    bytes: () => Buffer.concat(bodies).toString('latin1'),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function toSpan(span: Message): ReceivedSpan {
  return {
    traceId: span.bytes(1).toString('hex'),
    spanId: span.bytes(2).toString('hex'),
    parentSpanId: span.bytes(4).toString('hex'),
    name: span.text(5),
    kind: span.number(6),
    millis: Number(span.bytes(8).readBigUInt64LE() - span.bytes(7).readBigUInt64LE()) / 1e6,
    attributes: span.attributes(9),
    isError: span.message(15).number(3) === 2,
  };
}

const KINDS = { gauge: 5, sum: 7, histogram: 9 } as const;

function toMetric(metric: Message): ReceivedMetric {
  const [kind, field] = Object.entries(KINDS).find(([, number]) => metric.has(number))!;
  const data = metric.message(field);
  return {
    name: metric.text(1),
    description: metric.text(2),
    unit: metric.text(3),
    kind: kind as keyof typeof KINDS,
    isMonotonic: data.number(3) === 1,
    points: data.messages(1).map(kind === 'histogram' ? toHistogramPoint : toNumberPoint),
  };
}

function toNumberPoint(point: Message): ReceivedPoint {
  const value = point.has(4) ? point.bytes(4).readDoubleLE() : Number(point.bytes(6).readBigInt64LE());
  return { attributes: point.attributes(7), value, count: 0, bucketCounts: [], bounds: [] };
}

function toHistogramPoint(point: Message): ReceivedPoint {
  const numbers = (field: number, take: (bytes: Buffer, at: number) => number) => {
    const packed = point.bytes(field);
    return Array.from({ length: packed.length / 8 }, (_, at) => take(packed, at * 8));
  };
  return {
    attributes: point.attributes(9),
    value: point.bytes(5).readDoubleLE(),
    count: Number(point.bytes(4).readBigUInt64LE()),
    bucketCounts: numbers(6, (bytes, at) => Number(bytes.readBigUInt64LE(at))),
    bounds: numbers(7, (bytes, at) => bytes.readDoubleLE(at)),
  };
}

/** The fields of a protobuf message: numbers, and everything else as bytes. */
class Message {
  readonly #fields = new Map<number, (number | Buffer)[]>();

  constructor(bytes: Buffer) {
    let at = 0;
    const varint = () => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = bytes[at++]!;
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return Number(value);
      }
    };
    const take = (length: number) => {
      at += length;
      return bytes.subarray(at - length, at);
    };
    while (at < bytes.length) {
      const tag = varint();
      const wireType = tag & 7;
      if (![0, 1, 2, 5].includes(wireType)) throw new Error(`no protobuf: wire type ${wireType}`);
      const value = wireType === 0 ? varint() : take(wireType === 1 ? 8 : wireType === 5 ? 4 : varint());
      this.#fields.set(tag >> 3, [...(this.#fields.get(tag >> 3) ?? []), value]);
    }
  }

  has(field: number): boolean {
    return this.#fields.has(field);
  }

  number(field: number): number {
    return Number(this.#fields.get(field)?.[0] ?? 0);
  }

  bytes(field: number): Buffer {
    return (this.#fields.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
  }

  text(field: number): string {
    return this.bytes(field).toString();
  }

  messages(field: number): Message[] {
    return (this.#fields.get(field) ?? []).map((bytes) => read(bytes as Buffer));
  }

  message(field: number): Message {
    return read(this.bytes(field));
  }

  attributes(field: number): Record<string, unknown> {
    return Object.fromEntries(this.messages(field).map((pair) => [pair.text(1), pair.message(2).anyValue()]));
  }

  anyValue(): unknown {
    if (this.has(1)) return this.text(1);
    if (this.has(2)) return this.number(2) === 1;
    if (this.has(3)) return this.number(3);
    if (this.has(4)) return this.bytes(4).readDoubleLE();
    if (this.has(5))
      return this.message(5)
        .messages(1)
        .map((value) => value.anyValue());
    return undefined;
  }
}

const read = (bytes: Buffer) => new Message(bytes);
