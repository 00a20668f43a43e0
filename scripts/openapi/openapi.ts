import {
  type InfoObject,
  type OpenAPIObject,
  OpenApiBuilder,
  type SecuritySchemeObject,
  type ServerObject,
} from 'openapi3-ts/oas31';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiComponentsObject,
  type ZodOpenApiContentObject,
  type ZodOpenApiMediaTypeObject,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiParameters,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { ERROR_CODES, type ErrorBody, type ErrorCode, errorBody } from '../../contract/errors.ts';
import { contract } from '../../contract/index.ts';
import { BUCKETS, type BucketName, CAPS } from '../../contract/limits/rate-limits.ts';
import { sortByName } from '../../contract/openapi/document.ts';
import {
  COMMON_ERROR_CODES,
  CREDENTIAL_ERROR_CODES,
  type Credential,
  isCorsEnabled,
  listOwnErrors,
  type Route,
  type Router,
  type Tag,
} from '../../contract/route.ts';
import service from '../../package.json' with { type: 'json' };
import { openResponses, shareParameters, shareResponses } from './components.ts';
import { fillExamples, removeReferenceSiblings, schemaOverride } from './schema-override.ts';
import { describeFieldsOnce } from './texts.ts';

/** In the order in which one reads, which is also that of the paths: what third parties need comes first. */
const TAGS: Record<Tag, string> = {
  Boot: 'Start of a visit: configuration, consent directive and visitor token.',
  Chat: "Visitors' questions and their streamed, cited answers.",
  Consent: 'Consent decisions of visitors.',
  Visitor: "Erasure of a visitor's data.",
  Voice: "Speech recognition and speech synthesis, within the workspace's monthly cap.",
  Export:
    'Export of events, conversations, transcripts and analytics with an API key. Conversations and transcripts are those of ' +
    'visitors who agreed to storage. Continue a list with `cursor` while `has_more` is true, and keep the last cursor to fetch ' +
    'new rows later: rows written meanwhile are neither skipped nor repeated. A stream that does not end cleanly is incomplete. ' +
    'Cells of CSV that a spreadsheet would treat as a formula begin with an apostrophe.',
  Translations: 'Reviewed translations of articles, from draft to published.',
  Session: 'Sign-in, sessions, passwords and setup.',
  Workspace: 'Settings, audit log, export and deletion of a workspace.',
  Members: 'Members of a workspace, their roles and invitations.',
  'API keys': "Keys for exporting a workspace's data.",
  Articles: 'Knowledge articles and search.',
  Sources: 'Where articles come from: websites and uploaded files, and the runs that read them.',
  Analytics: 'Conversations, ratings and analytics of a workspace.',
  Handovers: 'Questions of visitors to a person, and what the team replies.',
  Inbox: 'Questions that were not answered well, in groups of similar ones.',
};

/** Short, because generators copy it to the head of every file. docs/contract.md says more. */
const INFO: InfoObject = {
  title: 'Guidepost',
  version: service.version,
  description:
    "Guidepost answers visitors' questions on a page from the knowledge of a workspace, with citations and in their language. " +
    'Every error is an `ErrorBody`, whose codes each operation lists in `x-guidepost-errors`. ' +
    'Requests with unknown fields are rejected; ignore fields, events and values in responses that you do not know.',
  license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
};

const SERVER: ServerObject = {
  url: '{baseUrl}',
  description: 'Base URL of the installation, in production or in a local trial.',
  variables: { baseUrl: { default: 'http://127.0.0.1:8787' } },
  'x-internal': false,
};

const SECURITY: Record<Credential, Record<string, string[]>[]> = {
  none: [],
  visitor: [{ visitorToken: [] }],
  session: [{ sessionCookie: [] }],
  'api-key': [{ apiKeyHeader: [] }, { apiKeyBearer: [] }],
};

const SECURITY_SCHEMES: Readonly<Record<string, SecuritySchemeObject>> = {
  visitorToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The visitor token from POST /boot. It is valid for about 15 minutes and verified according to ' +
      'RFC8725. Responses with status 401 include `WWW-Authenticate`.',
    'x-guidepost-errors': CREDENTIAL_ERROR_CODES.visitor,
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'gp_session',
    description:
      'The session cookie, set on sign-in to the dashboard. Over https, its name is `__Host-gp_session`.',
    'x-guidepost-errors': CREDENTIAL_ERROR_CODES.session,
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'A workspace API key, prefixed `pk_live_`.',
    'x-guidepost-errors': CREDENTIAL_ERROR_CODES['api-key'],
  },
  apiKeyBearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A workspace API key, prefixed `pk_live_`, as a bearer token. Responses with status 401 include `WWW-Authenticate`.',
    'x-guidepost-errors': CREDENTIAL_ERROR_CODES['api-key'],
  },
};

