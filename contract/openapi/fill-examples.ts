import type {
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { exampleOf, memberExamples, resolved, type Schemas } from './examples.ts';

/** Adds a valid example to every parameter and body of the document. */
export function fillExamples(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  for (const item of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(item) as OperationObject[]) fillOperation(operation, schemas);
  }
  return document;
}

function fillOperation(operation: OperationObject, schemas: Schemas): void {
  for (const parameter of (operation.parameters ?? []) as ParameterObject[]) {
    fillParameter(parameter, schemas);
  }
  const bodies = [operation.requestBody, ...Object.values(operation.responses ?? {})];
  for (const body of bodies as (RequestBodyObject | ResponseObject | undefined)[]) {
    for (const media of Object.values(body?.content ?? {})) fillMedia(media, schemas);
  }
}

/** Moves the schema's description to the parameter. */
function fillParameter(parameter: ParameterObject, schemas: Schemas): void {
  const schema = resolved(parameter.schema!, schemas);
  parameter.example = exampleOf(schema, schemas, parameter.name);
  if (schema.type === 'array') Object.assign(parameter, { style: 'form', explode: true });
  if ('$ref' in parameter.schema!) return;
  const { description: _, examples: __, ...shape } = schema;
  parameter.schema = shape as SchemaObject;
}

function fillMedia(media: MediaTypeObject, schemas: Schemas): void {
  if (!media.schema || media.example !== undefined || media.examples !== undefined) return;
  const members = memberExamples(media.schema, schemas);
  if (!members) {
    media.example = exampleOf(media.schema, schemas);
    return;
  }
  const named = Object.entries(members).map(([tag, value]) => [tag, { value }]);
  media.examples = Object.fromEntries(named);
}
