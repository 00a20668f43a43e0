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
import type { ErrorCode } from '../errors.ts';
import { contract } from '../index.ts';
import { BUCKETS, type Bucket, type BucketName, CAPS } from '../limits.ts';
import { type Credential, isCorsEnabled, type Route, type Router, type Tag } from '../route.ts';
import { refusalResponse, refusalsByStatus, responseNameOf } from './error-responses.ts';
import { fillExamples } from './fill-examples.ts';
import { headersOf, successHeaders } from './headers.ts';
import { bareReferences, schemaOverride } from './schema-override.ts';

const TAGS: Record<Tag, string> = {
  Boot: 'Where every visit starts: configuration, consent directive and visitor token.',
  Chat: 'Questions of the visitor and their streamed, cited answers.',
  Consent: 'What the visitor agrees to, recorded as evidence.',
  Voice: 'Speech of the visitor and of the guide, within the cap of the workspace.',
  Visitor: 'What the service holds about a visitor, and its erasure.',
  Session: 'Signing in to the dashboard, devices, passwords, set-up and invitations.',
  Workspace: 'Settings of a workspace, its audit, its whole export and its deletion.',
  Members: 'Who belongs to a workspace, in which role, and who is invited.',
  'API keys': 'Read-only keys for taking data out of a workspace.',
  Articles: 'The knowledge of a workspace in its own language, and the search that visitors are served by.',
  Translations: 'Reviewed translations of articles, from draft to published.',
  Insight: 'Conversations and figures of a workspace, as the export gives them.',
  Export: 'What a workspace takes out: events, conversations, transcripts and figures, by API key.',
};

const DESCRIPTION = [
  'The service behind an embedded AI guide: it boots the guide on a page, records consent, and answers the questions of ' +
    'visitors from the knowledge of a workspace, with citations and in the language of the visitor.',
  'Every refusal has the same body: a stable code in `error`, a sentence, and the id of the request. Unknown fields are ' +
    'refused. A refusal with status 429 or 503 says in `Retry-After` how many seconds to wait.',
  'Later versions may answer fields and codes that are not listed here: ignore such a field, and treat such a code by its ' +
    'status. What a request has left of its buckets is said in `RateLimit`, and their numbers in `x-guidepost-buckets`.',
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
      'The visitor token that POST /boot answers with; it lives for about 15 minutes and is verified as RFC8725 asks.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-gp_session',
    description: 'The cookie that is set when a member signs in to the dashboard.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'A workspace API key, prefixed pk_live_, in a header of its own.',
  },
  apiKeyBearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same API key, prefixed pk_live_, as a bearer token.',
  },
};

/** The whole contract as OpenAPI 3.1.1; `surfaces` is for the tests, which try the walker on routes of their own. */
export function openapiDocument(surfaces: Readonly<Record<string, Router>> = contract): OpenAPIObject {
  const routes = Object.values(surfaces).flatMap((router) => Object.values(router));
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
        description: 'Where this installation is reached, in production or for a local trial.',
        variables: {
          baseUrl: { default: 'http://127.0.0.1:8787' },
        },
        'x-internal': false,
      },
    ],
    tags: tagsOf(routes),
    paths: pathsOf(routes),
    components: {
      headers: headersOf(routes),
      responses: responsesOf(routes),
      securitySchemes: securitySchemesOf(routes),
    },
  };
  const document = createDocument(draft, { override: schemaOverride }) as unknown as OpenAPIObject;
  document.components!.schemas = sortedByName(document.components!.schemas!);
  bareReferences(document);
  return fillExamples(document);
}

/** The path as the document writes it: `/conversations/{conversationId}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, (_, name: string) => `{${camelCase(name)}}`);
}

/** What a route draws from: a bucket with its numbers, whether that is with or without a credential, and whether the body says whose it is. */
type Drawn = Bucket & {
  readonly bucket: BucketName;
  readonly withCredential: boolean;
  readonly namedByBody?: true;
};

export function drawsOf(route: Route): Drawn[] {
  const { credential, limits, limitsWithoutCredential, limitsAfterBody } = route.metadata;
  const draws = (names: readonly BucketName[], withCredential: boolean) =>
    names.map((bucket) => ({ bucket, withCredential, ...BUCKETS[bucket] }));
  const withCredential = credential !== 'none';
  return [
    ...draws(limits, withCredential),
    ...draws(limitsWithoutCredential, false),
    ...draws(limitsAfterBody, withCredential).map((draw) => ({ ...draw, namedByBody: true as const })),
  ];
}

