import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type {
  ContentObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts';
import { contract } from '../../contract/index.ts';
import { BUCKETS, CAPS } from '../../contract/limits/rate-limits.ts';
import { listOperations as operationsIn, pascalCase } from '../../contract/openapi/document.ts';
import { toYaml } from '../../contract/openapi/yaml.ts';
import { COMMON_ERROR_CODES, type Route, type Router } from '../../contract/route.ts';
import { contractDocument, listRateLimits, openapiDocument, toPathTemplate } from './openapi.ts';

const NOTICE = '<!-- Written by `make generate` from contract/. Do not edit. -->';
const ROOT = new URL('../../', import.meta.url);

/** Returns the text of all generated files, by path. */
export function generatedFiles(): Record<string, string> {
  return {
    'openapi.yaml': toYaml(openapiDocument()),
    'generated/routes.md': formatRouteTable(),
    'generated/errors.md': formatErrorTable(),
    'generated/routes.ts': writeClientRoutes(),
    'generated/types.ts': writeClientTypes(contractDocument()),
  };
}

/** Returns the files on disk that are out of date, in writing order. */
export async function findStaleFiles(files = generatedFiles()): Promise<string[]> {
  const current = await Promise.all(
    Object.entries(files).map(async ([path, text]) => ((await readTextAt(path)) === text ? [] : [path])),
  );
  return current.flat();
}

async function readTextAt(path: string): Promise<string | undefined> {
  return readFile(new URL(path, ROOT), 'utf8').catch(() => undefined);
}

async function write(paths: readonly string[], files: Record<string, string>): Promise<void> {
  for (const path of paths) {
    const file = new URL(path, ROOT);
    await mkdir(dirname(file.pathname), { recursive: true });
    await writeFile(file, files[path]!);
    console.log(`wrote ${path}`);
  }
}

const routes: readonly Route[] = Object.values<Router>(contract).flatMap((router) => Object.values(router));

/** Writes one line per route, for comparing two versions of the contract. */
function formatRouteTable(): string {
  return formatTable(
    'Routes',
    ['Method', 'Path', 'Operation', 'Credential', 'Body bytes', 'Buckets', 'Errors'],
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

function formatErrorTable(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { status, message }]) => [
    `\`${code}\``,
    `${status}`,
    message,
  ]);
  return formatTable('Errors', ['Code', 'Status', 'Message'], rows);
}

function formatCredential({ metadata }: Route): string {
  const isOptional = metadata.credential !== 'none' && !metadata.unauthorized;
  return isOptional ? `${metadata.credential} (optional)` : metadata.credential;
}

function formatBuckets(route: Route): string {
  const names = listRateLimits(route).map(({ bucket, withCredential }) => {
    const { points, windowSeconds } = BUCKETS[bucket];
    const suffix = withCredential || route.metadata.credential === 'none' ? '' : ', without credential';
    return `${bucket} (${points} / ${windowSeconds} s${suffix})`;
  });
  const caps = route.metadata.caps.map((name) => `${name} (${CAPS[name].unit} a month)`);
  return [...names, ...caps].join(', ');
}

function formatTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines = [line(head), line(head.map(() => '---')), ...rows.map(line)];
  return `${NOTICE}\n\n# ${title}\n\n${lines.join('\n')}\n`;
}

const COMMON: readonly ErrorCode[] = COMMON_ERROR_CODES;

/** Whether repeating the request cannot repeat its effect, because of its method or its Idempotency-Key. */
function isRetryable({ method, headers = {} }: Route): boolean {
  return ['GET', 'PUT', 'DELETE'].includes(method) || 'idempotency-key' in headers;
}

/**
 * Writes generated/routes.ts: one constant per operation, so that a bundle contains only the operations that it calls.
 */
function writeClientRoutes(): string {
  const constants = routes.map((route) => {
    const { method, path, metadata } = route;
    const id = metadata.operationId;
    return (
      `export const ${id}: Operation<'${id}'> = {\n  method: '${method}',\n  path: '${path}',\n` +
      `  retryable: ${isRetryable(route)},\n};\n`
    );
  });
  return [
    '// Written by `make generate` from the contract. Do not edit.\n',
    "import type { Operation } from './types.ts';\n",
    ...constants.sort(),
  ].join('\n');
}

/**
 * Writes generated/types.ts: schemas and operations as plain types, so that the client depends on neither Zod nor
 * ts-rest.
 */
function writeClientTypes(document: OpenAPIObject): string {
  const schemas = Object.entries(document.components?.schemas ?? {});
  return [
    '// Written by `make generate` from the contract. Do not edit.\n',
    ...schemas.map(([name, schema]) => declare(name, schema)),
    ...listQueries(document).map(({ name, schema }) => declare(name, schema)),
    declareOperations(document),
    declareErrorCodes(),
  ].join('\n');
}

type Schema = SchemaObject | ReferenceObject;

function declare(name: string, schema: Schema): string {
  return `${comment(schema.description, '')}export type ${name} = ${toType(schema, '')};\n`;
}

type Query = { operationId: string; name: string; schema: SchemaObject };

