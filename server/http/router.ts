import type { IncomingMessage } from 'node:http';
import { createExpressEndpoints, type RequestValidationError, type TsRestRequest } from '@ts-rest/express';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { isCorsEnabled, type Route, type Router } from '../../contract/route.ts';
import type { ContextRequest } from './context.ts';
import { type ApiError, invalidRequest, throwApiError, toRequestIssues } from './errors.ts';
import { getHostName } from './help-domains.ts';
import {
  type AnyHandler,
  callHandler,
  type PipelineDeps,
  runPipeline,
  sendPreflight,
  sendThrown,
  type ValidatedParts,
} from './pipeline.ts';
import { traceRequest } from './trace-request.ts';

/** One path for every request of the contract: Express, the ts-rest router, the pipeline, the handler. */

type Routers = Readonly<Record<string, Router>>;
type RoutedRequest = TsRestRequest<Route>;
/** The input of a ts-rest handler. */
type TsRestInput = ValidatedParts & { req: RoutedRequest; res: Response };

export function createApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  return app;
}

/**
 * Mounts the contract's routes in its order. Express tries routes one after the other, so the contract lists those of visitors first:
 * boot, chat, consent.
 */
export function mountContract(
  app: Express,
  contract: Routers,
  handlers: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  deps: PipelineDeps,
): void {
  const implementations = mapValues(contract, (router, group) =>
    mapValues(router, (route, name) => toTsRestHandler(route, handlers[group]![name] as AnyHandler, deps)),
  );
  createExpressEndpoints(contract, implementations, app, {
    logInitialization: false,
    jsonQuery: false,
    // The pipeline validates a response while it serializes it.
    responseValidation: false,
    globalMiddleware: [pipelineMiddleware(deps)],
    requestValidationErrorHandler: (error, _request, _response, next) => next(toInvalidRequest(error)),
  });
  mountOtherMethods(app, contract);
}

function pipelineMiddleware(deps: PipelineDeps) {
  const { telemetry } = deps;
  return (request: RoutedRequest, response: Response, next: NextFunction) => {
    const { tsRestRoute, params } = request;
    // Express routes HEAD to GET, and this GET would consume quota for a body that is not sent.
    if (request.method === 'HEAD' && tsRestRoute.metadata.caps.length > 0) {
      rejectMethod(request, response, [tsRestRoute]);
    }
    const run = () => void runPipeline(request, tsRestRoute, params, deps).then(() => next(), next);
    if (telemetry) traceRequest(request, response, tsRestRoute, telemetry, run);
    else run();
  };
}

/** How a request is treated under overload, before routing. */
export type OverloadClass = 'always served' | 'refused when late' | 'turn';

/** Crawlers read the help centres, so these pages are refused like the contract's requests. */
const HELP_SEGMENT = 'help';

/** Creates the rule for which requests may be refused: the contract's, except those always served. */
export function createOverloadRule(
  contract: Routers,
  isHelpDomain: (domain: string) => boolean,
): (request: IncomingMessage) => OverloadClass {
  const routes = Object.values(contract).flatMap((router) => Object.values(router));
  const firstSegments = new Set([HELP_SEGMENT, ...routes.map(({ path }) => path.split('/')[1])]);
  const listRequests = (isListed: (route: Route) => unknown) =>
    new Set(routes.filter(isListed).map(({ method, path }) => `${method} ${path}`));
  const exempt = listRequests(({ metadata }) => metadata.alwaysServed);
  const turns = listRequests(({ metadata }) => metadata.streams);
  return ({ method, url = '', headers }) => {
    if (isHelpDomain(getHostName(headers.host))) return 'refused when late';
    const path = url.split('?', 1)[0]!;
    const request = `${method} ${path}`;
    if (method === 'OPTIONS' || !firstSegments.has(path.split('/', 2)[1]) || exempt.has(request))
      return 'always served';
    return turns.has(request) ? 'turn' : 'refused when late';
  };
}

/** Mounts the responses for unknown paths and thrown errors. Call it last. */
export function mountFallbacks(app: Express, deps: PipelineDeps): void {
  app.use(() => throwApiError('request/not_found'));
  app.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
    sendThrown(request, response, thrown, deps);
  });
}

function toTsRestHandler(route: Route, handler: AnyHandler, deps: PipelineDeps) {
  return ({ req, res, ...parts }: TsRestInput) =>
    // TypeScript does not compare a status with as many alternatives as ts-rest has.
    callHandler(req, res, handler, route, parts, deps) as Promise<never>;
}

function toInvalidRequest(error: RequestValidationError): ApiError {
  return invalidRequest([
    ...toRequestIssues('path', error.pathParams),
    ...toRequestIssues('headers', error.headers),
    ...toRequestIssues('query', error.query),
    ...toRequestIssues('body', error.body),
  ]);
}

/** Answers preflights on paths of the contract with CORS, and all other undeclared methods with 405 and `Allow`. */
function mountOtherMethods(app: Express, contract: Routers): void {
  const routes = Object.values(contract).flatMap((router) => Object.values(router));
  for (const [path, pathRoutes] of Map.groupBy(routes, (route) => route.path)) {
    // app.all(path) would add one layer for each of the 35 methods that Node knows.
    app.route(path).all((request, response) => {
      if (request.method !== 'OPTIONS' || !pathRoutes.some(isCorsEnabled))
        rejectMethod(request, response, pathRoutes);
      sendPreflight(request, response, listMethods(pathRoutes));
    });
  }
}

function rejectMethod(request: ContextRequest, response: Response, routes: readonly Route[]): never {
  const hasCorsRoute = routes.some(isCorsEnabled);
  request.ctx.isCorsEnabled = hasCorsRoute;
  response.setHeader('allow', [...listMethods(routes), ...(hasCorsRoute ? ['OPTIONS'] : [])].join(', '));
  return throwApiError('request/method_not_allowed', request.method);
}

const listMethods = (routes: readonly Route[]) => routes.map(({ method }) => method);

function mapValues<V, W>(
  record: Readonly<Record<string, V>>,
  convert: (value: V, key: string) => W,
): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value, key)]));
}
