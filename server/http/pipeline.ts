import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Stream } from 'node:stream';
import type { Response } from 'express';
import { isCorsEnabled, type Route } from '../../contract/route.ts';
import type { Log } from '../base/log.ts';
import type { Store } from '../storage/store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import {
  buildAttemptCookie,
  buildChallengeCookie,
  buildDeviceCookie,
  buildEndedCookie,
  buildSessionCookie,
} from '../tokens/session-cookie.ts';
import { type AuthDeps, auditDeniedAccess, auditKeyInUrl, authenticate, buildChallenge } from './auth.ts';
import { readJsonBody, readUpload, rejectBody } from './body.ts';
import type { ContextRequest, HttpRequestContext } from './context.ts';
import { ClientDisconnected, invalidRequest, overloaded, toApiError, unavailable } from './errors.ts';
import type {
  AudioResponse,
  HandlerInput,
  LinesResponse,
  ProtocolResponse,
  SessionChange,
  SseEvent,
  SseResponse,
  WorkspaceResolver,
} from './handler.ts';
import { respondOnce } from './idempotency.ts';
import type { Metrics } from './metrics.ts';
import type { Limiter, RateLimitSubject } from './rate-limit.ts';
import type { ResourceLimits } from './resource-limits.ts';
import {
  endOfLoopTurn,
  JsonText,
  sendError,
  serializeResponse,
  streamAudio,
  streamEvents,
  streamLines,
  streamProtocol,
} from './respond.ts';

export type PipelineDeps = AuthDeps & {
  store: Pick<Store, 'in'>;
  log: Log;
  metrics: Metrics;
  resourceLimits: ResourceLimits;
  bodySilenceMillis: number;
  isKilled: () => Promise<boolean>;
  isShuttingDown: () => boolean;
  telemetry: Telemetry | undefined;
};

type HandlerResponse = SessionChange & {
  status: number;
  body?: unknown;
  stream?: AsyncIterable<SseEvent>;
  lines?: AsyncIterable<string>;
  fileName?: string;
  audio?: AsyncIterable<Uint8Array>;
  mime?: string;
  text?: string;
  headers?: Readonly<Record<string, string>>;
};
export type AnyHandler = (input: HandlerInput<Route>) => Promise<HandlerResponse>;

/** The parts of a request that ts-rest has validated against the contract. */
export type ValidatedParts = {
  params?: unknown;
  query: unknown;
  headers: unknown;
  body?: unknown;
};

/** Authenticates and rate-limits before reading the body, so rejected callers cost no memory. */
export async function runPipeline(
  request: ContextRequest,
  route: Route,
  params: { tenantId?: string },
  deps: PipelineDeps,
): Promise<void> {
  const { ctx } = request;
  const { killSwitch, credential, firstParty } = route.metadata;
  ctx.route = route;
  ctx.isCorsEnabled = isCorsEnabled(route);
  if (deps.isShuttingDown()) throw unavailable('server/shutting_down');
  if (killSwitch && (await deps.isKilled())) throw unavailable(killSwitch, 'kill switch');
  if (credential === 'api-key' && (await auditKeyInUrl(request.url ?? '', ctx, deps))) {
    throw invalidRequest([
      { path: 'query', code: 'key_in_address', message: 'Send the API key in a header, and make a new one.' },
    ]);
  }
  if (credential !== 'none' || firstParty) await authenticate(ctx, route, params, deps);
  requireCapacity(ctx, route, deps.resourceLimits);
  await consumeRateLimits(ctx, route, deps.limiter);
  await readBody(request, route, deps);
}

/** Bodies up to this size need no reservation: the number of connections bounds them, so that a busy server accepts boots. */
const SMALL_BODY_BYTES_MAX = 16 * 1024;
const RETRY_STREAM_SECONDS = 1;

/** Rejects what there is no room for, before anything is consumed or read. A resumed answer needs no new room. */
function requireCapacity(ctx: HttpRequestContext, { metadata }: Route, resourceLimits: ResourceLimits): void {
  const declared = Number(ctx.headers['content-length'] ?? 0);
  if (
    declared > SMALL_BODY_BYTES_MAX &&
    declared <= (metadata.droppableField?.bytesMaxBeforeDrop ?? metadata.bodyBytesMax) &&
    resourceLimits.findExceeded('body_bytes', ctx.owners, declared)
  ) {
    throw overloaded('bodies');
  }
  if (
    metadata.streams &&
    ctx.caller &&
    ctx.headers['last-event-id'] === undefined &&
    resourceLimits.findExceeded('streams', ctx.owners, 1)
  ) {
    throw overloaded('streams', RETRY_STREAM_SECONDS);
  }
}

