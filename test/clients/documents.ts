import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { parse, stringify } from 'yaml';
import { toOpenapi30 } from '../../contract/openapi/variants.ts';

/** The documents that clients are generated from: the current one and that of the last release. */

const ROOT = join(import.meta.dirname, '../..');
const RELEASED = join(ROOT, 'contract/released');
const FOLDER = join(import.meta.dirname, '.cache/documents');

export type Which = 'current' | 'released';
type Document = { readonly text: string; readonly parsed: OpenAPIObject };

export const documents: Readonly<Record<Which, Document>> = {
  current: read(join(ROOT, 'openapi.yaml')),
  released: read(join(RELEASED, readdirSync(RELEASED).find((name) => name.endsWith('.yaml'))!)),
};

export const isReleasedCurrent = documents.current.text === documents.released.text;

/** Writes the documents where the generators read them, also as OpenAPI 3.0.3. */
export function writeDocuments(): void {
  for (const which of ['current', 'released'] as const) {
    const { DOCUMENT, DOCUMENT_3_0 } = documentPaths(which);
    mkdirSync(join(FOLDER, which), { recursive: true });
    writeFileSync(DOCUMENT, documents[which].text);
    writeFileSync(DOCUMENT_3_0, stringify(toOpenapi30(documents[which].parsed)));
  }
}

export function documentPaths(which: Which) {
  return {
    DOCUMENT: join(FOLDER, which, 'openapi.yaml'),
    DOCUMENT_3_0: join(FOLDER, which, 'openapi-3.0.3.yaml'),
  };
}

function read(path: string): Document {
  const text = readFileSync(path, 'utf8');
  return { text, parsed: parse(text) as OpenAPIObject };
}
