import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { BucketName } from '../../contract/limits.ts';
import type { Route, Router } from '../../contract/route.ts';
import type { MemberRole } from '../storage/members.ts';
import type { Workspace } from '../storage/workspaces.ts';

/** Types only: what the corridor hands to a feature, derived from the contract. */

/** A visitor whose token was verified and whose workspace still serves the origin of the token. */
export type VisitorCaller = {
  readonly kind: 'visitor';
  readonly visitorId: string;
  readonly workspace: Workspace;
  readonly origin: string;
  readonly regionCode: string;
  readonly regionSource: 'edge_header' | 'geo_db' | 'none';
  readonly gpc: boolean;
  readonly policyVersion: string;
};

/** Somebody who is signed in to the dashboard. */
export type SessionCaller = {
  readonly kind: 'session';
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  /** When the password was given last. */
  readonly confirmedAt: number;
};

/** Somebody who is signed in, in a workspace that they belong to, with a role that the route allows. */
export type MemberCaller = Omit<SessionCaller, 'kind'> & {
  readonly kind: 'member';
  readonly memberId: string;
  readonly role: MemberRole;
  readonly workspace: Workspace;
};

/** The holder of an API key that is not revoked and has the scope of the route. */
export type KeyCaller = {
  readonly kind: 'key';
  readonly keyId: string;
  readonly workspace: Workspace;
};

export type Caller = VisitorCaller | SessionCaller | MemberCaller | KeyCaller;

/** What a handler may know of the transport. */
export type RequestContext = {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** The visitor's address, through trusted proxies only. */
  readonly clientAddress: string;
  /** True when the socket peer is a trusted proxy, so that its edge headers may be believed. */
  readonly peerTrusted: boolean;
  /** Where the caller's browser sees this service: scheme, host and port. */
  readonly ownOrigin: string;
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal;
};

type OutputOf<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;
type HeadersOf<H> =
  H extends Readonly<Record<string, z.ZodType>> ? { [K in keyof H]: z.output<H[K]> } : Record<string, never>;

/** A required credential means that there is a caller; an optional one that there may be. */
type CallerOf<F> = F extends { credential: 'none' }
  ? undefined
  : F extends { credential: 'session'; roles: readonly string[] }
    ? MemberCaller
    : F extends { credential: 'session' }
      ? SessionCaller
      : F extends { credential: 'api-key' }
        ? KeyCaller
        : F extends { credential: 'visitor'; unauthorized: string }
          ? VisitorCaller
          : VisitorCaller | undefined;

export type HandlerInput<R extends Route> = {
  readonly params: OutputOf<R['pathParams']>;
  readonly query: OutputOf<R['query']>;
  readonly headers: HeadersOf<R['headers']>;
  readonly body: OutputOf<R['body']>;
  readonly caller: CallerOf<R['metadata']>;
  readonly ctx: RequestContext;
};

/** One frame of an event stream; `data` is the event as JSON text, on one line. */
export type SseEvent = { readonly id: string; readonly event: string; readonly data: string };

export type SseResponse = {
  readonly status: 200;
  readonly stream: AsyncIterable<SseEvent>;
};

/**
 * A download; `fileName` is what a browser saves it as. A piece is a line without its end, or several that are joined as the format joins
 * them: with \n, and with \r\n in a CSV.
 */
export type LinesResponse = {
  readonly status: 200;
  readonly lines: AsyncIterable<string>;
  readonly fileName: string;
  /** Lines are rows of CSV instead of JSON texts. */
  readonly isCsv?: true;
};

/** Bytes of audio as they come; the first of them are at hand when the handler answers. */
export type AudioResponse = {
  readonly status: 200;
  readonly audio: AsyncIterable<Uint8Array>;
  /** One of those that the route declares. */
  readonly mime: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** A session that begins or ends with this answer: the corridor sets or clears the cookie. */
export type SessionChange = {
  readonly session?: { readonly token: string; readonly expiresAt: number } | 'ended';
};

/** Draws from buckets that only the body says whose they are; refuses when one is empty. */
export type ConsumeRateLimit = (
  buckets: readonly BucketName[],
  subject: { readonly clientAddress: string; readonly account: string },
) => Promise<void>;

type SuccessResponsesOf<R extends Route> = R['metadata'] extends { successResponses: infer A } ? A : never;

type JsonResponseOf<A> = {
  [S in keyof A]: A[S] extends z.ZodType ? { readonly status: S; readonly body: z.input<A[S]> } : never;
}[keyof A];

export type ResponseOf<R extends Route> = R['metadata'] extends { streams: z.ZodType }
  ? SseResponse
  : R['metadata'] extends { lines: z.ZodType } | { csv: z.ZodType }
    ? LinesResponse
    : R['metadata'] extends { audio: readonly string[] }
      ? AudioResponse
      : JsonResponseOf<SuccessResponsesOf<R>> & SessionChange;

export type Handler<R extends Route> = (input: HandlerInput<R>) => Promise<ResponseOf<R>>;

/** One handler for every route of a surface; a missing one does not compile. */
export type Handlers<S extends Router> = { readonly [K in keyof S]: Handler<S[K]> };

/** Which workspaces are served, to which origins. */
export type WorkspaceResolver = {
  /** The workspace behind an app id, whether it is served or not. */
  byAppId(appId: string): Promise<Workspace | undefined>;
  /** The workspace when it is enabled, on the rollout list, and still allows this canonical origin. */
  findForOrigin(workspaceId: string, origin: string): Promise<Workspace | undefined>;
  /** Whether this workspace is served at all. */
  isServed(workspace: Workspace): boolean;
  /** Whether an Origin header names this canonical origin. */
  isSameOrigin(header: string, origin: string): boolean;
  /** Whether any workspace allows this Origin header; for preflights, which name no workspace. */
  isAllowedAnywhere(header: string): Promise<boolean>;
};
