import type { ServerResponse } from 'node:http';
import type { Route } from '../../contract/route.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { ContextRequest } from './context.ts';

/**
 * Handles a request of the contract in a span of its own, which continues the trace of the page, if it has one. The
 * attributes name the route and never the URL, because URLs contain ids and text that visitors typed.
 */
export function traceRequest(
  request: ContextRequest,
  response: ServerResponse,
  { method, path, metadata }: Route,
  telemetry: Telemetry,
  handle: () => void,
): void {
  const { ctx } = request;
  const span = telemetry.startSpan(`${method} ${path}`, {
    kind: 'server',
    headers: request.headers,
    attributes: {
      'http.request.method': method,
      'http.route': path,
      'url.path': path,
      'url.scheme': ctx.isSecure ? 'https' : 'http',
      'network.protocol.version': request.httpVersion,
      'guidepost.operation': metadata.operationId,
      'guidepost.request_id': ctx.id,
    },
  });
  ctx.traceId = span.traceId;
  response.on('close', () => {
    const { headersSent, statusCode } = response;
    if (headersSent) span.set({ 'http.response.status_code': statusCode });
    if (headersSent && statusCode >= 500) span.fail(String(statusCode));
    span.end();
  });
  span.run(handle);
}
