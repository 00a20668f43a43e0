import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { parse } from 'yaml';
import { toOpenapi30 } from '../../../contract/openapi/variants.ts';
import { toYaml } from '../../../contract/openapi/yaml.ts';

/** The documents that clients are generated from: the current one and that of the last release. */

const ROOT = join(import.meta.dirname, '../../..');
const RELEASED = join(ROOT, 'contract/released');
const FOLDER = join(import.meta.dirname, '.cache/documents');

export type Which = 'current' | 'released';
/** The versions of OpenAPI in which generators read the document. */
export type Version = '3.1' | '3.0.3';
type Document = { text: string; parsed: OpenAPIObject };

export const documents: Readonly<Record<Which, Document>> = {
  current: read(join(ROOT, 'openapi.yaml')),
  released: read(join(RELEASED, readdirSync(RELEASED).find((name) => name.endsWith('.yaml'))!)),
};

export const isReleasedCurrent = documents.current.text === documents.released.text;

/** Writes the documents where the generators read them, also as OpenAPI 3.0.3. */
export function writeDocuments(): void {
  for (const which of ['current', 'released'] as const) {
    mkdirSync(join(FOLDER, which), { recursive: true });
    writeFileSync(documentPath(which, '3.1'), documents[which].text);
    writeFileSync(documentPath(which, '3.0.3'), toYaml(toOpenapi30(documents[which].parsed)));
  }
}

export function documentPath(which: Which, version: Version): string {
  return join(FOLDER, which, `openapi-${version}.yaml`);
}

function read(path: string): Document {
  const text = readFileSync(path, 'utf8');
  return { text, parsed: parse(text) as OpenAPIObject };
}
