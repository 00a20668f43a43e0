import type { IncomingMessage, ServerResponse } from 'node:http';
import { isCorsEnabled, type Route, type Router } from '../../contract/route.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { endedCookie, sessionCookie } from '../tokens/session-cookie.ts';
import { auditKeyInUrl } from './api-key-caller.ts';
import { ClientDisconnected, readJsonBody, refuseBody } from './body.ts';
import type { HttpRequestContext } from './context.ts';
import { authenticate, type CredentialDeps, consumeRateLimits } from './credentials.ts';
import { tellDeprecation } from './deprecation.ts';
import { sendError, toApiError, unavailable } from './error-response.ts';
import { invalidRequest } from './errors.ts';
import type {
  AudioResponse,
  Caller,
  HandlerInput,
  LinesResponse,
  SessionChange,
  SseEvent,
  SseResponse,
} from './handler.ts';
import type { RequestMetrics } from './metrics.ts';
import { readUpload } from './multipart.ts';
import { allowOrigin, sendAudio, sendLines, sendStream } from './reply.ts';
import type { UploadBudget } from './upload-budget.ts';

/** The corridor that every request of the contract walks, whichever way it came in. */

export type PipelineDeps = CredentialDeps & {
  readonly log: Log;
  readonly metrics: RequestMetrics;
  readonly uploads: UploadBudget;
  readonly isKilled: () => Promise<boolean>;
  readonly isDraining: () => boolean;
};

/** A surface of the contract with its handlers, which `Handlers<S>` has checked. */
export type RouteGroup = { readonly router: Router; readonly handlers: Readonly<Record<string, unknown>> };

export type HandlerResponse = {
  readonly status: number;
  readonly body?: unknown;
  readonly stream?: AsyncIterable<SseEvent>;
  readonly lines?: AsyncIterable<string>;
  readonly fileName?: string;
  readonly audio?: AsyncIterable<Uint8Array>;
  readonly mime?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly session?: SessionChange['session'];
};
export type AnyHandler = (input: HandlerInput<Route>) => Promise<HandlerResponse>;

/** What the corridor has found out about a request on its way. */
type Walked = {
  readonly ctx: HttpRequestContext;
  route?: Route;
  caller?: Caller | undefined;
  originAllowed?: boolean;
  /** Pages of other origins have no business at this address. */
  notForPages?: boolean;
};
export type WalkedRequest = IncomingMessage & { walked: Walked; body?: unknown };

/** The parts of a request that the contract has checked. */
export type Parts = Pick<HandlerInput<Route>, 'params' | 'query' | 'headers'> & { readonly body: unknown };

/** What is known of a request before anything has been looked at. */
export function attachContext(request: IncomingMessage, ctx: HttpRequestContext): void {
  (request as WalkedRequest).walked = { ctx };
}

/** Credential, buckets, body: in this order, so that nobody pays for a body that nobody will read. */
export async function runPipeline(
  request: WalkedRequest,
  route: Route,
  params: { readonly tenantId?: string },
  deps: PipelineDeps,
): Promise<void> {
  const { walked } = request;
  const { killSwitch, credential, firstParty, bodyBytesMax, cuts, upload } = route.metadata;
  walked.route = route;
  walked.notForPages = !isCorsEnabled(route);
  if (deps.isDraining()) throw unavailable('server/shutting_down');
  if (killSwitch && (await deps.isKilled())) throw unavailable(killSwitch, 'kill switch');
  if (credential === 'api-key' && (await auditKeyInUrl(request.url ?? '', deps.store, deps.clock))) {
    throw invalidRequest([
      { path: 'query', code: 'key_in_address', message: 'Send the API key in a header, and make a new one.' },
    ]);
  }
  if (credential !== 'none' || firstParty) {
    walked.caller = await authenticate(route, walked.ctx, params, deps);
  }
  await consumeRateLimits(route, walked.ctx, walked.caller, deps);
  if (upload) {
    const share = deps.uploads.open((release) => walked.ctx.onClose(release));
    request.body = await readUpload(request, upload, bodyBytesMax, share);
  } else if (route.body) request.body = await readJsonBody(request, bodyBytesMax, cuts);
  else refuseBody(request);
}

