import type { OpenAPIObject } from 'openapi3-ts/oas31';
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
import service from '../../package.json' with { type: 'json' };
import { ERROR_CODES, type ErrorBody, type ErrorCode, errorBody } from '../errors.ts';
import { contract } from '../index.ts';
import { BUCKETS, type BucketName, CAPS } from '../limits.ts';
import {
  COMMON_ERROR_CODES,
  CREDENTIAL_ERROR_CODES,
  type Credential,
  isCorsEnabled,
  listOwnErrors,
  type Route,
  type Router,
  type Tag,
} from '../route.ts';
import { openResponses, shareExamples, shareParameters } from './components.ts';
import { sortByName } from './document.ts';
import { addLinks } from './links.ts';
import { fillExamples, removeReferenceSiblings, schemaOverride } from './schema-override.ts';

const TAGS: Record<Tag, string> = {
  Boot: 'Start of a visit: configuration, consent directive and visitor token.',
  Chat: "Visitors' questions and their streamed, cited answers.",
  Consent: 'Consent decisions of visitors.',
  Voice: "Speech recognition and speech synthesis, within the workspace's monthly cap.",
  Visitor: "Erasure of a visitor's data.",
  Session: 'Sign-in, sessions, passwords and setup.',
  Workspace: 'Settings, audit log, export and deletion of a workspace.',
  Members: 'Members of a workspace, their roles and invitations.',
  'API keys': "Keys for exporting a workspace's data.",
  Articles: 'Knowledge articles and search.',
  Translations: 'Reviewed translations of articles, from draft to published.',
  Analytics: 'Conversations, ratings and analytics of a workspace.',
  Sources: 'Where articles come from: websites and uploaded files, and the runs that read them.',
  Inbox: 'Questions that were not answered well, in groups of similar ones.',
  Export: 'Export of events, conversations, transcripts and analytics with an API key.',
};

const DESCRIPTION = [
  'The API of Guidepost, an embedded AI guide. It boots the guide on a page, records consent, and answers visitors’ questions from the ' +
    'knowledge of a workspace, with citations and in the visitor’s language.',
  'Every error has the same body: a stable code in `error`, a message and the id of the request. An operation lists its codes in ' +
    '`x-guidepost-errors`; it may also return those of its security scheme, and those listed at the top of the document. ' +
    'Errors with status 429 or 503 include `Retry-After`, in seconds.',
  'Requests are closed: unknown fields are rejected. Responses are open: later versions may add fields, error codes, events and values of ' +
    'enums marked `x-extensible-enum`. Ignore fields and events you do not know, treat unknown values as text, and handle unknown codes ' +
    'by their status.',
  'Every response includes `x-request-id`, the id of the request in the server logs. Responses that a rate limit counted include `RateLimit` ' +
    'and `RateLimit-Policy`: what is left of each limit, and its size (draft-ietf-httpapi-ratelimit-headers). ' +
    '`x-guidepost-buckets` lists the limits of an operation. Operations marked `x-guidepost-cross-origin` answer pages of the ' +
    'workspace’s origins with `Access-Control-Allow-Origin`.',
].join('\n\n');

const SECURITY = {
  none: [],
  visitor: [{ visitorToken: [] }],
  session: [{ sessionCookie: [] }],
  'api-key': [{ apiKeyHeader: [] }, { apiKeyBearer: [] }],
} satisfies Record<Credential, Record<string, string[]>[]>;

const SECURITY_SCHEMES: NonNullable<ZodOpenApiComponentsObject['securitySchemes']> = {
  visitorToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The visitor token from POST /boot. It is valid for about 15 minutes and verified according to ' +
      'RFC8725.',
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
    description: 'A workspace API key, prefixed `pk_live_`, as a bearer token.',
    'x-guidepost-errors': CREDENTIAL_ERROR_CODES['api-key'],
  },
};

/** Returns the contract as OpenAPI 3.1.1. Tests pass routers of their own. */
export function openapiDocument(routers: Readonly<Record<string, Router>> = contract): OpenAPIObject {
  return addLinks(shareExamples(shareParameters(openResponses(contractDocument(routers)))));
}

