import { createExpressEndpoints, type RequestValidationError } from '@ts-rest/express';
import type { Express, NextFunction, Request, Response } from 'express';
import express from 'express';
import { isCorsEnabled, type Route } from '../../contract/route.ts';
import { answerPreflight } from './cors.ts';
import { issuesOf } from './error-response.ts';
import { type ApiError, invalidRequest, throwApiError } from './errors.ts';
import type { WorkspaceResolver } from './handler.ts';
import {
  type AnyHandler,
  answer,
  type Parts,
  type PipelineDeps,
  type RouteGroup,
  runPipeline,
  sendThrown,
  type WalkedRequest,
} from './pipeline.ts';
import { sendJson } from './reply.ts';

/** Contract and handlers to Express, through ts-rest: the way of every request that no shorter one is known for. */

type RoutedRequest = Request & WalkedRequest & { tsRestRoute: Route };

/** A handler that has written its own answer leaves by throwing this: ts-rest must not answer a second time. */
const ANSWERED = Symbol('answered');

export function createApp(routeGroups: readonly RouteGroup[], deps: PipelineDeps): Express {
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
    const { tsRestRoute, params } = request as RoutedRequest;
    runPipeline(request as RoutedRequest, tsRestRoute, params, deps).then(() => next(), next);
  };
  refuseCostlyHeads(app, routeGroups);
  for (const { router, handlers } of routeGroups) {
    const wrapped = Object.fromEntries(
      Object.keys(router).map((name) => [name, wrap(router[name]!, handlers[name] as AnyHandler, deps)]),
    );
    createExpressEndpoints(router as never, wrapped as never, app, {
      logInitialization: false,
      jsonQuery: false,
      responseValidation: true,
      globalMiddleware: [walk as never],
      requestValidationErrorHandler: (error, _request, _response, next) => next(invalid(error)),
    });
  }
  refuseOtherMethods(app, routeGroups, deps);
  return app;
}

/** The last doors: an unknown address, and everything that was thrown. Mounted after all other routes. */
export function mountFallbacks(app: Express, deps: PipelineDeps): void {
  app.use(() => throwApiError('request/not_found'));
  app.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
    if (thrown !== ANSWERED) sendThrown(request as RoutedRequest, response, thrown, deps);
  });
}

/** A contract handler as ts-rest calls it. */
function wrap(route: Route, handler: AnyHandler, deps: PipelineDeps) {
  return async (parts: Parts & { readonly req: Request; readonly res: Response }) => {
    const reply = await answer(parts.req as RoutedRequest, parts.res, route, handler, parts, deps);
    if (!reply) throw ANSWERED;
    return reply;
  };
}

function invalid(error: RequestValidationError): ApiError {
  return invalidRequest([
    ...issuesOf('path', error.pathParams as never),
    ...issuesOf('headers', error.headers as never),
    ...issuesOf('query', error.query as never),
    ...issuesOf('body', error.body as never),
  ]);
}

/** Every path of the contract answers preflights, and 405 with `Allow` for the methods that it does not have. */
function refuseOtherMethods(
  app: Express,
  routeGroups: readonly RouteGroup[],
  { workspaceResolver }: { readonly workspaceResolver: WorkspaceResolver },
): void {
  for (const [path, ofPath] of Map.groupBy(routesOf(routeGroups), (route) => route.path)) {
    // app.all(path, ...) would be a layer for each of the 35 methods that Node knows.
    app.route(path).all((request, response, next) => {
      if (request.method !== 'OPTIONS' || !ofPath.some(isCorsEnabled))
        refuseMethod(request, response, ofPath);
      answerPreflight(request, response, methodsOf(ofPath), workspaceResolver).catch(next);
    });
  }
}

/** Express answers HEAD as it answers GET, and nobody is to be charged for what nobody gets. */
function refuseCostlyHeads(app: Express, routeGroups: readonly RouteGroup[]): void {
  const isCostly = ({ method, metadata }: Route) => method === 'GET' && metadata.caps.length > 0;
  for (const route of routesOf(routeGroups).filter(isCostly)) {
    app.head(route.path, (request, response) => refuseMethod(request, response, [route]));
  }
}

function refuseMethod(request: Request, response: Response, ofPath: readonly Route[]): never {
  const forPages = ofPath.some(isCorsEnabled);
  (request as RoutedRequest).walked.notForPages = !forPages;
  response.setHeader('allow', [...methodsOf(ofPath), ...(forPages ? ['OPTIONS'] : [])].join(', '));
  return throwApiError('request/method_not_allowed', request.method);
}

const routesOf = (routeGroups: readonly RouteGroup[]): Route[] =>
  routeGroups.flatMap(({ router }) => Object.values(router));
const methodsOf = (routes: readonly Route[]) => routes.map(({ method }) => method);
