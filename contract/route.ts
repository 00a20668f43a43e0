import { type ContractOtherResponse, type ContractPlainType, initContract } from '@ts-rest/core';
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, errorBody } from './errors.ts';
import { text } from './fields.ts';
import type { BucketName, CapName } from './limits/rate-limits.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';

const ts = initContract();

export type Credential = 'none' | 'visitor' | 'session' | 'api-key';
/** The roles of members, from the highest to the lowest. */
export const ROLES = ['owner', 'admin', 'member'] as const;
export type Role = (typeof ROLES)[number];
export const lowerRole = (one: Role, other: Role): Role =>
  ROLES[Math.max(ROLES.indexOf(one), ROLES.indexOf(other))]!;
export const SCOPES = ['analytics:read', 'events:read', 'knowledge:read'] as const;
type Scope = (typeof SCOPES)[number];
/** The areas of a workspace that an automation session may be allowed to change. */
export const AREAS = ['articles', 'translations', 'review', 'settings'] as const;
export type Area = (typeof AREAS)[number];
export type Tag =
  | 'Boot'
  | 'Chat'
  | 'Consent'
  | 'Visitor'
  | 'Voice'
  | 'Session'
  | 'Workspace'
  | 'Members'
  | 'API keys'
  | 'Webhooks'
  | 'Customers'
  | 'Articles'
  | 'Sources'
  | 'Translations'
  | 'Analytics'
  | 'Inbox'
  | 'Handovers'
  | 'Export';

/** Errors that any operation may return, so no operation lists them as its own. */
export const COMMON_ERROR_CODES = [
  'request/invalid',
  'request/too_large',
  'request/unsupported_media_type',
  'rate_limit/exceeded',
  'internal',
  'server/shutting_down',
  'server/overloaded',
  'storage/unavailable',
] as const satisfies readonly ErrorCode[];

/** A body that is multipart/form-data with exactly one part, a file. */
export type Upload = {
  field: string;
  bytesMax: number;
  /** The error for a larger file. */
  tooLarge: ErrorCode;
  /** For documentation only; the server detects the type from the bytes. */
  mediaTypes: readonly string[];
};

/** A larger body is accepted if it fits without this top-level member, which is then treated as `null`. */
export type DroppableField = { member: string; bytesMaxBeforeDrop: number };

/** A protocol that has its own specification. */
type Protocol = 'mcp';

/** What `router` adds to a route: its key there, and the tag of the router. */
type RouteName = { operationId: string; tag: Tag };

/**
 * Route metadata: what a route declares beyond its schemas. The pipeline enforces it, handler types and the client
 * derive from it, openapi.yaml publishes it and the tests loop over it.
 */
type RouteMeta = RouteName & {
  credential: Credential;
  /** The error for a missing or invalid credential. If absent, the handler is called without a caller. */
  unauthorized?: ErrorCode;
  /** The path contains `tenantId`, and the signed-in user needs one of these roles in that workspace. */
  roles?: readonly Role[];
  /** The scope that the API key needs. */
  scope?: Scope;
  /** An automation session needs one of these areas. Empty where only people may call. */
  areas: readonly Area[];
  /**
   * Takes an Idempotency-Key: the pipeline keeps the first response for a repeated request. With `error`, a repeated
   * request gets `request/already_done`, because the response had a secret.
   */
  replays?: 'response' | 'error';
  /** Requires the password to have been entered within `ACCOUNT_LIMITS.freshPasswordSeconds` (limits/accounts.ts). */
  freshPassword?: boolean;
  /** Only the service's own pages may call the route. True for routes that use or open a session. */
  firstParty: boolean;
  /** Consumed in this order for callers with a valid credential. */
  limits: readonly BucketName[];
  /** Consumed instead when the credential is missing or invalid. */
  limitsWithoutCredential: readonly BucketName[];
  /** Consumed by the handler, because their subject is in the body. */
  limitsAfterBody: readonly BucketName[];
  /** Workspace caps that the handler reserves from. */
  caps: readonly CapName[];
  /** Zero if the route takes no body. */
  bodyBytesMax: number;
  /** A member that is dropped if it makes the body too large. */
  droppableField?: DroppableField;
  /** The body is a file instead of JSON. */
  upload?: Upload;
  /** The JSON may also be sent as text/plain, so that pages of other origins need no CORS preflight. */
  simpleRequest?: true;
  /** The error while the kill switch is on, checked before anything else. */
  killSwitch?: ErrorCode;
  /** Served even under overload: visitors' rights, and requests that end something. */
  alwaysServed?: true;
  /** The response is a Server-Sent Events stream of this union. */
  streams?: z.ZodType;
  /** The response streams lines of JSON (application/x-ndjson), each one of these. */
  lines?: z.ZodType;
  /** The response streams text/csv with a row for each of these: its fields in this order, lists as JSON. */
  csv?: z.ZodType;
  /** The response streams bytes in one of these media types; the first is the default. */
  audio?: readonly string[];
  /** Bodies are messages of this protocol, whose responses have other statuses and bodies than `responses` says. */
  protocol?: Protocol;
  /** Every error that this route can return, common ones included. */
  errorCodes: readonly ErrorCode[];
  /** The schemas of the success responses by status; those of one event, line or row where the response streams. */
  successResponses: Readonly<Record<number, z.ZodType>>;
};

