/**
 * Boot and chat as a good engineer would write them by hand on Fastify: closed schemas, compiled serializers, cached workspaces,
 * batched writes with the durability of the service, one log line per request.
 *
 *   node bench/peers/fastify-server.js DATA_DIR
 */
import { randomUUID } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import { createSigner, createVerifier } from 'fast-jwt';
import fastify from 'fastify';
import { isbot } from 'isbot';
import pino from 'pino';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { openTurns, openWriter, readTokenKeys } from '../bare/turns.ts';
import { BOOTS_PER_MINUTE, bootBody, buildReply, TOKEN_SECONDS } from './boot-reply.js';

const folder = process.argv[2];
const [[kid, key]] = readTokenKeys(folder);
const sign = createSigner({ algorithm: 'HS256', key, kid });
const verify = createVerifier({ algorithms: ['HS256'], key, cache: 10_000 });

const writer = openWriter(folder);
writer.db.exec(
  'CREATE TABLE IF NOT EXISTS bench_events (id TEXT PRIMARY KEY, workspace TEXT, at INTEGER, type TEXT, data TEXT) STRICT',
);
const insertEvent = writer.db.prepare('INSERT INTO bench_events VALUES (?, ?, ?, ?, ?)');
const selectWorkspace = writer.db.prepare('SELECT id, name, settings FROM workspaces WHERE app_id = ?');
const streamTurn = openTurns(folder, writer);

const WORKSPACE_MILLIS = 5_000;
const workspaces = new Map();

function findWorkspace(appId) {
  const cached = workspaces.get(appId);
  if (cached && cached.until > Date.now()) return cached.workspace;
  const row = selectWorkspace.get(appId);
  if (!row) return undefined;
  const settings = JSON.parse(row.settings);
  const workspace = { ...row, settings, origins: new Set(settings.allowedOrigins) };
  workspaces.set(appId, { workspace, until: Date.now() + WORKSPACE_MILLIS });
  return workspace;
}

const app = fastify({
  trustProxy: 'loopback',
  disableRequestLogging: true,
  bodyLimit: 1_048_576,
  ajv: { customOptions: { removeAdditional: false } },
  loggerInstance: pino({ base: null }, pino.destination({ dest: 1, sync: false, minLength: 8192 })),
});

app.addHook('onResponse', (request, reply, done) => {
  const { method, routeOptions, id } = request;
  request.log.info({
    method,
    route: routeOptions.url,
    status: reply.statusCode,
    millis: reply.elapsedTime,
    id,
  });
  done();
});

await app.register(rateLimit, { global: false, cache: 1_000_000 });

function setCors(reply, origin) {
  reply.header('access-control-allow-origin', origin);
  reply.header('vary', 'Origin');
  reply.header('access-control-expose-headers', 'Retry-After, x-request-id');
}

/** Returns the schema of a reply, from which Fastify compiles a serializer. */
function toSchema(value) {
  if (Array.isArray(value)) return { type: 'array', items: { type: 'string' } };
  if (typeof value !== 'object') return { type: typeof value };
  const properties = Object.entries(value).map(([name, inner]) => [name, toSchema(inner)]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}
const sample = buildReply(
  {
    id: '',
    name: '',
    settings: {
      sourceLocale: '',
      suggestions: [],
      consentStrictness: '',
      features: { pageActions: true, feedback: true },
      showBranding: true,
    },
  },
  '',
  '',
);
const replySchema = toSchema({ ...sample, jwt_expires_at: 0 });
replySchema.properties.jwt = { type: ['string', 'null'] };

app.post(
  '/boot',
  {
    schema: { body: bootBody, response: { 200: replySchema } },
    config: { rateLimit: { max: BOOTS_PER_MINUTE, timeWindow: 60_000 } },
  },
  async (request, reply) => {
    const { app_id, origin, path, visitor_id, user_agent_hint } = request.body;
    const workspace = findWorkspace(app_id);
    if (!workspace?.origins.has(request.headers.origin))
      return reply.code(403).send({ error: 'boot/origin_not_allowed' });
    if (origin !== request.headers.origin) return reply.code(403).send({ error: 'boot/origin_mismatch' });
    setCors(reply, origin);
    const visitorId = visitor_id ?? `vis_${randomUUID()}`;
    const bootReply = buildReply(workspace, visitorId, request.headers['accept-language'] ?? '');
    const agent = request.headers['user-agent'] || user_agent_hint;
    if (agent && isbot(agent)) return { ...bootReply, jwt: null, jwt_expires_at: 0 };
    const now = Date.now();
    const data = JSON.stringify({ path: path.split(/[?#]/, 1)[0], mode: 'opt_in', returning: !!visitor_id });
    writer.rows.defer(() => insertEvent.run(randomUUID(), workspace.id, now, 'boot', data));
    const expiresAt = Math.floor(now / 1000) + TOKEN_SECONDS;
    const jwt = sign({
      iss: 'peer',
      aud: 'visitor',
      sub: visitorId,
      wid: workspace.id,
      org: origin,
      exp: expiresAt,
      jti: randomUUID(),
      rgn: 'ZZ',
      rsrc: 'none',
      gpc: false,
      pol: '2026-11-01.1',
    });
    return { ...bootReply, jwt, jwt_expires_at: expiresAt };
  },
);

const turnBody = {
  type: 'object',
  additionalProperties: false,
  required: ['message', 'dom_digest', 'conversation_id', 'turn_idx', 'url'],
  properties: {
    message: { type: 'string', minLength: 1, maxLength: 4000 },
    dom_digest: { type: 'string', maxLength: 50_000 },
    conversation_id: { type: 'string', minLength: 1, maxLength: 128 },
    turn_idx: { type: 'integer', minimum: 0 },
    url: { type: 'string', maxLength: 2048 },
  },
};

const limits = [
  { limiter: new RateLimiterMemory({ points: 30, duration: 60 }), claim: 'sub' },
  { limiter: new RateLimiterMemory({ points: 1_000, duration: 60 }), claim: 'wid' },
  { limiter: new RateLimiterMemory({ points: 100, duration: 3_600 }), claim: 'sub' },
];

app.post('/chat', { schema: { body: turnBody } }, async (request, reply) => {
  let claims;
  try {
    claims = verify(request.headers.authorization?.slice('Bearer '.length) ?? '');
  } catch {
    return reply.code(401).send({ error: 'chat/unauthorized' });
  }
  try {
    for (const { limiter, claim } of limits) await limiter.consume(claims[claim]);
  } catch {
    return reply.code(429).send({ error: 'chat/rate-limited' });
  }
  const input = request.body;
  if (new URL(input.url).origin !== claims.org) return reply.code(400).send({ error: 'request/invalid' });
  reply.hijack();
  await streamTurn({
    claims,
    input,
    acceptLanguage: request.headers['accept-language'],
    response: reply.raw,
    headers: { 'access-control-allow-origin': claims.org, vary: 'Origin' },
  });
});

app.get('/healthz', async () => ({ ok: true }));

await app.listen({ port: 0, host: '127.0.0.1' });
process.stderr.write(`listens on http://127.0.0.1:${app.server.address().port}\n`);
process.on('SIGTERM', () => process.exit(0));
