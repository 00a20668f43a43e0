import { contract } from '../index.ts';
import type { Credential, Route, Router } from '../route.ts';

/** What the client needs to know to call an operation. */
export type ClientRoute = {
  readonly method: Route['method'];
  readonly path: string;
  readonly credential: Credential;
  /**
   * Whether repeating the request cannot repeat its effect, because of its method or its
   * Idempotency-Key.
   */
  readonly retryable: boolean;
};

/** Every operation, sorted by operation id. */
export function clientRoutes(): Record<string, ClientRoute> {
  const routers: Record<string, Router> = contract;
  const routes = Object.values(routers).flatMap((router) => Object.values(router));
  const byId = routes.map((route) => [route.metadata.operationId, toClientRoute(route)] as const);
  return Object.fromEntries(byId.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function toClientRoute(route: Route): ClientRoute {
  return {
    method: route.method,
    path: route.path,
    credential: route.metadata.credential,
    retryable: ['GET', 'PUT', 'DELETE'].includes(route.method) || takesIdempotencyKey(route),
  };
}

function takesIdempotencyKey({ headers }: Route): boolean {
  return Object.keys(headers ?? {}).includes('idempotency-key');
}

/**
 * Text of generated/routes.ts: one constant per operation, so a bundle contains only those it
 * calls.
 */
export function writeClientRoutes(): string {
  const constants = Object.entries(clientRoutes()).map(
    ([id, { method, path, retryable }]) =>
      `export const ${id}: Operation<'${id}'> = {\n  method: '${method}',\n  path: '${path}',\n` +
      `  retryable: ${retryable},\n};\n`,
  );
  return [
    '// Written by `make generate` from the contract. Do not edit.\n',
    "import type { Operation } from './types.ts';\n",
    ...constants,
  ].join('\n');
}
