import { contract } from '../index.ts';
import type { Credential, Route, Router } from '../route.ts';

/** What the client has to know about an operation to call it. */
export type ClientRoute = {
  readonly method: Route['method'];
  readonly path: string;
  readonly credential: Credential;
  /** True when sending the same request again cannot do its work twice: by its method, or by its Idempotency-Key. */
  readonly retryable: boolean;
};

/** Every operation of the contract by its operation id, sorted by id. */
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

/** The text of generated/routes.ts: one constant for each operation, so that a bundle keeps only those it calls. */
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