/** Returns the contract as OpenAPI 3.1.1. Tests pass routers of their own. */
export function openapiDocument(routers: Readonly<Record<string, Router>> = contract): OpenAPIObject {
  return describeFieldsOnce(shareResponses(shareParameters(openResponses(contractDocument(routers)))));
}

/** Returns the contract unchanged: requests and responses are closed, and each operation lists its own parameters. */
export function contractDocument(routers: Readonly<Record<string, Router>> = contract): OpenAPIObject {
  const routes = sortByTag(Object.values(routers).flatMap((router) => Object.values(router)));
  const builder = OpenApiBuilder.create({
    openapi: '3.1.1',
    info: INFO,
    servers: [SERVER],
    tags: listTags(routes),
    'x-guidepost-buckets': listBuckets(routes),
    'x-guidepost-errors': COMMON_ERROR_CODES,
    'x-guidepost-error-statuses': groupCodesByStatus(routes),
    paths: {},
  });
  const { paths, components = {} } = describeSchemas(routes);
  for (const [path, item] of Object.entries(paths ?? {})) builder.addPath(path, item);
  for (const [name, schema] of Object.entries(sortByName(components.schemas ?? {})))
    builder.addSchema(name, schema);
  for (const [name, header] of Object.entries(components.headers ?? {})) builder.addHeader(name, header);
  for (const [name, response] of Object.entries(components.responses ?? {}))
    builder.addResponse(name, response);
  for (const [name, scheme] of Object.entries(listSecuritySchemes(routes)))
    builder.addSecurityScheme(name, scheme);
  const document = builder.getSpec();
  removeReferenceSiblings(document);
  return fillExamples(document);
}

/** Returns the paths and components with the Zod schemas of the contract as JSON Schema. */
function describeSchemas(routes: readonly Route[]): Pick<OpenAPIObject, 'paths' | 'components'> {
  const draft: ZodOpenApiObject = {
    openapi: '3.1.1',
    info: INFO,
    paths: describePaths(routes),
    components: { headers: describeHeaders(routes), responses: ERROR_RESPONSES },
  };
  return createDocument(draft, { override: schemaOverride }) as unknown as OpenAPIObject;
}

function sortByTag(routes: readonly Route[]): Route[] {
  const rank = ({ metadata }: Route) => Object.keys(TAGS).indexOf(metadata.tag);
  return routes.toSorted((one, other) => rank(one) - rank(other));
}

/** Converts a path to OpenAPI's syntax: `/conversations/{conversationId}`. */
export function toPathTemplate(path: string): string {
  return path.replace(/:(\w+)/g, (_, name: string) => `{${camelCase(name)}}`);
}

/** A rate limit of a route, and whether it counts callers with or without a credential. */
type RouteRateLimit = { bucket: BucketName; withCredential: boolean };

export function listRateLimits({ metadata }: Route): RouteRateLimit[] {
  const { credential, limits, limitsWithoutCredential, limitsAfterBody } = metadata;
  const describe = (names: readonly BucketName[], withCredential: boolean) =>
    names.map((bucket) => ({ bucket, withCredential }));
  return [
    ...describe(limits, credential !== 'none'),
    ...describe(limitsWithoutCredential, false),
    ...describe(limitsAfterBody, credential !== 'none'),
  ];
}

/** Returns the sizes of all rate limits of these routes, by name. */
function listBuckets(routes: readonly Route[]): object {
  const used = new Set(routes.flatMap(listRateLimits).map(({ bucket }) => bucket));
  return Object.fromEntries(Object.entries(BUCKETS).filter(([name]) => used.has(name as BucketName)));
}

function describePaths(routes: readonly Route[]): NonNullable<ZodOpenApiObject['paths']> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    const path = toPathTemplate(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route) };
  }
  return paths;
}

