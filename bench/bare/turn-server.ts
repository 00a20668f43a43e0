/**
 * A chat turn on node:http alone, written for speed: no framework, no contract, only the necessary checks.
 *
 *   node bench/bare/turn-server.ts DATA_DIR
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Claims, openTurns, openWriter, readTokenKeys, type TurnInput } from './turns.ts';

const folder = process.argv[2]!;
const keys = readTokenKeys(folder);
const streamTurn = openTurns(folder, openWriter(folder));

const verified = new Map<string, Claims>();

function verifyToken(authorization: string | undefined): Claims | undefined {
  const jwt = authorization?.slice('Bearer '.length) ?? '';
  const cached = verified.get(jwt);
  if (cached) return cached.exp * 1000 > Date.now() ? cached : undefined;
  const [head, body, mac] = jwt.split('.');
  if (!head || !body || !mac) return undefined;
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
  const key = keys.get(kid);
  if (!key) return undefined;
  const expected = createHmac('sha256', key).update(`${head}.${body}`).digest();
  const received = Buffer.from(mac, 'base64url');
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined;
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Claims;
  verified.set(jwt, claims);
  return claims.exp * 1000 > Date.now() ? claims : undefined;
}

type Limit = {
  points: number;
  millis: number;
  getKey: (claims: Claims) => string;
  windows: Map<string, { hits: number; until: number }>;
};
const LIMITS: readonly Limit[] = [
  { points: 30, millis: 60_000, getKey: ({ sub }) => sub, windows: new Map() },
  { points: 1_000, millis: 60_000, getKey: ({ wid }) => wid, windows: new Map() },
  { points: 100, millis: 3_600_000, getKey: ({ sub }) => sub, windows: new Map() },
];

function consumeLimits(claims: Claims): boolean {
  const now = Date.now();
  for (const { points, millis, getKey, windows } of LIMITS) {
    const key = getKey(claims);
    const window = windows.get(key);
    if (!window || window.until <= now) windows.set(key, { hits: 1, until: now + millis });
    else if (++window.hits > points) return false;
  }
  return true;
}

function isTurnInput(value: Partial<TurnInput> | null): value is TurnInput {
  return (
    typeof value?.message === 'string' &&
    typeof value.dom_digest === 'string' &&
    typeof value.conversation_id === 'string' &&
    typeof value.turn_idx === 'number' &&
    typeof value.url === 'string'
  );
}

async function handleTurn(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
  const claims = verifyToken(request.headers.authorization);
  if (!claims) return void response.writeHead(401).end();
  if (!consumeLimits(claims)) return void response.writeHead(429).end();
  const input = JSON.parse(text) as Partial<TurnInput> | null;
  if (!isTurnInput(input) || new URL(input.url).origin !== claims.org)
    return void response.writeHead(400).end();
  await streamTurn({ claims, input, acceptLanguage: request.headers['accept-language'], response });
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString();
    handleTurn(request, response, text).catch((error) => {
      process.stderr.write(`${error.stack}\n`);
      response.destroy();
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
