import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { writeClientRoutes } from './client-routes.ts';
import { writeClientTypes } from './client-types.ts';
import { openapiDocument } from './openapi.ts';
import { errorTable, routeTable } from './tables.ts';
import { inOpenapi30, inOpenapi32 } from './variants.ts';
import { workflowsDocument } from './workflows.ts';

const ROOT = new URL('../../', import.meta.url);

/** All generated files: text by path. */
export function generatedFiles(): Record<string, string> {
  const document = openapiDocument();
  return {
    'openapi.yaml': yamlOf(document),
    'generated/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'generated/openapi-3.0.3.yaml': yamlOf(inOpenapi30(document)),
    'generated/openapi-3.2.0.yaml': yamlOf(inOpenapi32(document)),
    'generated/workflows.arazzo.yaml': yamlOf(workflowsDocument()),
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

function yamlOf(document: object): string {
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

if (import.meta.main) {
  const files = generatedFiles();
  const stale = await staleFiles(files);
  if (!process.argv.includes('--check')) await write(stale, files);
  else if (stale.length > 0) {
    console.error(`Stale, run \`make generate\`:\n${stale.map((path) => `  ${path}`).join('\n')}`);
    process.exitCode = 1;
  }
}