function describeOperation(route: Route): ZodOpenApiOperationObject {
  const meta = route.metadata;
  const errors = listOwnErrors(route);
  return {
    operationId: meta.operationId,
    tags: [meta.tag],
    summary: route.summary,
    description: route.description,
    security: getSecurity(route),
    ...(isCorsEnabled(route) && { 'x-guidepost-cross-origin': true }),
    ...(route.body && { 'x-guidepost-body-bytes-max': meta.bodyBytesMax }),
    ...(meta.simpleRequest && { 'x-guidepost-simple-request': true }),
    'x-guidepost-buckets': listRateLimits(route).map(({ bucket }) => bucket),
    ...(errors.length > 0 && { 'x-guidepost-errors': errors }),
    ...(meta.caps.length > 0 && { 'x-guidepost-caps': meta.caps.map((cap) => ({ cap, ...CAPS[cap] })) }),
    ...describeParameters(route),
    ...(route.body && { requestBody: { required: true, content: describeBody(route) } }),
    responses: { ...describeSuccess(route), ...describeErrors(route) },
  };
}

function describeBody({ body, metadata }: Route): ZodOpenApiContentObject {
  const { upload } = metadata;
  if (!upload) return { 'application/json': { schema: body! } };
  const encoding = { [upload.field]: { contentType: upload.mediaTypes.join(', ') } };
  return { 'multipart/form-data': { schema: body!, encoding } };
}

/** Path parameters are camelCase for generators; their names are not on the wire. */
function describeParameters(route: Route): { requestParams?: ZodOpenApiParameters } {
  const params = Object.entries(getShape(route.pathParams)).map(([name, schema]) => [
    camelCase(name),
    schema,
  ]);
  const places = {
    path: Object.fromEntries(params) as Record<string, z.ZodType>,
    query: getShape(route.query),
    header: route.headers ?? {},
  };
  const used = Object.entries(places).filter(([, shape]) => Object.keys(shape).length > 0);
  if (used.length === 0) return {};
  return { requestParams: Object.fromEntries(used.map(([place, shape]) => [place, z.object(shape)])) };
}

function getShape(object: z.ZodType | undefined): Record<string, z.ZodType> {
  return object ? (object as z.ZodObject<Record<string, z.ZodType>>).shape : {};
}

/** The summary and the schema describe the result, but OpenAPI requires a text here too. */
const SUCCESS = 'Success.';

function describeSuccess(route: Route): Record<string, ZodOpenApiResponseObject> {
  const { successResponses } = route.metadata as Route['metadata'] & {
    successResponses: Record<string, z.ZodType>;
  };
  const headers = listSuccessHeaders(route);
  const entries = Object.entries(successResponses).map(([status, schema]) => {
    const content = describeContent(route, schema);
    return [status, { description: SUCCESS, ...(headers && { headers }), content }] as const;
  });
  return Object.fromEntries(entries);
}

/** Status 400 stands beside the others, so that a mock server answers bad input with it. */
function describeErrors({ body, query }: Route): Record<string, { $ref: string }> {
  const takesInput = Boolean(body) || Object.keys(getShape(query)).length > 0;
  const refer = (name: keyof typeof ERROR_RESPONSES) => ({ $ref: `#/components/responses/${name}` });
  return { ...(takesInput && { '400': refer('BadRequest') }), default: refer('ErrorResponse') };
}

function describeContent({ metadata }: Route, schema: z.ZodType): ZodOpenApiContentObject {
  const { streams, lines, csv, audio } = metadata;
  if (csv) return { 'text/csv': describeTable(csv) };
  if (audio) return Object.fromEntries(audio.map((type) => [type, { schema }]));
  if (streams) return { 'text/event-stream': { schema } };
  return { [lines ? 'application/x-ndjson' : 'application/json']: { schema } };
}

/** OpenAPI has no schema for a table, so the example lists its columns. */
function describeTable(row: z.ZodType): ZodOpenApiMediaTypeObject {
  const description = 'The header line of the example, then a line for each row (RFC4180).';
  return { schema: { type: 'string', description }, example: Object.keys(getShape(row)).join(',') };
}

/** Returns the alternatives of a route: its credential, and no credential if it is optional. */
function getSecurity(route: Route): Record<string, string[]>[] {
  const { credential, unauthorized } = route.metadata;
  const required = SECURITY[credential];
  return credential === 'none' || unauthorized ? required : [...required, {}];
}

