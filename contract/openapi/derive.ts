import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { AUDIENCES, toAudience, toOpenapi30 } from './variants.ts';
import { toYaml } from './yaml.ts';

/** The documents that the service makes of openapi.yaml when they are first asked for. */

type Derivation = (document: OpenAPIObject) => OpenAPIObject;

const VARIANTS: Readonly<Record<string, Derivation>> = {
  openapi: (document) => document,
  'openapi-3.0.3': toOpenapi30,
  ...Object.fromEntries(
    AUDIENCES.map((audience) => [`openapi-${audience}`, (document) => toAudience(document, audience)]),
  ),
};

/** Writes each document by the name of its file. Each exists as YAML and as JSON. */
export const DERIVED_DOCUMENTS: Readonly<Record<string, (document: OpenAPIObject) => string>> =
  Object.fromEntries(
    Object.entries(VARIANTS).flatMap(([name, derive]) => [
      [`${name}.yaml`, (document) => toYaml(derive(document))],
      [`${name}.json`, (document) => JSON.stringify(derive(document))],
    ]),
  );
