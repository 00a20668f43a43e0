import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiComponentsObject,
  type ZodOpenApiContentObject,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiParameters,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import service from '../../package.json' with { type: 'json' };
import { ERROR_CODES, type ErrorBody, type ErrorCode, errorBody } from '../errors.ts';
import { contract } from '../index.ts';
import { BUCKETS, type Bucket, type BucketName, CAPS } from '../limits.ts';
import { type Credential, isCorsEnabled, type Route, type Router, type Tag } from '../route.ts';
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
  Export: 'Export of events, conversations, transcripts and analytics with an API key.',
};

const DESCRIPTION = [
  'The API of Guidepost, an embedded AI guide. It boots the guide on a page, records consent, and answers visitors’ questions from the ' +
    'knowledge of a workspace, with citations and in the visitor’s language.',
  'Every error response has the same body: a stable code in `error`, a message and the id of the request. Unknown request fields are ' +
    'rejected. Errors with status 429 or 503 include `Retry-After`, in seconds.',
  'Later versions may add response fields and error codes. Ignore fields you do not know, and handle unknown codes by their status. ' +
    '`RateLimit` shows what is left of the rate limits listed in `x-guidepost-buckets`.',
].join('\n\n');

/** Statuses with a `Retry-After` header. */
const STATUSES_WITH_WAIT = [429, 503];

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
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-gp_session',
    description: 'The session cookie, set on sign-in to the dashboard.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'A workspace API key, prefixed `pk_live_`.',
  },
  apiKeyBearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A workspace API key, prefixed `pk_live_`, as a bearer token.',
  },
};

