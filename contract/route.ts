import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, errorBody } from './errors.ts';
import type { BucketName, CapName } from './limits.ts';
import { LIMITS } from './limits.ts';

/**
 * Route facts: what a route says about itself beyond its schemas. The corridor enforces them, handler types and
 * the client follow from them, openapi.yaml prints them and the tests loop over them. A fact is here only if at
 * least two of those read it.
 */
export type Credential = 'none' | 'visitor' | 'session' | 'api-key';
export const ROLES = ['owner', 'admin', 'member'] as const;
export type Role = (typeof ROLES)[number];
export const SCOPES = ['analytics:read', 'events:read'] as const;
export type Scope = (typeof SCOPES)[number];
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
  | 'Articles'
  | 'Translations'
  | 'Insight'
  | 'Export';

/** A body that is multipart/form-data with exactly one part, a file. */
export type Upload = {
  readonly field: string;
  readonly bytesMax: number;
  /** The refusal of a file that is larger. */
  readonly tooLarge: ErrorCode;
  /** Media types that the file may have; for readers, since a file is judged by its bytes. */
  readonly mediaTypes: readonly string[];
};

/** A route that will go. Days are ISO 8601 dates, and mean their first moment in UTC. */
export type Deprecated = {
  /** The day from which on nobody should begin to use it. */
  readonly since: string;
  /** The day on which it may be gone. */
  readonly sunset: string;
  /** Where it is said what to use instead. */
  readonly link: string;
};

export type Cut = { readonly member: string; readonly arrivingBytesMax: number };

export type RouteMeta = {
  readonly operationId: string;
  readonly tag: Tag;
  readonly credential: Credential;
  /** The refusal for a missing or invalid credential. Absent: the handler is called without a caller. */
  readonly unauthorized?: ErrorCode;
  /** The path names a workspace as `tenantId`, and the signed-in person has one of these roles in it. */
  readonly roles?: readonly Role[];
  /** The API key that is sent must have it. */
  readonly scope?: Scope;
  /** The password was given within the last `LIMITS.freshPasswordSeconds`. */
  readonly freshPassword?: boolean;
  /** Only pages of the service itself may call it: every session route, and those that open a session. */
  readonly firstParty: boolean;
  /** Drawn from in this order by a caller with a valid credential. */
  readonly limits: readonly BucketName[];
  /** Drawn from instead when the credential is missing or invalid. */
  readonly limitsWithoutCredential: readonly BucketName[];
  /** Drawn from by the handler, because only the body says whose they are. */
  readonly limitsAfterBody: readonly BucketName[];
  /** Caps of the workspace that the handler reserves from. */
  readonly caps: readonly CapName[];
  /** Zero: the route takes no body. */
  readonly bodyBytesMax: number;
  /** The text of a member that is left out when it makes the body too large, up to so many bytes of the whole. */
  readonly cuts?: Cut;
  /** The body is a file instead of JSON. */
  readonly upload?: Upload;
  /** Refused before anything else is looked at while the kill switch is on. */
  readonly killSwitch?: ErrorCode;
  /** The answer is a Server-Sent Events stream of this union. */
  readonly streams?: z.ZodType;
  /** The answer is a stream of lines, each one of these as JSON (application/x-ndjson). */
  readonly lines?: z.ZodType;
  /** The answer is a stream of text/csv, one row each of these, their fields as columns in this order. */
  readonly csv?: z.ZodType;
  /** The answer is a stream of bytes in one of these media types, the first being the usual one. */
  readonly audio?: readonly string[];
  /** It still answers, and says with each answer that it will not for ever. */
  readonly deprecated?: Deprecated;
  /** Everything that this route can refuse with, the common refusals included. */
  readonly errorCodes: readonly ErrorCode[];
};

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly pathParams?: z.ZodType;
  readonly query?: z.ZodType;
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  readonly body?: z.ZodType;
  readonly responses: Readonly<Record<number, z.ZodType>>;
  readonly metadata: RouteMeta;
};

export type Router = Readonly<Record<string, Route>>;

