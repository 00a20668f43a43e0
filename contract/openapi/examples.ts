import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { ANY_TEXT } from './schema-override.ts';

type Schema = SchemaObject | ReferenceObject;
export type Schemas = Readonly<Record<string, Schema>>;

/**
 * Creates a valid value of a schema: its own example, or one built from its parts. Leaves out
 * optional fields without an example. Throws
 * for text with a pattern and no example.
 */
export function exampleOf(schema: Schema, schemas: Schemas, where = 'schema'): unknown {
  const own = givenExample(schema);
  if (own !== undefined) return own;
  if ('$ref' in schema) return exampleOf(resolved(schema, schemas), schemas, where);
  if (schema.oneOf) return exampleOf(schema.oneOf[0]!, schemas, where);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return exampleObject(schema, schemas, where);
    case 'array':
      return [exampleOf(schema.items as Schema, schemas, `${where}[]`)];
    case 'string':
      return exampleText(schema, where);
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    default:
      throw new Error(`No example can be made of ${where}: ${JSON.stringify(schema)}`);
  }
}

/** One example for each member of a discriminated union, by its tag. */
export function memberExamples(schema: Schema, schemas: Schemas): Record<string, unknown> | undefined {
  const union = '$ref' in schema ? resolved(schema, schemas) : schema;
  const mapping = union.discriminator?.mapping;
  if (!mapping) return undefined;
  const entries = Object.entries(mapping).map(([tag, $ref]) => [tag, exampleOf({ $ref }, schemas, tag)]);
  return Object.fromEntries(entries);
}

export function resolved(schema: Schema, schemas: Schemas): SchemaObject {
  if (!('$ref' in schema)) return schema;
  const target = schemas[schema.$ref.slice('#/components/schemas/'.length)];
  if (!target) throw new Error(`There is no ${schema.$ref}`);
  return resolved(target, schemas);
}

function givenExample(schema: Schema): unknown {
  if ('$ref' in schema) return undefined;
  return schema.examples?.[0] ?? schema.const ?? schema.enum?.[0];
}

function exampleObject(schema: SchemaObject, schemas: Schemas, where: string): Record<string, unknown> {
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([name, field]) => schema.required?.includes(name) || ('examples' in field && field.examples),
  );
  return Object.fromEntries(
    fields.map(([name, field]) => [name, exampleOf(field, schemas, `${where}.${name}`)]),
  );
}

function exampleText(schema: SchemaObject, where: string): string {
  if (schema.format === 'uri') return 'https://www.example.com/';
  if (schema.pattern === ANY_TEXT) return 'text';
  throw new Error(`Give ${where} an example in the contract: none can be made from its pattern or format.`);
}
