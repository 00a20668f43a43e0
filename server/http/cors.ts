import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WorkspaceResolver } from './handler.ts';

/** What a page may read of an answer besides its body. */
export const CORS_EXPOSED =
  'Retry-After, RateLimit, RateLimit-Policy, x-service-tts-provider, x-synthetic-media, x-request-id, ' +
  'Content-Language, Deprecation, Sunset, Link';

/** What a page may send; Accept-Language needs no permission. */
const ALLOWED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID';
const PREFLIGHT_SECONDS = 600;

/**
 * Answers a preflight. It names no workspace, so any workspace's origin passes; the request itself is then held to the
 * workspace of its app id or token.
 */
export async function answerPreflight(
  request: IncomingMessage,
  response: ServerResponse,
  methods: readonly string[],
  workspaceResolver: WorkspaceResolver,
): Promise<void> {
  const { origin } = request.headers;
  response.setHeader('vary', 'Origin');
  response.setHeader('allow', [...methods, 'OPTIONS'].join(', '));
  if (origin !== undefined && (await workspaceResolver.isAllowedAnywhere(origin))) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-methods', methods.join(', '));
    response.setHeader('access-control-allow-headers', ALLOWED_HEADERS);
    response.setHeader('access-control-max-age', String(PREFLIGHT_SECONDS));
  }
  response.writeHead(204).end();
}