/** What a route states by hand; the rest of its facts follow. */
type Draft = Omit<Route, 'metadata' | 'responses'> & {
  readonly answers: Readonly<Record<number, z.ZodType>>;
  readonly errors: readonly ErrorCode[];
  readonly meta: {
    readonly operationId: string;
    readonly tag: Tag;
    readonly credential: Credential;
    readonly unauthorized?: ErrorCode;
    readonly roles?: readonly Role[];
    readonly scope?: Scope;
    readonly freshPassword?: boolean;
    readonly firstParty?: boolean;
    /** It is no GET only because of what it asks with; or nobody is promised what it writes. It is answered when nothing can be stored. */
    readonly promisesNoWrite?: true;
    readonly limits: readonly BucketName[];
    readonly limitsWithoutCredential?: readonly BucketName[];
    readonly limitsAfterBody?: readonly BucketName[];
    readonly caps?: readonly CapName[];
    readonly bodyBytesMax?: number;
    readonly cuts?: Cut;
    readonly upload?: Upload;
    readonly killSwitch?: ErrorCode;
    readonly streams?: z.ZodType;
    readonly lines?: z.ZodType;
    readonly csv?: z.ZodType;
    readonly audio?: readonly string[];
    readonly deprecated?: Deprecated;
  };
};

/** The facts that types depend on stay exactly as they were written. */
type TypedMeta<D extends Draft> = Pick<
  D['meta'],
  Extract<
    keyof D['meta'],
    'operationId' | 'credential' | 'unauthorized' | 'roles' | 'streams' | 'lines' | 'csv' | 'audio'
  >
>;

type RouteOf<D extends Draft> = Omit<D, 'answers' | 'errors' | 'meta'> & {
  readonly responses: D['answers'] & { readonly [status: number]: z.ZodType };
  readonly metadata: RouteMeta & TypedMeta<D> & { readonly answers: D['answers'] };
};

/** Declares one route: its answers, its refusals and its facts, each stated once. */
export function route<const D extends Draft>(draft: D): RouteOf<D> {
  const { answers, errors, meta: stated, ...rest } = draft;
  const { promisesNoWrite, ...meta } = stated;
  const { upload } = meta;
  const fileBytesMax = upload && upload.bytesMax + LIMITS.uploadFramingBytesMax;
  const bodyBytesMax = draft.body ? (fileBytesMax ?? meta.bodyBytesMax ?? LIMITS.smallBodyBytesMax) : 0;
  const firstParty = meta.firstParty ?? meta.credential === 'session';
  const limitsWithoutCredential = meta.limitsWithoutCredential ?? [];
  const limitsAfterBody = meta.limitsAfterBody ?? [];
  const caps = meta.caps ?? [];
  const implied: ErrorCode[] = ['request/invalid', 'internal', 'server/shutting_down'];
  // Reading goes on when nothing can be written.
  if (draft.method !== 'GET' && !promisesNoWrite) implied.push('storage/unavailable');
  // Files are in memory until they are answered, and there is an end to that.
  if (upload) implied.push('server/overloaded');
  if (draft.body) implied.push(upload?.tooLarge ?? 'request/too_large', 'request/unsupported_media_type');
  if (meta.unauthorized) implied.push(meta.unauthorized);
  if (meta.unauthorized && meta.credential === 'visitor') implied.push('jwt_expired');
  if (firstParty && draft.method !== 'GET') implied.push('session/cross_site');
  if (meta.roles) implied.push('tenant/not_found');
  if (meta.roles && meta.roles.length < ROLES.length) implied.push('tenant/role_required');
  if (meta.scope) implied.push('export/insufficient_scope');
  if (meta.freshPassword) implied.push('session/password_needed');
  if (meta.killSwitch) implied.push(meta.killSwitch);
  const buckets = [...meta.limits, ...limitsWithoutCredential, ...limitsAfterBody, ...caps];
  if (buckets.length > 0) implied.push('rate_limit/exceeded');
  const errorCodes = [...new Set([...errors, ...implied])].sort();
  const refusalStatuses = Object.fromEntries(errorCodes.map((code) => [ERROR_CODES[code].status, errorBody]));
  const metadata = {
    ...meta,
    firstParty,
    limitsWithoutCredential,
    limitsAfterBody,
    caps,
    bodyBytesMax,
    errorCodes,
    answers,
  };
  return {
    query: z.strictObject({}),
    ...rest,
    responses: { ...refusalStatuses, ...answers },
    metadata,
  } as unknown as RouteOf<D>;
}

/** Whether pages of customers may call it: not what is for the service's own pages, nor what takes a key that no page should know. */
export function isCorsEnabled({ metadata }: Route): boolean {
  return !metadata.firstParty && metadata.credential !== 'api-key';
}

/** One router of the contract: the routes of one surface. Its types stay exactly as they were written. */
export function router<const S extends Record<string, Route>>(routes: S): S {
  return initContract().router(routes as never) as unknown as S;
}
