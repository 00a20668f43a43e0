import type { IncomingMessage, ServerResponse } from 'node:http';
import { createExpressEndpoints, type RequestValidationError } from '@ts-rest/express';
import type { Express, NextFunction, Request, Response } from 'express';
import express from 'express';
import type { Route, Surface } from '../../contract/route.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { type Refusal, refuse } from '../refuse.ts';
import type { VisitorTokens } from '../tokens/visitor-token.ts';
import { HungUp, readJsonBody, refuseBody } from './body.ts';
import { resolveVisitor } from './caller.ts';
import { answerPreflight } from './cors.ts';
import type { Admission, Asked, Caller, Exchange, Frame, StreamReply } from './handler.ts';
import type { Limiter } from './limiter.ts';
import { allowOrigin, sendJson, sendStream } from './reply.ts';
import { invalidRequest, issuesOf, refusalFrom, sayNo, unavailable } from './say-no.ts';
import type { Traffic } from './traffic.ts';

/** Contract and handlers to Express: the corridor that every request of the contract walks. */

export type CorridorNeeds = {
  readonly admission: Admission;
  readonly tokens: VisitorTokens;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly log: Log;
  readonly traffic: Traffic;
  readonly isKilled: () => Promise<boolean>;
  readonly isDraining: () => boolean;
};

/** A surface of the contract with its handlers, which `Handlers<S>` has checked. */
export type Door = { readonly surface: Surface; readonly handlers: Readonly<Record<string, unknown>> };

type AnyHandler = (asked: Asked<Route>) => Promise<{
  status: number;
  body?: unknown;
  stream?: AsyncIterable<Frame>;
}>;

/** What the corridor has found out about a request on its way. */
type Walked = { exchange: Exchange; route?: Route; caller?: Caller | undefined; originAllowed?: boolean };
type WalkedRequest = Request & { walked: Walked; tsRestRoute: Route };

/** A handler that has written its own answer leaves by throwing this: ts-rest must not answer a second time. */
const ANSWERED = Symbol('answered');

export function createCorridor(doors: readonly Door[], needs: CorridorNeeds): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  // ts-rest answers through res.json; this one writes at once.
  app.response.json = function json(this: Response, value: unknown) {
    sendJson(this, this.statusCode, value);
    return this;
  };
  const walk = (request: Request, _response: Response, next: NextFunction) => {
    walkIn(request as WalkedRequest, needs).then(() => next(), next);
  };
  for (const { surface, handlers } of doors) {
    const wrapped = Object.fromEntries(
      Object.keys(surface).map((name) => [name, wrap(surface[name]!, handlers[name] as AnyHandler, needs)]),
    );
    createExpressEndpoints(surface as never, wrapped as never, app, {
      logInitialization: false,
      jsonQuery: false,
      responseValidation: true,
      globalMiddleware: [walk as never],
      requestValidationErrorHandler: (error, _request, _response, next) => next(invalid(error)),
    });
  }
  refuseOtherMethods(app, doors, needs);
  return app;
}

/** The last doors: an unknown address, and everything that was thrown. Mounted after all other routes. */
export function mountLastDoors(app: Express, needs: CorridorNeeds): void {
  app.use(() => refuse('request/not_found'));
  app.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
    if (thrown === ANSWERED || thrown instanceof HungUp) return;
    answerRefusal(request as WalkedRequest, response, thrown, needs).catch((error) => {
      needs.log.error({ err: error }, 'could not answer a refusal');
      response.destroy();
    });
  });
}

/** What is known of a request before anything has been looked at. */
export function attachExchange(request: IncomingMessage, exchange: Exchange): void {
  (request as unknown as WalkedRequest).walked = { exchange };
}

/** Credential, buckets, body: in this order, so that nobody pays for a body that nobody will read. */
async function walkIn(request: WalkedRequest, needs: CorridorNeeds): Promise<void> {
  const { walked, tsRestRoute: route } = request;
  const facts = route.metadata;
  walked.route = route;
  if (needs.isDraining()) throw unavailable('server/shutting_down');
  if (facts.killSwitch && (await needs.isKilled())) throw unavailable(facts.killSwitch, 'kill switch');
  if (facts.credential === 'visitor') walked.caller = await knowVisitor(request, route, needs);
  const { caller, exchange } = walked;
  if (facts.credential === 'none' || caller) {
    await needs.limiter.draw(facts.limits, {
      clientAddress: exchange.clientAddress,
      ...(caller ? { visitorId: caller.visitorId, workspaceId: caller.workspace.id } : {}),
    });
  }
  if (route.body) request.body = await readJsonBody(request, facts.bodyBytesMax);
  else refuseBody(request);
}