/** Lists the query parameters of each operation that has any, as one object. */
function listQueries(document: OpenAPIObject): Query[] {
  return listOperations(document).flatMap(({ operationId, parameters = [] }): Query[] => {
    const query = (parameters as ParameterObject[]).filter((parameter) => parameter.in === 'query');
    if (query.length === 0) return [];
    const properties = query.map(({ name, description, schema = {} }) => [name, { description, ...schema }]);
    const required = query.flatMap((parameter) => (parameter.required ? [parameter.name] : []));
    const name = `${pascalCase(operationId)}Query`;
    const description = `Query parameters of \`${operationId}\`.`;
    const schema = {
      type: 'object' as const,
      description,
      properties: Object.fromEntries(properties),
      required,
    };
    return [{ operationId, name, schema }];
  });
}

type NamedOperation = OperationObject & { operationId: string };

function listOperations(document: OpenAPIObject): NamedOperation[] {
  return operationsIn(document) as NamedOperation[];
}

/**
 * Declares `Operations`: by operation id, its `params`, `query`, `body`, `reply` (if it is JSON) and its own `errors`.
 * `Operation<Id>` ties a constant of generated/routes.ts to its entry.
 */
function declareOperations(document: OpenAPIObject): string {
  const queries = new Map(listQueries(document).map((query) => [query.operationId, query]));
  const routesById = new Map(routes.map((route) => [route.metadata.operationId, route]));
  const entries = listOperations(document).map((operation) => {
    const { operationId, summary } = operation;
    const members = listMembers(operation, routesById.get(operationId)!, queries.get(operationId));
    return `${comment(summary, '  ')}  ${operationId}: { ${members.join('; ')} };\n`;
  });
  return [
    '/**',
    ' * What each operation takes and returns, by operation id. One without `reply` does not answer in JSON. Beside its own',
    ' * `errors`, each may return those of `CommonErrorCode`.',
    ' */',
    `export type Operations = {\n${entries.join('')}};\n`,
    '/** How to call one operation. `id` exists in the types alone. */',
    'export type Operation<Id extends keyof Operations = keyof Operations> = {',
    "  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';",
    '  readonly path: string;',
    '  /** True when sending the same request again cannot do its work twice. */',
    '  readonly retryable: boolean;',
    '  readonly id?: Id;',
    '};\n',
  ].join('\n');
}

function listMembers(operation: NamedOperation, route: Route, query: Query | undefined): string[] {
  const { credential, errorCodes } = route.metadata;
  const errors = errorCodes.filter((code) => !COMMON.includes(code));
  const params = Array.from(route.path.matchAll(/:(\w+)/g), ([, name]) => `${name}: string | number`);
  const headers = ((operation.parameters ?? []) as ParameterObject[])
    .filter((parameter) => parameter.in === 'header')
    .map(({ name, required }) => `${literal(name)}${required ? '' : '?'}: string`);
  const content = (operation.requestBody as RequestBodyObject | undefined)?.content;
  const json = jsonSchema(content);
  const body = json ? toType(json, '') : content && 'FormData';
  const replies = Object.entries((operation.responses ?? {}) as Record<string, ResponseObject>)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => jsonSchema(response.content) ?? []);
  return [
    `credential: ${literal(credential)}`,
    ...(params.length > 0 ? [`params: { ${params.join('; ')} }`] : []),
    ...(query ? [`query${query.schema.required?.length ? '' : '?'}: ${query.name}`] : []),
    ...(headers.length > 0 ? [`headers: { ${headers.join('; ')} }`] : []),
    ...(body ? [`body: ${body}`] : []),
    ...(replies.length > 0 ? [`reply: ${replies.map((schema) => toType(schema, '')).join(' | ')}`] : []),
    ...(errors.length > 0 ? [`errors: ${errors.map(literal).join(' | ')}`] : []),
  ];
}

function jsonSchema(content: ContentObject | undefined): Schema | undefined {
  return content?.['application/json']?.schema;
}

function toType(schema: Schema, indent: string): string {
  if ('$ref' in schema) return schema.$ref!.slice('#/components/schemas/'.length);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.oneOf) return schema.oneOf.map((member) => toType(member, indent)).join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => toType({ ...schema, type }, indent)).join(' | ');
  return toNamedType(schema, indent);
}

function toNamedType(schema: SchemaObject, indent: string): string {
  switch (schema.type) {
    case 'object':
      return toObjectType(schema, indent);
    case 'array': {
      const item = toType(schema.items ?? {}, indent);
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
    case undefined:
      return 'unknown';
    default:
      throw new Error(`There is no type for ${JSON.stringify(schema)}.`);
  }
}

function toObjectType({ properties = {}, required = [] }: SchemaObject, indent: string): string {
  const inside = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const type = toType(schema, inside);
    const field = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
    return `${comment(schema.description, inside)}${inside}${field};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function declareErrorCodes(): string {
  const declare = (name: string, codes: readonly string[]) =>
    `export type ${name} =${codes.map((code) => `\n  | ${literal(code)}`).join('')};\n`;
  return [
    `/** A stable, machine-readable error code. */\n${declare('ErrorCode', Object.keys(ERROR_CODES))}`,
    `/** Error codes that any operation may return. */\n${declare('CommonErrorCode', COMMON_ERROR_CODES)}`,
  ].join('\n');
}

function comment(text: string | undefined, indent: string): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s*\n\s*/g, ' ')} */\n` : '';
}

function literal(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

if (import.meta.main) {
  const files = generatedFiles();
  const stale = await findStaleFiles(files);
  if (!process.argv.includes('--check')) await write(stale, files);
  else if (stale.length > 0) {
    console.error(`Stale, run \`make generate\`:\n${stale.map((path) => `  ${path}`).join('\n')}`);
    process.exitCode = 1;
  }
}