/** Returns the contract unchanged: requests and responses are closed, and each operation lists its own parameters. */
export function contractDocument(routers: Readonly<Record<string, Router>> = contract): OpenAPIObject {
  const routes = Object.values(routers).flatMap((router) => Object.values(router));
  const draft: ZodOpenApiObject = {
    openapi: '3.1.1',
    info: {
      title: 'Guidepost',
      version: service.version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [
      {
        url: '{baseUrl}',
        description: 'Base URL of the installation, in production or in a local trial.',
        variables: {
          baseUrl: { default: 'http://127.0.0.1:8787' },
        },
        'x-internal': false,
      },
    ],
    tags: listTags(routes),
    'x-guidepost-buckets': listBuckets(routes),
    'x-guidepost-errors': COMMON_ERROR_CODES,
    'x-guidepost-error-statuses': groupCodesByStatus(routes),
    paths: describePaths(routes),
    components: {
      headers: describeHeaders(routes),
      responses: { ErrorResponse: ERROR_RESPONSE },
      securitySchemes: listSecuritySchemes(routes),
    },
  };
  const document = createDocument(draft, { override: schemaOverride }) as unknown as OpenAPIObject;
  document.components!.schemas = sortByName(document.components!.schemas!);
  removeReferenceSiblings(document);
  return fillExamples(document);
}

/** Converts a path to OpenAPI's syntax: `/conversations/{conversationId}`. */
export function toPathTemplate(path: string): string {
  return path.replace(/:(\w+)/g, (_, name: string) => `{${camelCase(name)}}`);
}

/** A rate limit of a route, and whether it counts callers with or without a credential. */
type RouteRateLimit = { readonly bucket: BucketName; readonly withCredential: boolean };

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
    description: describeWithErrors(route),
    security: getSecurity(route),
    ...(isCorsEnabled(route) && { 'x-guidepost-cross-origin': true }),
    ...(route.body && { 'x-guidepost-body-bytes-max': meta.bodyBytesMax }),
    ...(meta.simpleRequest && { 'x-guidepost-simple-request': true }),
    'x-guidepost-buckets': listRateLimits(route).map(({ bucket }) => bucket),
    ...(errors.length > 0 && { 'x-guidepost-errors': errors }),
    ...(meta.caps.length > 0 && { 'x-guidepost-caps': meta.caps.map((cap) => ({ cap, ...CAPS[cap] })) }),
    ...describeParameters(route),
    ...(route.body && { requestBody: { required: true, content: describeBody(route) } }),
    responses: { ...describeSuccess(route), default: { $ref: '#/components/responses/ErrorResponse' } },
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

/** Returns the description, followed by the errors that are specific to the operation. */
function describeWithErrors(route: Route): string {
  const errors = listOwnErrors(route).map((code) => `\`${code}\``);
  return errors.length === 0 ? route.description : `${route.description} Errors: ${errors.join(', ')}.`;
}

/** The summary and the schema describe the result, but OpenAPI requires a text here too. */
const SUCCESS = 'The request succeeded.';

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
  return [...used].sort().map((name) => ({ name, description: TAGS[name] }));
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

function createExampleError(): ErrorBody {
  const bucket = 'chat/visitor-burst';
  return {
    error: 'rate_limit/exceeded',
    message: ERROR_CODES['rate_limit/exceeded'].message,
    request_id: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
    bucket,
    retryAfterSec: BUCKETS[bucket].windowSeconds,
  };
}

type Headers = Record<string, { readonly $ref: string }>;

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
    example: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
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
  const used = [ERROR_RESPONSE.headers as Headers, ...routes.map(listSuccessHeaders)].flatMap((headers) =>
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

/** Every error is this response, whatever its status. */
const ERROR_RESPONSE: ZodOpenApiResponseObject = {
  description: 'An error. Its code tells what is wrong.',
  headers: refer('RetryAfter', 'XRequestId'),
  content: { 'application/json': { schema: errorBody, example: createExampleError() } },
};
