import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Route } from '../../contract/route.ts';
import { serializeResponse } from './checked-text.ts';
import { issuesOf } from './error-response.ts';
import { invalidRequest } from './errors.ts';
import {
  type AnyHandler,
  answer,
  type PipelineDeps,
  type RouteGroup,
  runPipeline,
  sendThrown,
  type WalkedRequest,
} from './pipeline.ts';
import { sendText } from './reply.ts';

/**
 * The way of the requests that come most: a route without parameters in its path is found by one look-up, and walks the same corridor
 * without Express and ts-rest, which cost as much as the rest of a boot.
 */
export function shortPath(
  routeGroups: readonly RouteGroup[],
  deps: PipelineDeps,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const known = new Map<string, { readonly route: Route; readonly handler: AnyHandler }>();
  for (const { router, handlers } of routeGroups) {
    for (const [name, route] of Object.entries(router)) {
      if (route.path.includes(':')) continue;
      known.set(`${route.method} ${route.path}`, { route, handler: handlers[name] as AnyHandler });
    }
  }
  // A query is for the longer way, which reads it.
  return (request, response) => {
    const found = known.get(`${request.method} ${request.url}`);
    if (!found) return false;
    (request as { tsRestRoute?: Route }).tsRestRoute = found.route;
    serve(request as WalkedRequest, response, found, deps).catch((thrown) =>
      sendThrown(request as WalkedRequest, response, thrown, deps),
    );
    return true;
  };
}

async function serve(
  request: WalkedRequest,
  response: ServerResponse,
  { route, handler }: { readonly route: Route; readonly handler: AnyHandler },
  deps: PipelineDeps,
): Promise<void> {
  await runPipeline(request, route, {}, deps);
  const headers = route.headers ? checkedHeaders(route.headers, request) : {};
  const query = route.query?.safeParse({});
  const body = route.body?.safeParse(request.body);
  const issues = [
    ...issuesOf('headers', headers.error ?? null),
    ...issuesOf('query', query?.error ?? null),
    ...issuesOf('body', body?.error ?? null),
  ];
  if (issues.length > 0) throw invalidRequest(issues);
  const parts = { params: {}, query: query?.data ?? {}, headers: headers.data ?? {}, body: body?.data };
  // Not waited for here: while an answer streams, nothing holds what was asked.
  request.body = undefined;
  return answer(request, response, route, handler, parts as never, deps).then((reply) => {
    if (reply)
      sendText(response, reply.status, serializeResponse(route.responses[reply.status]!, reply.body));
  });
}

/** The headers that the route names, each held to its schema. */
function checkedHeaders(
  schemas: Readonly<Record<string, z.ZodType>>,
  { headers }: IncomingMessage,
): { readonly data?: Record<string, unknown>; readonly error?: { issues: unknown[] } } {
  const issues: unknown[] = [];
  const data: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const checked = schema.safeParse(headers[name]);
    if (checked.success) data[name] = checked.data;
    else issues.push(...checked.error.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] })));
  }
  return issues.length > 0 ? { error: { issues } } : { data };
}