function listTags(routes: readonly Route[]): { name: string; description: string }[] {
  const used = new Set(routes.map((route) => route.metadata.tag));
  return Object.entries(TAGS)
    .filter(([name]) => used.has(name as Tag))
    .map(([name, description]) => ({ name, description }));
}

function listSecuritySchemes(routes: readonly Route[]): typeof SECURITY_SCHEMES {
  const used = new Set(routes.flatMap(getSecurity).flatMap((alternative) => Object.keys(alternative)));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)));
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Groups the error codes of these routes by status. */
function groupCodesByStatus(routes: readonly Route[]): Record<string, ErrorCode[]> {
  const codes = [...new Set(routes.flatMap(({ metadata }) => metadata.errorCodes))].sort();
  return Object.fromEntries(Map.groupBy(codes, (code) => ERROR_CODES[code].status));
}

const REQUEST_ID = 'req_01kakv2fxse7wtg6x5r0h8rjbm';

const EXCEEDED_LIMIT: ErrorBody = {
  error: 'rate_limit/exceeded',
  message: ERROR_CODES['rate_limit/exceeded'].message,
  request_id: REQUEST_ID,
  bucket: 'chat/visitor-burst',
  retryAfterSec: BUCKETS['chat/visitor-burst'].windowSeconds,
};

const UNKNOWN_FIELD: ErrorBody = {
  error: 'request/invalid',
  message: ERROR_CODES['request/invalid'].message,
  request_id: REQUEST_ID,
  issues: [{ path: 'body.surprise', code: 'unrecognized_keys', message: 'There is no such field.' }],
};

type Headers = Record<string, { $ref: string }>;

/** Header components by name. */
const HEADERS = {
  ContentLanguage: {
    description: 'The main language of the answer.',
    schema: { type: 'string' },
    example: 'de',
  },
  RetryAfter: {
    description: 'Seconds to wait before retrying, with status 429 and 503.',
    schema: { type: 'integer' },
    example: 60,
  },
  XRequestId: {
    description: 'Id of the request in the server logs.',
    required: true,
    schema: { type: 'string' },
    example: REQUEST_ID,
  },
  XServiceTtsProvider: {
    description: 'The speech provider: `provider_a`, `provider_b`, `provider_c` or `mock`.',
    required: true,
    schema: { type: 'string' },
    example: 'provider_c',
  },
  XSyntheticMedia: {
    description: 'The IPTC digital source type of the audio.',
    required: true,
    schema: { type: 'string' },
    example: 'trainedAlgorithmicMedia',
  },
} satisfies NonNullable<ZodOpenApiComponentsObject['headers']>;

const WIRE_NAMES: Readonly<Partial<Record<keyof typeof HEADERS, string>>> = {
  ContentLanguage: 'Content-Language',
  RetryAfter: 'Retry-After',
  XRequestId: 'x-request-id',
  XServiceTtsProvider: 'x-service-tts-provider',
  XSyntheticMedia: 'x-synthetic-media',
};

/** Returns the success headers that only some routes have. */
function listSuccessHeaders({ metadata }: Route): Headers | undefined {
  if (metadata.streams) return refer('ContentLanguage');
  return metadata.audio && refer('XServiceTtsProvider', 'XSyntheticMedia');
}

/** Returns the header components that these routes use. */
function describeHeaders(routes: readonly Route[]): NonNullable<ZodOpenApiComponentsObject['headers']> {
  const used = [ERROR_HEADERS, ...routes.map(listSuccessHeaders)].flatMap((headers) =>
    Object.values(headers ?? {}).map(({ $ref }) => $ref),
  );
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => used.includes(toReference(name))));
}

function refer(...names: readonly (keyof typeof HEADERS)[]): Headers {
  return Object.fromEntries(names.map((name) => [WIRE_NAMES[name] ?? name, { $ref: toReference(name) }]));
}

function toReference(name: string): string {
  return `#/components/headers/${name}`;
}

const ERROR_HEADERS = refer('RetryAfter', 'XRequestId');

const describeError = (description: string, example: ErrorBody): ZodOpenApiResponseObject => ({
  description,
  headers: ERROR_HEADERS,
  content: { 'application/json': { schema: errorBody, example } },
});

/** Every error is one of these responses, which have the same body. */
const ERROR_RESPONSES = {
  BadRequest: describeError('The request is invalid.', UNKNOWN_FIELD),
  ErrorResponse: describeError('An error. Its code tells what is wrong.', EXCEEDED_LIMIT),
};