async function consumeRateLimits(
  ctx: HttpRequestContext,
  { metadata }: Route,
  limiter: Limiter,
): Promise<void> {
  // A caller without the credential has consumed from other buckets during authentication.
  if (metadata.credential !== 'none' && !ctx.caller) return;
  ctx.rateLimits.remember(await limiter.consume(metadata.limits, toSubject(ctx), ctx.rateLimits));
}

function toSubject({ clientAddress, caller }: HttpRequestContext): RateLimitSubject {
  if (caller === undefined) return { clientAddress };
  if (caller.kind === 'visitor') {
    return { clientAddress, visitorId: caller.visitorId, workspaceId: caller.workspace.id };
  }
  if (caller.kind === 'key') return { clientAddress, keyId: caller.keyId, workspaceId: caller.workspace.id };
  if (caller.kind === 'session') return { clientAddress, account: caller.userId };
  const { userId, memberId, workspace } = caller;
  return { clientAddress, account: userId, memberId, workspaceId: workspace.id };
}

async function readBody(request: ContextRequest, route: Route, deps: PipelineDeps): Promise<void> {
  const { bodyBytesMax: bytesMax, droppableField, upload, simpleRequest } = route.metadata;
  if (!route.body) return rejectBody(request);
  const { ctx } = request;
  const silenceMillis = deps.bodySilenceMillis;
  const isSmall = Number(ctx.headers['content-length']) <= SMALL_BODY_BYTES_MAX;
  if (!isSmall) ctx.bodyReservation = deps.resourceLimits.open('body_bytes', ctx.owners);
  const intake = { reservation: ctx.bodyReservation, silenceMillis };
  request.body = upload
    ? await readUpload(request, upload, bytesMax, intake)
    : await readJsonBody(request, { acceptsText: simpleRequest === true, bytesMax, droppableField }, intake);
}

/** Calls the handler and prepares the response, which ts-rest writes. */
export async function callHandler(
  request: ContextRequest,
  response: Response,
  handler: AnyHandler,
  route: Route,
  parts: ValidatedParts,
  deps: PipelineDeps,
): Promise<{ status: number; body: Stream }> {
  const { ctx } = request;
  const { params, query, headers, body } = parts;
  const { caller } = ctx;
  const handle = () =>
    handler({ params, query, headers, body, caller, ctx } as unknown as HandlerInput<Route>);
  const key = ctx.headers['idempotency-key'];
  const result: HandlerResponse =
    route.metadata.replays && caller?.kind === 'member' && typeof key === 'string'
      ? await respondOnce({ route, caller, key, parts }, handle, deps)
      : await handle();
  applyCors(request, response, deps.workspaceResolver);
  ctx.rateLimits.setHeaders(response);
  const cookies = toCookies(result, ctx, deps.clock.now());
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  // Not needed any more; thousands of streams may be open.
  request.body = undefined;
  ctx.bodyReservation?.release();
  const streamed = toStream(result, route);
  if (!streamed) {
    const schema = route.metadata.successResponses[result.status];
    if (!schema) throw new Error(`undeclared status ${result.status} on ${route.path}`);
    const text = serializeResponse(schema, result.body);
    await endOfLoopTurn();
    return { status: result.status, body: new JsonText(text) };
  }
  streamed.body.on('error', (thrown) => sendThrown(request, response, thrown, deps));
  response.on('close', () => streamed.body.destroy());
  response.set(streamed.headers).status(result.status).flushHeaders();
  return { status: result.status, body: streamed.body };
}

function toStream(result: HandlerResponse, { metadata, path }: Route) {
  if (result.stream) return streamEvents(result as SseResponse);
  if (result.lines) return streamLines(result as LinesResponse);
  if (metadata.protocol) return streamProtocol(result as ProtocolResponse);
  if (!result.audio) return undefined;
  if (!metadata.audio?.includes(result.mime ?? '')) {
    throw new Error(`undeclared media type ${result.mime} on ${path}`);
  }
  return streamAudio(result as AudioResponse);
}

