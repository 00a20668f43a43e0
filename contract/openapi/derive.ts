import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { parse } from 'yaml';
import { AUDIENCES, toAudience, toOpenapi30, toOpenapi32 } from './variants.ts';
import { toYaml } from './yaml.ts';

const ROOT = new URL('../../', import.meta.url);

/** Returns the files that the service publishes beside openapi.yaml, by name. */
export function derivedDocuments(document: OpenAPIObject): Record<string, string> {
  const audiences = AUDIENCES.map((audience) => [
    `openapi-${audience}.yaml`,
    toYaml(toAudience(document, audience)),
  ]);
  return {
    'openapi.json': `${JSON.stringify(document)}\n`,
    'openapi-3.0.3.yaml': toYaml(toOpenapi30(document)),
    'openapi-3.2.0.yaml': toYaml(toOpenapi32(document)),
    ...Object.fromEntries(audiences),
  };
}

/** Writes the derived documents to dist/openapi/, where the service reads them. */
export async function writeDerivedDocuments(): Promise<void> {
  const document = parse(await readFile(new URL('openapi.yaml', ROOT), 'utf8')) as OpenAPIObject;
  const folder = new URL('dist/openapi/', ROOT);
  await mkdir(folder, { recursive: true });
  const files = Object.entries(derivedDocuments(document));
  await Promise.all(files.map(([name, text]) => writeFile(new URL(name, folder), text)));
}

if (import.meta.main) await writeDerivedDocuments();