/** The contract as OpenAPI 3.1.1. Tests pass routers of their own. */
export function openapiDocument(routers: Readonly<Record<string, Router>> = contract): OpenAPIObject {
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
    paths: describePaths(routes),
    components: {
      headers: describeHeaders(routes),
      responses: describeResponses(routes),
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

/**
 * A rate limit of a route: whether it counts callers with or without a credential, and whether its
 * subject is in the body.
 */
type PublishedRateLimit = Bucket & {
  readonly bucket: BucketName;
  readonly withCredential: boolean;
  readonly namedByBody?: true;
};

export function listRateLimits(route: Route): PublishedRateLimit[] {
  const { credential, limits, limitsWithoutCredential, limitsAfterBody } = route.metadata;
  const describe = (names: readonly BucketName[], withCredential: boolean) =>
    names.map((bucket) => ({ bucket, withCredential, ...BUCKETS[bucket] }));
  const withCredential = credential !== 'none';
  return [
    ...describe(limits, withCredential),
    ...describe(limitsWithoutCredential, false),
    ...describe(limitsAfterBody, withCredential).map((limit) => ({ ...limit, namedByBody: true as const })),
  ];
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
  return {
    operationId: meta.operationId,
    tags: [meta.tag],
    summary: route.summary,
    description: route.description,
    security: getSecurity(route),
    'x-guidepost-cross-origin': isCorsEnabled(route),
    'x-guidepost-body-bytes-max': meta.bodyBytesMax,
    'x-guidepost-buckets': listRateLimits(route),
    ...(meta.caps.length > 0 && { 'x-guidepost-caps': meta.caps.map((cap) => ({ cap, ...CAPS[cap] })) }),
    ...describeParameters(route),
    ...(route.body && { requestBody: { required: true, content: describeBody(route) } }),
    responses: { ...describeSuccess(route), ...listErrorResponses(route) },
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

function describeSuccess(route: Route): Record<string, ZodOpenApiResponseObject> {
  const { successResponses, streams, lines, csv, audio } = route.metadata as Route['metadata'] & {
    successResponses: Record<string, z.ZodType>;
  };
  const headers = listSuccessHeaders(route);
  const entries = Object.entries(successResponses).map(([status, schema]) => {
    const mediaType = streams
      ? 'text/event-stream'
      : csv
        ? 'text/csv'
        : lines
          ? 'application/x-ndjson'
          : 'application/json';
    const description = schema.description ?? route.summary;
    const content = Object.fromEntries((audio ?? [mediaType]).map((type) => [type, { schema }]));
    return [status, { description, headers, content }] as const;
  });
  return Object.fromEntries(entries);
}

function listErrorResponses(route: Route): Record<string, { $ref: string }> {
  const entries = [...groupCodesByStatus(route.metadata.errorCodes)].map(([status, codes]) => [
    status,
    { $ref: `#/components/responses/${nameResponse(codes)}` },
  ]);
  return Object.fromEntries(entries);
}

/** An optional credential is one alternative, no credential the other. */
function getSecurity(route: Route): Record<string, string[]>[] {
  const { credential, unauthorized } = route.metadata;
  const required = SECURITY[credential];
  return credential === 'none' || unauthorized ? required : [...required, {}];
}

function describeResponses(routes: readonly Route[]): Record<string, ZodOpenApiResponseObject> {
  const groups = routes.flatMap((route): ErrorCode[][] => [
    ...groupCodesByStatus(route.metadata.errorCodes).values(),
  ]);
  return sortByName(Object.fromEntries(groups.map((codes) => [nameResponse(codes), describeErrors(codes)])));
}

function listTags(routes: readonly Route[]): { name: string; description: string }[] {
  const used = new Set(routes.map((route) => route.metadata.tag));
  return [...used].sort().map((name) => ({ name, description: TAGS[name] }));
}

function listSecuritySchemes(routes: readonly Route[]): typeof SECURITY_SCHEMES {
  const used = new Set(routes.flatMap(getSecurity).flatMap((alternative) => Object.keys(alternative)));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)));
}

function sortByName<T>(named: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Groups the error codes of a route by status; each status becomes one response. */
function groupCodesByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const byStatus = Map.groupBy(codes, (code) => ERROR_CODES[code].status);
  return new Map([...byStatus].sort(([a], [b]) => a - b).map(([status, group]) => [status, group.sort()]));
}

/**
 * Names a response after its codes, so routes with the same errors share it: `jwt_expired` and
 * `visitor/unauthorized` become `JwtExpiredOrVisitorUnauthorized`.
 */
function nameResponse(codes: readonly ErrorCode[]): string {
  const byArea = Map.groupBy(codes, (code) => (code.includes('/') ? code.split('/')[0]! : ''));
  const areas = [...byArea].map(([area, group]) => {
    const ends = group.map((code) => pascalCase(area === '' ? code : code.slice(area.length + 1)));
    return pascalCase(area) + ends.join('Or');
  });
  return areas.join('Or');
}

/** The response for one status, with a sentence and an example for each of its codes. */
function describeErrors(codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const status = ERROR_CODES[codes[0]!].status;
  const sentences = codes.map((code) => `- \`${code}\`: ${ERROR_CODES[code].message}`);
  const examples = codes.map((code) => [code.replace('/', '_'), { value: exampleError(code) }]);
  return {
    description: `One of these errors:\n\n${sentences.join('\n')}`,
    'x-guidepost-codes': codes,
    headers: listErrorHeaders(STATUSES_WITH_WAIT.includes(status)),
    content: { 'application/json': { schema: errorBody, examples: Object.fromEntries(examples) } },
  };
}

function exampleError(code: ErrorCode): ErrorBody {
  return {
    error: code,
    message: ERROR_CODES[code].message,
    request_id: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
    ...(STATUSES_WITH_WAIT.includes(ERROR_CODES[code].status) && { retryAfterSec: 5 }),
    ...(code === 'rate_limit/exceeded' && exampleWait()),
    ...(code === 'request/invalid' && { issues: [exampleIssue()] }),
  };
}

function exampleWait(): Pick<ErrorBody, 'bucket' | 'retryAfterSec'> {
  const bucket = 'chat/visitor-burst';
  return { bucket, retryAfterSec: BUCKETS[bucket].windowSeconds };
}

function exampleIssue(): NonNullable<ErrorBody['issues']>[number] {
  return { path: 'body.surprise', code: 'unrecognized_keys', message: 'There is no such field.' };
}

function pascalCase(words: string): string {
  return words.replace(/(?:^|[_/-])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

type Headers = Record<string, { readonly $ref: string }>;

/** Header components by name. */
const HEADERS = {
  AccessControlAllowOrigin: {
    description:
      'The origin of the requesting page. Present if the workspace allows that origin and the operation accepts requests from other origins.',
    schema: { type: 'string', format: 'uri', maxLength: 4096 },
    example: 'https://shop.example.com',
  },
  ContentLanguage: {
    description: 'The main language of the answer.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9-]+$', minLength: 2, maxLength: 64 },
    example: 'de',
  },
  RateLimit: {
    description:
      'What is left of each rate limit that this request consumed from: `r` requests for the next `t` seconds ' +
      '(draft-ietf-httpapi-ratelimit-headers). Absent when the request was rejected before it was counted. ' +
      'Limits of a whole workspace are never listed. `Retry-After` takes precedence.',
    schema: { type: 'string', pattern: '^"[!-~ ]+$', maxLength: 512 },
    example: '"chat/visitor-burst";r=29;t=60, "chat/visitor-hour";r=99;t=3600',
  },
  RateLimitPolicy: {
    description: 'The rate limits listed in `RateLimit`: `q` requests in a window of `w` seconds.',
    schema: { type: 'string', pattern: '^"[!-~ ]+$', maxLength: 512 },
    example: '"chat/visitor-burst";q=30;w=60, "chat/visitor-hour";q=100;w=3600',
  },
  RetryAfter: {
    description: 'Seconds to wait before retrying.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2_678_400 },
    example: 60,
  },
  XRequestId: {
    description: 'Id of the request in the server logs.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-z]+$', maxLength: 64 },
    example: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
  },
  XServiceTtsProvider: {
    description: 'The speech provider: `provider_a`, `provider_b`, `provider_c` or `mock`.',
    required: true,
    schema: { type: 'string', pattern: '^[a-z_]+$', maxLength: 32 },
    example: 'provider_c',
  },
  XSyntheticMedia: {
    description: 'The IPTC digital source type of the audio.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z]+$', maxLength: 64 },
    example: 'trainedAlgorithmicMedia',
  },
} satisfies NonNullable<ZodOpenApiComponentsObject['headers']>;