type CommonRoute = {
  path: string;
  summary: string;
  description: string;
  pathParams?: z.ZodType;
  query?: z.ZodType;
  headers?: Readonly<Record<string, z.ZodType>>;
  /** `null` says that a POST, PUT or PATCH takes no body. */
  body?: z.ZodType | null;
};

/** ts-rest requires a body, or `null`, of these methods. */
type MethodAndBody =
  | { method: 'GET' }
  | { method: 'DELETE' }
  | { method: 'POST' | 'PUT' | 'PATCH'; body: z.ZodType | null };

/** A response that is not JSON, as ts-rest's client returns it: a text, or the bytes of a recording. */
type TextResponse = ContractOtherResponse<z.ZodString>;
type BytesResponse = ContractOtherResponse<ContractPlainType<Blob>>;

/** A route as ts-rest reads it, with our metadata. */
export type Route = CommonRoute &
  MethodAndBody & {
    contentType?: 'multipart/form-data';
    strictStatusCodes: true;
    responses: Readonly<Record<number, z.ZodType | TextResponse | BytesResponse>>;
    metadata: RouteMeta;
  };

export type Router = Readonly<Record<string, Route>>;

/** The hand-written part of a route; the rest of its metadata is derived. */
type Draft = CommonRoute &
  MethodAndBody & {
    responses: Readonly<Record<number, z.ZodType>>;
    /** The errors that no other part of the draft implies. */
    errors?: readonly ErrorCode[];
    meta: {
      /** Where it is not the key in the router. */
      operationId?: string;
      credential: Credential;
      unauthorized?: ErrorCode;
      roles?: readonly Role[];
      scope?: Scope;
      /** Derived from method and path if absent. */
      areas?: readonly Area[];
      /** The response contains a secret that is shown once, so it is not stored for repeated requests. */
      showsSecret?: true;
      freshPassword?: boolean;
      firstParty?: boolean;
      /** A POST that only reads, or whose writes may be lost. Works while storage is read-only. */
      worksReadOnly?: true;
      limits: readonly BucketName[];
      limitsWithoutCredential?: readonly BucketName[];
      limitsAfterBody?: readonly BucketName[];
      caps?: readonly CapName[];
      bodyBytesMax?: number;
      simpleRequest?: true;
      droppableField?: DroppableField;
      upload?: Upload;
      killSwitch?: ErrorCode;
      alwaysServed?: true;
      streams?: z.ZodType;
      lines?: z.ZodType;
      csv?: z.ZodType;
      audio?: readonly string[];
      protocol?: Protocol;
    };
  };

/** Metadata that other types depend on keeps its literal types. */
type TypedMeta<D extends Draft> = Pick<
  D['meta'],
  Extract<
    keyof D['meta'],
    | 'operationId'
    | 'credential'
    | 'unauthorized'
    | 'roles'
    | 'streams'
    | 'lines'
    | 'csv'
    | 'audio'
    | 'protocol'
  >
>;

type CommonErrorCode = (typeof COMMON_ERROR_CODES)[number];
type CredentialErrorCode<C extends Credential> = (typeof CREDENTIAL_ERROR_CODES)[C][number];
type Creation = {
  method: 'POST';
  meta: { roles: readonly Role[] };
  responses: { 201: z.ZodType };
};
type ReplayErrorCode = 'request/idempotency_mismatch' | 'request/in_progress' | 'request/already_done';

/** The errors of a route's type: its own, those of its credential, and those that any operation may return. */
type ErrorCodeOf<D extends Draft> =
  | (D extends { errors: readonly (infer E)[] } ? E : never)
  | CommonErrorCode
  | CredentialErrorCode<D['meta']['credential']>
  | (D['meta'] extends { unauthorized: infer C } ? C : never)
  | (D extends Creation ? ReplayErrorCode : never);

type ErrorStatusOf<D extends Draft> = (typeof ERROR_CODES)[ErrorCodeOf<D> & ErrorCode]['status'];

