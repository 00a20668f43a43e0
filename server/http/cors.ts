import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ContextRequest } from './context.ts';
import type { WorkspaceResolver } from './handler.ts';

/** Response headers that pages may read. */
const EXPOSED_HEADERS =
  'Retry-After, RateLimit, RateLimit-Policy, x-service-tts-provider, x-synthetic-media, x-request-id, ' +
  'Content-Language';

/** Request headers that pages may send; browsers always allow Accept-Language. */
const ALLOWED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID';
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
  response.setHeader('vary', 'Origin');
  response.setHeader('allow', [...methods, 'OPTIONS'].join(', '));
  if (origin !== undefined) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-methods', methods.join(', '));
    response.setHeader('access-control-allow-headers', ALLOWED_HEADERS);
    response.setHeader('access-control-max-age', String(PREFLIGHT_SECONDS));
  }
  response.writeHead(204).end();
}

/** Lets pages of the caller's workspace read the response; before the workspace is known, every page may. */
export function applyCors(
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