/** Lets the handler answer. What is no plain body is on its way when this resolves, and `undefined` says so. */
export async function answer(
  request: WalkedRequest,
  response: ServerResponse,
  route: Route,
  handler: AnyHandler,
  parts: Parts,
  deps: PipelineDeps,
): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
  const { ctx, caller } = request.walked;
  const { params, query, headers, body } = parts;
  const reply = await handler({
    params,
    query,
    headers,
    body,
    caller,
    ctx,
  } as unknown as HandlerInput<Route>);
  // Where no credential tells whose page it is, the handler has looked; a token that somebody may leave out tells nothing when it is missing.
  request.walked.originAllowed = route.metadata.credential === 'none';
  const sharing = applyCors(request, response, deps);
  if (sharing) await sharing;
  setRateLimitHeaders(request, response);
  if (reply.session) response.setHeader('set-cookie', cookieFor(reply.session, ctx, deps.clock));
  if (reply.stream) releaseRequest(request);
  // Not waited for here: while an answer streams, nothing holds what was asked.
  return send(response, route, reply);
}

/** Thousands of open answers need not hold the tokens that they were asked for with. */
function releaseRequest(request: WalkedRequest): void {
  request.rawHeaders = [];
  delete request.headers.authorization;
}

async function send(
  response: ServerResponse,
  route: Route,
  reply: HandlerResponse,
): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
  if (reply.stream) await sendStream(response, reply as SseResponse);
  else if (reply.lines) await sendLines(response, reply as LinesResponse);
  else if (reply.audio) await sendAudio(response, audioOf(route, reply));
  else {
    if (!(reply.status in route.responses))
      throw new Error(`undeclared status ${reply.status} on ${route.path}`);
    return { status: reply.status, body: reply.body };
  }
  return undefined;
}

function audioOf({ metadata, path }: Route, reply: HandlerResponse): AudioResponse {
  if (!metadata.audio?.includes(reply.mime ?? ''))
    throw new Error(`undeclared media type ${reply.mime} on ${path}`);
  return reply as AudioResponse;
}

function cookieFor(
  session: NonNullable<SessionChange['session']>,
  { ownOrigin }: HttpRequestContext,
  clock: Clock,
): string {
  if (session === 'ended') return endedCookie(ownOrigin);
  const seconds = Math.max(0, Math.floor((session.expiresAt - clock.now()) / 1000));
  return sessionCookie(session.token, seconds, ownOrigin);
}

/** Whatever was thrown on the way becomes the answer. */
export function sendThrown(
  request: WalkedRequest,
  response: ServerResponse,
  thrown: unknown,
  deps: PipelineDeps,
): void {
  if (thrown instanceof ClientDisconnected) return;
  answerRefusal(request, response, thrown, deps).catch((error) => {
    deps.log.error({ err: error }, 'could not answer a refusal');
    response.destroy();
  });
}

async function answerRefusal(
  request: WalkedRequest,
  response: ServerResponse,
  thrown: unknown,
  deps: PipelineDeps,
): Promise<void> {
  const error = toApiError(thrown);
  const { ctx, route } = request.walked;
  deps.metrics.recordError(request, error);
  if (route && !route.metadata.errorCodes.includes(error.code)) {
    deps.log.error(
      { request_id: ctx.id, code: error.code, path: route.path },
      'a refusal that the route does not declare',
    );
  }
  // A stranger's page learns nothing from a boot that its own origin caused to be refused.
  if (error.code === 'boot/origin_not_allowed') response.setHeader('vary', 'Origin');
  else {
    // When nobody can tell whose page it is, the answer is given all the same, for whoever asks without one.
    await applyCors(request, response, deps)?.catch((error) =>
      deps.log.error({ err: error, request_id: ctx.id }, 'could not tell whose page it is'),
    );
  }
  if (!response.headersSent) setRateLimitHeaders(request, response);
  sendError(request, response, error, ctx.id);
}

/** What every answer of a route tells a caller who plans ahead: what is left of its buckets, and until when it answers. */
function setRateLimitHeaders({ walked }: WalkedRequest, response: ServerResponse): void {
  walked.ctx.quota.tell(response);
  const { deprecated } = walked.route?.metadata ?? {};
  if (deprecated) tellDeprecation(response, deprecated);
}

/** CORS: the page may read what its workspace answers; before a workspace is known, any workspace's page may. */
function applyCors(
  request: WalkedRequest,
  response: ServerResponse,
  { workspaceResolver }: PipelineDeps,
): Promise<void> | undefined {
  const { origin } = request.headers;
  const { caller, originAllowed, notForPages } = request.walked;
  if (response.headersSent || notForPages) return undefined;
  response.setHeader('vary', 'Origin');
  if (origin === undefined) return undefined;
  const known =
    caller?.kind === 'visitor' ? workspaceResolver.isSameOrigin(origin, caller.origin) : originAllowed;
  if (known) allowOrigin(response, origin);
  if (known || caller) return undefined;
  return workspaceResolver.isAllowedAnywhere(origin).then((allowed) => {
    if (allowed) allowOrigin(response, origin);
  });
}
