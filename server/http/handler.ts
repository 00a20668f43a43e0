import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { BucketName } from '../../contract/limits/rate-limits.ts';
import type { Route, Router } from '../../contract/route.ts';
import type { SecondFactor, SignInMethod } from '../../contract/sign-in-factors.ts';
import type { Automation } from '../storage/automation-sessions.ts';
import type { MemberRole } from '../storage/members.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { Customer } from '../tokens/visitor-token.ts';
import type { RateLimitState } from './rate-limit.ts';
import type { Owners } from './resource-limits.ts';

/** Types only: what the pipeline passes to handlers, derived from the contract. */

/** A visitor with a verified token whose workspace still serves the token's origin. */
export type VisitorCaller = {
  kind: 'visitor';
  /** The pseudonym, under which everything is stored. */
  visitorId: string;
  /** The id that the browser was given; only compared, never stored or shown. */
  browserId: string;
  /** See `VisitorIdentity`. */
  erasureKey: string;
  workspace: Workspace;
  origin: string;
  regionCode: string;
  regionSource: 'edge_header' | 'geo_db' | 'none';
  gpc: boolean;
  policyVersion: string;
  /** See `VisitorClaims`. */
  isLibrary: boolean;
  /** See `VisitorClaims`. */
  customer?: Customer | undefined;
};

/** A user who is signed in to the dashboard. */
export type SessionCaller = {
  kind: 'session';
  sessionId: string;
  userId: string;
  email: string;
  /** When the user last proved who they are. */
  confirmedAt: number;
  /** The workspace whose identity provider vouched for the user, or `installation`; null without one. */
  identityProvider: string | null;
  signedInWith: SignInMethod | null;
  /** What the user proved beyond a password or the word of a provider. */
  factor: SecondFactor | null;
  /** The permissions of an automation session; absent for a person. */
  automation?: Automation;
};

/** A signed-in member of the workspace whose role the route allows. */
export type MemberCaller = Omit<SessionCaller, 'kind'> & {
  kind: 'member';
  /** The actor that changes are recorded for: the member, or the automation session. */
  memberId: string;
  role: MemberRole;
  workspace: Workspace;
};

/** The holder of a valid API key with the route's scope. */
export type KeyCaller = {
  kind: 'key';
  keyId: string;
  workspace: Workspace;
};

export type Caller = VisitorCaller | SessionCaller | MemberCaller | KeyCaller;

/** The properties of the transport that handlers may use. */
export type RequestContext = {
  id: string;
  headers: IncomingHttpHeaders;
  /** The client's address behind trusted proxies. */
  clientAddress: string;
  /** The buckets that the request has consumed from. */
  rateLimits: RateLimitState;
  /** The network, visitor or workspace that this request's resources count against. */
  owners: Owners;
  /** True when the socket peer is a trusted proxy, so its edge headers can be trusted. */
  peerTrusted: boolean;
  /** Whether the caller's browser reaches this server over https, so cookies can be Secure. */
  isSecure: boolean;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Calls back when the response has been sent or the client has disconnected. */
  onClose(callback: () => void): void;
};

/** An event that the audit records with the device and network of the request. */
export type AuditEvent = {
  /** For example session.signed_in. */
  action: string;
  /** A member or API key of a workspace, or a user, who is audited in each of their workspaces. */
  by: { workspaceId: string; id: string } | { userId: string };
  /** For attempts without a verified user: the row names no actor. */
  isUnproven?: true;
  /** Id of what was acted on; the member or API key by default. */
  subject?: string;
  details?: Readonly<Record<string, string | number>>;
  /** How long repeats are counted before they become a row; 15 minutes by default. */
  intervalMillis?: number;
};

export type AuditTrail = {
  /** Writes a row. */
  record(event: AuditEvent, ctx: RequestContext): Promise<void>;
  /**
   * Writes a row for the first event of an account and network, and one row for all its repeats within an interval,
   * so that an attacker cannot fill the audit. Does not block the caller.
   */
  count(event: AuditEvent, ctx: RequestContext): void;
};