/** The visitor, or undefined where the route also answers callers without one. */
async function knowVisitor(
  request: WalkedRequest,
  route: Route,
  needs: CorridorNeeds,
): Promise<Caller | undefined> {
  const facts = route.metadata;
  const resolved = await resolveVisitor(request.headers, needs);
  if (resolved.ok) return resolved.caller;
  await needs.limiter.draw(facts.limitsWithoutCredential, {
    clientAddress: request.walked.exchange.clientAddress,
  });
  if (!facts.unauthorized) return undefined;
  return refuse(resolved.expired ? 'jwt_expired' : facts.unauthorized, resolved.because);
}

/** A contract handler as ts-rest calls it. */
function wrap(route: Route, handler: AnyHandler, needs: CorridorNeeds) {
  return async (parts: {
    params: unknown;
    query: unknown;
    headers: Record<string, unknown>;
    body: unknown;
    req: Request;
    res: Response;
  }) => {
    const request = parts.req as WalkedRequest;
    const { exchange, caller } = request.walked;
    const asked = {
      params: parts.params,
      query: parts.query,
      headers: parts.headers,
      body: parts.body,
      caller,
      exchange,
    };
    const reply = await handler(asked as unknown as Asked<Route>);
    // The handler let it pass, so its origin is the caller's or the app's own.
    request.walked.originAllowed = true;
    await shareWithPage(request, parts.res, needs);
    if (reply.stream) {
      await sendStream(parts.res, reply as StreamReply);
      throw ANSWERED;
    }
    // ts-rest would send a status that the contract does not know.
    if (!(reply.status in route.responses))
      throw new Error(`undeclared status ${reply.status} on ${route.path}`);
    return { status: reply.status, body: reply.body };
  };
}

async function answerRefusal(
  request: WalkedRequest,
  response: Response,
  thrown: unknown,
  needs: CorridorNeeds,
): Promise<void> {
  const refusal = refusalFrom(thrown);
  const { exchange, route } = request.walked;
  needs.traffic.refused(request, refusal);
  if (route && !route.metadata.refusals.includes(refusal.code)) {
    needs.log.error(
      { request_id: exchange.id, code: refusal.code, path: route.path },
      'a refusal that the route does not declare',
    );
  }
  // A stranger's page learns nothing from a boot that its own origin caused to be refused.
  if (refusal.code !== 'boot/origin_not_allowed') await shareWithPage(request, response, needs);
  sayNo(request, response, refusal, exchange.id);
}

/** CORS: the page may read what its workspace answers; before a workspace is known, any workspace's page may. */
async function shareWithPage(
  request: WalkedRequest,
  response: ServerResponse,
  needs: CorridorNeeds,
): Promise<void> {
  const { origin } = request.headers;
  if (response.headersSent) return;
  response.setHeader('vary', 'Origin');
  if (origin === undefined) return;
  const { caller, originAllowed } = request.walked;
  const known = caller ? needs.admission.isSameOrigin(origin, caller.origin) : originAllowed;
  if (known || (!caller && (await needs.admission.anyAllows(origin)))) allowOrigin(response, origin);
}

function invalid(error: RequestValidationError): Refusal {
  return invalidRequest([
    ...issuesOf('path', error.pathParams as never),
    ...issuesOf('headers', error.headers as never),
    ...issuesOf('query', error.query as never),
    ...issuesOf('body', error.body as never),
  ]);
}

/** Every path of the contract answers preflights, and 405 with `Allow` for the methods that it does not have. */
function refuseOtherMethods(app: Express, doors: readonly Door[], needs: CorridorNeeds): void {
  const methods = new Map<string, string[]>();
  for (const route of doors.flatMap(({ surface }) => Object.values(surface))) {
    methods.set(route.path, [...(methods.get(route.path) ?? []), route.method]);
  }
  for (const [path, allowed] of methods) {
    app.all(path, (request, response, next) => {
      if (request.method === 'OPTIONS') {
        answerPreflight(request, response, allowed, needs.admission).catch(next);
        return;
      }
      response.setHeader('allow', [...allowed, 'OPTIONS'].join(', '));
      refuse('request/method_not_allowed', request.method);
    });
  }
}