function pathsOf(routes: readonly Route[]): NonNullable<ZodOpenApiObject['paths']> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return paths;
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const meta = route.metadata;
  return {
    operationId: meta.operationId,
    tags: [meta.tag],
    summary: route.summary,
    description: descriptionOf(route),
    ...(meta.deprecated && { deprecated: true, 'x-guidepost-deprecated': meta.deprecated }),
    security: securityOf(route),
    'x-guidepost-cross-origin': isCorsEnabled(route),
    'x-guidepost-body-bytes-max': meta.bodyBytesMax,
    'x-guidepost-buckets': drawsOf(route),
    ...(meta.caps.length > 0 && { 'x-guidepost-caps': meta.caps.map((cap) => ({ cap, ...CAPS[cap] })) }),
    ...parametersOf(route),
    ...(route.body && { requestBody: { required: true, content: bodyOf(route) } }),
    responses: { ...successOf(route), ...refusalsOf(route) },
  };
}

function descriptionOf({ description, metadata: { deprecated } }: Route): string {
  if (!deprecated) return description;
  const { since, sunset, link } = deprecated;
  return `${description}\n\nDeprecated since ${since}; it may be gone from ${sunset} on. See ${link} for what to use instead.`;
}

function bodyOf({ body, metadata }: Route): ZodOpenApiContentObject {
  const { upload } = metadata;
  if (!upload) return { 'application/json': { schema: body! } };
  const encoding = { [upload.field]: { contentType: upload.mediaTypes.join(', ') } };
  return { 'multipart/form-data': { schema: body!, encoding } };
}

/** Path parameters are camelCase for the generators; on the wire they have no name. */
function parametersOf(route: Route): { requestParams?: ZodOpenApiParameters } {
  const params = Object.entries(shapeOf(route.pathParams)).map(([name, schema]) => [camelCase(name), schema]);
  const places = {
    path: Object.fromEntries(params) as Record<string, z.ZodType>,
    query: shapeOf(route.query),
    header: route.headers ?? {},
  };
  const used = Object.entries(places).filter(([, shape]) => Object.keys(shape).length > 0);
  if (used.length === 0) return {};
  return { requestParams: Object.fromEntries(used.map(([place, shape]) => [place, z.object(shape)])) };
}

function shapeOf(object: z.ZodType | undefined): Record<string, z.ZodType> {
  return object ? (object as z.ZodObject<Record<string, z.ZodType>>).shape : {};
}

function successOf(route: Route): Record<string, ZodOpenApiResponseObject> {
  const { answers, streams, lines, csv, audio } = route.metadata as Route['metadata'] & {
    answers: Record<string, z.ZodType>;
  };
  const headers = successHeaders(route);
  const entries = Object.entries(answers).map(([status, schema]) => {
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

function refusalsOf(route: Route): Record<string, { $ref: string }> {
  const entries = [...refusalsByStatus(route.metadata.errorCodes)].map(([status, codes]) => [
    status,
    { $ref: `#/components/responses/${responseNameOf(codes)}` },
  ]);
  return Object.fromEntries(entries);
}

/** A credential that the route can do without is one alternative beside none at all. */
function securityOf(route: Route): Record<string, string[]>[] {
  const { credential, unauthorized } = route.metadata;
  const required = SECURITY[credential];
  return credential === 'none' || unauthorized ? required : [...required, {}];
}

function responsesOf(routes: readonly Route[]): Record<string, ZodOpenApiResponseObject> {
  const groups = routes.flatMap((route): ErrorCode[][] => [
    ...refusalsByStatus(route.metadata.errorCodes).values(),
  ]);
  return sortedByName(
    Object.fromEntries(groups.map((codes) => [responseNameOf(codes), refusalResponse(codes)])),
  );
}

function tagsOf(routes: readonly Route[]): { name: string; description: string }[] {
  const used = new Set(routes.map((route) => route.metadata.tag));
  return [...used].sort().map((name) => ({ name, description: TAGS[name] }));
}

function securitySchemesOf(routes: readonly Route[]): typeof SECURITY_SCHEMES {
  const used = new Set(routes.flatMap(securityOf).flatMap((alternative) => Object.keys(alternative)));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)));
}

function sortedByName<T>(named: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