const WIRE_NAMES: Readonly<Partial<Record<keyof typeof HEADERS, string>>> = {
  AccessControlAllowOrigin: 'Access-Control-Allow-Origin',
  ContentLanguage: 'Content-Language',
  RateLimitPolicy: 'RateLimit-Policy',
  RetryAfter: 'Retry-After',
  XRequestId: 'x-request-id',
  XServiceTtsProvider: 'x-service-tts-provider',
  XSyntheticMedia: 'x-synthetic-media',
};

/** The headers of a route's success responses. */
function listSuccessHeaders(route: Route): Headers {
  const { streams, audio, limits, limitsWithoutCredential } = route.metadata;
  return {
    ...refer('XRequestId'),
    ...(limits.length + limitsWithoutCredential.length > 0 && refer('RateLimit', 'RateLimitPolicy')),
    ...(isCorsEnabled(route) && refer('AccessControlAllowOrigin')),
    ...(streams && refer('ContentLanguage')),
    ...(audio && refer('XServiceTtsProvider', 'XSyntheticMedia')),
  };
}

/** The headers of error responses. */
function listErrorHeaders(hasRetryAfter: boolean): Headers {
  return {
    ...refer('XRequestId', 'RateLimit', 'RateLimitPolicy', 'AccessControlAllowOrigin'),
    ...(hasRetryAfter && refer('RetryAfter')),
  };
}

/** The header components that these routes use. */
function describeHeaders(routes: readonly Route[]): NonNullable<ZodOpenApiComponentsObject['headers']> {
  const used = [listErrorHeaders(true), ...routes.map(listSuccessHeaders)].flatMap(Object.values);
  const references = new Set(used.map(({ $ref }) => $ref));
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => references.has(toReference(name))));
}

function refer(...names: readonly (keyof typeof HEADERS)[]): Headers {
  return Object.fromEntries(names.map((name) => [WIRE_NAMES[name] ?? name, { $ref: toReference(name) }]));
}

function toReference(name: string): string {
  return `#/components/headers/${name}`;
}
