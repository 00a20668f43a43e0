import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import type { BucketName } from './limits.ts';
import { LIMITS } from './limits.ts';
import { REFUSALS, type RefusalCode, refusalBody } from './refusals.ts';

/**
 * Route facts: what a route says about itself beyond its schemas. The corridor enforces them, handler types and
 * the client follow from them, openapi.yaml prints them and the tests loop over them. A fact is here only if at
 * least two of those read it.
 */
export type Credential = 'none' | 'visitor' | 'session' | 'api-key';
export type Role = 'owner' | 'admin' | 'member';
export type Tag = 'Boot' | 'Chat' | 'Consent' | 'Visitor';

export type RouteFacts = {
  readonly operationId: string;
  readonly tag: Tag;
  readonly credential: Credential;
  /** The refusal for a missing or invalid credential. Absent: the handler is called without a caller. */
  readonly unauthorized?: RefusalCode;
  readonly roles?: readonly Role[];
  /** Drawn from in this order by a caller with a valid credential. */
  readonly limits: readonly BucketName[];
  /** Drawn from instead when the credential is missing or invalid. */
  readonly limitsWithoutCredential: readonly BucketName[];
  /** Zero: the route takes no body. */
  readonly bodyBytesMax: number;
  /** Refused before anything else is looked at while the kill switch is on. */
  readonly killSwitch?: RefusalCode;
  /** The answer is a Server-Sent Events stream of this union. */
  readonly streams?: z.ZodType;
  /** Everything that this route can refuse with, the common refusals included. */
  readonly refusals: readonly RefusalCode[];
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
  readonly metadata: RouteFacts;
};

export type Surface = Readonly<Record<string, Route>>;

/** What a route states by hand; the rest of its facts follow. */
type Draft = Omit<Route, 'metadata' | 'responses'> & {
  readonly answers: Readonly<Record<number, z.ZodType>>;
  readonly refuses: readonly RefusalCode[];
  readonly facts: {
    readonly operationId: string;
    readonly tag: Tag;
    readonly credential: Credential;
    readonly unauthorized?: RefusalCode;
    readonly roles?: readonly Role[];
    readonly limits: readonly BucketName[];
    readonly limitsWithoutCredential?: readonly BucketName[];
    readonly bodyBytesMax?: number;
    readonly killSwitch?: RefusalCode;
    readonly streams?: z.ZodType;
  };
};

/** The facts that types depend on stay exactly as they were written. */
type TypedFacts<D extends Draft> = Pick<
  D['facts'],
  Extract<keyof D['facts'], 'operationId' | 'credential' | 'unauthorized' | 'streams'>
>;

type RouteOf<D extends Draft> = Omit<D, 'answers' | 'refuses' | 'facts'> & {
  readonly responses: D['answers'] & { readonly [status: number]: z.ZodType };
  readonly metadata: RouteFacts & TypedFacts<D> & { readonly answers: D['answers'] };
};

/** Declares one route: its answers, its refusals and its facts, each stated once. */
export function route<const D extends Draft>(draft: D): RouteOf<D> {
  const { answers, refuses, facts, ...rest } = draft;
  const bodyBytesMax = draft.body ? (facts.bodyBytesMax ?? LIMITS.smallBodyBytesMax) : 0;
  const implied: RefusalCode[] = ['request/invalid', 'internal', 'server/shutting_down'];
  // Reading goes on when nothing can be written.
  if (draft.method !== 'GET') implied.push('storage/unavailable');
  if (draft.body) implied.push('request/too_large', 'request/unsupported_media_type');
  if (facts.unauthorized) implied.push(facts.unauthorized, 'jwt_expired');
  if (facts.killSwitch) implied.push(facts.killSwitch);
  const limitsWithoutCredential = facts.limitsWithoutCredential ?? [];
  if (facts.limits.length + limitsWithoutCredential.length > 0) implied.push('rate_limit/exceeded');
  const refusals = [...new Set([...refuses, ...implied])].sort();
  const refusalStatuses = Object.fromEntries(refusals.map((code) => [REFUSALS[code].status, refusalBody]));
  const metadata = { ...facts, limitsWithoutCredential, bodyBytesMax, refusals, answers };
  return {
    query: z.strictObject({}),
    ...rest,
    responses: { ...refusalStatuses, ...answers },
    metadata,
  } as unknown as RouteOf<D>;
}

/** One router of the contract: the routes of one surface. Its types stay exactly as they were written. */
export function surface<const S extends Record<string, Route>>(routes: S): S {
  return initContract().router(routes as never) as unknown as S;
}
