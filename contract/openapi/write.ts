import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { ERROR_CODES } from '../errors.ts';
import { contract } from '../index.ts';
import { CAPS } from '../limits.ts';
import type { Route } from '../route.ts';
import { writeClientRoutes, writeClientTypes } from './client-types.ts';
import { listRateLimits, openapiDocument, toPathTemplate } from './openapi.ts';
import { toOpenapi30, toOpenapi32 } from './variants.ts';
import { workflowsDocument } from './workflows.ts';

const NOTICE = '<!-- Written by `make generate` from contract/. Never edited. -->';
const ROOT = new URL('../../', import.meta.url);

/** All generated files: text by path. */
export function generatedFiles(): Record<string, string> {
  const document = openapiDocument();
  return {
    'openapi.yaml': toYaml(document),
    'generated/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'generated/openapi-3.0.3.yaml': toYaml(toOpenapi30(document)),
    'generated/openapi-3.2.0.yaml': toYaml(toOpenapi32(document)),
    'generated/workflows.arazzo.yaml': toYaml(workflowsDocument()),
    'generated/routes.md': routeTable(),
    'generated/errors.md': errorTable(),
    'generated/routes.ts': writeClientRoutes(),
    'generated/types.ts': writeClientTypes(document),
  };
}

/** Returns the files on disk that are out of date, in writing order. */
export async function staleFiles(files = generatedFiles()): Promise<string[]> {
  const current = await Promise.all(
    Object.entries(files).map(async ([path, text]) => ((await textAt(path)) === text ? [] : [path])),
  );
  return current.flat();
}

async function textAt(path: string): Promise<string | undefined> {
  return readFile(new URL(path, ROOT), 'utf8').catch(() => undefined);
}

function toYaml(document: object): string {
  const notice = '# Written by `make generate` from contract/. Never edited.\n';
  return (
    notice + stringify(document, { aliasDuplicateObjects: false, blockQuote: 'literal', lineWidth: 110 })
  );
}

async function write(paths: readonly string[], files: Record<string, string>): Promise<void> {
  for (const path of paths) {
    const file = new URL(path, ROOT);
    await mkdir(dirname(file.pathname), { recursive: true });
    await writeFile(file, files[path]!);
    console.log(`wrote ${path}`);
  }
}

/** One line per route, for comparing two versions of the contract. */
export function routeTable(): string {
  const routers: Record<string, Record<string, Route>> = contract;
  const routes = Object.values(routers).flatMap((router) => Object.values(router));
  return table(
    'Routes',
    ['Method', 'Path', 'Operation', 'Credential', 'Body bytes', 'Buckets', 'Refusals'],
    routes.map((route) => [
      route.method,
      toPathTemplate(route.path),
      route.metadata.operationId,
      formatCredential(route),
      String(route.metadata.bodyBytesMax),
      formatBuckets(route),
      route.metadata.errorCodes.join(', '),
    ]),
  );
}

export function errorTable(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { status, message }]) => [
    `\`${code}\``,
    `${status}`,
    message,
  ]);
  return table('Errors', ['Code', 'Status', 'Message'], rows);
}

function formatCredential({ metadata }: Route): string {
  const isOptional = metadata.credential !== 'none' && !metadata.unauthorized;
  return isOptional ? `${metadata.credential} (optional)` : metadata.credential;
}

function formatBuckets(route: Route): string {
  const names = listRateLimits(route).map(({ bucket, points, windowSeconds, withCredential }) => {
    const suffix = withCredential || route.metadata.credential === 'none' ? '' : ', without credential';
    return `${bucket} (${points} / ${windowSeconds} s${suffix})`;
  });
  const caps = route.metadata.caps.map((name) => `${name} (${CAPS[name].unit} a month)`);
  return [...names, ...caps].join(', ');
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines = [line(head), line(head.map(() => '---')), ...rows.map(line)];
  return `${NOTICE}\n\n# ${title}\n\n${lines.join('\n')}\n`;
}

if (import.meta.main) {
  const files = generatedFiles();
  const stale = await staleFiles(files);
  if (!process.argv.includes('--check')) await write(stale, files);
  else if (stale.length > 0) {
    console.error(`Stale, run \`make generate\`:\n${stale.map((path) => `  ${path}`).join('\n')}`);
    process.exitCode = 1;
  }
}
