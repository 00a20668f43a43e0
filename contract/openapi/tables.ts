import { ERROR_CODES } from '../errors.ts';
import { contract } from '../index.ts';
import { CAPS } from '../limits.ts';
import type { Route } from '../route.ts';
import { rateLimitsOf, templateOf } from './openapi.ts';

const NOTICE = '<!-- Written by `make generate` from contract/. Never edited. -->';

/** One line per route, for comparing two versions of the contract. */
export function routeTable(): string {
  const routers: Record<string, Record<string, Route>> = contract;
  const routes = Object.values(routers).flatMap((router) => Object.values(router));
  return table(
    'Routes',
    ['Method', 'Path', 'Operation', 'Credential', 'Body bytes', 'Buckets', 'Refusals'],
    routes.map((route) => [
      route.method,
      templateOf(route.path),
      route.metadata.operationId,
      credentialOf(route),
      String(route.metadata.bodyBytesMax),
      bucketsOf(route),
      route.metadata.errorCodes.join(', '),
    ]),
  );
}

/** Every error code. */
export function errorTable(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { status, message }]) => [
    `\`${code}\``,
    `${status}`,
    message,
  ]);
  return table('Errors', ['Code', 'Status', 'Message'], rows);
}

function credentialOf({ metadata }: Route): string {
  const isOptional = metadata.credential !== 'none' && !metadata.unauthorized;
  return isOptional ? `${metadata.credential} (optional)` : metadata.credential;
}

function bucketsOf(route: Route): string {
  const names = rateLimitsOf(route).map(({ bucket, points, windowSeconds, withCredential }) => {
    const whose = withCredential || route.metadata.credential === 'none' ? '' : ', without credential';
    return `${bucket} (${points} / ${windowSeconds} s${whose})`;
  });
  const caps = route.metadata.caps.map((name) => `${name} (${CAPS[name].unit} a month)`);
  return [...names, ...caps].join(', ');
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines = [line(head), line(head.map(() => '---')), ...rows.map(line)];
  return `${NOTICE}\n\n# ${title}\n\n${lines.join('\n')}\n`;
}
