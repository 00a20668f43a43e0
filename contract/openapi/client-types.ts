import type { OpenAPIObject, ParameterObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { ERROR_CODES } from '../errors.ts';

/**
 * The text of generated/types.ts: what goes over the wire, by the names of the document, in types that need no package
 * to be read with. The client is written with them, so that whoever installs it needs neither Zod nor ts-rest.
 */
export function writeClientTypes(document: OpenAPIObject): string {
  const schemas = Object.entries(document.components?.schemas ?? {});
  return [
    '// Written by `make generate` from the contract. Do not edit.\n',
    ...schemas.map(([name, schema]) => declaration(name, schema)),
    ...queriesOf(document).map(([name, schema]) => declaration(name, schema)),
    refusalCodes(),
  ].join('\n');
}

type Schema = SchemaObject | ReferenceObject;

function declaration(name: string, schema: Schema): string {
  return `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')};\n`;
}

/** What the query of each operation may hold, as one object. */
function queriesOf(document: OpenAPIObject): [name: string, schema: Schema][] {
  const operations = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item));
  return operations.flatMap(({ operationId, parameters = [] }): [string, Schema][] => {
    const query = (parameters as ParameterObject[]).filter((parameter) => parameter.in === 'query');
    if (query.length === 0) return [];
    const properties = query.map(({ name, description, schema = {} }) => [name, { description, ...schema }]);
    const required = query.flatMap((parameter) => (parameter.required ? [parameter.name] : []));
    const name = `${operationId[0].toUpperCase()}${operationId.slice(1)}Query`;
    const description = `What the query of \`${operationId}\` may hold.`;
    return [[name, { type: 'object', description, properties: Object.fromEntries(properties), required }]];
  });
}

function typeOf(schema: Schema, indent: string): string {
  if ('$ref' in schema) return schema.$ref.slice('#/components/schemas/'.length);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.oneOf) return schema.oneOf.map((member) => typeOf(member, indent)).join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  return named(schema, indent);
}

function named(schema: SchemaObject, indent: string): string {
  switch (schema.type) {
    case 'object':
      return objectType(schema, indent);
    case 'array': {
      const item = typeOf(schema.items ?? {}, indent);
      return item.includes(' ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      throw new Error(`There is no type for ${JSON.stringify(schema)}.`);
  }
}

function objectType({ properties = {}, required = [] }: SchemaObject, indent: string): string {
  const inside = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema, inside);
    const field = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
    return `${comment(schema.description, inside)}${inside}${field};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function refusalCodes(): string {
  const codes = Object.keys(ERROR_CODES).map((code) => `\n  | ${literal(code)}`);
  return `/** A stable, machine-readable name of a refusal. */\nexport type ErrorCode =${codes.join('')};\n`;
}

function comment(text: string | undefined, indent: string): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s*\n\s*/g, ' ')} */\n` : '';
}

function literal(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
