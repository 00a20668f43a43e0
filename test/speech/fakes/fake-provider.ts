import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as soon } from 'node:timers/promises';

/** A speech provider on a free port, which speaks the real protocol and can be in every trouble that a provider is ever in. */

export type Trouble =
  | 'unauthorized'
  | 'out of money'
  | 'busy'
  | 'broken'
  | 'not understood'
  | 'redirects'
  /** Takes the request, and that was it. */
  | 'hangs'
  /** 200, and then something that nobody asked for. */
  | 'garbage'
  /** Begins an answer and loses the connection. */
  | 'cut'
  /** Begins an answer and says no more. */
  | 'stalls';

export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

export type Given = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent one after the other. */
  readonly parts: readonly (string | Uint8Array)[];
};

/** How one provider speaks. */
export type Protocol = {
  /** What it is configured with. */
  readonly key: string;
  /** The credential of a request, as it has to come. */
  credentialOf(seen: Seen): string | undefined;
  /** Undefined where there is no such address. */
  answer(seen: Seen, credential: string): Given | undefined;
  /** Real providers quote the key that they don't accept. */
  error(status: number, quoted: string): unknown;
  /** A credential besides the key. */
  knows?(credential: string): boolean;
};

export type FakeProvider = {
  readonly url: string;
  readonly server: Server;
  readonly seen: readonly Seen[];
  trouble: Trouble | undefined;
  /** Resolves when a caller has left before its answer was complete. */
  readonly leftAlone: () => Promise<void>;
  /** How many callers did so. */
  readonly timesLeft: () => number;
  close(): Promise<void>;
};

/** Stands in every answer of a provider in trouble; nobody may ever repeat it. */
export const UNSPEAKABLE = 'text of the visitor, which the provider repeats';
export const RETRY_AFTER_SECONDS = 7;

const STATUS: Partial<Record<Trouble, number>> = {
  unauthorized: 401,
  'out of money': 402,
  busy: 429,
  broken: 500,
  'not understood': 422,
};

export async function openFakeProvider(protocol: Protocol): Promise<FakeProvider> {
  const seen: Seen[] = [];
  const waiting: (() => void)[] = [];
  let timesLeft = 0;
  const server = createServer(async (request, response) => {
    const asked = await seenIn(request);
    seen.push(asked);
    let isOurDoing = false;
    response.on('close', () => {
      if (response.writableFinished || isOurDoing) return;
      timesLeft += 1;
      for (const resolve of waiting.splice(0)) resolve();
    });
    isOurDoing = (await answer(protocol, fake.trouble, asked, response)) === 'cut';
    if (isOurDoing) response.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    seen,
    trouble: undefined,
    timesLeft: () => timesLeft,
    leftAlone: () => (timesLeft > 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return fake;
}

async function answer(
  protocol: Protocol,
  trouble: Trouble | undefined,
  asked: Seen,
  response: ServerResponse,
): Promise<'cut' | 'done'> {
  const credential = protocol.credentialOf(asked);
  const status = trouble && STATUS[trouble];
  const quoted = `${credential} ${UNSPEAKABLE}`;
  if (status) return throwApiError(response, status, protocol.error(status, quoted));
  if (trouble === 'hangs') return 'done';
  if (trouble === 'redirects') {
    response.writeHead(307, { location: `/elsewhere?key=${credential}` }).end();
    return 'done';
  }
  const isKnown = credential === protocol.key || (credential && protocol.knows?.(credential));
  if (!credential || !isKnown) return throwApiError(response, 401, protocol.error(401, quoted));
  const given = protocol.answer(asked, credential);
  if (!given) return throwApiError(response, 404, protocol.error(404, quoted));
  response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers });
  if (trouble === 'garbage') {
    response.end(`<html>${quoted}</html>`);
    return 'done';
  }
  const [first = '', ...rest] = given.parts;
  if (trouble === 'cut' || trouble === 'stalls') {
    const bytes = Buffer.from(first);
    // Half of JSON is no JSON, while the first sound has to be heard.
    response.write(rest.length === 0 ? bytes.subarray(0, bytes.length / 2) : bytes);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return trouble === 'cut' ? 'cut' : 'done';
  }
  for (const part of given.parts) {
    if (response.destroyed) return 'done';
    if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    await soon();
  }
  response.end();
  return 'done';
}

function throwApiError(response: ServerResponse, status: number, body: unknown): 'done' {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-request-id': 'req_of_a_fake',
    ...(status === 429 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
  });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
  return 'done';
}

async function seenIn(request: IncomingMessage): Promise<Seen> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return {
    method: request.method ?? '',
    path: pathname,
    query: searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks),
  };
}

/** What came as JSON. */
export function jsonIn(seen: Seen): Record<string, unknown> {
  return JSON.parse(seen.body.toString()) as Record<string, unknown>;
}

/** What came as a form. */
export function formIn(seen: Seen): Promise<FormData> {
  const headers = { 'content-type': seen.headers['content-type'] ?? '' };
  return new Response(new Uint8Array(seen.body), { headers }).formData();
}

export function json(value: unknown): Given {
  return { parts: [JSON.stringify(value)] };
}

export function bearerOf({ headers }: Seen): string | undefined {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
}