function toCookies(
  { session, challenge, attempt }: SessionChange,
  { isSecure }: HttpRequestContext,
  nowMillis: number,
): string[] {
  const secondsTo = (expiresAt: number) => Math.max(0, Math.floor((expiresAt - nowMillis) / 1000));
  const cookies: string[] = [];
  if (session === 'ended') cookies.push(buildEndedCookie(isSecure));
  else if (session)
    cookies.push(
      buildSessionCookie(session.token, secondsTo(session.expiresAt), isSecure),
      buildDeviceCookie(session.device, isSecure),
    );
  if (challenge === 'ended') cookies.push(buildChallengeCookie('', 0, isSecure));
  else if (challenge)
    cookies.push(buildChallengeCookie(challenge.token, secondsTo(challenge.expiresAt), isSecure));
  if (attempt !== undefined) cookies.push(buildAttemptCookie(attempt, isSecure));
  return cookies;
}

/** Turns anything that was thrown while the request was handled into the response. */
export function sendThrown(
  request: ContextRequest,
  response: Response,
  thrown: unknown,
  deps: PipelineDeps,
): void {
  request.ctx.bodyReservation?.release();
  if (thrown instanceof ClientDisconnected) return;
  const { ctx } = request;
  const { route } = ctx;
  const error = toApiError(thrown);
  deps.metrics.recordError(request, error);
  auditDeniedAccess(ctx, error.code, deps.audit);
  if (error.code === 'server/overloaded') deps.limiter.refund(ctx.rateLimits);
  if (route && !route.metadata.errorCodes.includes(error.code)) {
    deps.log.error(
      { request_id: ctx.id, code: error.code, path: route.path },
      'the route does not declare this error',
    );
  }
  // Without CORS headers, pages of other origins learn nothing about a boot that was rejected for its origin.
  if (error.code === 'boot/origin_not_allowed') response.setHeader('vary', 'Origin');
  else applyCors(request, response, deps.workspaceResolver);
  if (!response.headersSent && error.code !== 'server/overloaded') ctx.rateLimits.setHeaders(response);
  if (!response.headersSent && error.status === 401) {
    response.setHeader('www-authenticate', buildChallenge(ctx, route));
  }
  if (!response.headersSent && error.challenge)
    response.setHeader('set-cookie', toCookies({ challenge: error.challenge }, ctx, deps.clock.now()));
  sendError(request, response, error, ctx.id);
}

/** Response headers that pages may read. */
const EXPOSED_HEADERS =
  'Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, x-service-tts-provider, x-synthetic-media, ' +
  'x-request-id, Content-Language';

/** Request headers that the client sends; browsers always allow Accept-Language. */
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, traceparent, tracestate';
/** Limits for other names: tracing and analytics scripts of a page add a few to every request. */
const REQUESTED_CHARS_MAX = 1024;
const REQUESTED_HEADERS_MAX = 32;
const HEADER_NAME = /^[\w!#$%&'+.^`|~-]{1,64}$/;

/** Returns the headers that a preflight may allow. They give no access: cookies never pass, and a token is checked by itself. */
function listAllowedHeaders(requested = ''): string {
  const names = requested.length > REQUESTED_CHARS_MAX ? [] : requested.split(',').map((name) => name.trim());
  return [
    ALLOWED_HEADERS,
    ...names.filter((name) => HEADER_NAME.test(name)).slice(0, REQUESTED_HEADERS_MAX),
  ].join(', ');
}

const PREFLIGHT_SECONDS = 600;

/**
 * A preflight names no workspace, so every origin passes, which tells nothing about any workspace; the request itself is checked against
 * its own workspace.
 */
export function sendPreflight(
  request: IncomingMessage,
  response: ServerResponse,
  methods: readonly string[],
): void {
  const { origin } = request.headers;
  response.setHeader('vary', 'Origin, Access-Control-Request-Headers');
  response.setHeader('allow', [...methods, 'OPTIONS'].join(', '));
  if (origin !== undefined) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-methods', methods.join(', '));
    response.setHeader(
      'access-control-allow-headers',
      listAllowedHeaders(request.headers['access-control-request-headers']),
    );
    response.setHeader('access-control-max-age', String(PREFLIGHT_SECONDS));
  }
  response.writeHead(204).end();
}

/** Lets pages of the visitor's origin read the response; without a caller, pages of any origin. */
function applyCors(
  request: ContextRequest,
  response: ServerResponse,
  workspaceResolver: WorkspaceResolver,
): void {
  const { origin } = request.headers;
  const { caller, isCorsEnabled } = request.ctx;
  if (response.headersSent || !isCorsEnabled) return;
  response.setHeader('vary', 'Origin');
  if (origin === undefined) return;
  const isOfCaller = caller?.kind === 'visitor' && workspaceResolver.isSameOrigin(origin, caller.origin);
  if (isOfCaller || caller === undefined) allowOrigin(response, origin);
}

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
}