type SuccessOf<D extends Draft> = D['meta'] extends
  | { streams: z.ZodType }
  | { lines: z.ZodType }
  | { csv: z.ZodType }
  ? { readonly [S in keyof D['responses']]: TextResponse }
  : D['meta'] extends { audio: readonly string[] }
    ? { readonly [S in keyof D['responses']]: BytesResponse }
    : D['responses'];

type RouteOf<D extends Draft> = Omit<D, 'responses' | 'errors' | 'meta'> &
  (D extends Creation ? { headers: { 'idempotency-key': typeof idempotencyKey } } : unknown) &
  (D['meta'] extends { upload: Upload } ? { contentType: 'multipart/form-data' } : unknown) & {
    strictStatusCodes: true;
    responses: SuccessOf<D> & {
      readonly [S in Exclude<ErrorStatusOf<D>, keyof D['responses']>]: typeof errorBody;
    };
    metadata: Omit<RouteMeta, 'successResponses' | keyof RouteName> &
      TypedMeta<D> & { successResponses: D['responses'] };
  };

/** A route that no router has named yet. */
type Unnamed = Omit<Route, 'metadata'> & { metadata: Omit<RouteMeta, keyof RouteName> };

type RouterOf<Routes> = {
  readonly [Key in keyof Routes]: Routes[Key] extends { metadata: { operationId: string } }
    ? Routes[Key] & { metadata: { tag: Tag } }
    : Routes[Key] & { metadata: { operationId: Key; tag: Tag } };
};

/** Declares one route: its responses, errors and metadata, each stated once. */
export function route<const D extends Draft>(draft: D): RouteOf<D> {
  const { responses, errors = [], meta: declared, ...rest } = draft;
  const { worksReadOnly, showsSecret, ...meta } = declared;
  const { upload } = meta;
  const fileBytesMax = upload && upload.bytesMax + REQUEST_LIMITS.uploadFramingBytesMax;
  const bodyBytesMax = draft.body
    ? (fileBytesMax ?? meta.bodyBytesMax ?? REQUEST_LIMITS.smallBodyBytesMax)
    : 0;
  const firstParty = meta.firstParty ?? meta.credential === 'session';
  const limitsWithoutCredential = meta.limitsWithoutCredential ?? [];
  const limitsAfterBody = meta.limitsAfterBody ?? [];
  const caps = meta.caps ?? [];
  const areas = meta.areas ?? deriveAreas(draft);
  const isCreation = draft.method === 'POST' && meta.roles !== undefined && 201 in responses;
  const replays = isCreation ? (showsSecret ? 'error' : 'response') : undefined;
  const derived: ErrorCode[] = ['request/invalid', 'internal', 'server/shutting_down', 'server/overloaded'];
  // Reads keep working while storage rejects writes.
  if (draft.method !== 'GET' && !worksReadOnly) derived.push('storage/unavailable');
  if (draft.body) derived.push(upload?.tooLarge ?? 'request/too_large', 'request/unsupported_media_type');
  if (meta.unauthorized) derived.push(meta.unauthorized);
  if (meta.unauthorized && meta.credential === 'visitor') derived.push('jwt_expired');
  if (firstParty && draft.method !== 'GET') derived.push('session/cross_site');
  if (meta.roles)
    derived.push('tenant/not_found', 'session/provider_required', 'session/second_factor_needed');
  if (meta.roles && meta.roles.length < ROLES.length) derived.push('tenant/role_required');
  if (meta.scope) derived.push('export/insufficient_scope');
  if (meta.credential === 'api-key') derived.push('export/key_expired', 'export/address_not_allowed');
  if (meta.credential === 'session') derived.push('session/address_not_allowed');
  const isForEveryArea = AREAS.every((area) => areas.includes(area));
  if (meta.credential === 'session' && !isForEveryArea) derived.push('session/area_required');
  if (replays) derived.push('request/idempotency_mismatch', 'request/in_progress');
  if (replays === 'error') derived.push('request/already_done');
  if (meta.freshPassword) derived.push('session/password_needed');
  if (meta.killSwitch) derived.push(meta.killSwitch);
  const buckets = [...meta.limits, ...limitsWithoutCredential, ...limitsAfterBody, ...caps];
  if (buckets.length > 0) derived.push('rate_limit/exceeded');
  const errorCodes = [...new Set([...errors, ...derived])].sort();
  const errorStatuses = Object.fromEntries(errorCodes.map((code) => [ERROR_CODES[code].status, errorBody]));
  const metadata = {
    ...meta,
    areas,
    ...(replays && { replays }),
    firstParty,
    limitsWithoutCredential,
    limitsAfterBody,
    caps,
    bodyBytesMax,
    errorCodes,
    successResponses: responses,
  };
  return {
    query: z.strictObject({}),
    ...rest,
    ...(replays && { headers: { ...rest.headers, 'idempotency-key': idempotencyKey } }),
    ...(upload && { contentType: 'multipart/form-data' as const }),
    strictStatusCodes: true,
    responses: { ...errorStatuses, ...describeSuccess(draft) },
    metadata,
    // TypeScript cannot evaluate conditional types while D is open.
  } as unknown as RouteOf<D>;
}