type OutputOf<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;
type HeadersOf<H> =
  H extends Readonly<Record<string, z.ZodType>> ? { [K in keyof H]: z.output<H[K]> } : Record<string, never>;

/**
 * Routes with a required credential always have a caller; with an optional one, it may be
 * undefined.
 */
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
  params: OutputOf<R['pathParams']>;
  query: OutputOf<R['query']>;
  headers: HeadersOf<R['headers']>;
  body: OutputOf<R['body']>;
  caller: CallerOf<R['metadata']>;
  ctx: RequestContext;
};

/** One server-sent event; `data` is its JSON on one line. */
export type SseEvent = { id: string; event: string; data: string };

export type SseResponse = {
  status: 200;
  /** Events without id and name belong to another stream format, such as that of the AI SDK. */
  stream: AsyncIterable<SseEvent | Pick<SseEvent, 'data'>>;
  headers?: Readonly<Record<string, string>>;
};

/**
 * A download that browsers save as `fileName`. Each piece is one or more lines without the final
 * line break; lines within a piece are joined with \n, in CSV with \r\n.
 */
export type LinesResponse = {
  status: 200;
  lines: AsyncIterable<string>;
  fileName: string;
  /** CSV rows instead of JSON lines. */
  isCsv?: true;
};

/** Audio bytes as they arrive; the first are available when the handler returns. */
export type AudioResponse = {
  status: 200;
  audio: AsyncIterable<Uint8Array>;
  /** A media type that the route declares. */
  mime: string;
  headers: Readonly<Record<string, string>>;
};

/** A response of a protocol that the route declares, as its library wrote it: JSON, or no body. */
export type ProtocolResponse = {
  status: number;
  text: string;
};

/** A session, or a step before one, that starts or ends with this response; the pipeline sets or clears its cookies. */
export type SessionChange = {
  session?: { token: string; expiresAt: number; device: string } | 'ended';
  /** What a sign-in with a provider has started with, encrypted for the browser. */
  attempt?: string;
  challenge?: { token: string; expiresAt: number } | 'ended';
};

/** Consumes from buckets whose subject is in the body. Throws 429 when one is empty. */
export type ConsumeRateLimit = (
  buckets: readonly BucketName[],
  subject: { clientAddress: string; account: string; device?: string },
  ctx: RequestContext,
) => Promise<void>;

type SuccessResponsesOf<R extends Route> = R['metadata'] extends { successResponses: infer A } ? A : never;

type JsonResponseOf<A> = {
  [S in keyof A]: A[S] extends z.ZodType ? { status: S; body: z.input<A[S]> } : never;
}[keyof A];

export type ResponseOf<R extends Route> = R['metadata'] extends { streams: z.ZodType }
  ? SseResponse
  : R['metadata'] extends { lines: z.ZodType } | { csv: z.ZodType }
    ? LinesResponse
    : R['metadata'] extends { audio: readonly string[] }
      ? AudioResponse
      : R['metadata'] extends { protocol: string }
        ? ProtocolResponse
        : JsonResponseOf<SuccessResponsesOf<R>> & SessionChange;

export type Handler<R extends Route> = (input: HandlerInput<R>) => Promise<ResponseOf<R>>;

/** One handler per route of a router; a missing one is a type error. */
export type Handlers<S extends Router> = { readonly [K in keyof S]: Handler<S[K]> };

/** Decides which workspaces are served to which origins. */
export type WorkspaceResolver = {
  /** Returns the workspace of an app id, enabled or not. */
  byAppId(appId: string): Promise<Workspace | undefined>;
  /** Returns the workspace if it is enabled, on the rollout list, and allows this canonical origin. */
  findForOrigin(workspaceId: string, origin: string): Promise<Workspace | undefined>;
  /** Whether this workspace is enabled and on the rollout list. */
  isServed(workspace: Workspace): boolean;
  /** Whether an Origin header equals this canonical origin. */
  isSameOrigin(header: string, origin: string): boolean;
};