/** Returns the success responses as ts-rest reads them: each as its schema if it is JSON, otherwise as text or bytes. */
function describeSuccess({ responses, meta }: Draft): Route['responses'] {
  const { streams, lines, csv, audio } = meta;
  const textType =
    (streams && 'text/event-stream') ?? (lines && 'application/x-ndjson') ?? (csv && 'text/csv');
  const reply = textType
    ? ts.otherResponse({ contentType: textType, body: z.string() })
    : audio && ts.otherResponse({ contentType: audio[0]!, body: ts.type<Blob>() });
  return reply ? Object.fromEntries(Object.keys(responses).map((status) => [status, reply])) : responses;
}

const idempotencyKey = text(REQUEST_LIMITS.idempotencyKeyCharsMax)
  .regex(/^[!-~]+$/)
  .optional()
  .describe('A repeated request with the same key gets the first answer, for a day.')
  .meta({ example: '0c6d1f0e-push-1' });

const TENANT_PATH = '/api/tenants/:tenantId';

/**
 * Derives the areas of a route from its resource. Reading knowledge requires any area that works on it. Routes that are
 * not listed here are for people: members, keys, sessions, the audit log, conversations.
 */
function deriveAreas({ method, path, meta }: Draft): readonly Area[] {
  if (meta.credential !== 'session' || !path.startsWith(TENANT_PATH)) return [];
  const resource = path.slice(TENANT_PATH.length);
  if (resource.startsWith('/knowledge/')) {
    if (method === 'GET') return ['articles', 'translations', 'review'];
    return [resource.includes('/translations') ? 'translations' : 'articles'];
  }
  return ['', '/installation', '/consent-directives', '/model', '/model/test'].includes(resource)
    ? ['settings']
    : [];
}

/** Errors that most operations with this credential may return. */
export const CREDENTIAL_ERROR_CODES = {
  none: [],
  visitor: ['jwt_expired'],
  session: [
    'session/unauthorized',
    'session/cross_site',
    'session/address_not_allowed',
    'session/area_required',
    'session/provider_required',
    'session/second_factor_needed',
    'tenant/not_found',
    'tenant/role_required',
  ],
  'api-key': [
    'export/unauthorized',
    'export/key_expired',
    'export/address_not_allowed',
    'export/insufficient_scope',
  ],
} as const satisfies Record<Credential, readonly ErrorCode[]>;

/** Lists the errors of a route, without those that every route may return and those of its credential. */
export function listOwnErrors({ metadata }: Route): ErrorCode[] {
  const shared: readonly ErrorCode[] = [
    ...COMMON_ERROR_CODES,
    ...CREDENTIAL_ERROR_CODES[metadata.credential],
  ];
  return metadata.errorCodes.filter((code) => !shared.includes(code));
}

/** Whether pages of other origins may call a route. Session routes and API keys are not for customers' pages. */
export function isCorsEnabled({ metadata }: Route): boolean {
  return !metadata.firstParty && metadata.credential !== 'api-key';
}

/** Declares the routes of one resource, each under its operation id. */
export function router<const Routes extends Readonly<Record<string, Unnamed>>>(
  tag: Tag,
  routes: Routes,
): RouterOf<Routes> {
  const named = Object.entries(routes).map(([operationId, { metadata, ...rest }]) => [
    operationId,
    { ...rest, metadata: { operationId, tag, ...metadata } },
  ]);
  return ts.router(Object.fromEntries(named)) as unknown as RouterOf<Routes>;
}

/** Shared metadata of workspace routes: members call them, and each member has a rate limit. */
const memberRoute = {
  credential: 'session',
  unauthorized: 'session/unauthorized',
  limitsWithoutCredential: ['session/ip-rate-limited'],
} as const;

export const ALL_ROLES = ['owner', 'admin', 'member'] as const;
export const EDITOR_ROLES = ['owner', 'admin'] as const;

/** For routes that read. All members may call them by default. */
export const readRoute = { ...memberRoute, roles: ALL_ROLES, limits: ['tenant/member-reads'] } as const;

/** For routes that change something. Owners and admins may call them by default. */
export const editRoute = {
  ...memberRoute,
  roles: EDITOR_ROLES,
  limits: ['tenant/member-mutations'],
} as const;
